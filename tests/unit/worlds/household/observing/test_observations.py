"""Entities, words and graphs of what a person sees."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household.catalogue.classes import NUMBER_OF
from worlds.household.observing import graph_of, visible
from worlds.household.observing.entities import ENTITIES, MINE, NOBODY, OTHERS, UNKNOWN, entities
from worlds.household.observing.words import hands, surroundings
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held

COLUMN = {each.name: number for number, each in enumerate(ENTITIES.categorical)}
REAL = {name: number for number, name in enumerate(ENTITIES.real)}


def observed(home, state, number=0):
    """Return the categories and the values of all things."""
    return entities(home, tables(home, state), number, full=True)[1:]


def test_entities_are_what_a_person_sees_in_the_order_of_rows():
    home, state = small_home()
    rows, categories, values = entities(home, tables(home, state), 0)
    assert rows.tolist() == np.flatnonzero(visible(home, state, ROW["setter"])).tolist()
    for found, all_things in zip((categories, values), observed(home, state), strict=True):
        assert np.array_equal(found, all_things[rows])


def test_categories_are_class_place_conditions_hand_and_reach():
    home, state = small_home()
    state.held[ROW["plate"]], state.parent[ROW["plate"]] = Held.RIGHT_HAND, ROW["setter"]
    state.held[ROW["book"]], state.parent[ROW["book"]] = Held.LEFT_HAND, ROW["solver"]
    found = observed(home, state)[0]
    assert found[ROW["fridge"], COLUMN["class"]] == NUMBER_OF["fridge"]
    assert found[ROW["counter"], COLUMN["class"]] == UNKNOWN, "no class of the catalogue"
    assert found[ROW["microwave"], COLUMN["parent_class"]] == UNKNOWN
    assert found[ROW["kitchen"], COLUMN["parent_class"]] == UNKNOWN + 1
    assert found[ROW["apple 2"], COLUMN["room_class"]] == NUMBER_OF["kitchen"]
    assert found[ROW["apple"], COLUMN["held"]] == Held.INSIDE
    assert found[[ROW["apple"], ROW["fridge"]], COLUMN["open"]].tolist() == [0, 1]
    assert found[[ROW["apple"], ROW["lamp"]], COLUMN["on"]].tolist() == [0, 1]
    state.conditions[ROW["fridge"]], state.conditions[ROW["lamp"]] = Condition.OPEN, Condition.ON
    later = observed(home, state)[0]
    assert later[ROW["fridge"], COLUMN["open"]] == later[ROW["lamp"], COLUMN["on"]] == 2
    rows = [ROW["apple"], ROW["plate"], ROW["apple 2"], ROW["book"]]
    assert found[rows, COLUMN["hand"]].tolist() == [NOBODY, MINE, MINE, OTHERS]
    assert found[[ROW["counter"], ROW["table"]], COLUMN["near"]].tolist() == [1, 0]
    for number, name in enumerate(("setter", "solver")):
        assert np.flatnonzero(observed(home, state, number)[0][:, COLUMN["me"]]).tolist() == [ROW[name]]


def test_values_are_relative_to_the_person():
    home, state = small_home()
    state.centre[ROW["setter"], :2], state.facing[0] = (2.0, 1.2), math.pi / 2
    values = observed(home, state)[1]
    table = values[ROW["table"]]
    assert table[:3].tolist() == pytest.approx([2.0, 0.0, 0.375 - 0.8], abs=1e-5)
    assert table[3:6].tolist() == pytest.approx([0.8, 1.4, 0.75]), "along its front, across it, up"
    assert table[[REAL["front_sin"], REAL["front_cos"]]].tolist() == pytest.approx([0.0, -1.0], abs=1e-5)
    assert values[ROW["counter"], REAL["forward"]] == pytest.approx(-0.8, abs=1e-5)
    assert values[ROW["fridge"], REAL["left"]] == pytest.approx(1.6, abs=1e-5)
    assert values[ROW["setter"]].tolist() == pytest.approx([0, 0, 0, 0.4, 0.4, 1.6, 0, 1], abs=1e-5)
    state.facing[1] = math.pi
    assert observed(home, state)[1][ROW["solver"], REAL["front_sin"]] == pytest.approx(1.0, abs=1e-5)


def test_words_name_things_by_their_number_in_the_pointer():
    home, state = small_home()
    state.held[ROW["plate"]], state.parent[ROW["plate"]] = Held.RIGHT_HAND, ROW["setter"]
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
    state.held[ROW["book"]], state.parent[ROW["book"]] = Held.LEFT_HAND, ROW["solver"]
    state.held[ROW["setter"]], state.parent[ROW["setter"]] = Held.SITS, ROW["chair"]
    graph = json.loads(json.dumps(graph_of(home, state)))
    node = {each["id"]: each for each in graph["nodes"]}[int(home.ids[ROW["microwave"]])]
    assert node["class_name"] == "microwave" and node["states"] == ["CLOSED", "OFF"]
    assert node["properties"] == ["SURFACES", "CONTAINERS", "CAN_OPEN", "HAS_SWITCH"]
    assert node["bounding_box"]["center"] == pytest.approx([2.5, 1.05, 0.4]), "y is up"
    assert node["bounding_box"]["size"] == pytest.approx([0.5, 0.3, 0.4])
    edges = {(e["from_id"], e["relation_type"], e["to_id"]) for e in graph["edges"]}

    def has(one, relation, other):
        return (int(home.ids[ROW[one]]), relation, int(home.ids[ROW[other]])) in edges

    assert has("apple", "INSIDE", "fridge") and not has("apple", "INSIDE", "kitchen"), "one parent"
    assert has("plate", "ON", "table") and has("plate", "INSIDE", "kitchen")
    assert has("solver", "HOLDS_LH", "book") and has("setter", "SITTING", "chair")
    assert has("door", "BETWEEN", "kitchen") and has("door", "BETWEEN", "livingroom")
    assert has("setter", "CLOSE", "counter") and has("counter", "CLOSE", "setter")
    assert not has("plate", "CLOSE", "table") and len(edges) == len(graph["edges"])
    graph = graph_of(home, state, all_close=True)
    edges = {(e["from_id"], e["relation_type"], e["to_id"]) for e in graph["edges"]}
    assert has("plate", "CLOSE", "table") and has("table", "CLOSE", "plate") and len(edges) == len(graph["edges"])
