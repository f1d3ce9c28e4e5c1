"""The household as a world: pointers, masks, feedback, options and exact snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Verb
from worlds.household.world import ACTIONS, HouseholdWorld

PLACE = {"home": "apartment-0", "seed": 3, "persons": ["kitchen", "livingroom"]}


def begun(**options: Any) -> tuple[HouseholdWorld, Any]:
    """Return a world in which an episode has begun, and what is observed."""
    world = HouseholdWorld(**options)
    return world, world.reset(options={"config": PLACE})[0]


def act(verb: Verb, pointer: int = 0, hand: int = 0) -> Any:
    return ACTIONS.silent() | {"movement": np.array([[verb, pointer, hand]], np.int16)}


def step(world: HouseholdWorld, actions: Any) -> Any:
    """Play a step and return what is observed."""
    return world.step(actions)[0]


def test_pointers_mean_the_things_that_are_observed_and_lead_back():
    world, seen = begun()
    home = world.state.home
    kinds = seen[SETTER]["entity_categories"][:, 0]
    for place in range(len(kinds)):
        row = world.row_at(SETTER, place + 1)
        assert kinds[place] == home.kind[row] and world.pointer_to(SETTER, row) == place + 1
    assert world.row_at(SETTER, 0) == NO_ROW
    hidden = int(home.rows_of("sofa")[0])
    assert world.pointer_to(SETTER, hidden) is None and world.pointer_to(SOLVER, hidden) is not None


def test_full_observation_has_everything_and_is_walked_to():
    world, seen = begun(full=True)
    assert len(seen[SETTER]["entity_values"]) == len(world.state.home)
    bed = int(world.state.home.rows_of("bed")[0])
    before = world.state.state.centre[world.state.home.persons[0]].copy()
    assert step(world, {SETTER: act(Verb.WALK_TOWARDS, bed + 1)})[SETTER]["feedback"] == ""
    assert not np.array_equal(world.state.state.centre[world.state.home.persons[0]], before)


def test_texts_say_what_is_there_and_what_is_in_the_hands():
    world, seen = begun(text=True)
    assert (
        seen[SETTER]["surroundings"].startswith("you are in kitchen (") and "fridge (" in seen[SETTER]["surroundings"]
    )
    assert seen[SETTER]["hands"] == "right: nothing; left: nothing"
    assert "surroundings" not in begun()[1][SETTER]


def test_what_is_no_place_is_refused_in_one_line():
    for config, words in (
        ({}, "names no home"),
        ({"home": "apartment-9"}, "apartment-9"),
        (PLACE | {"added": [[1000, "apple", "ON", 99999]]}, "99999"),
        (PLACE | {"seed": "x"}, "x"),
    ):
        with pytest.raises(WorldError, match=words) as caught:
            HouseholdWorld().reset(options={"config": config})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"full": "no"}, "setting full: true or false, not 'no'"),
        ({"text": "false"}, "setting text: true or false, not 'false'"),
        ({"picture": 1}, "setting picture: true or false, not 1"),
        ({"views": SOLVER}, "setting views: 'solver' is no list of players"),
        ({"views": ("bob",)}, "setting views: 'bob' is no player"),
        ({"views": 3}, "setting views: 3 is no list of players"),
        ({"height": "36"}, "setting height: '36' is not a whole number above zero"),
        ({"max_steps": 2.5}, "setting max_steps: 2.5 is not a whole number above zero"),
    ],
)
def test_settings_of_a_wrong_type_are_refused(settings: Any, words: str):
    with pytest.raises(WorldError, match=words):
        HouseholdWorld(**settings)


@pytest.mark.parametrize("seed", [-1, 0.5, "a", True])
def test_what_is_no_seed_is_refused(seed: Any):
    with pytest.raises(WorldError, match=f"seed: {seed!r} is not a whole number from 0 up"):
        HouseholdWorld().reset(seed=seed)
