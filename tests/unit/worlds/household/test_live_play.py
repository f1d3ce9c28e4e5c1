"""People's play in the household: every possible action is offered, nothing that is hidden is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.live_play import GROUPS, Board, Choice
from worlds.household import HELPERS
from worlds.household.live_play import HouseholdLivePlay
from worlds.household.observing import visible
from worlds.household.players.setter import ScriptedSetter
from worlds.household.rules.joint import why_not
from worlds.household.rules.legal import possible
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Condition, Held, Verb
from worlds.household.world import HANDS, PERSON, HouseholdWorld

ENTRY = registry.get("household")
SEED = 3


@pytest.fixture
def world() -> HouseholdWorld:
    made = HouseholdWorld()
    made.reset(seed=SEED, options={"config": ENTRY.sample_config(SEED)})
    return made


def all_choices(live: HouseholdLivePlay, player: str) -> list[Choice]:
    return [one for thing in live.choices(player) for one in thing.choices]


def act_of(world: HouseholdWorld, player: str, choice: Choice) -> tuple[int, int, int]:
    verb, pointer, hand = choice.movement
    return verb, world.row_at(player, pointer), HANDS[hand]


def play(world: HouseholdWorld, live: HouseholdLivePlay, rng: np.random.Generator, steps: int) -> None:
    """Let both players do what is offered, at random; handling things comes before walking."""
    for _ in range(steps):
        actions: dict[str, Any] = {}
        for player in PERSON:
            choices = all_choices(live, player)
            handling = [one for one in choices if Verb.GRAB <= one.movement[0] <= Verb.PUT_IN] or choices
            chosen = handling[rng.integers(len(handling))]
            actions[player] = world.spec(player).action.silent()
            actions[player]["movement"][0] = chosen.movement
        world.step(actions)


def test_every_possible_action_is_offered_and_no_other(world: HouseholdWorld) -> None:
    live, rng = HouseholdLivePlay(world), np.random.default_rng(0)
    used = set()
    for _ in range(30):
        for player, number in PERSON.items():
            choices = all_choices(live, player)
            assert len({one.key for one in choices}) == len(choices)
            now = world.state
            verbs, things = possible(now.home, now.state, number)
            acts = [act_of(world, player, one) for one in choices]
            assert {act[0] for act in acts} == set(np.flatnonzero(verbs).tolist())
            room = now.state.room[now.home.persons[number]]
            assert {act[1] for act in acts} - {NO_ROW} == set(np.flatnonzero(things).tolist()) - {room}
            assert [why_not(now.home, now.state, number, act) for act in acts] == [""] * len(acts)
            used |= {act[0] for act in acts}
        play(world, live, rng, 4)
    assert used >= {Verb.GRAB, Verb.PUT_ON, Verb.PUT_IN, Verb.OPEN, Verb.WALK_TOWARDS, Verb.SIT}


def test_only_what_is_visible_is_listed_and_names_stay(world: HouseholdWorld) -> None:
    live, rng = HouseholdLivePlay(world), np.random.default_rng(1)
    named: dict[int, str] = {}
    for _ in range(20):
        now = world.state
        seen = visible(now.home, now.state, now.home.persons[0])
        for thing in live.choices(SETTER):
            assert thing.group in GROUPS
            for one in thing.choices:
                row = world.row_at(SETTER, one.movement[1])
                assert row == NO_ROW or (seen[row] and named.setdefault(row, thing.name) == thing.name)
        play(world, live, rng, 3)
    assert len(set(named.values())) == len(named) > 40


def test_the_view_from_above_shows_no_thing_of_another_room(world: HouseholdWorld) -> None:
    live, now = HouseholdLivePlay(world), world.state
    me, other = now.home.persons
    assert now.state.room[me] != now.state.room[other]
    before = live.picture(SETTER, 60, 80)
    assert before.shape == (60, 160, 3) and before.dtype == np.uint8
    now.state.centre[other] += (0.5, 0.5, 0.0)
    np.testing.assert_array_equal(live.picture(SETTER, 60, 80)[:, 80:], before[:, 80:])
    assert (live.picture(SOLVER, 60, 80)[:, 80:] != before[:, 80:]).any()
    now.state.centre[me] += (0.3, 0.3, 0.0)
    assert (live.picture(SETTER, 60, 80)[:, 80:] != before[:, 80:]).any()


def test_progress_of_the_goal_is_known_once_it_is_seen_and_only_to_the_setter() -> None:
    world = HouseholdWorld()
    config = ENTRY.sample_config(1, tasks=["put_fridge"])
    world.reset(seed=1, options={"config": config})
    live, now = HouseholdLivePlay(world), world.state
    goal = live.status(SETTER).goal
    assert [part.known for part in goal] == [None] * len(goal) and live.status(SOLVER).goal == ()
    assert [part.wanted for part in goal] == list(config["task"]["goal"].values())
    fridge = int(now.home.rows_of("fridge")[0])
    now.state.room[now.home.persons[0]] = now.state.room[fridge]
    assert [part.known for part in live.status(SETTER).goal] == [None] * len(goal), "it is closed"
    now.state.conditions[fridge] = now.state.conditions[fridge] & ~Condition.CLOSED | Condition.OPEN
    assert [part.known for part in live.status(SETTER).goal] == [0] * len(goal)
    assert live.reached(SETTER) is False and live.reached(SOLVER) is None


def test_a_place_without_a_task_has_no_goal() -> None:
    world = HouseholdWorld()
    world.reset(seed=0, options={"config": {"home": "apartment-1"}})
    live = HouseholdLivePlay(world)
    assert live.status(SETTER).goal == () and live.reached(SETTER) is None
    assert ENTRY.make_helper is not None
    with pytest.raises(WorldError, match="a place with a goal"):
        ENTRY.make_helper("revising").reset(world, 0)


def test_a_failed_action_and_full_hands_are_reported(world: HouseholdWorld) -> None:
    live, now = HouseholdLivePlay(world), world.state
    person = now.home.persons[0]
    book = int(now.home.rows_of("book")[0])
    now.state.held[book], now.state.parent[book] = Held.LEFT_HAND, person
    now.state.room[book] = now.state.room[person]
    now.feedback = ("the fridge is closed", "")
    status = live.status(SETTER)
    assert status.hands == "right hand: empty, left hand: book" and status.feedback == "the fridge is closed"
    assert "you are in the" in status.place


@pytest.mark.parametrize("helper", HELPERS)
def test_helpers_play_beside_alice(helper: str) -> None:
    """Whoever helps, Alice reaches her goal; those who know or infer it put something in its place."""
    world = HouseholdWorld()
    seen = world.reset(seed=5, options={"config": ENTRY.sample_config(5, tasks=["setup_table"])})[0]
    alice = ScriptedSetter({"setup_table": 1.0}, acts=True, silent=True)
    assert ENTRY.make_helper is not None
    bob, live = ENTRY.make_helper(helper), HouseholdLivePlay(world)
    alice.reset(world, 0)
    bob.reset(world, 1)
    acted = 0
    while world.agents and not live.reached(SETTER):
        bobs = bob.act(seen[SOLVER])
        acted += int(bobs["movement"][0, 0] != Verb.WAIT)
        seen = world.step({SETTER: alice.act(seen[SETTER]), SOLVER: bobs})[0]
    assert live.reached(SETTER) and (acted == 0) == (helper == "nobody")


def test_unknown_helpers_are_refused_by_name() -> None:
    assert ENTRY.make_helper is not None
    with pytest.raises(WorldError, match="no helper named 'bob'; known: true_goal"):
        ENTRY.make_helper("bob")


def test_a_board_answers_for_its_own_step_only(world: HouseholdWorld) -> None:
    live = HouseholdLivePlay(world)
    board = Board(4, tuple(live.choices(SETTER)), live.status(SETTER))
    assert board.movement_of(4, "wait-0-0") == (int(Verb.WAIT), 0, 0)
    assert board.movement_of(3, "wait-0-0") is None and board.movement_of(4, "fly-0-0") is None
    message = board.message()
    sent = [choice for thing in message["things"] for choice in thing[3]]
    assert message["step"] == 4 and ["wait-0-0", "wait"] in sent
