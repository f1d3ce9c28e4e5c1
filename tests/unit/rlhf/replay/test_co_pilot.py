"""Shared control: the co-pilot takes over when the agent fails, hands back, and the agent lives through it all."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from agents.acting import AgentSolvers, encode_observations
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.episode import AGENT, CO_PILOT, Episode, Request
from rlhf.replay.co_pilot import CoPilotConfig, ScriptedCoPilot
from rlhf.replay.play import Plan, play
from rlhf.replay.referee import Referee
from rlhf.store import open_store
from tests.unit.rlhf import tiny_agent
from tests.unit.rlhf.tiny_world import TinyWorld
from worlds.contract import Action, Event, Observation, TaskSpec, WorldError, silent
from worlds.errors import UserError

SETTINGS = {"rooms": [1, 1], "room_size": [3.5, 4.0], "furniture": [0, 1], "objects": [3, 4]}
WORLD = WorldConfig(height=24, width=32, settings=json.dumps(SETTINGS))
ENTRY = WORLD.entry()
TOKENIZER = Tokenizer.train(["lift the red ball", "pick up the blue mug", "yes", "no", "go to the duck"], 280)
PLAYER = tiny_agent.agent(image_size=(24, 32), vocab_size=TOKENIZER.vocab_size)
BUSY = {"movement": np.ones((8, 6), np.int8) * 2, "utterance": ""}


# ---- when it takes over and hands back -------------------------------------------------------------------------------


class Driver:
    """A solver that is always busy, or stands still after some steps; counts how often it began."""

    def __init__(self, busy_steps: int = 10**9) -> None:
        self.busy_steps, self.begun, self.seeds = busy_steps, 0, []

    def reset(self, world: Any, seed: int) -> None:
        self.begun, self.left = self.begun + 1, self.busy_steps
        self.seeds.append(seed)

    def act(self, observation: Observation) -> Action:
        self.left -= 1
        return BUSY if self.left >= 0 else silent()  # type: ignore[return-value]


def driving(script: str, solver: Driver, **config: Any) -> str:
    """Play with a co-pilot; return who drove each step, "a" for the agent and "c" for the co-pilot.

    Args:
      script: numbers of steps, and what the referee notes between them: "?" a request, "!" its success, "+" and "-" an
        event with this sign.
    """
    co_pilot = ScriptedCoPilot(solver, CoPilotConfig(**{"patience": 10, "reaction": (0, 0)} | config))
    referee, drove, observation = Referee(ENTRY), "", cast(Any, None)
    co_pilot.reset(TinyWorld(), 0)
    for word in script.split():
        step = len(drove)
        if word == "?":
            referee.requests.append(Request(step, TaskSpec("lift", "lift it", {}, 60)))
            referee.success_step.append(None)
        elif word == "!":
            referee.success_step[-1] = step
        elif word in "+-":
            referee.events.append(Event(step, int(f"{word}1"), "so"))
        else:
            for number in range(step, step + int(word)):
                drove += "a" if co_pilot.act(number, observation, referee) is None else "c"
    return drove


@pytest.mark.parametrize(
    ("config", "script", "drove"),
    [
        ({}, "? 14", "a" * 10 + "c" * 4),  # no progress
        ({}, "? 6 + 14", "a" * 16 + "c" * 4),
        ({}, "50", "a" * 50),  # nothing was asked for
        ({}, "? 3 - 3", "aaaccc"),
        ({"mistakes": 2}, "? 3 - 3 - 2", "aaaaaacc"),
        ({"mistakes": 2}, "? - 2 ? - 3", "aaaaa"),  # one for each request
        ({}, "? - 5 ! 20 ? 12", "c" * 5 + "a" * 30 + "cc"),  # it is done, and watches the next request again
        ({}, "? - 4 ? 5", "ccccaaaaa"),  # something else is asked
        ({"longest": 7}, "? - 30", "c" * 7 + "a" * 10 + "c" * 7 + "a" * 6),  # the agent has another chance
        ({"longest": 5}, "? - 3 - 12", "c" * 5 + "a" * 10),  # its own mistake is not the agent's
    ],
)
def test_it_takes_over_when_the_agent_fails_and_hands_back(config: dict[str, Any], script: str, drove: str) -> None:
    solver = Driver()
    assert driving(script, solver, **config) == drove
    begun = len(re.findall("(?<!c)c", drove))
    assert solver.begun == len(set(solver.seeds)) == begun, "it begins anew, and otherwise, each time"


def test_it_leaves_requests_that_it_cannot_fulfil() -> None:
    solver = Driver(busy_steps=3)
    assert driving("? - 100", solver, idle=4) == "c" * 6 + "a" * 94 and solver.begun == 1


# ---- in real play ----------------------------------------------------------------------------------------------------


class Remembering(AgentSolvers):
    """The agent's play, with its memory after every step: [(hidden, cell)]."""

    def __init__(self, slots: int) -> None:
        super().__init__(PLAYER, TOKENIZER, slots, greedy=True)
        self.memory: list[list[np.ndarray]] = []

    def act(self, observations: Sequence[Observation], resets: np.ndarray) -> list[Action]:
        actions = super().act(observations, resets)
        self.memory.append([part.numpy().copy() for part in self._state])
        return actions


