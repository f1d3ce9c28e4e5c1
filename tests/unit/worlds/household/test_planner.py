"""What planners believe and do in the small home: alone, with a helper, and with one that revises its goal."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from experiments.watch_and_help.demonstrations import Demonstration, play
from experiments.watch_and_help.policies.guided import GuidedPlayer
from tests.unit.worlds.household.small_home import ROW, SmallWays, small_home
from worlds.contract import WorldError
from worlds.household.observing import near, visible
from worlds.household.players.acting import PlanningPlayer
from worlds.household.players.belief import Belief
from worlds.household.players.goal_posterior import GoalPosterior
from worlds.household.players.places import places_of
from worlds.household.players.planner import NO_PLAN, PUTS_AWAY, Intent, Planner
from worlds.household.players.revising import RevisingPlayer
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.players.situation import Metres
from worlds.household.players.subgoals import Subgoal
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held, Verb
from worlds.household.tasks.progress import GoalCheck

SETTER, SOLVER = ROW["setter"], ROW["solver"]


def see(home: Home, state: State, person: int = SETTER) -> Sight:
    return Sight.of(state, person, visible(home, state, person), near(home, state, person))


def put(state: State, name: str, held: Held, parent: str) -> None:
    """Put a thing somewhere, with its centre and its room."""
    row, above = ROW[name], ROW[parent]
    state.held[row], state.parent[row], state.centre[row] = held, above, state.centre[above]
    state.room[row] = state.room[above]


def seen_once() -> tuple[Home, State, Belief]:
    """Return the small home, and what the setter believes after its first look."""
    home, state = small_home()
    belief = Belief(home, np.random.default_rng(0))
    belief.update(see(home, state))
    return home, state, belief


def chances(belief: Belief, name: str) -> np.ndarray:
    return belief.probabilities()[belief.index[ROW[name]]]


def inside(belief: Belief, name: str) -> int:
    return int(belief.places.in_fixture[ROW[name]])


def test_a_uniform_belief_counts_rooms_insides_and_tops_alike():
    home, _ = small_home()
    belief = Belief(home, np.random.default_rng(0))
    assert len(places_of(home)) == 2 + 2 + 6  # rooms; fridge and microwave; all fixtures but fridge and lamp
    assert chances(belief, "book") == pytest.approx(1 / 10)
    assert chances(belief, "fridge")[:2] == pytest.approx(0.5)  # of furniture, the room is unknown


def test_what_is_seen_is_known_and_what_is_not_seen_is_elsewhere():
    home, state, belief = seen_once()
    assert chances(belief, "plate")[belief.places.on_fixture[ROW["table"]]] == 1
    elsewhere = chances(belief, "book")
    assert elsewhere[belief.places.in_room[ROW["kitchen"]]] == 0
    assert elsewhere[belief.places.on_fixture[ROW["table"]]] == 0
    assert elsewhere[inside(belief, "fridge")] > 0  # closed
    assert elsewhere.sum() == pytest.approx(1)
    state.conditions[ROW["fridge"]] = Condition.OPEN
    belief.update(see(home, state))
    assert chances(belief, "book")[inside(belief, "fridge")] == 0
    assert chances(belief, "apple")[inside(belief, "fridge")] == 1
    assert belief.is_open[belief.index[ROW["fridge"]]]


def test_what_is_refuted_everywhere_may_be_anywhere_but_in_view():
    home, state, belief = seen_once()
    put(state, "plate", Held.INSIDE, "microwave")  # somebody put it there
    refuted = belief.update(see(home, state))
    plate = chances(belief, "plate")
    assert refuted[belief.index[ROW["plate"]]]
    assert plate[belief.places.on_fixture[ROW["table"]]] == 0
    assert plate[inside(belief, "microwave")] == plate[inside(belief, "fridge")] > 0
    assert plate.sum() == pytest.approx(1)


def test_only_refuted_entries_of_the_sample_are_drawn_again():
    home, state = small_home()
    belief = Belief(home, np.random.default_rng(3))
    before = belief.sample.copy()
    refuted = belief.update(see(home, state))
    assert (belief.sample[~refuted] == before[~refuted]).all()
    assert (belief.sample[refuted] != before[refuted]).all()
    assert not belief.update(see(home, state)).any()
    assert belief.possible[np.arange(len(belief.rows)), belief.sample].all()


GOAL = {"on_plate_coffeetable": 2, "inside_apple_fridge": 2, "holds_book_character": 1, "sit_sofa": 1}


def task(
    seed: int, helper: Any = None, goal: dict[str, int] = GOAL, prepare: Any = None, **settings: Any
) -> Demonstration:
    """Play a task in the small home."""
    home, state = small_home()
    if prepare:
        prepare(state)
    alice, ways = PlanningPlayer(home, SETTER, goal, seed, PlannerSettings(**settings)), SmallWays(home, state)
    bob: Any = helper(home, SOLVER) if helper else None
    return play(home, state, ways, GoalCheck(home, goal, SETTER), alice, bob, seed, horizon=100)  # type: ignore[arg-type]


def acted(played: Demonstration, person: int = 0) -> list[tuple[Verb, int]]:
    """Return the verbs and rows of what a person did."""
    return [(Verb(both[person][0]), int(both[person][1])) for both in played.acts]


@pytest.mark.parametrize("settings", [{}, {"prior": "reference"}, {"closes": False}, {"chance_open": 1.0}])
def test_alice_reaches_a_goal_of_four_predicates(settings):
    played = task(0, **settings)
    assert played.success and played.reasons == [("", "")] * played.steps
    assert acted(played)[-1] == (Verb.SIT, ROW["sofa"])  # the person sits down last
    assert acted(played)[-3][0] == Verb.GRAB  # and holds the book before
    assert played.subgoals[-1] == ("sit_sofa 110", "")
    assert ((Verb.CLOSE, ROW["fridge"]) in acted(played)) == settings.get("closes", True)


def test_she_walks_opens_grabs_and_puts_in_this_order():
    goal = {"on_apple_coffeetable": 2}
    played = task(1, goal=goal, prepare=lambda state: put(state, "apple 2", Held.INSIDE, "fridge"))
    other = Verb.WALK_TOWARDS, ROW["microwave"]
    verbs = [verb for verb, row in acted(played) if verb != other[0] and row != other[1]]
    # The fridge is left open while another apple is needed from it.
    assert played.success and verbs == [Verb.OPEN, Verb.GRAB, Verb.PUT_ON, Verb.GRAB, Verb.CLOSE, Verb.PUT_ON]


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


@pytest.mark.parametrize(("goal", "moves"), HIDDEN.values(), ids=HIDDEN)
def test_she_finds_what_is_in_something_closed_that_was_not_seen(goal, moves):
    home, _ = small_home()

    def hide(state: State) -> None:
        for move in moves:
            put(state, *move)
        for _ in range(len(home)):
            state.room[:] = np.where(state.parent == NO_ROW, np.arange(len(home)), state.room[state.parent])

    assert task(0, goal=goal, prepare=hide).success


def test_a_helper_makes_it_shorter_and_leaves_the_partners_sub_goal_alone():
    far = {"on_plate_sofa": 2, "on_book_counter": 1, "on_apple_coffeetable": 1}
    helper = partial(PlanningPlayer, goal=far, seed=3, avoids=True, puts_only=True)
    alone, helped = task(2, goal=far), task(2, helper, goal=far)
    assert alone.success and helped.success and helped.steps < alone.steps
    pairs = [(one.split(), two.split()) for one, two in helped.subgoals if one and two]
    assert pairs and all(one[1] != two[1] for one, two in pairs)  # never the same thing


def test_a_helper_takes_over_only_from_empty_hands():
    home, state = small_home()
    bob, sight = Planner(home, {"on_plate_sofa": 1}, 0), see(home, state)
    own = bob.decide(sight).subgoal
    assert own is not None
    other = Subgoal("on_plate_sofa", own.thing, own.target)
    busy = bob.decide(sight, intent=Intent(other, empty_handed=False))
    assert busy.note == NO_PLAN and busy.subgoal is None
    assert bob.decide(sight, intent=Intent(other, empty_handed=True)).subgoal is not None


@pytest.mark.parametrize("sits", [False, True])
def test_what_is_not_needed_is_put_away(sits):
    home, state = small_home()
    put(state, "box", Held.RIGHT_HAND, "setter")
    if sits:
        put(state, "setter", Held.SITS, "chair")
        state.centre[SETTER, :2] = 20.0, 20.0  # nothing is within reach
    decision = Planner(home, {"on_plate_coffeetable": 2}, 0).decide(see(home, state))
    assert decision.note == PUTS_AWAY and (
        decision.act[0] == Verb.STAND if sits else decision.act[2] == Held.RIGHT_HAND
    )


def test_a_second_target_is_tried_where_the_first_takes_nothing():
    home, state = small_home()
    planner = Planner(home, {"on_apple_kitchentable": 1}, 0)
    table, counter = (planner.belief.places.on_fixture[ROW[name]] for name in ("table", "counter"))
    planner.subgoals.targets[0] = [int(table), int(counter)]
    put(state, "apple", Held.RIGHT_HAND, "setter")
    state.centre[SETTER, :2] = 2.0, 2.0  # within reach of both
    targets = [planner.decide(see(home, state), failed=step > 0).act[1] for step in range(4)]
    assert targets == [ROW["table"]] * 3 + [ROW["counter"]]


def test_a_sub_goal_that_fails_again_and_again_is_left_for_another():
    home, state = small_home()
    planner = Planner(home, {"on_plate_sofa": 2}, 0)
    decisions = [planner.decide(see(home, state), failed=step > 0) for step in range(8)]
    assert len({decision.subgoal.thing for decision in decisions if decision.subgoal}) > 1


def test_a_walk_that_has_a_price_a_metre_leads_to_the_nearest_first():
    home, state = small_home()

    def distances(position: np.ndarray) -> np.ndarray:
        return np.linalg.norm(state.centre[:, :2] - position, axis=1).astype(np.float32)

    state.conditions[ROW["fridge"]] = Condition.OPEN
    state.conditions[ROW["microwave"]] = Condition.OPEN | Condition.OFF
    state.parent[ROW["apple 2"]], state.held[ROW["apple 2"]] = ROW["microwave"], Held.INSIDE
    state.centre[SETTER, :2] = 0.5, 0.6
    metres = Metres(Planner(home, GOAL, 0).belief.places, state.centre, distances)
    planner = Planner(home, {"on_apple_counter": 1}, 0, PlannerSettings(metre_cost=0.2), metres=metres)
    decision = planner.decide(see(home, state))
    assert decision.subgoal is not None
    assert decision.subgoal.thing == ROW["apple 2"]  # in the microwave on the counter; the other is in the fridge


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda home: Planner(home, {"inside_apple_dishwasher": 1}, 0), "'inside_apple_dishwasher' cannot be in small"),
        (lambda home: Planner(home, GOAL, 0, PlannerSettings(metre_cost=0.2)), "give the ways"),
        (lambda home: PlannerSettings(simulations=0), "simulations"),
        (lambda home: PlannerSettings(prior="flat"), "prior"),  # type: ignore[arg-type]
        (lambda home: PlannerSettings(chance_open=2.0), "chance_open"),
    ],
)
def test_goals_and_settings_that_cannot_be_are_refused(make, words):
    with pytest.raises(WorldError, match=words):
        make(small_home()[0])


WRONG, RIGHT_GOAL = {"inside_apple_fridge": 2}, {"on_apple_coffeetable": 2}


def test_the_posterior_drops_what_is_refuted_and_expects_what_is_seen() -> None:
    posterior = GoalPosterior(WRONG, [RIGHT_GOAL, {"on_apple_coffeetable": 1, "on_wine_coffeetable": 1}])
    assert posterior.goal() == WRONG
    posterior.saw_taken("inside_apple_fridge", 0)
    assert "inside_apple_fridge" not in posterior.goal()
    posterior.saw_put("on_apple_coffeetable", 1)
    posterior.saw_put("on_apple_coffeetable", 2)
    assert posterior.goal() == RIGHT_GOAL


def test_it_drops_a_wrong_goal_in_the_step_in_which_it_sees_the_thing_taken() -> None:
    home, state = small_home()
    bob = RevisingPlayer(home, SOLVER, WRONG, 0)
    state.room[:] = state.room[SOLVER]  # all in one room
    state.conditions[ROW["fridge"]] = Condition.OPEN
    for held, parent in ((Held.RIGHT_HAND, "solver"), (Held.INSIDE, "fridge")):
        put(state, "apple", held, parent)
        bob.act(state, "")
    assert bob.planner.subgoals.wanted.tolist() == [2]
    put(state, "apple", Held.RIGHT_HAND, "setter")
    bob.act(state, "")
    assert bob.revisions[-1][0] == 2 and "inside_apple_fridge" not in bob.revisions[-1][1]
    put(state, "apple", Held.ON, "coffeetable")
    bob.act(state, "")
    assert "on_apple_coffeetable" in bob.revisions[-1][1]


def test_a_wrong_goal_hinders_less_if_it_is_revised() -> None:
    stubborn = task(3, partial(PlanningPlayer, goal=WRONG, seed=4, puts_only=True), goal=RIGHT_GOAL)
    revising = task(3, lambda home, person: RevisingPlayer(home, person, WRONG, 4), goal=RIGHT_GOAL)
    assert revising.steps < stubborn.steps


class Chooses:
    """A policy that wants an apple in the fridge first, and then nothing."""

    def reset(self, home: Any, person: int, goal: Any, seed: int) -> None:
        self.goal, self.asked, self.seen = goal, 0, 0

    def see(self, state: Any) -> None:
        self.seen += 1

    def choose(self, state: Any, reason: str) -> str | None:
        self.asked += 1
        return "inside_apple_fridge" if self.asked == 1 else None


def test_a_guided_helper_pursues_what_the_policy_chooses_until_it_is_met() -> None:
    home, state = small_home()
    policy, ways = Chooses(), SmallWays(home, state)
    bob = GuidedPlayer(home, SOLVER, {"inside_apple_fridge": 2, "on_plate_sofa": 1, "sit_sofa": 1}, 0, policy)
    alice = PlanningPlayer(home, SETTER, {"on_plate_sofa": 1}, 0)
    alice.planner.set_goal({})
    check = GoalCheck(home, {"inside_apple_fridge": 2}, SETTER)
    played = play(home, state, ways, check, alice, bob, horizon=60)  # type: ignore[arg-type]
    assert played.success and policy.goal == {"inside_apple_fridge": 2, "on_plate_sofa": 1}
    assert {words.split()[0] for _, words in played.subgoals if words} == {"inside_apple_fridge"}
    assert policy.seen == played.steps
    assert bob.act(state, "").note == NO_PLAN and policy.asked == 2
