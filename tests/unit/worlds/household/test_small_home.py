"""The small home of the tests is a home."""

from __future__ import annotations

import numpy as np

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Held


def test_rooms_are_the_roots_and_every_thing_lies_in_one():
    home, state = small_home()
    assert list(home.rooms) == [ROW["kitchen"], ROW["livingroom"]]
    assert (state.parent == NO_ROW).nonzero()[0].tolist() == list(home.rooms)
    assert state.room[ROW["apple 2"]] == ROW["kitchen"] and state.room[ROW["book 2"]] == ROW["livingroom"]


def test_things_lie_in_or_on_their_parents():
    home, state = small_home()
    low, high = state.centre - home.size / 2, state.centre + home.size / 2
    for row in (state.held == Held.INSIDE).nonzero()[0]:
        parent = state.parent[row]
        assert (low[row] >= low[parent]).all() and (high[row] <= high[parent] + 1e-6).all()
    for row in (state.held == Held.ON).nonzero()[0]:
        assert np.isclose(low[row, 2], high[state.parent[row], 2], atol=1e-6)


def test_ids_of_persons_are_one_and_two():
    home, _ = small_home()
    assert [home.row_of[number] for number in (1, 2)] == list(home.persons)
