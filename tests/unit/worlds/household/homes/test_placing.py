"""Places of episodes: what is added and removed, conditions, persons; and free spots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worlds.errors import UserError
from worlds.household.homes.placing import home, place, spot
from worlds.household.homes.surfaces import Box
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.state.vocabulary import Condition, Held

NAME = "apartment-0"


def thing(name: str) -> int:
    """Return the id of the first thing of a class in the apartment."""
    found, _ = home(NAME)
    return int(found.ids[found.rows_of(name)[0]])


def test_the_same_configuration_leads_to_the_same_bits_and_another_seed_to_others() -> None:
    config = {
        "home": NAME,
        "seed": 3,
        "removed": [thing("plate")],
        "added": [[1000, "apple", "INSIDE", thing("fridge")]],
    }
    (one, state), (_, again), (_, other) = place(config), place(config), place({**config, "seed": 4})
    for name in ("held", "parent", "room", "conditions", "centre", "facing"):
        assert getattr(state, name).tobytes() == getattr(again, name).tobytes()
    assert state.centre.tobytes() != other.centre.tobytes()
    assert floor_plan(one, state) is floor_plan(*home(NAME))


def test_removed_things_are_gone_with_all_that_is_on_them_and_others_stay() -> None:
    before, first = home(NAME)
    table = thing("kitchentable")
    gone = {table, *before.ids[first.parent == before.row_of[table]].tolist()}
    found, state = place({"home": NAME, "removed": [table]})
    assert not gone & set(found.ids.tolist()) and len(before) - len(found) >= len(gone) > 1
    for row in range(len(found)):
        old = before.row_of[int(found.ids[row])]
        assert found.name_of(row) == before.name_of(old)
        if row not in found.persons:
            assert (state.centre[row] == first.centre[old]).all()
            parent = int(first.parent[old])
            assert parent < 0 or found.ids[state.parent[row]] == before.ids[parent]


def test_added_things_lie_apart_from_what_is_there() -> None:
    table = thing("coffeetable")
    added = [[1000 + number, name, "ON", table] for number, name in enumerate(["plate"] + ["cupcake"] * 6)]
    found, state = place({"home": NAME, "seed": 1, "added": [*added, [1010, "apple", "ON", 1000]]})
    plate = found.row_of[1000]
    assert state.parent[found.row_of[1010]] == plate and state.room[plate] == state.room[found.row_of[table]]
    rows = np.flatnonzero((state.parent == found.row_of[table]) & (state.held == Held.ON))
    boxes = [Box(tuple(state.centre[row].tolist()), tuple(found.size[row].tolist())) for row in rows]
    assert len(boxes) >= 7 and not [1 for one in boxes for other in boxes if one is not other and one.overlaps(other)]


def test_conditions_replace_their_opposites() -> None:
    fridge, stove = thing("fridge"), thing("stove")
    found, state = place({"home": NAME, "conditions": {str(fridge): "OPEN", str(stove): ["ON", "OPEN"]}})
    assert state.conditions[found.row_of[fridge]] == Condition.OPEN | Condition.PLUGGED_IN
    assert state.conditions[found.row_of[stove]] == Condition.OPEN | Condition.ON | Condition.PLUGGED_IN


def test_persons_begin_where_they_are_placed() -> None:
    found, state = place({"home": NAME, "persons": ["bedroom", [1.5, 0.7, 0.5]]})
    setter, solver = found.persons
    assert (
        found.name_of(int(state.parent[setter])) == "bedroom" and found.name_of(int(state.room[solver])) == "livingroom"
    )
    assert state.centre[solver].tolist() == pytest.approx([1.5, 0.7, 0.85]) and state.facing[1] == pytest.approx(0.5)
    rooms = {tuple(place({"home": NAME, "seed": seed})[1].room[[0, 1]].tolist()) for seed in range(12)}
    assert len(rooms) > 5 and all(one != other for one, other in rooms)


def test_a_spot_is_free_and_a_full_surface_has_none() -> None:
    found, state = home(NAME)
    plates, shelf = found.rows_of("plate"), int(found.rows_of("nightstand")[0])
    state.parent[state.parent == shelf] = found.rows_of("bed")[0]  # cleared
    laid = []
    for row in plates:
        at = spot(found, state, int(row), Held.ON, shelf)
        if at is None:
            break
        state.parent[row], state.held[row], state.centre[row] = shelf, Held.ON, at
        laid.append(Box(tuple(at.tolist()), tuple(found.size[row].tolist())))
    assert 1 <= len(laid) < len(plates)
    assert not [1 for one in laid for other in laid if one is not other and one.overlaps(other)]
    bed = int(found.rows_of("bed")[0])
    assert spot(found, state, bed, Held.INSIDE, int(found.rows_of("fridge")[0])) is None


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"home": "apartment-9"}, "there is no home 'apartment-9'; there are apartment-0"),
        ({"home": 7}, "neither the name of one nor a graph"),
        ({"removed": [99999]}, "no thing with id 99999"),
        ({"removed": [1]}, "a character (1) cannot be removed"),
        ({"added": [[1000, "apple", "UNDER", 12]]}, "is not [id, class,"),
        ({"added": [[1000, "unicorn", "ON", 12]]}, "no class 'unicorn'"),
        ({"added": [[1000, "apple", "ON", 99999]]}, "no thing with id 99999"),
        ({"added": [[1, "apple", "ON", thing("kitchentable")]]}, "the id 1 is another thing's"),
        ({"added": [[1000, "apple", "ON", thing("fridge")]]}, "it lacks SURFACES"),
        ({"added": [[1000, "bed", "ON", thing("kitchentable")]]}, "no room for a bed (1000) ON the kitchentable"),
        ({"conditions": {"99999": "OPEN"}}, "no thing with id '99999'"),
        ({"conditions": {"12": "AJAR"}}, "'AJAR' is none of CLOSED"),
        ({"persons": ["kitchen"]}, "1 are placed, not two"),
        ({"persons": ["kitchen", "attic"]}, "'attic', which is no room of the home; its rooms: bathroom (11)"),
        ({"persons": ["kitchen", [1.0, 2.0]]}, "give x, y and facing"),
        ({"persons": ["kitchen", [1.0, 2.0, float("nan")]]}, "finite"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(config: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as refused:
        place({"home": NAME, **config})
    assert words in str(refused.value) and "\n" not in str(refused.value)
