"""What pictures of a home show, and what walls and closed containers hide."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.contract import SETTER, SOLVER
from worlds.household.homes import place
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.pictures.camera import Pictures
from worlds.household.rules.bodies import sit_on, stand_at, take
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held
from worlds.household.world import HouseholdWorld
from worlds.spaces.observation import Image

PICTURES = Pictures(36, 48)
SETTER_BODY, SOLVER_BODY = 0, 1


def standing(x, y, facing, number=SOLVER_BODY):
    home, state = small_home()
    stand_at(tables(home, state), number, x, y, facing, floor_plan(home, state).room_at(x, y))
    return home, state


def changed(state, row, **fields):
    """The state with another condition, or another centre, of one thing."""
    other = state.copy()
    for name, value in fields.items():
        getattr(other, name)[row] = value
    return other


def differs(home, one, other, number=SOLVER_BODY):
    return not np.array_equal(PICTURES.from_eyes(home, one, number), PICTURES.from_eyes(home, other, number))


def test_the_content_of_a_container_shows_only_while_it_is_open():
    home, state = standing(0.4, 2.0, math.pi / 2)
    fridge, apple = ROW["fridge"], ROW["apple"]
    opened = changed(state, fridge, conditions=int(Condition.OPEN))
    assert differs(home, state, opened), "open or closed can be seen"
    elsewhere = (0.4, 3.3, 1.2)
    assert not differs(home, state, changed(state, apple, centre=elsewhere))
    assert differs(home, opened, changed(opened, apple, centre=elsewhere))


def test_lamps_are_bright_when_they_are_on():
    home, state = standing(7.7, 2.2, math.pi / 2)
    lit = changed(state, ROW["lamp"], conditions=int(Condition.ON | Condition.PLUGGED_IN))
    assert differs(home, state, lit)
    one, other = (PICTURES.from_eyes(home, each, SOLVER_BODY).astype(int).sum() for each in (state, lit))
    assert other > one


def test_walls_hide_other_rooms_and_open_doors_show_them():
    there = ROW["coffeetable"]
    for facing, seen in ((0.0, True), (math.pi, False)):
        home, state = standing(2.5, 2.0, facing)
        assert differs(home, state, changed(state, there, centre=(6.0, 2.4, 0.2))) is seen
    home, state = standing(2.5, 2.0, 0.0)
    shut = changed(state, ROW["door"], conditions=int(Condition.CLOSED))
    assert differs(home, state, shut)
    assert not differs(home, shut, changed(shut, there, centre=(6.0, 2.4, 0.2)))


def test_what_is_in_hand_and_the_other_person_are_seen():
    home, state = standing(1.0, 3.0, -math.pi / 2)
    empty = state.copy()
    take(tables(home, state), SOLVER_BODY, ROW["book"], int(Held.LEFT_HAND))
    assert differs(home, empty, state, SOLVER_BODY), "one's own hand"
    empty.facing[SETTER_BODY] = state.facing[SETTER_BODY] = math.pi / 2
    assert differs(home, empty, state, SETTER_BODY), "the other's hand"
    away = state.copy()
    stand_at(tables(home, away), SETTER_BODY, 7.0, 1.0, 0.0, ROW["livingroom"])
    assert differs(home, state, away), "the other person"


def test_who_sits_sees_from_lower_and_looks_different():
    home, state = standing(6.5, 3.0, -math.pi / 2, SETTER_BODY)
    sitting = state.copy()
    sit_on(tables(home, sitting), SOLVER_BODY, ROW["sofa"], math.pi / 2)
    assert differs(home, state, sitting, SETTER_BODY) and differs(home, state, sitting, SOLVER_BODY)


@pytest.mark.parametrize("number", [SETTER_BODY, SOLVER_BODY])
def test_leaving_out_what_is_beside_the_picture_changes_no_pixel(number):
    rng = np.random.default_rng(number)
    home, state = place({"home": "apartment-2", "seed": 1, "persons": ["kitchen", "livingroom"]})
    everything = Pictures(36, 48)
    everything._angle = math.pi
    for _ in range(40):
        room = rng.choice(home.rooms)
        x, y = state.centre[room, :2] + (rng.random(2) - 0.5) * (home.size[room, :2] - 0.4)
        stand_at(tables(home, state), number, x, y, rng.uniform(-math.pi, math.pi), room)
        assert np.array_equal(PICTURES.from_eyes(home, state, number), everything.from_eyes(home, state, number))


def test_the_view_from_above_shows_things_and_persons_and_is_repeated_to_the_bit():
    home, state = small_home()
    above = PICTURES.from_above(home, state)
    assert above.shape == (36, 48, 3) and np.array_equal(above, Pictures(36, 48).from_above(home, state))
    assert not np.array_equal(above, PICTURES.from_above(home, changed(state, ROW["setter"], centre=(3.0, 1.0, 0.8))))


def test_both_players_observe_pictures_and_those_who_are_not_viewed_black_ones():
    world = HouseholdWorld(24, 32, views=(SOLVER,), picture=True)
    assert {world.spec(player).observation.image for player in (SETTER, SOLVER)} == {Image(24, 32)}
    observations, _ = world.reset(seed=1)
    assert observations[SOLVER]["image"].any() and not observations[SETTER]["image"].any()
    kept = observations[SOLVER]["image"].copy()
    turned = world.spec(SOLVER).action.silent()
    turned["movement"][0, 0] = 1
    assert not np.array_equal(world.step({SOLVER: turned})[0][SOLVER]["image"], kept)
    assert np.array_equal(observations[SOLVER]["image"], kept), "earlier pictures stay"
    assert world.render().shape == (270, 720, 3)