def shared(seeds: Sequence[int], solvers: Any, slots: int = 1, threads: int = 1, **config: Any) -> list[Episode]:
    plans = [
        Plan(
            f"e{seed}", WORLD.sample_config(seed),
            ENTRY.make_setter(tasks={"lift": 1}, first_request=(0, 0), pause=(3, 6)),
            seed, 60, co_pilot=ScriptedCoPilot(ENTRY.make_solver(perfect=True), CoPilotConfig(patience=8, **config)),
        )
        for seed in seeds
    ]  # fmt: skip
    return list(play(ENTRY, WORLD.make(slots), plans, solvers, "scripted", "agent:tiny+scripted", threads))


@pytest.fixture(scope="module")
def played() -> tuple[list[Episode], Remembering]:
    solvers = Remembering(1)
    return shared(range(3), solvers), solvers


def test_it_does_what_the_agent_fails_to_do(played: tuple[list[Episode], Remembering]) -> None:
    done = 0
    for episode in played[0]:
        assert set(episode.controller.tolist()) == {AGENT, CO_PILOT}
        assert (episode.controller[:8] == AGENT).all(), "the agent has a chance first"
        for step in (s for s in episode.success_step if s is not None and s + 1 < len(episode)):
            done += episode.controller[step] == CO_PILOT
            assert episode.controller[step + 1] == AGENT, "it hands back when it is done"
    assert done >= 3
    assert all((e.demonstrated() == (e.controller == CO_PILOT)).all() for e in played[0])


def test_the_agents_memory_is_that_of_the_whole_play(played: tuple[list[Episode], Remembering]) -> None:
    """Computed again from the recording alone: what it saw, and the co-pilot's actions as its own previous ones."""
    episodes, solvers = played
    now = 0
    for episode in episodes:
        state, before = PLAYER.initial_state(1), episode.previous_movement()
        for step in range(len(episode)):
            observation: Observation = {
                "image": episode.image[step], "setter_text": episode.setter_text[step],
                "solver_text": episode.solver_text[step], "previous_movement": before[step],
            }  # fmt: skip
            batch = encode_observations([observation], TOKENIZER, PLAYER.config)
            with torch.inference_mode():
                actions, _, _, state = PLAYER.act(batch, state, torch.tensor([[step == 0]]), None, greedy=True)
            for ours, theirs in zip(state, solvers.memory[now], strict=True):
                assert np.allclose(ours.numpy(), theirs, atol=1e-6)
            if episode.controller[step] == AGENT:
                assert (actions.movement[0, 0].numpy() == episode.movement[step]).all()
            now += 1
    assert now == len(solvers.memory)


# ---- recording -------------------------------------------------------------------------------------------------------


def config(folder: Path, **changes: Any) -> RecordConfig:
    agent = folder / "tiny" / "agent"
    if not agent.is_dir():
        save_agent(PLAYER, TOKENIZER, agent)
    made = RecordConfig(
        data=folder / "play", episodes=2, steps=30, solver=str(agent), slots=2, world=WORLD,
        players=PlayersConfig(tasks={"lift": 1.0}, setter={"first_request": [0, 0]}),
        shared_control=True, co_pilot=CoPilotConfig(patience=5),
    )  # fmt: skip
    return replace(made, **changes)


def test_a_recording_names_the_co_pilot(tmp_path: Path) -> None:
    ids = record(config(tmp_path))
    assert ids == ["agent-tiny-scripted-train-000000000", "agent-tiny-scripted-train-000000001"]
    store = open_store(tmp_path / "play")
    for episode_id in ids:
        episode = store.read(episode_id)
        assert episode.solver == "agent:tiny+scripted" and episode.notes["co_pilot"] == "scripted"
        assert episode.controller.dtype == np.uint8 and set(episode.controller.tolist()) == {AGENT, CO_PILOT}
    assert store.ids(solver="agent") == ids
    alone = record(config(tmp_path, shared_control=False))
    for episode_id in alone:
        episode = store.read(episode_id)
        assert episode_id not in ids and episode.solver == "agent:tiny" and "co_pilot" not in episode.notes
        assert (episode.controller == AGENT).all()


def test_a_co_pilot_needs_an_agent_to_watch(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="shared_control is for an agent: name its folder with --solver"):
        RecordConfig(shared_control=True)
    with pytest.raises(WorldError, match="no solver setting named 'lazy'"):
        record(config(tmp_path, players=PlayersConfig(solver={"lazy": 1})))
