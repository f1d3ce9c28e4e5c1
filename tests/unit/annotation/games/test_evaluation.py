"""Games with agents: evaluation, in which the setter judges and never learns which it was; late and dead ones."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.games import AgentPlayer, Game, GameConfig, Inputs
from annotation.games.stand_ins import GONE
from annotation.session.states import Kind, Refusal, Role, SessionEvent, State, TimeLimits, TransitionRefused
from annotation.session.verdicts import LineVerdict
from rlhf.store import MemoryStore
from tests.patience import PATIENCE_SEC, until
from tests.unit.annotation.games.playing import config, mortal, play, sleeper, walker
from worlds.contract import Action, neutral_movement


def asks_and_judges(game: Game, tick: int) -> None:
    """Asks at steps 2, 5 and 8; judges the first, thinks again, and leaves the others to the end."""
    if tick in (2 * 8 + 1, 5 * 8 + 1, 8 * 8 + 1):
        game.give(Role.SETTER, Inputs(say=f"lift it {tick}"))
    if tick == 10 * 8 + 2:
        with pytest.raises(TransitionRefused, match=Refusal.NOT_YOURS):
            game.judge(Role.SOLVER, 2, LineVerdict.SUCCESS)
        with pytest.raises(TransitionRefused, match=Refusal.NO_SUCH_REQUEST):
            game.judge(Role.SETTER, 3, LineVerdict.SUCCESS)
        game.judge(Role.SETTER, 2, LineVerdict.SUCCESS)
    if tick == 14 * 8 + 2:
        game.judge(Role.SETTER, 2, LineVerdict.FAILURE)


def walkers(**settings: Any) -> tuple[GameConfig, AgentPlayer]:
    """An evaluation of the agent that walks ahead."""
    return config(Kind.EVALUATION, **settings), AgentPlayer("walker", "nowhere", load=walker)


def test_open_requests_are_asked_about_at_the_end_and_stored() -> None:
    games: list[Game] = []

    def judge_the_rest() -> None:
        until(lambda: games and games[0].state is State.JUDGING)
        games[0].judge(Role.SETTER, 5, LineVerdict.SUCCESS)
        assert games[0].state is State.JUDGING
        games[0].judge(Role.SETTER, 8, LineVerdict.NO_REQUEST)

    def at_tick(running: Game, tick: int) -> None:
        if not games:
            games.append(running)
        asks_and_judges(running, tick)

    judge = threading.Thread(target=judge_the_rest)
    judge.start()
    store = MemoryStore()
    settings, agent = walkers(limits=TimeLimits(judging=1e9))
    game = play(settings, at_tick, store, agent)
    judge.join()
    episode = store.read(game.id)
    assert episode.notes["verdicts"] == [
        {"step": 14, "request_step": 2, "request": "lift it 17", "success": False},
        {"step": 29, "request_step": 5, "request": "lift it 41", "success": True},
    ]
    assert [step for step, words in enumerate(episode.setter_utterance) if words] == [2, 5, 8]
    assert episode.solver == "agent:walker" and episode.notes["kind"] == "evaluation"
    assert game.screen(Role.SETTER).latest.saved == episode.episode_id
    with pytest.raises(TransitionRefused):
        game.judge(Role.SETTER, 2, LineVerdict.SUCCESS)


def test_a_setter_who_does_not_judge_the_rest_keeps_nothing_waiting() -> None:
    store = MemoryStore()
    settings, agent = walkers(limits=TimeLimits(judging=0.0))
    game = play(settings, asks_and_judges, store, agent)
    assert [v["request_step"] for v in store.read(game.id).notes["verdicts"]] == [2]
    settings, agent = walkers(steps=6)
    game = play(settings, lambda *_: None, store, agent)
    assert store.read(game.id).notes["verdicts"] == [], "nothing was asked"


def test_the_judging_setter_never_learns_which_agent_it_was() -> None:
    seen = []

    def at_tick(game: Game, tick: int) -> None:
        view = game.screen(Role.SETTER).latest
        seen.append(str(view.header()) if view else "")
        if tick == 12 * 8:
            game.do(Role.SETTER, SessionEvent.END)

    agent = AgentPlayer("mortal", "nowhere", load=mortal)
    game = play(config(Kind.EVALUATION), at_tick, MemoryStore(), agent)
    assert game.state is State.ENDED
    assert any("the agent cannot continue" in view for view in seen) and not any("mortal" in view for view in seen)


# ---- agents that are late or dead; the made-up ones need no PyTorch


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
