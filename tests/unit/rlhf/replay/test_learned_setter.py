"""Play with setters whose actions are chosen for all places at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from pipelines.presets.demo import WORLD
from rlhf.replay.learned_setter import LearnedSetter
from rlhf.replay.play import Plan, ScriptedSolvers, play
from worlds.contract import SETTER, Action, Observation, neutral_movement

ENTRY = WORLD.entry()
TURN, LEFT = 2, 4


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


def plan(seed: int, words: str, steps: int = 6) -> Plan:
    config = WORLD.sample_config(seed)
    return Plan(f"e{seed}", config, LearnedSetter(ENTRY, words), seed, steps, solver=ENTRY.make_solver(perfect=True))


def test_all_places_are_asked_at_once_and_each_is_recorded_as_any_setter() -> None:
    setters, words = Asking(2), [f"what color is the unicorn of {seed}?" for seed in range(3)]
    worlds = WORLD.make(2, setter_sees=True)
    plans = [plan(seed, said) for seed, said in enumerate(words)]
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
        ENTRY, WORLD.make(1, setter_sees=True), [plan(3, words, 45)], ScriptedSolvers(1), setters=Asking(1), threads=1
    )
    assert {request.task.name for request in episode.requests} == {"exist"}
    assert episode.requests[0].task.instruction == words and episode.success_step[0] is not None
    met = [step for step in episode.success_step if step is not None]
    asked = [request.step for request in episode.requests]
    assert asked == [0, *(step + 2 - step % 2 for step in met if step + 2 - step % 2 < 45)], (
        "what is asked again before it is met is no further request"
    )


def test_a_setter_to_whom_nothing_was_given_is_a_mistake_of_the_program() -> None:
    (world,), setter = WORLD.make(1), LearnedSetter(ENTRY)
    seen = world.reset(seed=0, options={"config": WORLD.sample_config(1)})[0]
    setter.reset(world, 0)
    setter.give({"movement": neutral_movement(), "utterance": "go on"})
    assert setter.act(seen[SETTER])["utterance"] == "go on" and setter.task is None
    with pytest.raises(RuntimeError, match="no action was chosen"):
        setter.act(seen[SETTER])
