"""Shared control: the co-pilot takes over when the agent fails, hands back, and the agent lives through it all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from worlds.contract import SETTER, SOLVER, Action, Event, Observation, TaskSpec, WorldError, silent
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


class Watched:
    """A co-pilot at work, and the referee whose notes a test writes."""

    def __init__(self, solver: Any = None, **config: Any) -> None:
        config = {"patience": 10, "reaction": (0, 0)} | config
        self.solver = Driver() if solver is None else solver
        self.co_pilot = ScriptedCoPilot(self.solver, CoPilotConfig(**config))
        self.referee = Referee(ENTRY)
        self.co_pilot.reset(TinyWorld(), 0)
        self.step, self.drove = 0, ""

    def play(self, steps: int) -> Watched:
        """Some steps; ``drove`` gets a letter for each, "a" for the agent, "c" for the co-pilot."""
        for _ in range(steps):
            observation: Any = None
            self.drove += "a" if self.co_pilot.act(self.step, observation, self.referee) is None else "c"
            self.step += 1
        return self

    def ask(self) -> Watched:
        self.referee.requests.append(Request(self.step, TaskSpec("lift", "lift it", {}, 60)))
        self.referee.success_step.append(None)
        return self

    def event(self, sign: int) -> Watched:
        self.referee.events.append(Event(self.step, sign, "so"))
        return self

    def succeed(self) -> Watched:
        self.referee.success_step[-1] = self.step
        return self


def test_it_takes_over_after_so_many_steps_without_progress() -> None:
    assert Watched().ask().play(14).drove == "a" * 10 + "c" * 4
    assert Watched().ask().play(6).event(+1).play(14).drove == "a" * 16 + "c" * 4
    assert Watched().play(50).drove == "a" * 50, "nothing was asked for"


def test_it_takes_over_at_a_mistake() -> None:
    assert Watched().ask().play(3).event(-1).play(3).drove == "aaaccc"
    assert Watched(mistakes=2).ask().play(3).event(-1).play(3).event(-1).play(2).drove == "aaaaaacc"
    assert Watched(mistakes=2).ask().event(-1).play(2).ask().event(-1).play(3).drove == "aaaaa", "one for each request"


def test_it_hands_back_when_it_is_done() -> None:
    watched = Watched().ask().event(-1).play(5).succeed().play(20)
    assert watched.drove == "c" * 5 + "a" * 20
    assert watched.ask().play(12).drove.endswith("a" * 10 + "cc"), "it watches the next request again"
    assert watched.solver.begun == 2 and len(set(watched.solver.seeds)) == 2


def test_it_hands_back_when_something_else_is_asked() -> None:
    assert Watched().ask().event(-1).play(4).ask().play(5).drove == "ccccaaaaa"


def test_it_hands_back_after_a_while_and_gives_the_agent_another_chance() -> None:
    assert Watched(longest=7).ask().event(-1).play(30).drove == "c" * 7 + "a" * 10 + "c" * 7 + "a" * 6


def test_it_leaves_requests_that_it_cannot_fulfil() -> None:
    watched = Watched(Driver(busy_steps=3), idle=4).ask().event(-1).play(100)
    assert watched.drove == "c" * 6 + "a" * 94 and watched.solver.begun == 1


def test_its_own_mistakes_are_not_the_agents() -> None:
    assert Watched(longest=5).ask().event(-1).play(3).event(-1).play(12).drove == "c" * 5 + "a" * 10


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


def test_it_replays_to_the_bit(played: tuple[list[Episode], Remembering]) -> None:
    for episode in played[0]:
        (world,) = WORLD.make(1)
        observations, _ = world.reset(options={"config": episode.config})
        for step in range(len(episode)):
            assert (observations[SOLVER]["image"] == episode.image[step]).all()
            assert observations[SOLVER]["solver_text"] == episode.solver_text[step]
            observations, *_ = world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})


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
