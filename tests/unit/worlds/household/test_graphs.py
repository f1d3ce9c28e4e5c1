"""Graphs of VirtualHome as homes: round trips, what is assumed, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worlds.errors import UserError
from worlds.household.catalogue.classes import CLASSES
from worlds.household.homes import home, place
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.graphs.reading import home_of_graph
from worlds.household.navigation.ways import Ways
from worlds.household.observing import graph_of
from worlds.household.state.vocabulary import Condition, Held, Property
from worlds.household.tasks.sampling import sample

Graph = dict[str, Any]


def node(number: int, name: str, category: str = "", box: Any = None, **more: Any) -> dict[str, Any]:
    found = {"id": number, "class_name": name, "category": category, **more}
    return found | ({"bounding_box": {"center": box[0], "size": box[1]}} if box else {})


def edge(one: int, relation: str, other: int) -> dict[str, Any]:
    return {"from_id": one, "relation_type": relation, "to_id": other}


def small_graph() -> Graph:
    """Two rooms side by side, as VirtualHome writes them: y is up, INSIDE a room besides ON, and classes of its own."""
    return {
        "nodes": [
            node(11, "kitchen", "Rooms", ([2.0, 1.25, 2.0], [4.0, 2.5, 4.0])),
            node(12, "home_office", "Rooms", ([6.0, 1.25, 2.0], [4.0, 2.5, 4.0])),
            node(13, "door", "Doors", ([4.0, 1.0, 2.0], [0.1, 2.0, 0.9]), properties=["CAN_OPEN"], states=["OPEN"]),
            node(14, "kitchen_table", "Furniture", ([2.0, 0.4, 3.0], [1.4, 0.8, 0.8]), properties=["SURFACES"]),
            node(15, "aquarium", "Decor", ([7.0, 0.5, 3.5], [1.0, 1.0, 0.4]),
                 properties=["CONTAINERS", "HAS_SWITCH", "WET"]),
            node(16, "apple", "Food", properties=["GRABBABLE", "EATABLE"]),
            node(17, "fridge", "Appliances", ([0.4, 0.9, 3.6], [0.7, 1.8, 0.7]), states=["OPEN"]),
            node(18, "bowl", "Props", properties=["GRABBABLE", "CONTAINERS"]),
            node(19, "floor", "Floor", ([2.0, 0.0, 2.0], [4.0, 0.1, 4.0])),
            node(1, "character", "Characters", ([1.0, 0.85, 1.0], [0.4, 1.7, 0.4])),
        ],
        "edges": [
            edge(13, "BETWEEN", 11), edge(13, "BETWEEN", 12),
            edge(14, "INSIDE", 11), edge(14, "ON", 19), edge(15, "INSIDE", 12), edge(17, "INSIDE", 11),
            edge(18, "INSIDE", 17), edge(18, "ON", 17), edge(18, "INSIDE", 11),
            edge(16, "INSIDE", 18), edge(16, "INSIDE", 17), edge(16, "INSIDE", 11),
            edge(1, "INSIDE", 11), edge(1, "CLOSE", 14), edge(14, "CLOSE", 1),
        ],
    }  # fmt: skip


@pytest.mark.parametrize("name", APARTMENTS)
def test_an_apartment_written_as_a_graph_is_read_as_the_same_home(name: str) -> None:
    before, state = home(name)
    found, again, report = home_of_graph(json.loads(json.dumps(graph_of(before, state))), name)
    assert len(report) == 0, str(report)
    for field in ("ids", "kind", "size", "between", "properties"):
        np.testing.assert_array_equal(getattr(found, field), getattr(before, field))
    for field in ("held", "parent", "room", "conditions", "centre"):
        np.testing.assert_array_equal(getattr(again, field), getattr(state, field))
    furniture = np.setdiff1d(np.arange(len(before)), before.persons)
    np.testing.assert_allclose(np.exp(1j * found.yaw[furniture]), np.exp(1j * before.yaw[furniture]), atol=1e-5)
    np.testing.assert_allclose(np.exp(1j * again.facing), np.exp(1j * state.facing), atol=1e-5)
    assert found.classes == list(CLASSES) and found.persons == before.persons


def test_things_are_read_with_what_is_known_of_them() -> None:
    found, state, report = home_of_graph(small_graph())
    row = found.row_of
    apple, bowl, fridge, aquarium = row[16], row[18], row[17], row[15]
    assert (state.parent[apple], state.held[apple]) == (bowl, Held.INSIDE)  # not the fridge and not the kitchen
    assert (state.parent[bowl], state.held[bowl]) == (fridge, Held.INSIDE)  # not ON it
    assert (np.abs(state.centre[bowl] - state.centre[fridge]) < found.size[fridge] / 2).all()
    assert found.has(fridge, Property.CAN_OPEN) and state.conditions[fridge] & Condition.OPEN
    assert state.centre[row[14]].tolist() == pytest.approx([2.0, 3.0, 0.4])
    assert found.size[aquarium].tolist() == pytest.approx([1.0, 0.4, 1.0])
    assert found.has(aquarium, Property.CONTAINERS | Property.HAS_SWITCH) and state.conditions[aquarium] & Condition.OFF
    assert {int(found.ids[each]) for each in found.persons} == {1, 2}
    reported = (
        "'kitchentable'",
        "aquarium 15",
        "floor 19",
        "home_office, aquarium",
        "bowl 18, apple 16",
        "character 2",
    )
    assert [words in line for words, line in zip(reported, report.lines(), strict=True)] == [True] * 6


@pytest.mark.parametrize("without_doors", [False, True])
def test_every_room_is_reached_without_any_box_and_without_any_door(without_doors: bool) -> None:
    graph = graph_of(*home("apartment-2"))
    if without_doors:
        leaves("door")(graph)
    for each in graph["nodes"]:
        each.pop("bounding_box", None)
        each.pop("obj_transform", None)
    found, state, report = home_of_graph(graph)
    assert "no way leads" not in str(report) and "rooms without a box got one" in str(report)
    assert ("doors were added" in str(report)) == without_doors
    assert np.isfinite(Ways(found, state).distances(state.centre[found.persons[0]])).all()


def test_what_no_way_leads_to_is_named_also_where_another_home_has_the_same_furniture() -> None:
    for before in ([], [node(30, "apple", "Food", ([2.0, 1.0, 3.0], [0.1, 0.1, 0.1]))]):  # moves the rows of furniture
        graph = small_graph()
        resizes(1, 0.3, 2.5, 4.0)(graph)  # too narrow a room to stand in
        graph["nodes"][3:3] = before
        graph["edges"] += [edge(each["id"], "INSIDE", 11) for each in before]
        assert "no way leads from the first person to: home_office 12, aquarium 15" in home_of_graph(graph)[2].lines()


def scene(*edges: dict[str, Any]) -> Graph:
    """The small graph with more things, which lie where these edges say, and in no room else."""
    graph = small_graph()
    graph["nodes"] += [
        node(30, "rug", "Decor", ([2.0, 0.01, 3.0], [2.0, 0.02, 2.0]), properties=["SURFACES"]),
        node(31, "cup", "Props", ([2.0, 0.85, 3.0], [0.1, 0.1, 0.1]), properties=["GRABBABLE"]),
        node(32, "cup", "Props", properties=["GRABBABLE"]),
        node(33, "sink", "Furniture", ([0.5, 0.8, 1.0], [0.4, 0.2, 0.4]), properties=["CONTAINERS"]),
        node(34, "kitchencounter", "Furniture", ([0.5, 0.45, 1.0], [0.9, 0.9, 1.0]), properties=["SURFACES"],
             states=["CLOSED"]),
    ]  # fmt: skip
    graph["edges"] += [edge(number, "INSIDE", 11) for number in (30, 34)]
    return graph | {"edges": [*graph["edges"], *edges]}


# Edges, the parents of things, and words of the report.
KEPT: list[tuple[list[dict[str, Any]], dict[int, tuple[int, Held]], str]] = [
    ([edge(31, "ON", 14), edge(31, "ON", 30)], {31: (14, Held.ON)}, "whose box is nearest: cup 31 with kitchentable"),
    ([edge(31, "INSIDE", 15), edge(31, "ON", 14)], {31: (15, Held.INSIDE)}, "whose relation comes first"),
    ([edge(31, "INSIDE", 14), edge(31, "ON", 30)], {31: (30, Held.ON)}, "that can hold them: cup 31 with rug 30, not"),
    ([edge(32, "ON", 14), edge(32, "ON", 30)], {32: (14, Held.ON)}, "of the lowest id: cup 32 with kitchentable 14"),
    ([edge(31, "ON", 32), edge(32, "ON", 31), edge(31, "INSIDE", 12)], {31: (12, Held.ROOM), 32: (31, Held.ON)}, ""),
    ([edge(14, "ON", 30), edge(30, "ON", 14)], {14: (30, Held.ON), 30: (11, Held.ROOM)}, "in a circle"),
    ([edge(31, "ON", 31), edge(31, "INSIDE", 12)], {31: (12, Held.ROOM)}, "on or in themselves are left out: cup 31"),
    ([edge(33, "INSIDE", 34)], {33: (34, Held.ON)}, "INSIDE a surface that is no container lie on it: sink 33"),
    ([edge(31, "ON", 1), edge(31, "INSIDE", 12)], {31: (12, Held.ROOM)}, "on or in a person are left out: cup 31 ON"),
    ([edge(1, "ON", 30)], {1: (11, Held.ROOM)}, "on or in what is no seat stand in the room: character 1 ON rug 30"),
    ([], {31: (11, Held.ROOM), 32: (11, Held.ROOM)}, "of the lowest id, as they have no box: cup 32"),
]  # fmt: skip


@pytest.mark.parametrize(("edges", "parents", "words"), KEPT)
def test_one_parent_is_kept_by_a_rule_and_reported(
    edges: list[dict[str, Any]], parents: dict[int, tuple[int, Held]], words: str
) -> None:
    graph = scene(*edges)
    for order in (graph["edges"], graph["edges"][::-1]):
        found, state, report = home_of_graph(graph | {"edges": order})
        row = found.row_of
        kept = {one: (int(found.ids[state.parent[row[one]]]), Held(int(state.held[row[one]]))) for one in parents}
        assert kept == parents
        assert words in str(report)


def test_what_a_home_has_no_place_for_is_left_out_and_rooms_are_known_by_their_doors() -> None:
    graph = scene(edge(13, "BETWEEN", 20), edge(60, "INSIDE", 11), edge(61, "INSIDE", 11), edge(12, "INSIDE", 11))
    graph["nodes"].append(node(20, "bedroom", "Rooms", ([12.0, 1.25, 2.0], [4.0, 2.5, 4.0])))
    graph["nodes"] += [node(number, "character", "Characters") for number in (60, 61)]
    del graph["nodes"][1]["category"]
    found, _, report = home_of_graph(graph)
    assert [int(found.ids[each]) for each in found.persons] == [1, 60] and 61 not in found.row_of
    assert {int(found.ids[each]) for each in found.between[found.row_of[13]]} == {11, 12}
    assert [int(found.ids[row]) for row in found.rooms] == [11, 12, 20]
    for line in (
        "others are left out: character 61",
        "join the nearest two: door 13",
        "nodes without a category to which doors lead are rooms: home_office 12",
        "edges by which rooms are on or in something are left out: home_office 12",
    ):
        assert line in str(report)


def adds(*edges: dict[str, Any]) -> Callable[[Graph], None]:
    return lambda graph: graph["edges"].extend(edges)


def adds_node(**fields: Any) -> Callable[[Graph], None]:
    return lambda graph: graph["nodes"].append({"id": 50, "class_name": "apple", **fields})


def resizes(number: int, *size: float) -> Callable[[Graph], None]:
    return lambda graph: graph["nodes"][number]["bounding_box"].update(size=list(size))


def leaves(*names: str) -> Callable[[Graph], None]:
    """Take all nodes of some classes out, with their edges."""

    def change(graph: Graph) -> None:
        gone = {each["id"] for each in graph["nodes"] if each["class_name"] in names}
        graph["nodes"] = [each for each in graph["nodes"] if each["id"] not in gone]
        graph["edges"] = [each for each in graph["edges"] if not gone & {each["from_id"], each["to_id"]}]

    return change


TOO_SMALL = (leaves("door"), resizes(0, 0.1, 2.5, 0.1), resizes(1, 0.1, 2.5, 0.1))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda graph: graph.pop("edges"), 'two lists, "nodes" and "edges"'),
        (lambda graph: graph["nodes"].append(7), "node 10 of the graph is no object"),
        (adds_node(id="16"), "has the id '16'; ids are whole numbers"),
        (adds_node(id=16), "two nodes of the graph have the id 16"),
        (adds_node(class_name=None), "node 50 of the graph has no class_name"),
        (adds_node(bounding_box={"center": [1, 2]}), "apple 50 of the graph: its bounding_box has no center and size"),
        (adds_node(bounding_box={"center": [0, 0, float("nan")], "size": [1, 1, 1]}), "is not finite"),
        (adds_node(states=["OPEN", "CLOSED"]), "apple 50 is CLOSED and OPEN at once"),
        (adds_node(states="OPEN"), "its list of state names is 'OPEN'"),
        (adds(edge(16, "ON", 99)), "ON, leads to node 99, which is not there"),
        (adds(edge(16, "UNDER", 14)), "the unknown relation 'UNDER'; known: ON, INSIDE"),
        (adds(edge(14, "HOLDS_RH", 16)), "HOLDS_RH leads from kitchentable 14 in the graph, which is no person"),
        (lambda graph: graph["edges"].__setitem__(slice(-9, None), [edge(1, "HOLDS_LH", 16), edge(1, "HOLDS_LH", 18)]),
         "one hand holds two things in the graph"),
        (resizes(1, 90.0, 2.5, 4.0), "the rooms of the graph span 90 m; at most 60 m"),
        (lambda graph: [change(graph) for change in TOO_SMALL], "in no room of the home is there a place to stand"),
        (lambda graph: graph["nodes"].extend(node(each, "book") for each in range(100, 700)), "at most 512"),
        (leaves("kitchen", "home_office", "door"), "the graph has no rooms"),
    ],
)  # fmt: skip
def test_what_is_no_home_is_refused_in_one_line(change: Callable[[Graph], None], words: str) -> None:
    graph = small_graph()
    change(graph)
    with pytest.raises(UserError) as refused:
        home_of_graph(graph)
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_unknown_relations_are_dropped_where_that_is_wanted() -> None:
    graph = small_graph()
    adds(edge(16, "UNDER", 14))(graph)
    _, _, report = home_of_graph(graph, drop_unknown_relations=True)
    assert "edges of the unknown relation 'UNDER' are left out: 16 to 14" in str(report)


def test_a_person_who_sits_and_what_it_holds_are_read() -> None:
    graph = small_graph()
    graph["nodes"] += [
        node(20, "sofa", "Furniture", ([6.0, 0.4, 0.5], [2.0, 0.8, 0.9])),
        node(2, "character", "Characters", states=["SITTING"]),
        node(21, "book", "Props"),
    ]
    adds(edge(20, "INSIDE", 12), edge(2, "SITTING", 20), edge(2, "INSIDE", 12), edge(2, "HOLDS_LH", 21))(graph)
    found, state = place({"home": {"graph": graph}})  # the graph says where they begin
    solver, book = found.persons[1], found.row_of[21]
    assert (state.held[solver], state.parent[solver]) == (Held.SITS, found.row_of[20])
    assert state.conditions[solver] & Condition.SITTING
    assert (state.held[book], state.parent[book]) == (Held.LEFT_HAND, solver)
    assert found.name_of(int(state.room[book])) == "home_office"
    with pytest.raises(UserError, match="a person sits on one of these things"):
        place({"home": {"graph": graph}, "removed": [20]})
    found, state = place({"home": {"graph": graph}, "persons": ["home_office", "kitchen"]})  # with what they hold
    solver, book = found.persons[1], found.row_of[21]
    assert not state.conditions[solver] & Condition.SITTING
    assert state.room[book] == state.room[solver] == found.row_of[11]
    assert np.linalg.norm(state.centre[book] - state.centre[solver]) < 1


def test_episodes_are_sampled_in_the_home_of_a_file_and_need_it_no_more(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(graph_of(*home("apartment-1"))))
    config = json.loads(json.dumps(sample(3, homes=[str(path)], tasks=["put_fridge"])))
    path.unlink()
    found, state = place(config)
    assert len(found.rows_of("fridge")) == 1 and state.room[list(found.persons)].tolist() != []
    assert {each["relation_type"] for each in config["home"]["graph"]["edges"]} == {"ON", "INSIDE", "BETWEEN"}
