"""People who vanish, come back, leave, and servers that stop."""

from __future__ import annotations

import threading
import time

import pytest

from annotation.games import Game, Inputs, Key, View
from annotation.games.pace import Pace
from annotation.session.states import Kind, Role, SessionEvent, State, TimeLimits, TransitionRefused
from rlhf.store import MemoryStore
from tests.patience import until
from tests.unit.annotation.games.playing import config, everybody_joins, play


def test_a_lost_player_stands_still_and_the_game_waits_for_them():
    paused: list[View | None] = []

    def is_paused(game: Game) -> bool:
        view = game.screen(Role.SETTER).latest
        return view is not None and view.state is State.PAUSED and view.step == 7

    def comes_back(game: Game) -> None:
        until(lambda: is_paused(game), "the end of the step under way")
        time.sleep(0.1)  # in which nothing may happen
        paused.append(game.screen(Role.SETTER).latest)
        with pytest.raises(TransitionRefused):
            game.do(Role.SETTER, SessionEvent.BACK)  # who was not lost
        game.give(Role.SETTER, Inputs(say="dropped: nothing is played now"))
        game.do(Role.SOLVER, SessionEvent.BACK)

    def at_tick(game: Game, tick: int) -> None:
        if tick == 4:
            game.give(Role.SOLVER, Inputs(held=frozenset({Key.FORWARD}), turn=8.0))
        if tick == 8 * 6 + 3:
            game.do(Role.SOLVER, SessionEvent.LOST)
            threading.Thread(target=comes_back, args=[game]).start()

    store = MemoryStore()
    game = play(config(Kind.HUMAN_HUMAN, steps=12), at_tick, store)
    assert game.session.why == "complete"
    episode = store.read(game.id)
    walked = episode.movement[:, :, 0].reshape(-1) == 2
    assert walked[4 : 8 * 6 + 3].all() and not walked[8 * 6 + 3 :].any()
    assert not any(episode.setter_utterance)
    view = paused[0]
    assert view is not None and view.state is State.PAUSED and view.lost == (Role.SOLVER,)
    assert view.step == 7, "the step under way was played to its end"
    assert "waiting for the solver" in view.notice and 0 < (view.limit_sec or 0) <= 60


def test_a_player_who_does_not_return_ends_the_game_and_its_play_is_kept():
    def at_tick(game: Game, tick: int) -> None:
        if tick == 8 * 9:
            game.do(Role.SOLVER, SessionEvent.LOST)

    store = MemoryStore()
    game = play(config(Kind.HUMAN_HUMAN, limits=TimeLimits(paused=0.0)), at_tick, store)
    assert game.state is State.ENDED and game.session.why == "lost solver"
    assert len(store.read(game.id)) in (9, 10) and store.read(game.id).notes["ended"] == "lost solver"


def test_all_pauses_together_have_one_limit():
    now = [0.0]
    game = Game(config(Kind.HUMAN_HUMAN), MemoryStore(), pace=Pace(clock=lambda: now[0], sleep=lambda seconds: None))
    everybody_joins(game)
    for _ in range(2):
        game.do(Role.SOLVER, SessionEvent.LOST)
        now[0] += 25.0
        assert not game._timed.time_is_up()
        game.do(Role.SOLVER, SessionEvent.BACK)
        now[0] += 100.0
    game.do(Role.SOLVER, SessionEvent.LOST)
    assert game._timed.limit_sec() == pytest.approx(10.0)
    now[0] += 10.0
    assert game._timed.time_is_up()
