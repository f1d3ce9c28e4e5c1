"""The household as a world: pointers, masks, feedback, options and exact snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER, Filmed, WorldError
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


def random_action(seen: Any, rng: np.random.Generator) -> Any:
    """Return any action with a thing that is observed."""
    return act(Verb(rng.choice(list(Verb))), int(rng.integers(1 + len(seen["entity_values"]))), int(rng.integers(2)))


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


def test_who_fails_reads_why_and_who_succeeds_reads_nothing():
    world, _ = begun()
    sofa = world.pointer_to(SOLVER, int(world.state.home.rows_of("sofa")[0]))
    assert sofa is not None
    seen = step(world, {SETTER: act(Verb.STAND), SOLVER: act(Verb.WALK_TOWARDS, sofa)})
    assert (seen[SETTER]["feedback"], seen[SOLVER]["feedback"]) == ("you are not sitting", "")
    assert step(world, {})[SETTER]["feedback"] == ""


@pytest.mark.parametrize("full", [False, True])
def test_nothing_that_is_masked_out_succeeds(full):
    world, seen = begun(full=full)
    rng, tried = np.random.default_rng(1), 0
    for _ in range(200):
        actions = {player: random_action(seen[player], rng) for player in (SETTER, SOLVER)}
        masks = {player: seen[player]["legal"] for player in actions}
        seen = step(world, actions)
        for player, action in actions.items():
            verb, pointer, _ = action["movement"][0].tolist()
            things = masks[player][len(Verb) :]
            if not masks[player][verb] or (Verb.WALK_TOWARDS <= verb <= Verb.SIT and not things[pointer]):
                assert seen[player]["feedback"]
                tried += 1
    assert tried > 20


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


def test_a_snapshot_is_left_alone_by_what_follows_it():
    world, seen = begun()
    rng = np.random.default_rng(2)
    kept = world.snapshot()
    bits = world.state.state.centre.tobytes()
    first = []
    for _ in range(30):
        actions = {player: random_action(seen[player], rng) for player in (SETTER, SOLVER)}
        first.append(actions)
        seen = step(world, actions)
    assert world.state.state.centre.tobytes() != bits
    again: Any = world.restore(kept)
    assert world.state.state.centre.tobytes() == bits
    for actions in first:
        again = step(world, actions)
    for player in (SETTER, SOLVER):
        assert all(np.array_equal(again[player][key], seen[player][key]) for key in seen[player])


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


def test_the_film_shows_the_setter_beside_the_home_from_above():
    world, _ = begun()
    film, screen = world.film(), world.render()
    assert isinstance(world, Filmed) and film.shape == screen.shape == (270, 720, 3) and film.dtype == np.uint8
    np.testing.assert_array_equal(film[:, 360:], screen[:, 360:])
    assert (film[:, :360] != screen[:, :360]).any()
    step(world, {SETTER: act(Verb.TURN_LEFT)})
    assert (world.film()[:, :360] != film[:, :360]).any()
