"""What a person sees of its home, and what is near: as entities, in words, as a graph and as pictures."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.contract import SETTER, SOLVER
from worlds.household.catalogue.classes import NUMBER_OF
from worlds.household.drawing.camera import Pictures
from worlds.household.homes import place
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.observing import graph_of, near, visible
from worlds.household.observing.entities import ENTITIES, MINE, NOBODY, OTHERS, UNKNOWN, entities
from worlds.household.observing.words import hands, surroundings
from worlds.household.rules.bodies import stand_at, take
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held
from worlds.household.world import HouseholdWorld
from worlds.spaces.observation import Image


def names(rows):
    return {name for name, row in ROW.items() if rows[row]}


def put(state, name, held, parent):
    state.held[ROW[name]], state.parent[ROW[name]] = held, ROW[parent]


def test_a_person_sees_its_room_all_rooms_and_the_doors_of_its_room():
    home, state = small_home()
    rooms = {"kitchen", "livingroom", "door"}
    kitchen = {"setter", "table", "fridge", "counter", "microwave", "chair", "plate", "apple 2"}
    living = {"solver", "sofa", "coffeetable", "lamp", "plate 2", "book", "box"}
    assert names(visible(home, state, ROW["setter"])) == rooms | kitchen
    assert names(visible(home, state, ROW["solver"])) == rooms | living
    assert visible(home, state, ROW["setter"], full=True).all()


def test_what_is_in_a_closed_container_is_seen_once_it_is_open_at_any_depth():
    home, state = small_home()
    put(state, "box", Held.INSIDE, "fridge")
    state.room[[ROW["box"], ROW["book 2"]]] = ROW["kitchen"]
    hidden = {"apple", "box", "book 2"}
    assert not hidden & names(visible(home, state, ROW["setter"]))
    state.conditions[ROW["fridge"]] = Condition.OPEN
    assert hidden & names(visible(home, state, ROW["setter"])) == {"apple", "box"}
    state.conditions[ROW["box"]] = Condition.OPEN
    assert hidden <= names(visible(home, state, ROW["setter"]))


def test_the_other_person_is_seen_in_the_same_room_with_what_it_holds():
    home, state = small_home()
    put(state, "book", Held.LEFT_HAND, "solver")
    assert not {"solver", "book"} & names(visible(home, state, ROW["setter"]))
    state.room[[ROW["solver"], ROW["book"]]] = state.parent[ROW["solver"]] = ROW["kitchen"]
    assert {"solver", "book"} <= names(visible(home, state, ROW["setter"]))


def test_near_is_the_horizontal_distance_to_the_box_or_its_container_in_the_same_room():
    home, state = small_home()
    state.centre[ROW["setter"], :2] = 3.9, 2.9
    state.centre[ROW["chair"], :2] = 3.9 - 0.225 - 1.49, 2.9  # the box begins 1.49 m away
    assert near(home, state, ROW["setter"])[ROW["chair"]]
    state.centre[ROW["chair"], 0] -= 0.02
    assert not near(home, state, ROW["setter"])[ROW["chair"]]
    state.centre[ROW["setter"], :2] = 3.9, 3.5
    assert not near(home, state, ROW["setter"])[ROW["box"]], "behind the wall"
    assert near(home, state, ROW["setter"])[[ROW["kitchen"], ROW["door"], ROW["setter"]]].all()
    state.centre[ROW["apple"], 1] = 3.8
    for y, reached in ((1.8, True), (1.6, False)):
        state.centre[ROW["setter"], :2] = 0.4, y
        assert (near(home, state, ROW["setter"])[[ROW["fridge"], ROW["apple"]]] == reached).all()


COLUMN = {each.name: number for number, each in enumerate(ENTITIES.categorical)}
REAL = {name: number for number, name in enumerate(ENTITIES.real)}


def observed(home, state, number=0):
    """Return the categories and the values of all things."""
    return entities(home, tables(home, state), number, full=True)[1:]


def test_entities_are_what_a_person_sees_in_the_order_of_rows():
    home, state = small_home()
    rows, *found = entities(home, tables(home, state), 0)
    assert rows.tolist() == np.flatnonzero(visible(home, state, ROW["setter"])).tolist()
    for some, all_things in zip(found, observed(home, state), strict=True):
        assert np.array_equal(some, all_things[rows])


def test_categories_are_class_place_conditions_hand_and_reach():
    home, state = small_home()
    put(state, "plate", Held.RIGHT_HAND, "setter")
    put(state, "book", Held.LEFT_HAND, "solver")
    found = observed(home, state)[0]
    state.conditions[ROW["fridge"]], state.conditions[ROW["lamp"]] = Condition.OPEN, Condition.ON
    later = observed(home, state)[0]
    for name, column, value in (
        ("fridge", "class", NUMBER_OF["fridge"]),
        ("counter", "class", UNKNOWN),  # no class of the catalogue
        ("microwave", "parent_class", UNKNOWN),
        ("kitchen", "parent_class", UNKNOWN + 1),
        ("apple 2", "room_class", NUMBER_OF["kitchen"]),
        ("apple", "held", Held.INSIDE),
        ("apple", "open", 0),
        ("fridge", "open", 1),
        ("apple", "on", 0),
        ("lamp", "on", 1),
        ("apple", "hand", NOBODY),
        ("plate", "hand", MINE),
        ("apple 2", "hand", MINE),
        ("book", "hand", OTHERS),
        ("counter", "near", 1),
        ("table", "near", 0),
    ):
        assert found[ROW[name], COLUMN[column]] == value, (name, column)
    assert later[ROW["fridge"], COLUMN["open"]] == later[ROW["lamp"], COLUMN["on"]] == 2
    for number, name in enumerate(("setter", "solver")):
        assert np.flatnonzero(observed(home, state, number)[0][:, COLUMN["me"]]).tolist() == [ROW[name]]


def test_values_are_relative_to_the_person():
    home, state = small_home()
    state.centre[ROW["setter"], :2], state.facing[:] = (2.0, 1.2), (math.pi / 2, math.pi)
    values = observed(home, state)[1]
    table = values[ROW["table"]]
    assert table[:3].tolist() == pytest.approx([2.0, 0.0, 0.375 - 0.8], abs=1e-5)
    assert table[3:6].tolist() == pytest.approx([0.8, 1.4, 0.75]), "along its front, across it, up"
    assert table[[REAL["front_sin"], REAL["front_cos"]]].tolist() == pytest.approx([0.0, -1.0], abs=1e-5)
    assert values[ROW["counter"], REAL["forward"]] == pytest.approx(-0.8, abs=1e-5)
    assert values[ROW["fridge"], REAL["left"]] == pytest.approx(1.6, abs=1e-5)
    assert values[ROW["setter"]].tolist() == pytest.approx([0, 0, 0, 0.4, 0.4, 1.6, 0, 1], abs=1e-5)
    assert values[ROW["solver"], REAL["front_sin"]] == pytest.approx(1.0, abs=1e-5)


def test_words_name_things_by_their_number_in_the_pointer():
    home, state = small_home()
    put(state, "plate", Held.RIGHT_HAND, "setter")
    rows = np.flatnonzero(visible(home, state, ROW["setter"]))
    lines = surroundings(home, state, ROW["setter"], rows).splitlines()
    assert lines[0] == "you are in kitchen (1)" and lines[-1] == "other rooms: livingroom (2)"
    assert "fridge (6) (closed)" in lines
    assert "microwave (8) (closed, off) on counter (7), near" in lines
    assert "plate (10) in the right hand of character (3)" in [line.removesuffix(", near") for line in lines]
    assert len(lines) == len(rows) - 1 - 1 + 1, "no line for itself, one for both rooms together"
    assert hands(home, state, ROW["setter"]) == "right: plate; left: nothing"


def test_a_graph_has_the_form_of_virtualhome():
    home, state = small_home()
    put(state, "book", Held.LEFT_HAND, "solver")
    put(state, "setter", Held.SITS, "chair")

    def edges(graph):
        found = {(e["from_id"], e["relation_type"], e["to_id"]) for e in graph["edges"]}
        assert len(found) == len(graph["edges"])
        return found

    def edge(one, relation, other):
        return int(home.ids[ROW[one]]), relation, int(home.ids[ROW[other]])

    graph = json.loads(json.dumps(graph_of(home, state)))
    node = {each["id"]: each for each in graph["nodes"]}[int(home.ids[ROW["microwave"]])]
    assert node["class_name"] == "microwave" and node["states"] == ["CLOSED", "OFF"]
    assert node["properties"] == ["SURFACES", "CONTAINERS", "CAN_OPEN", "HAS_SWITCH"]
    assert node["bounding_box"]["center"] == pytest.approx([2.5, 1.05, 0.4]), "y is up"
    assert node["bounding_box"]["size"] == pytest.approx([0.5, 0.3, 0.4])
    there = [
        ("apple", "INSIDE", "fridge"), ("plate", "ON", "table"), ("plate", "INSIDE", "kitchen"),
        ("solver", "HOLDS_LH", "book"), ("setter", "SITTING", "chair"), ("door", "BETWEEN", "kitchen"),
        ("door", "BETWEEN", "livingroom"), ("setter", "CLOSE", "counter"), ("counter", "CLOSE", "setter"),
    ]  # fmt: skip
    assert {edge(*each) for each in there} <= edges(graph)
    assert edge("apple", "INSIDE", "kitchen") not in edges(graph), "one parent"
    close = {edge("plate", "CLOSE", "table"), edge("table", "CLOSE", "plate")}
    assert not close & edges(graph) and close <= edges(graph_of(home, state, all_close=True))


PICTURES = Pictures(36, 48)
SETTER_BODY, SOLVER_BODY = 0, 1


def standing(x, y, facing, number=SOLVER_BODY):
    home, state = small_home()
    stand_at(tables(home, state), number, x, y, facing, floor_plan(home, state).room_at(x, y))
    return home, state


def changed(state, name, **fields):
    """Return the state with another condition, or another centre, of one thing."""
    other = state.copy()
    for field, value in fields.items():
        getattr(other, field)[ROW[name]] = value
    return other


def differs(home, one, other, number=SOLVER_BODY):
    return not np.array_equal(PICTURES.from_eyes(home, one, number), PICTURES.from_eyes(home, other, number))


def test_pictures_show_the_content_of_open_containers_and_lamps_that_are_on():
    home, state = standing(0.4, 2.0, math.pi / 2)
    opened = changed(state, "fridge", conditions=int(Condition.OPEN))
    assert differs(home, state, opened), "open or closed can be seen"
    for before, shown in ((state, False), (opened, True)):
        assert differs(home, before, changed(before, "apple", centre=(0.4, 3.3, 1.2))) == shown
    home, state = standing(7.7, 2.2, math.pi / 2)
    lit = changed(state, "lamp", conditions=int(Condition.ON | Condition.PLUGGED_IN))
    one, other = (PICTURES.from_eyes(home, each, SOLVER_BODY).astype(int).sum() for each in (state, lit))
    assert other > one


def test_walls_and_closed_doors_hide_other_rooms_from_pictures():
    for facing, condition, seen in ((0.0, 0, True), (math.pi, 0, False), (0.0, Condition.CLOSED, False)):
        home, state = standing(2.5, 2.0, facing)
        state = changed(state, "door", conditions=int(condition)) if condition else state
        assert differs(home, state, changed(state, "coffeetable", centre=(6.0, 2.4, 0.2))) == seen


def test_what_is_in_hand_and_the_other_person_are_seen_in_pictures():
    home, state = standing(1.0, 3.0, -math.pi / 2)
    empty = state.copy()
    take(tables(home, state), SOLVER_BODY, ROW["book"], int(Held.LEFT_HAND))
    assert differs(home, empty, state, SOLVER_BODY), "one's own hand"
    away = state.copy()
    stand_at(tables(home, away), SETTER_BODY, 7.0, 1.0, 0.0, ROW["livingroom"])
    assert differs(home, state, away), "the other person"


@pytest.mark.parametrize("number", [SETTER_BODY, SOLVER_BODY])
def test_leaving_out_what_is_beside_the_picture_changes_no_pixel(number):
    rng = np.random.default_rng(number)
    home, state = place({"home": "apartment-2", "seed": 1, "persons": ["kitchen", "livingroom"]})
    everything = Pictures(36, 48)
    everything._angle = math.pi
    for _ in range(20):
        room = rng.choice(home.rooms)
        x, y = state.centre[room, :2] + (rng.random(2) - 0.5) * (home.size[room, :2] - 0.4)
        stand_at(tables(home, state), number, x, y, rng.uniform(-math.pi, math.pi), room)
        assert np.array_equal(PICTURES.from_eyes(home, state, number), everything.from_eyes(home, state, number))


def test_both_players_observe_pictures_and_those_who_are_not_viewed_black_ones():
    world = HouseholdWorld(24, 32, views=(SOLVER,), picture=True)
    assert {world.spec(player).observation.image for player in (SETTER, SOLVER)} == {Image(24, 32)}
    observations, _ = world.reset(seed=1)
    assert observations[SOLVER]["image"].any() and not observations[SETTER]["image"].any()
    assert world.render().shape == (270, 720, 3)
