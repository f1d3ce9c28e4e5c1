"""The setter's side of an episode: every row has what the setter saw and what it then did, as a replay shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pipelines.presets.demo import WORLD
from rlhf.records.episode import Episode
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.setter_side import PROMPT, SIDE_OF, prompt_of, setter_side
from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.errors import UserError

ENTRY = WORLD.entry()
TASKS = {"color": 1.0, "count": 1.0}
PROMPT_NOTE = {"prompt": {"text": "Send the other player somewhere.", "modifier": "Name things by their colour."}}
PROMPT_TEXT = "Send the other player somewhere. Name things by their colour."


@pytest.fixture(scope="module")
def episode() -> Episode:
    """An episode of a setter who walks and asks, and of a solver who answers."""
    setter = ENTRY.make_setter(tasks=TASKS, first_request=[2, 2], pause=[1, 2], patience=20, wander=0.5)
    solver = ENTRY.make_solver(perfect=True)
    plan = Plan("e", WORLD.sample_config(5), setter, 5, 60, solver=solver, notes=WORLD.note())
    (episode,) = play(ENTRY, WORLD.make(1), [plan], ScriptedSolvers(1), threads=1)
    assert sum(map(bool, episode.setter_utterance)) >= 2 and any(episode.utterance)
    assert len(np.unique(episode.setter_movement, axis=0)) > 2
    return episode


@pytest.fixture(scope="module")
def side(episode: Episode) -> Episode:
    return setter_side(episode, "fingerprint")


def test_observation_and_action_of_a_step_belong_together(episode: Episode, side: Episode) -> None:
    """Walks through the episode by hand, in a world that draws what the setter sees."""
    world = ENTRY.make(views=(SETTER,), height=WORLD.height, width=WORLD.width, **WORLD.play_options())
    seen, _ = world.reset(seed=0, options={"config": dict(episode.config)})
    before = side.previous_movement()
    assert len(side) == len(episode)
    for step in range(len(episode)):
        mine: Any = seen[SETTER]
        np.testing.assert_array_equal(side.pictures()[step], mine["image"])
        assert side.setter_text[step] == mine["solver_text"] and side.solver_text[step] == mine["setter_text"]
        np.testing.assert_array_equal(before[step], mine["previous_movement"])
        mine_now, theirs = episode.setter_action(step), episode.solver_action(step)
        np.testing.assert_array_equal(side.movement[step], mine_now["movement"])
        np.testing.assert_array_equal(side.setter_movement[step], theirs["movement"])
        assert side.utterance[step] == mine_now["utterance"] and side.setter_utterance[step] == theirs["utterance"]
        seen = world.step({SETTER: mine_now, SOLVER: theirs})[0]
    assert len({frame.tobytes() for frame in side.pictures()}) > 10, "it walks, so it sees something else"
    assert not np.array_equal(side.pictures(), episode.pictures())


def test_its_beginning_its_end_and_its_silence(episode: Episode, side: Episode) -> None:
    asked = next(step for step, words in enumerate(episode.setter_utterance) if words)
    assert asked == 2 and side.utterance[:2] == ("", ""), "silent steps are learned, too"
    assert side.solver_text[: asked + 1] == ("", "", "") and side.solver_text[asked + 1] == side.utterance[asked]
    np.testing.assert_array_equal(side.movement[-1], episode.setter_movement[-1])
    assert side.demonstrated().all() and not (side.requests or side.truth)
    assert (side.solver, side.setter) == (episode.setter, episode.solver)
    assert side.notes == {SIDE_OF: "fingerprint", PROMPT: ""}
    with pytest.raises(WorldError, match="seen by its setter"):
        registry.get(side.world)


def test_a_prompt_is_heard_from_the_first_step_and_before_what_the_solver_says(episode: Episode) -> None:
    side = setter_side(replace(episode, notes=episode.notes | PROMPT_NOTE))
    first = next(step for step, words in enumerate(episode.utterance) if words)
    assert set(side.setter_text[: first + 1]) == {PROMPT_TEXT}
    assert side.setter_text[first + 1] == f"{PROMPT_TEXT} | {episode.utterance[first]}"
    assert side.setter_utterance[0] == PROMPT_TEXT and side.setter_utterance[first] == side.setter_text[first + 1]
    assert side.notes[PROMPT] == PROMPT_TEXT == prompt_of(PROMPT_NOTE)
    assert prompt_of({}) == prompt_of({"prompt": None}) == ""


def test_an_agents_own_requests_are_not_imitated(episode: Episode) -> None:
    assert not setter_side(replace(episode, setter="agent:setter")).demonstrated().any()
    assert setter_side(replace(episode, solver="agent:clone")).demonstrated().all()


def test_what_does_not_replay_is_refused_by_its_step(episode: Episode) -> None:
    image = episode.pictures().copy()
    image[3, 0, 0] ^= 1
    with pytest.raises(UserError, match=r"episode e does not replay: step 3 .*learn from other episodes"):
        setter_side(replace(episode, image=image))
