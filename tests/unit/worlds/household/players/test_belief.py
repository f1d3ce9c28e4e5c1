"""A belief refutes what is seen to be otherwise, and draws again only what was refuted."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household.observing.senses import near, visible
from worlds.household.players.belief import Belief
from worlds.household.players.places import places_of
from worlds.household.players.sight import Sight
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Condition, Held

SETTER = ROW["setter"]


@pytest.fixture
def home_and_state() -> tuple[Home, State]:
    return small_home()


def see(home: Home, state: State, full: bool = False) -> Sight:
    return Sight.of(state, SETTER, visible(home, state, SETTER, full), near(home, state, SETTER))


def chances(belief: Belief, name: str) -> np.ndarray:
    return belief.probabilities()[belief.index[ROW[name]]]


def inside(belief: Belief, name: str) -> int:
    return int(belief.places.in_fixture[ROW[name]])


def test_a_uniform_belief_counts_rooms_insides_and_tops_alike(home_and_state):
    home, _ = home_and_state
    belief = Belief(home, np.random.default_rng(0))

    assert len(places_of(home)) == 2 + 2 + 6  # rooms; fridge and microwave; all fixtures but fridge and lamp
    assert chances(belief, "book") == pytest.approx(1 / 10)
    assert chances(belief, "fridge")[:2] == pytest.approx(0.5)  # of furniture, the room is unknown


def test_what_is_seen_is_known_and_what_is_not_seen_is_elsewhere(home_and_state):
    home, state = home_and_state
    belief = Belief(home, np.random.default_rng(0))
    belief.update(see(home, state))

    assert chances(belief, "plate")[belief.places.on_fixture[ROW["table"]]] == 1
    elsewhere = chances(belief, "book")
    assert elsewhere[belief.places.in_room[ROW["kitchen"]]] == 0
    assert elsewhere[belief.places.on_fixture[ROW["table"]]] == 0
    assert elsewhere[inside(belief, "fridge")] > 0  # closed
    assert elsewhere.sum() == pytest.approx(1)

    state.conditions[ROW["fridge"]] = Condition.OPEN
    belief.update(see(home, state))
    assert chances(belief, "book")[inside(belief, "fridge")] == 0
    assert chances(belief, "apple")[inside(belief, "fridge")] == 1
    assert belief.is_open[belief.index[ROW["fridge"]]]


def test_what_is_refuted_everywhere_may_be_anywhere_but_in_view(home_and_state):
    home, state = home_and_state
    belief = Belief(home, np.random.default_rng(0))
    belief.update(see(home, state))
    assert chances(belief, "plate").max() == 1

    state.held[ROW["plate"]], state.parent[ROW["plate"]] = Held.INSIDE, ROW["microwave"]  # somebody put it there
    refuted = belief.update(see(home, state))

    plate = chances(belief, "plate")
    assert refuted[belief.index[ROW["plate"]]]
    assert plate[belief.places.on_fixture[ROW["table"]]] == 0
    assert plate[inside(belief, "microwave")] == plate[inside(belief, "fridge")] > 0
    assert plate.sum() == pytest.approx(1)


def test_only_refuted_entries_of_the_sample_are_drawn_again(home_and_state):
    home, state = home_and_state
    belief = Belief(home, np.random.default_rng(3))
    before = belief.sample.copy()
    refuted = belief.update(see(home, state))

    assert (belief.sample[~refuted] == before[~refuted]).all()
    assert (belief.sample[refuted] != before[refuted]).all()
    assert not belief.update(see(home, state)).any()
    assert belief.possible[np.arange(len(belief.rows)), belief.sample].all()


def test_with_full_sight_everything_is_known(home_and_state):
    home, state = home_and_state
    belief = Belief(home, np.random.default_rng(0))
    belief.update(see(home, state, full=True))

    assert (belief.possible.sum(axis=1) == 1).all()
