"""Play in a real house: what is recorded is what was seen and done, with scripted setters and with learned ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pipelines.presets.demo import WORLD
from rlhf.records.episode import Episode
from rlhf.replay.learned_setter import LearnedSetter
from rlhf.replay.play import Plan, ProbeSetter, ScriptedSolvers, play
from worlds.contract import Action, Observation, TaskSpec, neutral_movement

ENTRY = WORLD.entry()
TURN, LEFT = 2, 4


class Turning:
    """Turns left all the time and says the number of its step; keeps what it saw, as copies."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.seen: list[list[np.ndarray]] = []
        self.heard: list[list[str]] = []
        self.resets: list[list[bool]] = []

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        assert len(observations) == len(resets) == self.slots
        self.seen.append([o["image"].copy() for o in observations])
        self.heard.append([o["setter_text"] for o in observations])
        self.resets.append(resets.tolist())
        movement = neutral_movement()
        movement[:, TURN] = LEFT
        return [{"movement": movement.copy(), "utterance": f"step {len(self.seen)}"} for _ in observations]


def plan(seed: int, steps: int, name: str = "", **changes: object) -> Plan:
    spec = TaskSpec("count", "count the toys", {"colour": None, "kind": None, "answer": "none"}, steps)
    made = Plan(name or f"e{seed}", WORLD.sample_config(seed), ProbeSetter(spec, Never(spec)), seed, steps)
    return replace(made, **changes)


class Never:
    """A task that never succeeds, or does at the step that its number says."""

    def __init__(self, spec: TaskSpec, at: int | None = None) -> None:
        self.spec, self.at, self.looks = spec, at, 0

    def update(self, world: object, utterance: str) -> tuple[bool, tuple]:
        self.looks += 1
        return self.at is not None and self.looks > self.at, ()


@pytest.fixture(scope="module")
def turned() -> tuple[Episode, Turning]:
    solvers = Turning(1)
    (episode,) = play(ENTRY, WORLD.make(1), [plan(3, 8)], solvers, solver_name="turning", threads=1)
    return episode, solvers


def test_a_row_has_the_observation_before_its_action(turned: tuple[Episode, Turning]) -> None:
    episode, solvers = turned
    assert len(episode) == 8
    assert (episode.image == np.stack([images[0] for images in solvers.seen])).all()
    assert episode.utterance == tuple(f"step {number}" for number in range(1, 9))
    assert episode.solver_text == ("", *episode.utterance[:-1])
    assert episode.setter_text == tuple(heard[0] for heard in solvers.heard)
    assert episode.setter_text[0] == "" and set(episode.setter_text[1:]) == {"count the toys"}
    assert (episode.movement[:, :, TURN] == LEFT).all()
    assert (episode.previous_movement()[1:] == episode.movement[:-1]).all()
    assert solvers.resets == [[True]] + [[False]] * 7
    assert episode.solver == "turning" and episode.setter == "scripted"


def test_play_ends_soon_after_a_wrong_answer() -> None:
    class Answering(Turning):
        def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
            actions = super().act(observations, resets)
            return [{**action, "utterance": "two" if len(self.seen) == 3 else ""} for action in actions]

    def asked(answer: str, tail: int | None) -> Episode:
        spec = TaskSpec("count", "count the toys", {"colour": None, "kind": None, "answer": answer}, 20)
        one = replace(plan(3, 20), setter=ProbeSetter(spec, ENTRY.make_task(spec)), tail=tail)
        (episode,) = play(ENTRY, WORLD.make(1), [one], Answering(1), threads=1)
        return episode

    right, wrong = asked("two", 4), asked("three", 4)
    assert (right.success_step, wrong.success_step) == ((2,), (None,))
    assert len(right) == len(wrong) == 2 + 4 + 1
    assert [event.sign for event in wrong.truth] == [-1]
    assert len(asked("three", None)) == 20


def test_scripted_people_leave_requests_that_were_really_said() -> None:
    def plans() -> list[Plan]:
        return [
            Plan(
                f"s{seed}", WORLD.sample_config(seed),
                ENTRY.make_setter(first_request=[0, 0], pause=[1, 3], patience=20),
                seed, 40, solver=ENTRY.make_solver(perfect=True),
            )
            for seed in (0, 1)
        ]  # fmt: skip

    episodes = list(play(ENTRY, WORLD.make(1), plans(), ScriptedSolvers(1), threads=1))
    for episode in episodes:
        assert len(episode.requests) == len(episode.success_step) >= 1
        said = [(step, words) for step, words in enumerate(episode.setter_utterance) if words]
        assert [(r.step, r.task.instruction) for r in episode.requests] == said
        for request, success in zip(episode.requests, episode.success_step, strict=True):
            assert success is None or request.step <= success < len(episode)
    assert any(step is not None for episode in episodes for step in episode.success_step)
    again = list(play(ENTRY, WORLD.make(2), plans(), ScriptedSolvers(2), threads=2))
    for one, other in zip(episodes, sorted(again, key=lambda e: e.episode_id), strict=True):
        assert (one.image == other.image).all() and (one.movement == other.movement).all()
        assert one.utterance == other.utterance and one.success_step == other.success_step


