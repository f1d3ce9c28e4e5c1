"""Games of people who choose among the actions that the world offers: whom a step waits for, and what is recorded."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation.games import AgentPlayer, Game, Inputs
from annotation.games.help_sessions import HelpedTask, next_task, plan
from annotation.session.ratings import HelperRatings, read_ratings
from annotation.session.states import Kind, Refusal, Role, State, TransitionRefused
from rlhf.records.episode import Episode
from rlhf.replay.setter_replay import SetterReplay
from rlhf.store import MemoryStore
from tests.patience import PATIENCE_SEC, until
from tests.unit.annotation.games.playing import config, live
from worlds import registry
from worlds.contract import SETTER
from worlds.contract.live_play import Board
from worlds.errors import UserError
from worlds.household import player_spec
from worlds.household.state.vocabulary import Verb

TASK = HelpedTask(number=0, of=2, task=1, helper="true_goal", seed=0)


def begun(kind: Kind = Kind.HELPED, steps: int = 4, **settings: Any) -> tuple[Game, MemoryStore]:
    """A game in the household in which every person has said that they are ready."""
    task = {"task": TASK} if kind is Kind.HELPED else {}
    chosen = {"place_settings": {"tasks": ["setup_table"]}, "view": (24, 32)} | task | settings
    return live(kind, "household", steps, **chosen)


def board(game: Game, player: str = SETTER) -> Board:
    return game._live_world.boards[player]


def choose(game: Game, words: str, role: Role = Role.SETTER) -> None:
    """Choose the first action of these words."""
    now = board(game, role.value)
    key = next(one.key for each in now.things for one in each.choices if one.words == words)
    game.give(role, Inputs(chosen=key, chosen_at=now.step))


def rated(game: Game, store: MemoryStore, *ratings: int) -> Episode:
    """The stored episode, once the helper is rated."""
    until(lambda: game.state is State.JUDGING, "ratings")
    game.rate(Role.SETTER, HelperRatings(*ratings))
    game.wait(PATIENCE_SEC)
    assert game.state is State.ENDED
    return store.read(game.id)


def test_a_step_waits_for_the_choice_and_the_helper_acts_in_the_same_step() -> None:
    game, store = begun(steps=3)
    assert game.chooses and game.turn_based and game.keys(Role.SETTER) == []
    for step, words in enumerate(("turn left", "wait", "walk ahead")):
        assert len(game._steps) == step and board(game).step == step, "nothing happens meanwhile"
        game.give(Role.SETTER, Inputs(say=f"line {step}"))
        choose(game, words)
        until(lambda step=step: len(game._steps) > step, "the step")
    episode = rated(game, store, 7, 6, 5)
    assert episode.setter_movement[:, 0, 0].tolist() == [1, 0, 3] and (episode.movement[:, 0, 0] != 0).any()
    assert episode.setter_utterance == ("line 0", "line 1", "line 2")
    assert (episode.setter, episode.solver, episode.split) == ("human:p-setter", "scripted", "train")
    assert episode.notes["helper"] == "true_goal" and episode.notes["goal_reached"] is False
    assert episode.notes["session"] == {"seed": 0, "number": 0, "of": 2, "task": 1}
    assert read_ratings(episode.notes) == HelperRatings(7, 6, 5)
    replay = SetterReplay(registry.get("household").make(), episode)
    seen: Any = replay.reset()[0]
    counts = np.cumsum([0, *episode.seen["entity_counts"]])
    for step in range(len(episode)):
        recorded = episode.seen["entity_values"][counts[step] : counts[step + 1]]
        np.testing.assert_array_equal(seen["entity_values"], recorded)
        seen = replay.step(episode.solver_action(step))[0]


def test_a_choice_of_another_step_or_of_nobody_is_refused() -> None:
    game, _ = begun(steps=50)
    for inputs in (Inputs(chosen="wait-0-0", chosen_at=1), Inputs(chosen="fly-0-0", chosen_at=0)):
        with pytest.raises(TransitionRefused) as refused:
            game.give(Role.SETTER, inputs)
        assert refused.value.reason is Refusal.NOT_OFFERED
    with pytest.raises(TransitionRefused):
        game.give(Role.SOLVER, Inputs(chosen="wait-0-0"))
    with pytest.raises(TransitionRefused, match="not over yet"):
        game.rate(Role.SETTER, HelperRatings(1, 1, 1))
    assert len(game._steps) == 0
    game.close()


def test_two_people_wait_for_each_other() -> None:
    game, store = begun(Kind.HUMAN_HUMAN, steps=2)
    choose(game, "turn left")
    choose(game, "turn right")  # changes their mind
    assert len(game._steps) == 0
    choose(game, "wait", Role.SOLVER)
    until(lambda: len(game._steps) == 1, "the step of both")
    assert board(game, "solver").status.goal == () and board(game).status.goal
    choose(game, "wait", Role.SOLVER)
    choose(game, "turn left")
    game.wait(PATIENCE_SEC)
    episode = store.read(game.id)
    assert episode.setter_movement[:, 0, 0].tolist() == [2, 1] and episode.movement[:, 0, 0].tolist() == [0, 0]
    assert "ratings" not in episode.notes and "helper" not in episode.notes


def test_a_person_does_what_the_scripted_setter_asks() -> None:
    game, store = begun(Kind.PRACTICE_SOLVING, steps=40)
    until(lambda: any(line.role is Role.SETTER for line in game.dialogue), "the request")
    until(lambda: board(game, "solver").step == len(game._steps) > game.dialogue[0].step, "the end of its step")
    played = len(game._steps)
    choose(game, "turn left", Role.SOLVER)
    until(lambda: len(game._steps) == played + 1, "the step")
    game.close()
    episode = store.read(game.id)
    assert episode.movement[played, 0, 0] == 1 and len(episode.requests) == 1


def test_the_game_ends_when_the_goal_is_reached() -> None:
    game, store = begun(steps=200, shortest=1, task=replace(TASK, helper="nobody"))
    now: Any = game._live_world.world.state  # type: ignore[attr-defined]
    home, state, goal = now.home, now.state, game._live_world.place["task"]["goal"]
    choose(game, "wait")
    until(lambda: len(game._steps) == 1, "the first step")
    table = int(home.rows_of("kitchentable")[0])
    for text, count in goal.items():
        for row in home.rows_of(text.split("_")[1])[:count]:
            state.held[row], state.parent[row] = 2, table
    choose(game, "wait")
    assert rated(game, store, 4, 4, 4).notes["goal_reached"]
    view = game.screen(Role.SETTER).latest
    assert view is not None and view.fulfilled == (True,)


class Turner:
    """An agent that turns right."""

    def act(self, observations: Any, resets: np.ndarray) -> list[Any]:
        action: Any = player_spec().action.silent()
        action["movement"][0, 0] = Verb.TURN_RIGHT
        return [action]


def turner(folder: str, seed: int, image: tuple[int, int]) -> Turner:
    return Turner()


def test_an_agent_helps_unnamed_and_is_named_in_the_recording() -> None:
    agent = AgentPlayer("bc", "", spaces=player_spec(), load=turner)
    game, store = begun(steps=2, shortest=1, task=replace(TASK, helper="bc"), stand_in=agent)
    for step in range(2):
        until(lambda step=step: board(game).step == step == len(game._steps), "the turn")
        choose(game, "wait")
    until(lambda: game.state is State.JUDGING, "ratings")
    view = game.screen(Role.SETTER).latest
    assert view is not None and "bc" not in str(view.header())
    episode = rated(game, store, 1, 1, 1)
    assert episode.solver == "agent:bc" and episode.notes["helper"] == "bc"
    assert episode.movement[:, 0, 0].tolist() == [Verb.TURN_RIGHT] * 2, "it is waited for"


def test_ratings_are_on_the_scale() -> None:
    for wrong in (0, 8, 3.5, True, "4"):
        with pytest.raises(UserError, match="from 1 to 7"):
            HelperRatings(4, wrong, 4)  # type: ignore[arg-type]
    assert read_ratings({}) is None and read_ratings({"ratings": None}) is None
    with pytest.raises(UserError, match="notes.ratings"):
        read_ratings({"ratings": {"helpful": 3}})


def test_unknown_helpers_and_missing_tasks_are_refused() -> None:
    with pytest.raises(UserError, match="no helper 'bob'; known: true_goal"):
        begun(task=replace(TASK, helper="bob"))
    with pytest.raises(UserError, match="those need one"):
        config(Kind.HELPED)


def test_everybody_meets_every_helper_as_often_and_plays_every_task_once() -> None:
    helpers = ("true_goal", "random", "nobody")
    sessions = [plan(f"p{number}", helpers, 9, seed=4) for number in range(40)]
    for session in sessions:
        assert sorted(each.task for each in session) == list(range(9))
        assert set(Counter(each.helper for each in session).values()) == {3}
        assert [each.number for each in session] == list(range(9)) and {each.of for each in session} == {9}
    assert len({tuple(each.task for each in session) for session in sessions}) > 30, "orders are shuffled"
    assert len({session[0].helper for session in sessions}) == 3
    assert plan("p1", helpers, 9, seed=4) == sessions[1] != plan("p1", helpers, 9, seed=5)
    assert next_task(sessions[0], {0, 1}) == sessions[0][2] and next_task(sessions[0], range(9)) is None
    assert len({each.place_seed for session in sessions for each in session}) == 9, "the same tasks for everybody"
