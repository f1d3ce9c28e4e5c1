"""Where the setter acts herself, what the solver does is judged: what helps her, and what is in her way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipelines.cli.main import main
from rlhf.store import open_store
from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.contract import SETTER, TaskSpec
from worlds.household import rules
from worlds.household.navigation.ways import Ways
from worlds.household.rules import WAITING, Act
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.helping import HelpTask
from worlds.household.tasks.probes import make_task
from worlds.household.world import Moment

RIGHT, LEFT = Held.RIGHT_HAND, Held.LEFT_HAND
APPLES = {"on_apple_kitchentable": 1}


class Both:
    """Both persons in the kitchen, and a request for help."""

    def __init__(self, goal: dict[str, int], seed: int = 0) -> None:
        home, state = small_home()
        for name, where in (("setter", (1.0, 3.0)), ("solver", (1.6, 2.6))):
            state.centre[ROW[name], :2] = where
            state.room[ROW[name]] = state.parent[ROW[name]] = ROW["kitchen"]
        self.step_index = 0
        self.state = Moment(home, state, seed)
        self.ways = Ways(home, state)
        task = make_task(TaskSpec("own", "", {"goal": goal, "whose": SETTER}, 100))
        assert isinstance(task, HelpTask)
        self.task = task
        assert task.update(self, "") == (False, ()), "the first look is only compared with"

    def play(self, his: Act, hers: Act = WAITING) -> list[tuple[int, str]]:
        now = self.state
        now.acts = hers, his
        now.feedback = rules.apply(now.home, now.state, self.ways, now.acts, now.seed)
        self.step_index += 1
        self.done, events = self.task.update(self, "")
        assert all(each.step == self.step_index for each in events)
        return [(each.sign, each.reason) for each in events]


def act(verb: Verb, name: str, hand: Held = RIGHT) -> Act:
    return verb, ROW[name], hand


def test_taking_what_is_wanted_and_bringing_it_is_progress_and_ends_in_success() -> None:
    both = Both(APPLES)
    assert both.play(act(Verb.GRAB, "apple 2")) == [(1, "apple in hand")], "it lay on a plate"
    assert both.play(act(Verb.PUT_ON, "table")) == [(1, "apple put where it is wanted")]
    assert both.done and both.task.succeeded
    assert both.play(act(Verb.GRAB, "apple 2")) == [(-1, "apple taken from where it is wanted")]
    assert both.task.succeeded, "what was reached once has succeeded"


def test_what_the_setter_does_herself_is_no_event() -> None:
    both = Both(APPLES)
    assert both.play(WAITING, act(Verb.GRAB, "apple 2")) == []
    assert both.play(WAITING, act(Verb.PUT_ON, "table")) == []
    assert both.done


def test_a_wanted_thing_that_is_put_elsewhere_is_regress_and_one_that_nobody_wants_is_nothing() -> None:
    both = Both(APPLES)
    both.play(act(Verb.GRAB, "apple 2"))
    assert both.play(act(Verb.OPEN, "fridge", LEFT)) == []
    assert both.play(act(Verb.PUT_IN, "fridge")) == [(-1, "apple put elsewhere")]
    assert both.play(act(Verb.GRAB, "plate")) == [] and both.play(act(Verb.PUT_ON, "table")) == []


def test_a_second_thing_is_no_help_where_one_is_wanted() -> None:
    both = Both(APPLES)
    both.play(act(Verb.OPEN, "fridge"))
    assert both.play(act(Verb.GRAB, "apple")) == [(1, "apple in hand")]
    assert both.play(act(Verb.GRAB, "apple 2", LEFT)) == []


@pytest.mark.parametrize(
    ("towards", "judged"),
    [("apple 2", (-1, "apple taken that she was about to use")), ("counter", (1, "apple in hand"))],
)
def test_taking_what_she_is_about_to_take_is_regress(towards: str, judged: tuple[int, str]) -> None:
    both = Both(APPLES)
    both.play(WAITING, act(Verb.WALK_TOWARDS, towards))
    assert both.play(act(Verb.GRAB, "apple 2")) == [judged]


@pytest.mark.parametrize("verb", [Verb.WAIT, Verb.TURN_LEFT, Verb.WALK_FORWARD, Verb.STAND])
def test_what_she_points_at_is_no_aim_where_she_does_nothing_with_it(verb: Verb) -> None:
    both = Both(APPLES)
    assert both.play(act(Verb.GRAB, "apple 2"), act(verb, "apple 2")) == [(1, "apple in hand")]


def test_closing_what_she_is_about_to_use_is_regress() -> None:
    both = Both(APPLES)
    both.play(act(Verb.OPEN, "fridge"))
    assert both.play(act(Verb.CLOSE, "fridge")) == [], "she has nothing to do there"
    both.play(act(Verb.OPEN, "fridge"))
    both.play(WAITING, act(Verb.WALK_TOWARDS, "fridge"))
    assert both.play(act(Verb.CLOSE, "fridge")) == [(-1, "closes the fridge that she was about to use")]


def test_what_only_she_can_hold_is_hers() -> None:
    both = Both({"holds_book_character": 1, "on_apple_kitchentable": 1})
    now = both.state
    now.state.centre[ROW["book"]] = now.state.centre[ROW["plate"]]
    now.state.parent[ROW["book"]], now.state.room[ROW["book"]] = ROW["table"], ROW["kitchen"]
    assert both.play(act(Verb.GRAB, "book")) == [(-1, "book taken, which she is to hold")]


def test_who_is_first_where_both_reach_for_the_same_thing_was_in_her_way_if_it_was_he() -> None:
    found: dict[str, Sequence[tuple[int, str]]] = {}
    for seed in range(8):
        both = Both(APPLES, seed)
        events = both.play(act(Verb.GRAB, "apple 2"), act(Verb.GRAB, "apple 2"))
        holder = int(both.state.state.parent[ROW["apple 2"]])
        found["hers" if holder == ROW["setter"] else "his"] = events
    assert found == {"hers": [], "his": [(-1, "in the way at the apple")]}


def test_a_failed_action_is_no_event() -> None:
    both = Both(APPLES)
    assert both.play(act(Verb.GRAB, "apple")) == [], "the fridge is closed"
    assert both.state.feedback[1]
    assert both.play((Verb.PUT_ON, ROW["table"], RIGHT)) == [], "there is nothing in the hand"


def test_in_a_household_the_recorded_helper_is_marked_for_what_it_did(tmp_path: Path) -> None:
    data = tmp_path / "data"
    words = ["--world.name", "household", "--data", str(data), "--episodes", "2", "--tail", "2", "--held-out", "0"]
    alone = ["--workers", "1", "--players.setter", '{"acts": true}', "--players.solver", '{"slip": 0.2}']
    assert main(["record", *words, *alone]) == 0
    assert main(["mark", "--data", str(data), "--miss", "0", "--mistake", "0", "--delay", "0", "--delay-sd", "0"]) == 0
    store = open_store(data)
    for episode in map(store.read, store.ids()):
        handling = np.isin(episode.movement[:, 0, 0], (Verb.GRAB, Verb.PUT_ON, Verb.PUT_IN, Verb.CLOSE))
        handled = np.flatnonzero(handling) + 1  # seen in the next observation
        found = {each.step: each.sign for each in episode.truth if "the way" not in each.reason}
        assert set(found) <= set(handled.tolist()), "only what the solver did"
        assert 1 in found.values(), "it has helped"
    assert {mark.sign for mark in store.marks()} >= {1}
