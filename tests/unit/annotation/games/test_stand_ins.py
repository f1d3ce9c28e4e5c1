"""Agents in processes of their own that are late or dead; the made-up ones need no PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from annotation.games import AgentPlayer, Game
from annotation.games.stand_ins import GONE
from annotation.session.states import Kind, State
from rlhf.store import MemoryStore
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.games.playing import config, mortal, play, sleeper
from worlds.contract import Action, neutral_movement


def still(episode) -> list[int]:
    """Steps in which the solver did nothing."""
    return np.flatnonzero((episode.movement == neutral_movement()).all(axis=(1, 2))).tolist()


def notices(at: dict[int, str]):
    """Note the message that people see at each tick."""
    return lambda game, tick: at.__setitem__(tick, game._notice())


class WaitedFor(AgentPlayer):
    """An agent that is waited for, however slow the machine, but not while it is asleep."""

    def answer(self, step: int, timeout_sec: float) -> Action | None:
        return super().answer(step, 0.05 if step in (2, 3) else PATIENCE_SEC)


def test_a_late_agent_does_nothing_meanwhile_and_returns(tmp_path: Path) -> None:
    store, notes_seen, alarm = MemoryStore(), {}, tmp_path / "alarm"
    note = notices(notes_seen)

    def at_tick(game: Game, tick: int) -> None:
        note(game, tick)
        if tick == 8 * 3 + 4:  # it was late for this step already
            alarm.touch()

    agent = WaitedFor("sleeper", alarm, load=sleeper)
    game = play(config(Kind.HUMAN_AGENT), at_tick, store, agent)
    episode = store.read(game.id)
    late = still(episode)
    assert late == [2, 3] and episode.notes["late_steps"] == len(late)
    assert "did not answer in time" in notes_seen[8 * 2 + 4] and not notes_seen[8 * 25]
    assert not any(episode.utterance[step] for step in late) and all(episode.utterance[len(late) + 2 :])


def test_a_dead_agent_is_reported_and_the_episode_continues():
    store, notes_seen = MemoryStore(), {}
    agent = AgentPlayer("mortal", "nowhere", load=mortal)
    game = play(config(Kind.HUMAN_AGENT, steps=12), notices(notes_seen), store, agent)
    assert game.state is State.ENDED and len(store.read(game.id)) == 12
    assert store.read(game.id).notes["late_steps"] == 7
    assert "agent mortal has died" in notes_seen[8 * 7]
    assert agent.state == GONE