def test_slots_play_the_next_plan_and_idle_without_one() -> None:
    lengths = {"a": 2, "b": 5, "c": 1, "d": 3}
    plans = [plan(seed, steps, name) for seed, (name, steps) in enumerate(lengths.items())]
    solvers = Turning(3)
    episodes = list(play(ENTRY, WORLD.make(3, images=False), plans, solvers, threads=1))
    assert [e.episode_id for e in episodes] == ["c", "a", "d", "b"]  # as they end
    assert {e.episode_id: len(e) for e in episodes} == lengths
    assert solvers.resets == [
        [True, True, True],
        [False, False, True],  # d follows c
        [False, False, False],
        [False, False, False],
        [False, False, False],
    ]


# Setters whose actions are chosen for all places at once


class Asking:
    """Turns left all the time, and says at every second step what it was prompted with; keeps what it was called with.

    Args:
      slots: number of places.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.calls: list[tuple[list[np.ndarray], list[str], list[bool]]] = []

    def set(self, observations: Sequence[Observation], prompts: Sequence[str], resets: np.ndarray) -> list[Action]:
        assert len(observations) == len(prompts) == len(resets) == self.slots
        self.calls.append(([o["image"].copy() for o in observations], list(prompts), resets.tolist()))
        movement = neutral_movement()
        movement[:, TURN] = LEFT
        says = len(self.calls) % 2
        return [{"movement": movement.copy(), "utterance": prompt if says else ""} for prompt in prompts]

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        pass


def asking(seed: int, words: str, steps: int = 6) -> Plan:
    config = WORLD.sample_config(seed)
    return Plan(f"e{seed}", config, LearnedSetter(ENTRY, words), seed, steps, solver=ENTRY.make_solver(perfect=True))


def test_all_places_are_asked_at_once_and_each_is_recorded_as_any_setter() -> None:
    setters, words = Asking(2), [f"what color is the unicorn of {seed}?" for seed in range(3)]
    worlds = WORLD.make(2, setter_sees=True)
    plans = [asking(seed, said) for seed, said in enumerate(words)]
    episodes = list(play(ENTRY, worlds, plans, ScriptedSolvers(2), "agent:asking", setters=setters))
    assert len(setters.calls) == 12, "one call for both places a step, and the third episode"
    images, prompts, resets = setters.calls[0]
    assert prompts == words[:2] and resets == [True, True] and setters.calls[1][2] == [False, False]
    assert setters.calls[6][1:] == ([words[2], ""], [True, False]), "an idle place is filled up"
    assert len({image.tobytes() for image in images}) == 2 and all(image.any() for image in images)
    assert len({call[0][0].tobytes() for call in setters.calls[:6]}) > 1, "it turns, and sees it"
    for number, episode in enumerate(sorted(episodes, key=lambda e: e.episode_id)):
        assert episode.setter == "agent:asking" and episode.solver == "scripted"
        assert episode.setter_utterance == (words[number], "") * 3
        assert (episode.setter_movement[..., TURN] == LEFT).all()
        assert episode.requests == (), "nobody can check it"


def test_words_that_the_world_can_read_are_requests_with_ground_truth() -> None:
    colour = WORLD.sample_config(3)["objects"][0]["colour"]
    kind = WORLD.sample_config(3)["objects"][0]["kind"]
    words = f"is there a{'n' if colour[0] in 'aeiou' else ''} {colour} {kind}?"
    (episode,) = play(
        ENTRY, WORLD.make(1, setter_sees=True), [asking(3, words, 45)], ScriptedSolvers(1), setters=Asking(1), threads=1
    )
    assert {request.task.name for request in episode.requests} == {"exist"}
    assert episode.requests[0].task.instruction == words and episode.success_step[0] is not None
    met = [step for step in episode.success_step if step is not None]
    asked = [request.step for request in episode.requests]
    assert asked == [0, *(step + 2 - step % 2 for step in met if step + 2 - step % 2 < 45)], (
        "what is asked again before it is met is no further request"
    )
