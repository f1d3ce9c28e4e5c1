"""What a person sees, and what is near."""

from __future__ import annotations

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household.observing import near, visible
from worlds.household.state.vocabulary import Condition, Held


def names(rows):
    return {name for name, row in ROW.items() if rows[row]}


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
    state.held[ROW["box"]], state.parent[ROW["box"]] = Held.INSIDE, ROW["fridge"]
    state.room[[ROW["box"], ROW["book 2"]]] = ROW["kitchen"]
    hidden = {"apple", "box", "book 2"}
    assert not hidden & names(visible(home, state, ROW["setter"]))
    state.conditions[ROW["fridge"]] = Condition.OPEN
    assert hidden & names(visible(home, state, ROW["setter"])) == {"apple", "box"}
    state.conditions[ROW["box"]] = Condition.OPEN
    assert hidden <= names(visible(home, state, ROW["setter"]))


def test_the_other_person_is_seen_in_the_same_room_with_what_it_holds():
    home, state = small_home()
    state.held[ROW["book"]], state.parent[ROW["book"]] = Held.LEFT_HAND, ROW["solver"]
    assert not {"solver", "book"} & names(visible(home, state, ROW["setter"]))
    state.room[[ROW["solver"], ROW["book"]]] = state.parent[ROW["solver"]] = ROW["kitchen"]
    assert {"solver", "book"} <= names(visible(home, state, ROW["setter"]))


def test_near_is_the_horizontal_distance_to_the_box_and_the_same_room():
    home, state = small_home()
    state.centre[ROW["setter"], :2] = 3.9, 2.9
    state.centre[ROW["chair"], :2] = 3.9 - 0.225 - 1.49, 2.9  # the box begins 1.49 m away
    assert near(home, state, ROW["setter"])[ROW["chair"]]
    state.centre[ROW["chair"], 0] -= 0.02
    assert not near(home, state, ROW["setter"])[ROW["chair"]]
    state.centre[ROW["setter"], :2] = 3.9, 3.5
    assert not near(home, state, ROW["setter"])[ROW["box"]], "behind the wall"
    assert near(home, state, ROW["setter"])[[ROW["kitchen"], ROW["door"], ROW["setter"]]].all()


def test_what_is_in_a_container_is_as_near_as_the_container():
    home, state = small_home()
    state.centre[ROW["setter"], :2] = 0.4, 1.8
    state.centre[ROW["apple"], 1] = 3.8
    assert near(home, state, ROW["setter"])[[ROW["fridge"], ROW["apple"]]].all()
    state.centre[ROW["setter"], 1] = 1.6
    assert not near(home, state, ROW["setter"])[[ROW["fridge"], ROW["apple"]]].any()
