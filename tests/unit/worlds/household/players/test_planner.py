"""Planners reach goals in the small home: alone, with a helper, and the same way for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, SmallWays, small_home
from worlds.contract import WorldError
from worlds.household.observing import near, visible
from worlds.household.players import model as m
from worlds.household.players.acting import PlanningPlayer, RandomPlayer
from worlds.household.players.demonstrations import Demonstration, play
from worlds.household.players.planner import NO_PLAN, PUTS_AWAY, Intent, Planner
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.players.situation import Metres, Supposition
from worlds.household.players.subgoals import Subgoal
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Condition, Held, Verb
from worlds.household.tasks.progress import GoalCheck

SETTER, SOLVER = ROW["setter"], ROW["solver"]
GOAL = {"on_plate_coffeetable": 2, "inside_apple_fridge": 2, "holds_book_character": 1, "sit_sofa": 1}


def task(seed: int, helper: str = "", goal: dict[str, int] = GOAL, **settings: Any) -> Demonstration:
    """Play a task in the small home."""
    home, state = small_home()
    alice = PlanningPlayer(home, SETTER, goal, seed, PlannerSettings(**settings))
    bob: Any = None
    if helper == "planner":
        bob = PlanningPlayer(home, SOLVER, goal, seed + 1, avoids=True, puts_only=True)
    elif helper == "random":
        bob = RandomPlayer(home, SOLVER, seed)
    ways: Any = SmallWays(home, state)
    return play(home, state, ways, GoalCheck(home, goal, SETTER), alice, bob, seed, horizon=100)


def acted(played: Demonstration, person: int = 0) -> list[tuple[Verb, int]]:
    """Return the verbs and rows of what a person did."""
    return [(Verb(both[person][0]), int(both[person][1])) for both in played.acts]


@pytest.mark.parametrize("settings", [{}, {"prior": "reference"}, {"closes": False}, {"chance_open": 1.0}])
def test_alice_reaches_a_goal_of_four_predicates(settings):
    played = task(0, **settings)

    assert played.success
    assert played.reasons == [("", "")] * played.steps
    assert acted(played)[-1] == (Verb.SIT, ROW["sofa"])  # the person sits down last
    assert acted(played)[-3][0] == Verb.GRAB  # and holds the book before
    assert played.subgoals[-1] == ("sit_sofa 110", "")


def test_a_container_is_closed_before_she_leaves_unless_it_is_kept_open():
    assert (Verb.CLOSE, ROW["fridge"]) in acted(task(0))
    assert (Verb.CLOSE, ROW["fridge"]) not in acted(task(0, closes=False))


def test_she_walks_opens_grabs_and_puts_in_this_order():
    home, state = small_home()
    home_goal = {"on_apple_coffeetable": 2}
    alice = PlanningPlayer(home, SETTER, home_goal, 1)
    state.held[ROW["apple 2"]], state.parent[ROW["apple 2"]] = Held.INSIDE, ROW["fridge"]
    ways: Any = SmallWays(home, state)
    played = play(home, state, ways, GoalCheck(home, home_goal, SETTER), alice, horizon=100)

    walks, elsewhere = Verb.WALK_TOWARDS, ROW["microwave"]
    verbs = [verb for verb, row in acted(played) if verb != walks and row != elsewhere]
    assert played.success
    # The fridge is left open while another apple is needed from it.
    assert verbs == [Verb.OPEN, Verb.GRAB, Verb.PUT_ON, Verb.GRAB, Verb.CLOSE, Verb.PUT_ON]


IN, ON = Held.INSIDE, Held.ON
HIDDEN: dict[str, tuple[dict[str, int], list[tuple[str, Held, str]]]] = {
    "in a fixture in a closed one": (
        {"on_apple_coffeetable": 2}, [("microwave", IN, "fridge"), ("apple", IN, "microwave"), ("apple 2", ON, "table")]
    ),
    "beside a fixture in a closed one": ({"on_apple_coffeetable": 2}, [("microwave", IN, "fridge")]),
    "on a fixture in a closed one": ({"on_apple_sofa": 2}, [("microwave", IN, "fridge"), ("apple", ON, "microwave")]),
    "the place itself": ({"inside_apple_microwave": 1}, [("microwave", IN, "fridge")]),
    "the place itself, on what is in a fixture": (
        {"on_book_counter": 1, "inside_plate_microwave": 1}, [("counter", IN, "fridge"), ("plate", IN, "box")]
    ),
    "the seat": ({"sit_chair": 1}, [("chair", IN, "fridge")]),
    "in a box": ({"on_book_counter": 2}, []),
    "in a box in a fixture": ({"on_book_counter": 2}, [("box", IN, "fridge")]),
    "in a box on a table": ({"on_apple_sofa": 2}, [("box", ON, "table"), ("apple", IN, "box")]),
}  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN)
def test_she_finds_what_is_in_something_closed_that_was_not_seen(hidden):
    goal, moves = HIDDEN[hidden]
    home, state = small_home()
    for name, held, parent in moves:
        row = ROW[name]
        state.held[row], state.parent[row], state.centre[row] = held, ROW[parent], state.centre[ROW[parent]]
    state.room[:] = [_room(state, row) for row in range(len(home))]
    ways: Any = SmallWays(home, state)
    alice = PlanningPlayer(home, SETTER, goal, 0)
    played = play(home, state, ways, GoalCheck(home, goal, SETTER), alice, seed=0, horizon=60)
    assert played.success, acted(played)[-6:]


def _room(state: Any, row: int) -> int:
    return row if state.parent[row] == NO_ROW else _room(state, int(state.parent[row]))


def test_a_helper_makes_it_shorter_and_leaves_the_partners_sub_goal_alone():
    far = {"on_plate_sofa": 2, "on_book_counter": 1, "on_apple_coffeetable": 1}
    alone, helped = task(2, goal=far), task(2, "planner", goal=far)

    assert alone.success and helped.success
    assert helped.steps < alone.steps
    pairs = [(one.split(), two.split()) for one, two in helped.subgoals if one and two]
    assert pairs
    assert all(one[1] != two[1] for one, two in pairs)  # never the same thing


def sight_of(home, state, person=SETTER) -> Sight:
    return Sight.of(state, person, visible(home, state, person), near(home, state, person))


def test_a_helper_takes_over_only_from_empty_hands():
    home, state = small_home()
    bob = Planner(home, {"on_plate_sofa": 1}, 0)
    sight = sight_of(home, state)
    own = bob.decide(sight).subgoal
    assert own is not None
    other = Subgoal("on_plate_sofa", own.thing, own.target)

    busy = bob.decide(sight, intent=Intent(other, empty_handed=False))
    assert busy.note == NO_PLAN
    assert busy.subgoal is None
    assert bob.decide(sight, intent=Intent(other, empty_handed=True)).subgoal is not None


def test_a_goal_without_its_place_is_refused_in_one_line():
    home, _ = small_home()
    with pytest.raises(WorldError, match="'inside_apple_dishwasher' cannot be in small"):
        Planner(home, {"inside_apple_dishwasher": 1}, 0)


def test_what_is_not_needed_is_put_away():
    home, state = small_home()
    state.held[ROW["box"]], state.parent[ROW["box"]], state.room[ROW["box"]] = Held.RIGHT_HAND, SETTER, ROW["kitchen"]
    decision = Planner(home, {"on_plate_coffeetable": 2}, 0).decide(sight_of(home, state))

    assert decision.note == PUTS_AWAY
    assert decision.act[2] == Held.RIGHT_HAND


def test_a_person_who_sits_stands_up_to_put_something_away():
    home, state = small_home()
    state.held[ROW["box"]], state.parent[ROW["box"]], state.room[ROW["box"]] = Held.RIGHT_HAND, SETTER, ROW["kitchen"]
    state.held[SETTER], state.parent[SETTER] = Held.SITS, ROW["chair"]
    state.centre[SETTER, :2] = 20.0, 20.0  # nothing is within reach
    decision = Planner(home, {"on_plate_coffeetable": 2}, 0).decide(sight_of(home, state))

    assert (decision.act[0], decision.note) == (Verb.STAND, PUTS_AWAY)


def test_switching_on_is_regressed_to_a_walk_and_the_switch():
    home, state = small_home()
    planner = Planner(home, {"sit_sofa": 1}, 0)
    sight = sight_of(home, state)
    planner.belief.update(sight_of(home, state, SOLVER))
    supposed = Supposition(planner.belief, sight, planner.subgoals)
    model = supposed.model(np.array([planner.belief.index[ROW["lamp"]]]), np.zeros(1, bool), None, planner.settings)
    model.subgoals[0, m.SORT] = m.SWITCH
    legs = np.empty((m.MOST_LEGS, 2), dtype=np.int64)
    first = m.regress(model, supposed.situations, 0, 0, legs)

    assert [(Verb(verb), supposed.rows[item]) for verb, item in legs[first:]] == [(Verb.SWITCH_ON, ROW["lamp"])]


def test_a_second_target_is_tried_where_the_first_takes_nothing():
    home, state = small_home()
    planner = Planner(home, {"on_apple_kitchentable": 1}, 0)
    table, counter = (planner.belief.places.on_fixture[ROW[name]] for name in ("table", "counter"))
    planner.subgoals.targets[0] = [int(table), int(counter)]
    state.held[ROW["apple"]], state.parent[ROW["apple"]], state.room[ROW["apple"]] = (
        Held.RIGHT_HAND, SETTER, ROW["kitchen"],
    )  # fmt: skip
    state.centre[SETTER, :2] = 2.0, 2.0  # within reach of both
    targets = [planner.decide(sight_of(home, state), failed=step > 0).act[1] for step in range(4)]

    assert targets == [ROW["table"]] * 3 + [ROW["counter"]]


def test_a_sub_goal_that_fails_again_and_again_is_left_for_another():
    home, state = small_home()
    planner = Planner(home, {"on_plate_sofa": 2}, 0)
    decisions = [planner.decide(sight_of(home, state), failed=step > 0) for step in range(8)]

    things = {decision.subgoal.thing for decision in decisions if decision.subgoal}
    assert len(things) > 1


def test_a_walk_that_has_a_price_a_metre_leads_to_the_nearest_first():
    home, state = small_home()
    places = Planner(home, GOAL, 0).belief.places

    def distances(position: np.ndarray) -> np.ndarray:
        return np.linalg.norm(state.centre[:, :2] - position, axis=1).astype(np.float32)

    metres = Metres(places, state.centre, distances)
    state.conditions[ROW["fridge"]] = Condition.OPEN
    state.conditions[ROW["microwave"]] = Condition.OPEN | Condition.OFF
    state.parent[ROW["apple 2"]], state.held[ROW["apple 2"]] = ROW["microwave"], Held.INSIDE
    state.centre[SETTER, :2] = 0.5, 0.6
    settings = PlannerSettings(metre_cost=0.2)
    planner = Planner(home, {"on_apple_counter": 1}, 0, settings, metres=metres)
    decision = planner.decide(sight_of(home, state))

    assert decision.subgoal is not None
    assert decision.subgoal.thing == ROW["apple 2"]  # in the microwave on the counter; the other is in the fridge
    with pytest.raises(WorldError, match="give the ways"):
        Planner(home, GOAL, 0, settings)


def test_settings_that_cannot_be_are_refused():
    cases: list[tuple[dict[str, Any], str]] = [
        ({"simulations": 0}, "simulations"),
        ({"prior": "flat"}, "prior"),
        ({"chance_open": 2.0}, "chance_open"),
        ({"metre_cost": -1.0}, "metre_cost"),
    ]
    for settings, words in cases:
        with pytest.raises(WorldError, match=words):
            PlannerSettings(**settings)
