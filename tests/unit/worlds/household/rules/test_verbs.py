"""What each verb needs and does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.household.rules.play import LEFT, RIGHT, Play, act
from tests.unit.worlds.household.small_home import ROW
from worlds.household.rules.joint import WAITING
from worlds.household.state.vocabulary import Condition, Held, Verb

AT_TABLE, AT_FRIDGE, AT_COUNTER, AT_CHAIR = (1.6, 2.4), (0.5, 2.6), (2.5, 1.1), (3.2, 2.6)


@pytest.fixture
def play() -> Play:
    return Play()


def test_waiting_changes_nothing_but_the_step(play):
    before = play.bits()
    assert play(Verb.WAIT) == "" and play.bits() == before and play.state.step == 1


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


def test_walking_into_another_room_changes_the_room_of_all_that_is_carried(play):
    play.bring("setter", *AT_TABLE)
    play(Verb.GRAB, "plate")
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


def test_grabbing_takes_a_thing_with_all_that_is_on_it(play):
    assert play(Verb.GRAB, "plate") == "the plate is out of reach: go nearer"
    play.bring("setter", *AT_TABLE)
    under = play.state.centre[ROW["apple 2"]] - play.state.centre[ROW["plate"]]
    assert play(Verb.GRAB, "plate", LEFT) == ""
    assert play.where("plate") == (Held.LEFT_HAND, "setter") and play.where("apple 2") == (Held.ON, "plate")
    assert play.state.centre[ROW["apple 2"]] - play.state.centre[ROW["plate"]] == pytest.approx(under, abs=1e-5)
    assert play(Verb.GRAB, "apple 2", LEFT) == "the left hand is full"
    assert play(Verb.GRAB, "apple 2", RIGHT) == ""
    assert play.state.in_hand(ROW["setter"], RIGHT) == ROW["apple 2"]
    assert play(Verb.GRAB, "apple 2", RIGHT) == "you carry the apple"


def test_hands_are_ahead_of_the_person_to_the_right_and_to_the_left(play):
    play.bring("setter", *AT_TABLE)
    play(Verb.GRAB, "plate", RIGHT)
    play(Verb.GRAB, "apple 2", LEFT)
    x, y, z = (play.state.centre[ROW["plate"]] - play.state.centre[ROW["setter"]]).tolist()
    assert (x, y) == pytest.approx((0.30, -0.22), abs=1e-5) and 0 < z < 0.5
    for _ in range(3):
        play(Verb.TURN_LEFT)
    x, y, z = (play.state.centre[ROW["apple 2"]] - play.state.centre[ROW["setter"]]).tolist()
    assert (x, y) == pytest.approx((-0.22, 0.30), abs=1e-5)


def test_what_cannot_be_grabbed_says_why(play):
    play.bring("setter", *AT_FRIDGE)
    assert play(Verb.GRAB) == "point at a thing"
    assert play(Verb.GRAB, "setter") == "that is you"
    assert play(Verb.GRAB, "book") == "you do not see that"
    assert play(Verb.GRAB, "apple") == "you do not see that"
    assert play(Verb.GRAB, "apple", full=True) == "the apple is in something closed"
    assert play(Verb.GRAB, "fridge") == "the fridge cannot be picked up"
    assert play(Verb.OPEN, "fridge") == "" and play(Verb.GRAB, "apple") == ""
    play.bring("setter", *AT_TABLE)
    play(Verb.GRAB, "apple 2", LEFT)
    assert play(Verb.GRAB, "plate", LEFT) == "both hands are full"


def test_what_the_other_one_holds_is_not_touched(play):
    play.bring("setter", 6.5, 2.4)
    play.bring("solver", 6.5, 1.2)
    play.both(WAITING, act(Verb.GRAB, "plate 2"))
    assert play(Verb.GRAB, "plate 2") == "the other person holds the plate"
    play(Verb.GRAB, "book")
    assert play(Verb.PUT_ON, "plate 2") == "the other person holds the plate"


def test_putting_needs_a_thing_in_the_hand_and_a_surface(play):
    play.bring("setter", *AT_TABLE)
    assert play(Verb.PUT_ON, "table") == "the right hand is empty"
    play(Verb.GRAB, "plate")
    assert play(Verb.PUT_ON, "table", LEFT) == "the left hand is empty"
    for target in ("plate", "apple 2"):
        assert play(Verb.PUT_ON, target).startswith(f"the {target.split()[0]} is, or is carried on or in")
    play.bring("setter", *AT_FRIDGE)
    assert play(Verb.PUT_ON, "fridge") == "nothing can be put on the fridge"
    play.bring("setter", *AT_TABLE)
    assert play(Verb.PUT_ON, "table") == ""
    assert play.where("plate") == (Held.ON, "table") and play.where("apple 2") == (Held.ON, "plate")
    assert play.state.in_hand(ROW["setter"], RIGHT) == -1


def test_putting_in_needs_an_open_container(play):
    play.bring("setter", *AT_TABLE)
    play(Verb.GRAB, "plate")
    assert play(Verb.PUT_IN, "table") == "nothing can be put in the kitchentable"
    play.bring("setter", *AT_FRIDGE)
    assert play(Verb.PUT_IN, "fridge") == "the fridge is closed"
    play(Verb.OPEN, "fridge")
    assert play(Verb.PUT_IN, "fridge") == ""
    assert play.where("plate") == (Held.INSIDE, "fridge")
    assert play(Verb.CLOSE, "fridge") == "" and play(Verb.GRAB, "plate") == "you do not see that"


def test_doors_of_things_open_and_close(play):
    play.bring("setter", *AT_TABLE)
    assert play(Verb.OPEN, "table") == "the kitchentable cannot be opened"
    assert play(Verb.CLOSE, "table") == "the kitchentable cannot be closed"
    play.bring("setter", *AT_FRIDGE)
    assert play(Verb.CLOSE, "fridge") == "the fridge is already closed"
    assert play(Verb.OPEN, "fridge") == "" and play.state.conditions[ROW["fridge"]] == Condition.OPEN
    assert play(Verb.OPEN, "fridge") == "the fridge is already open"
    assert play(Verb.CLOSE, "fridge") == "" and play.state.conditions[ROW["fridge"]] == Condition.CLOSED


def test_opening_takes_a_free_hand_and_closing_none(play):
    play.bring("setter", *AT_TABLE)
    play(Verb.GRAB, "plate", RIGHT)
    play(Verb.GRAB, "apple 2", LEFT)
    play.bring("setter", *AT_FRIDGE)
    assert play(Verb.OPEN, "fridge") == "both hands are full, and opening takes one"
    play.become("fridge", Condition.OPEN)
    assert play(Verb.CLOSE, "fridge") == ""


def test_switches(play):
    play.bring("setter", *AT_COUNTER)
    assert play(Verb.SWITCH_ON, "counter") == "the counter has no switch"
    assert play(Verb.SWITCH_OFF, "microwave") == "the microwave is already off"
    assert play(Verb.SWITCH_ON, "microwave") == ""
    assert play.state.conditions[ROW["microwave"]] == Condition.CLOSED | Condition.ON
    assert play(Verb.SWITCH_ON, "microwave") == "the microwave is already on"
    assert play(Verb.OPEN, "microwave") == "the microwave is on: switch it off first"
    assert play(Verb.SWITCH_OFF, "microwave") == "" and play(Verb.OPEN, "microwave") == ""
    play.bring("setter", 7.0, 3.5)
    play.become("lamp", Condition.OFF | Condition.PLUGGED_OUT)
    assert play(Verb.SWITCH_ON, "lamp") == "the floorlamp is not plugged in"


def test_sitting_and_standing(play):
    assert play(Verb.STAND) == "you are not sitting"
    play.bring("setter", *AT_TABLE)
    assert play(Verb.SIT, "table") == "nobody can sit on the kitchentable"
    play(Verb.GRAB, "plate")
    play.bring("setter", *AT_CHAIR)
    assert play(Verb.SIT, "chair") == ""
    assert play.where("setter") == (Held.SITS, "chair")
    assert play.state.conditions[ROW["setter"]] & Condition.SITTING
    assert play.state.centre[ROW["setter"], :2].tolist() == pytest.approx([3.2, 3.2])
    assert np.linalg.norm(play.state.centre[ROW["plate"]] - play.state.centre[ROW["setter"]]) < 0.6
    for verb, name in ((Verb.SIT, "chair"), (Verb.WALK_FORWARD, ""), (Verb.WALK_TOWARDS, "table")):
        assert play(verb, name) == "stand up first"
    assert play(Verb.STAND) == ""
    assert play.where("setter") == (Held.ROOM, "kitchen") and not play.state.conditions[ROW["setter"]]
    assert play.state.centre[ROW["setter"], 2] == pytest.approx(0.8)


def test_a_seat_has_so_many_places(play):
    for person in ("setter", "solver"):
        play.bring(person, *AT_CHAIR)
    play(Verb.SIT, "chair")
    assert play.both(WAITING, act(Verb.SIT, "chair"))[1] == "every place on the chair is taken"
    play(Verb.STAND)
    for person in ("setter", "solver"):
        play.bring(person, 7.0, 1.2)
    assert play(Verb.SIT, "sofa") == "" and play.both(WAITING, act(Verb.SIT, "sofa")) == ("", "")
    assert abs(np.subtract(*play.state.centre[[ROW["setter"], ROW["solver"]], 0])) > 0.4


def test_what_a_person_sits_on_is_not_carried_away(play):
    play.state.held[ROW["solver"]], play.state.parent[ROW["solver"]] = Held.SITS, ROW["plate"]
    play.state.room[ROW["solver"]] = ROW["kitchen"]
    play.bring("setter", *AT_TABLE)
    assert play(Verb.GRAB, "plate") == "a person sits on the plate"
