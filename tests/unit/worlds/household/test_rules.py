"""What each verb needs and does, both persons at the same step, and random play."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import LEFT, RIGHT, ROW, Play, act, possible
from worlds.household.observing import near
from worlds.household.rules import why_not
from worlds.household.rules.bodies import take
from worlds.household.rules.joint import WAITING, Act, drawn
from worlds.household.rules.refusals import Refusal, refusal
from worlds.household.state.home import NO_ROW
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held, Verb

AT_TABLE, AT_FRIDGE, AT_COUNTER, AT_CHAIR, AT_LAMP = (1.6, 2.4), (0.5, 2.6), (2.5, 1.1), (3.2, 2.6), (7.0, 3.5)

# What the setter does: (verb, thing, hand, why it fails), or a place to which it is brought.
SCRIPTS = {
    "a grabbed thing is carried with all that is on it": [
        (Verb.GRAB, "plate", LEFT, "the plate is out of reach: go nearer"),
        AT_TABLE,
        (Verb.GRAB, "plate", LEFT, ""),
        (Verb.GRAB, "apple 2", LEFT, "the left hand is full"),
        (Verb.GRAB, "apple 2", RIGHT, ""),
        (Verb.GRAB, "apple 2", RIGHT, "you carry the apple"),
        (Verb.GRAB, "table", RIGHT, "the kitchentable cannot be picked up"),
        AT_FRIDGE,
        (Verb.OPEN, "fridge", RIGHT, "both hands are full, and opening takes one"),
    ],
    "only what is seen and open can be grabbed": [
        AT_FRIDGE,
        (Verb.GRAB, "", RIGHT, "point at a thing"),
        (Verb.GRAB, "setter", RIGHT, "that is you"),
        (Verb.GRAB, "book", RIGHT, "you do not see that"),
        (Verb.GRAB, "apple", RIGHT, "you do not see that"),
        (Verb.OPEN, "fridge", RIGHT, ""),
        (Verb.GRAB, "apple", RIGHT, ""),
        (Verb.CLOSE, "fridge", RIGHT, ""),
        AT_TABLE,
        (Verb.GRAB, "apple 2", LEFT, ""),
        (Verb.GRAB, "plate", LEFT, "both hands are full"),
    ],
    "putting needs a thing in the hand and a surface": [
        AT_TABLE,
        (Verb.PUT_ON, "table", RIGHT, "the right hand is empty"),
        (Verb.GRAB, "plate", RIGHT, ""),
        (Verb.PUT_ON, "table", LEFT, "the left hand is empty"),
        (Verb.PUT_ON, "apple 2", RIGHT, "the apple is, or is carried on or in, what you would put there"),
        AT_FRIDGE,
        (Verb.PUT_ON, "fridge", RIGHT, "nothing can be put on the fridge"),
        AT_TABLE,
        (Verb.PUT_ON, "table", RIGHT, ""),
    ],
    "putting in needs an open container": [
        AT_TABLE,
        (Verb.GRAB, "plate", RIGHT, ""),
        (Verb.PUT_IN, "table", RIGHT, "nothing can be put in the kitchentable"),
        AT_FRIDGE,
        (Verb.PUT_IN, "fridge", RIGHT, "the fridge is closed"),
        (Verb.OPEN, "fridge", RIGHT, ""),
        (Verb.PUT_IN, "fridge", RIGHT, ""),
        (Verb.CLOSE, "fridge", RIGHT, ""),
        (Verb.GRAB, "plate", RIGHT, "you do not see that"),
    ],
    "doors of things open and close": [
        AT_TABLE,
        (Verb.OPEN, "table", RIGHT, "the kitchentable cannot be opened"),
        (Verb.CLOSE, "table", RIGHT, "the kitchentable cannot be closed"),
        AT_FRIDGE,
        (Verb.CLOSE, "fridge", RIGHT, "the fridge is already closed"),
        (Verb.OPEN, "fridge", RIGHT, ""),
        (Verb.OPEN, "fridge", RIGHT, "the fridge is already open"),
    ],
    "switches": [
        AT_COUNTER,
        (Verb.SWITCH_ON, "counter", RIGHT, "the counter has no switch"),
        (Verb.SWITCH_OFF, "microwave", RIGHT, "the microwave is already off"),
        (Verb.SWITCH_ON, "microwave", RIGHT, ""),
        (Verb.SWITCH_ON, "microwave", RIGHT, "the microwave is already on"),
        (Verb.OPEN, "microwave", RIGHT, "the microwave is on: switch it off first"),
        (Verb.SWITCH_OFF, "microwave", RIGHT, ""),
        (Verb.OPEN, "microwave", RIGHT, ""),
        AT_LAMP,
        (Verb.SWITCH_ON, "lamp", RIGHT, "the floorlamp is not plugged in"),
    ],
    "who sits must stand up first": [
        (Verb.STAND, "", RIGHT, "you are not sitting"),
        AT_TABLE,
        (Verb.SIT, "table", RIGHT, "nobody can sit on the kitchentable"),
        AT_CHAIR,
        (Verb.SIT, "chair", RIGHT, ""),
        (Verb.SIT, "chair", RIGHT, "stand up first"),
        (Verb.WALK_FORWARD, "", RIGHT, "stand up first"),
        (Verb.WALK_TOWARDS, "table", RIGHT, "stand up first"),
        (Verb.STAND, "", RIGHT, ""),
    ],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_verbs_succeed_or_say_why_not(play, script):
    play.become("lamp", Condition.OFF | Condition.PLUGGED_OUT)
    for line in script:
        if len(line) == 2:
            play.bring("setter", *line)
        else:
            before = play.bits()
            *action, reason = line
            found = play(*action)
            assert found.startswith(reason.partition(", what")[0]) and bool(found) == bool(reason), line
            assert (play.bits() == before) == bool(reason), "what fails changes nothing"


@pytest.fixture
def play() -> Play:
    return Play()


def test_turning_is_by_thirty_degrees_and_wraps(play):
    for _ in range(6):
        assert play(Verb.TURN_LEFT) == ""
    assert abs(play.state.facing[0]) == pytest.approx(math.pi, abs=1e-5)
    play(Verb.TURN_LEFT)
    assert play.state.facing[0] == pytest.approx(-math.pi * 5 / 6, abs=1e-5)
    play(Verb.TURN_RIGHT)
    assert abs(play.state.facing[0]) == pytest.approx(math.pi, abs=1e-5)


def test_walking_is_by_a_metre_towards_the_thing_until_there(play):
    start = play.state.centre[ROW["setter"]].copy()
    assert play(Verb.WALK_TOWARDS, "chair") == ""
    moved = play.state.centre[ROW["setter"]] - start
    assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-5)
    assert play.state.facing[0] == pytest.approx(math.atan2(moved[1], moved[0]), abs=1e-5)
    while not (reason := play(Verb.WALK_TOWARDS, "chair")):
        pass
    assert reason == "you are already at the chair, or no way leads there"
    assert play(Verb.SIT, "chair") == ""


def test_what_is_carried_goes_along_into_another_room_and_ahead_of_the_person(play):
    play.bring("setter", *AT_TABLE)
    play(Verb.GRAB, "plate", RIGHT)
    x, y, z = (play.state.centre[ROW["plate"]] - play.state.centre[ROW["setter"]]).tolist()
    assert (x, y) == pytest.approx((0.30, -0.22), abs=1e-5) and 0 < z < 0.5
    assert play.where("plate") == (RIGHT, "setter") and play.where("apple 2") == (Held.ON, "plate")
    for _ in range(6):
        play(Verb.WALK_TOWARDS, "livingroom")
    assert play.where("setter") == (Held.ROOM, "livingroom")
    assert (play.state.room[[ROW["setter"], ROW["plate"], ROW["apple 2"]]] == ROW["livingroom"]).all()
    assert play(Verb.WALK_TOWARDS, "book") == "" and play(Verb.WALK_TOWARDS, "fridge") == "you do not see that"


def test_walking_forward_goes_where_the_person_looks(play):
    play.bring("setter", 1.0, 1.8)
    assert play(Verb.WALK_FORWARD) == ""
    assert play.state.centre[ROW["setter"]].tolist() == pytest.approx([2.0, 1.8, 0.8])
    play.state.facing[0] = math.pi
    reasons = [play(Verb.WALK_FORWARD) for _ in range(4)]
    assert reasons == ["", "", "something is in the way", "something is in the way"]


def test_what_the_other_one_holds_or_sits_on_is_not_touched(play):
    play.bring("setter", 6.5, 2.4)
    play.bring("solver", 6.5, 1.2)
    play.both(WAITING, act(Verb.GRAB, "plate 2"))
    assert play(Verb.GRAB, "plate 2") == "the other person holds the plate"
    play(Verb.GRAB, "book")
    assert play(Verb.PUT_ON, "plate 2") == "the other person holds the plate"
    play.state.held[ROW["solver"]], play.state.parent[ROW["solver"]] = Held.SITS, ROW["plate"]
    play.state.room[ROW["solver"]] = ROW["kitchen"]
    play.bring("setter", *AT_TABLE)
    assert play(Verb.GRAB, "plate", LEFT) == "a person sits on the plate"


def test_a_seat_has_so_many_places(play):
    for person in ("setter", "solver"):
        play.bring(person, *AT_CHAIR)
    play(Verb.SIT, "chair")
    assert play.where("setter") == (Held.SITS, "chair") and play.state.conditions[ROW["setter"]] & Condition.SITTING
    assert play.state.centre[ROW["setter"], :2].tolist() == pytest.approx([3.2, 3.2])
    assert play.both(WAITING, act(Verb.SIT, "chair"))[1] == "every place on the chair is taken"
    play(Verb.STAND)
    assert play.where("setter") == (Held.ROOM, "kitchen") and not play.state.conditions[ROW["setter"]]
    for person in ("setter", "solver"):
        play.bring(person, 7.0, 1.2)
    assert play(Verb.SIT, "sofa") == "" and play.both(WAITING, act(Verb.SIT, "sofa")) == ("", "")
    assert abs(np.subtract(*play.state.centre[[ROW["setter"], ROW["solver"]], 0])) > 0.4


AT_COFFEETABLE = (6.5, 2.3)


def together(seed: int = 0) -> Play:
    """Return play in which both stand at the coffee table."""
    play = Play(seed)
    for person in ("setter", "solver"):
        play.bring(person, *AT_COFFEETABLE)
    return play


def test_one_of_two_who_touch_the_same_thing_acts_and_the_other_reads_why():
    winners = Counter()
    for seed in range(64):
        reasons = together(seed).both(act(Verb.GRAB, "book"), act(Verb.GRAB, "book"))
        assert sorted(reasons) == ["", "the other person was first at the book"]
        assert together(seed).both(act(Verb.GRAB, "book"), act(Verb.GRAB, "book")) == reasons, "the same every time"
        winners[reasons.index("")] += 1
    assert min(winners.values()) > 16
    play = together()
    play.both(act(Verb.GRAB, "book"), act(Verb.GRAB, "plate 2"))
    reasons = play.both(act(Verb.PUT_ON, "coffeetable"), act(Verb.PUT_ON, "coffeetable"))
    assert sorted(reasons) == ["", "the other person was first at the coffeetable"]
    assert play.both(act(Verb.WALK_TOWARDS, "kitchen"), act(Verb.WALK_TOWARDS, "kitchen")) == ("", "")


def test_the_draw_is_fair_from_step_to_step_and_from_seed_to_seed():
    by_step, by_seed = [drawn(5, step) for step in range(2000)], [drawn(seed, 5) for seed in range(2000)]
    for draws in (by_step, by_seed):
        assert 0.45 < np.mean(draws) < 0.55
        assert 0.45 < np.mean(np.diff(draws) != 0) < 0.55


def test_who_could_not_act_anyway_takes_nothing_from_the_other():
    for seed in range(8):
        play = together(seed)
        play.bring("setter", 5.0, 3.7)
        reasons = play.both(act(Verb.GRAB, "book"), act(Verb.GRAB, "book"))
        assert reasons == ("the book is out of reach: go nearer", "")
        play = Play(seed)
        for number, (person, name) in enumerate((("setter", "apple 2"), ("solver", "plate 2"))):
            play.bring(person, 5.0, 3.0)
            take(tables(play.home, play.state), number, ROW[name], RIGHT)
        play.become("box", Condition.OPEN)  # beside the book in it there is place for the apple, not for the plate
        reasons = play.both(act(Verb.PUT_IN, "box"), act(Verb.PUT_IN, "box"))
        why = "there is no free place for that on or in the box", "the other person was first at the box"
        assert reasons == ("", why[drawn(seed, 0) == 0]) and play.where("apple 2") == (Held.INSIDE, "box")


def test_what_the_setter_does_may_make_the_solvers_action_impossible():
    play = together()
    play.bring("setter", 5.0, 3.0)
    play.bring("solver", 5.5, 3.2)
    play.both(act(Verb.OPEN, "box"), act(Verb.WAIT))
    assert play.both(act(Verb.GRAB, "box"), act(Verb.GRAB, "book 2")) == ("", "the other person holds the book")


def random_act(play: Play, number: int, rng: np.random.Generator) -> Act:
    """Return an action with any thing, but more often with one that is near."""
    rows = np.arange(len(ROW))
    if rng.random() < 0.7:
        rows = np.flatnonzero(near(play.home, play.state, play.home.persons[number]))
    row = NO_ROW if rng.random() < 0.02 else int(rng.choice(rows))
    return int(rng.choice(list(Verb))), row, int(rng.choice([RIGHT, LEFT]))


def test_random_play_keeps_the_tree_and_failures_change_nothing():
    play, rng = Play(), np.random.default_rng(0)
    seen: Counter = Counter()
    for step in range(2000):
        acts = random_act(play, 0, rng), random_act(play, 1, rng)
        if rng.random() < 0.3:  # so that more comes within reach
            for person in ("setter", "solver"):
                if play.state.held[ROW[person]] == Held.ROOM:
                    play.bring(person, *rng.choice([(1.6, 2.4), (0.6, 2.6), (2.6, 1.2), AT_COFFEETABLE, (5.4, 3.2)]))
        before, possible = play.bits(), [why_not(play.home, play.state, n, a) for n, a in enumerate(acts)]
        reasons = play.both(*acts)
        assert play.state.step == step + 1
        for number, reason in enumerate(reasons):
            seen[Verb(acts[number][0]), not reason] += 1
            assert reason or not possible[number], "what is refused does not succeed"
        if all(reasons):
            assert play.bits() == before
        assert_sound(play)
        if step % 400 == 0:
            assert_masks_are_those_of_the_rules(play)
    missing = [(v, ok) for v in Verb for ok in (True, False) if not seen[v, ok]]
    always = {(v, False) for v in (Verb.WAIT, Verb.TURN_LEFT, Verb.TURN_RIGHT)}
    assert set(missing) == always


def assert_sound(play: Play) -> None:
    """Every thing has one parent, its room is that of its parent, and it lies where that is."""
    home, state = play.home, play.state
    parent, held = state.parent, state.held
    assert ((held == Held.NOWHERE) == (parent == NO_ROW)).all()
    root = np.arange(len(home))
    for _ in range(len(home)):  # a circle never ends
        root = np.where(parent[root] == NO_ROW, root, parent[root])
    assert np.isin(root, home.rooms).all() and (state.room == root).all()
    in_hand = (held == RIGHT) | (held == LEFT)
    assert (in_hand == np.isin(parent, home.persons)).all()
    hands = list(zip(parent[in_hand], held[in_hand], strict=True))
    assert len(set(hands)) == len(hands)
    within = np.isin(held, (Held.INSIDE, Held.ON, Held.SITS))
    off = np.abs(state.centre[within, :2] - state.centre[parent[within], :2])
    assert (off <= home.size[parent[within], :2] / 2 + 1e-4).all()
    persons = list(home.persons)
    assert ((held[persons] == Held.SITS) == ((state.conditions[persons] & Condition.SITTING) > 0)).all()
    assert np.isfinite(state.centre).all() and (np.abs(state.facing) <= np.pi + 1e-6).all()


def assert_masks_are_those_of_the_rules(play: Play) -> None:
    """A verb and a thing can be chosen exactly if some action with them is possible."""
    t = tables(play.home, play.state)
    for number, person in enumerate(play.home.persons):
        for full in (False, True):
            verbs, things = possible(play.home, play.state, number, full)
            expected_verbs, expected_things = np.zeros_like(verbs), np.zeros_like(things)
            for verb in Verb:
                for row in range(len(ROW)):
                    for hand in (RIGHT, LEFT):
                        if refusal(t, person, verb, row, hand, full) == Refusal.NONE:
                            expected_verbs[verb] = True
                            expected_things[row] |= Verb.WALK_TOWARDS <= verb <= Verb.SIT
            assert (verbs == expected_verbs).all() and (things == expected_things).all()
