"""Live evaluation: the setter judges during the game and after it, and never learns which agent it was."""

from __future__ import annotations

import threading

import pytest

from annotation.games import AgentPlayer, Game, Inputs
from annotation.session.states import Kind, Refusal, Role, SessionEvent, State, TimeLimits, TransitionRefused
from annotation.session.verdicts import LineVerdict
from rlhf.store import MemoryStore
from tests.patience import until
from tests.unit.annotation.games.playing import config, mortal, play, walker


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


def test_open_requests_are_asked_about_at_the_end_and_stored() -> None:
    seen = []

    def judge_the_rest() -> None:
        until(lambda: game and game[0].state is State.JUDGING)
        seen.append(game[0].screen(Role.SETTER).latest)
        game[0].judge(Role.SETTER, 5, LineVerdict.SUCCESS)
        assert game[0].state is State.JUDGING
        game[0].judge(Role.SETTER, 8, LineVerdict.NO_REQUEST)

    game: list[Game] = []

    def at_tick(running: Game, tick: int) -> None:
        if not game:
            game.append(running)
        asks_and_judges(running, tick)

    judge = threading.Thread(target=judge_the_rest)
    judge.start()
    store = MemoryStore()
    settings = config(Kind.EVALUATION, limits=TimeLimits(judging=1e9))
    play(settings, at_tick, store, AgentPlayer("walker", "nowhere", load=walker))
    judge.join()
    episode = store.read(game[0].id)
    assert episode.notes["verdicts"] == [
        {"step": 14, "request_step": 2, "request": "lift it 17", "success": False},
        {"step": 29, "request_step": 5, "request": "lift it 41", "success": True},
    ]
    assert [step for step, words in enumerate(episode.setter_utterance) if words] == [2, 5, 8]
    assert episode.solver == "agent:walker" and episode.notes["kind"] == "evaluation"
    assert game[0].screen(Role.SETTER).latest.saved == episode.episode_id
    with pytest.raises(TransitionRefused):
        game[0].judge(Role.SETTER, 2, LineVerdict.SUCCESS)


def test_a_setter_who_does_not_judge_the_rest_keeps_nothing_waiting() -> None:
    store = MemoryStore()
    settings = config(Kind.EVALUATION, limits=TimeLimits(judging=0.0))
    game = play(settings, asks_and_judges, store, AgentPlayer("walker", "nowhere", load=walker))
    assert [v["request_step"] for v in store.read(game.id).notes["verdicts"]] == [2]


def test_nothing_asked_is_nothing_to_judge() -> None:
    store = MemoryStore()
    agent = AgentPlayer("walker", "nowhere", load=walker)
    game = play(config(Kind.EVALUATION, steps=6), lambda *_: None, store, agent)
    assert store.read(game.id).notes["verdicts"] == []


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
