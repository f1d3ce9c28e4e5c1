"""Places of episodes: what their goals need is there, with some more, and nothing is done yet; all are feasible."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from worlds.contract import WorldError
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.placing import home as home_named
from worlds.household.homes.placing import place
from worlds.household.observing.graph import graph_of
from worlds.household.players.demonstrations import demonstrate
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.benchmark import DEMONSTRATIONS, demonstration, task
from worlds.household.tasks.goals import things_of
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.places import places_of
from worlds.household.tasks.placing import SPARE, NoPlaces, place_config
from worlds.household.tasks.predicates import parse
from worlds.household.tasks.progress import progress
from worlds.household.tasks.sampling import TRAINING_HOMES, sample
from worlds.household.tasks.sets import NAMES, PREDICATES, SETS, possible_sets
from worlds.household.tasks.splits import SPLITS, TEST_1, TEST_2, TRAIN, goals_of, sets_of


def test_sets_are_possible_where_their_places_are() -> None:
    missing = {name: set(NAMES) - set(possible_sets(home_named(name)[0])) for name in APARTMENTS}
    assert missing == {
        "apartment-0": {"put_dishwasher"}, "apartment-1": set(), "apartment-2": set(), "apartment-3": set(),
        "apartment-4": {"read_book"}, "apartment-5": {"put_dishwasher"}, "apartment-6": set(),
    }  # fmt: skip


@pytest.mark.parametrize("split", [TRAIN, TEST_1, TEST_2])
def test_sampled_tasks_are_feasible_and_not_done_yet(split: str) -> None:
    drawn = Counter[str]()
    for seed in range(70):
        config = sample(seed, APARTMENTS, split=split)
        home, state = place(config)
        goal, person = config["task"]["goal"], home.persons[0]
        assert obstacles(home, state, goal, person) == [], config
        assert not any(progress(home, state, goal, person).values()), config
        drawn[config["home"]] += 1
    assert set(drawn) == set(APARTMENTS)


def test_a_place_has_what_the_goal_needs_and_spare_things_where_they_may_lie() -> None:
    spares = set()
    for seed in range(20):
        config = sample(seed, tasks=("prepare_food", "read_book"))
        home, state = place(config)
        goal = config["task"]["goal"]
        added = Counter(name for _, name, _, _ in config["added"])
        for name, needed in things_of(goal).items():
            most = 3 if name == "book" else sum(
                count for each in sets_of(goal) for text, count in SETS[each].most.items() if parse(text).thing == name
            )  # fmt: skip
            assert needed <= added[name] <= most + SPARE
            assert len(home.rows_of(name)) == added[name]  # all others have left
            spares.add(added[name] - needed)
        targets = {parse(text).place for text in goal}
        for number, name, held, parent in config["added"]:
            row, above = home.row_of[number], home.row_of[parent]
            assert (state.held[row], state.parent[row]) == (Held[held], above)
            assert (Held[held], home.name_of(above)) in places_of(name)
            assert home.name_of(above) not in targets
    assert len(spares) > 1


def test_clutter_leaves_the_places_of_the_goal() -> None:
    goal = {"holds_book_character": 1, "sit_sofa": 1, "on_apple_coffeetable": 1}
    home, state = place(place_config(goal, "apartment-0", 0))
    for name in ("coffeetable", "sofa"):
        assert not np.isin(state.parent, home.rows_of(name)).any()
    home, state = place(place_config({"inside_plate_dishwasher": 2}, "apartment-1", 0))
    assert not np.isin(state.parent, home.rows_of("dishwasher")).any()
    home, state = place(place_config({"on_plate_kitchentable": 2}, "apartment-1", 0))
    there = np.flatnonzero(np.isin(state.parent, home.rows_of("kitchentable")))
    assert not {home.name_of(row) for row in there.tolist()} & (SETS["setup_table"].clutter or set())


def test_persons_begin_in_different_rooms() -> None:
    for seed in range(10):
        home, state = place(sample(seed))
        setter, solver = home.persons
        assert state.room[setter] != state.room[solver]


def test_the_same_seed_gives_the_same_configuration_in_json() -> None:
    config = sample(3)
    assert json.loads(json.dumps(config)) == config == sample(3)
    assert config != sample(4)
    assert config["home"] in TRAINING_HOMES


def test_a_goal_of_no_set_has_a_place_too() -> None:
    config = place_config({"on_mug_desk": 1, "inside_shirt_closet": 1}, "apartment-1", 0)
    assert config["task"]["name"] == "own"
    home, state = place(config)
    assert obstacles(home, state, config["task"]["goal"], home.persons[0]) == []


FULL = [
    {"inside_waterglass_dishwasher": 1, "inside_plate_dishwasher": 2},
    {"inside_cutleryfork_dishwasher": 2, "inside_wineglass_dishwasher": 2, "inside_waterglass_dishwasher": 2,
     "inside_plate_dishwasher": 2},
    {"inside_plate_dishwasher": 3, "inside_bowl_dishwasher": 3, "inside_mug_dishwasher": 4},
    {"inside_mug_microwave": 2, "inside_plate_microwave": 1},
    {"inside_pie_microwave": 1, "inside_apple_microwave": 2},
]  # fmt: skip


@pytest.mark.parametrize("goal", FULL)
def test_the_order_of_a_goal_has_no_influence_on_its_place(goal: dict[str, int]) -> None:
    orders = list(permutations(goal.items()))[:6]
    configs = [json.dumps(place_config(dict(order), "apartment-1", 1)) for order in orders]
    assert len(set(configs)) == 1
    config = json.loads(configs[0])
    home, state = place(config)
    assert obstacles(home, state, goal, home.persons[0]) == []
    assert demonstrate(config, 0).success


def test_goals_of_the_splits_are_in_the_order_in_which_places_are_drawn() -> None:
    for split in SPLITS:
        for each in goals_of(split):
            assert sorted(each.goal, key=PREDICATES.index) == list(each.goal)


def test_a_goal_for_which_there_is_no_room_is_refused() -> None:
    with pytest.raises(NoPlaces, match="find no places in apartment-1"):
        place_config({"inside_plate_microwave": 3, "inside_pie_microwave": 3}, "apartment-1", 0)


def test_a_home_of_others_gets_places_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(graph_of(*home_named("apartment-1"))))
    config = sample(0, homes=str(path), tasks=("put_dishwasher",))
    home, state = place(json.loads(json.dumps(config)))
    assert obstacles(home, state, config["task"]["goal"], home.persons[0]) == []
    assert not any(progress(home, state, config["task"]["goal"], home.persons[0]).values())


def test_what_cannot_be_sampled_is_refused() -> None:
    with pytest.raises(WorldError, match=r"there is no home 'apartment-9'"):
        sample(0, homes="apartment-9")
    with pytest.raises(WorldError, match="test_2 is possible in apartment-0; its goals are of two sets each"):
        sample(0, homes="apartment-0", tasks="put_fridge", split="test_2")
    with pytest.raises(WorldError, match="place setting tasks: give names, not"):
        sample(0, tasks=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(WorldError, match="seed: -1 is not a whole number from 0 up"):
        sample(-1)
    with pytest.raises(WorldError, match=r"no split named \['train'\]"):
        sample(0, split=["train"])  # pyright: ignore[reportArgumentType]
    with pytest.raises(WorldError, match="no task named 'wash_up'; known: setup_table"):
        sample(0, tasks=("wash_up",))
    with pytest.raises(WorldError, match="no goal of put_dishwasher in train is possible in apartment-0"):
        sample(0, homes=("apartment-0",), tasks=("put_dishwasher",))
    with pytest.raises(WorldError, match="apartment-0, which has no dishwasher"):
        place_config({"inside_plate_dishwasher": 1}, "apartment-0", 0)


def test_help_happens_in_another_home_than_was_watched() -> None:
    for split, number in ((TRAIN, 0), (TRAIN, 700), (TEST_1, 7), (TEST_1, 93), (TEST_2, 5), (TEST_2, 64)):
        each = task(split, number)
        assert each.goal == each.watch["task"]["goal"] == each.help["task"]["goal"] == goals_of(split)[number].goal
        assert each.watch["home"] in TRAINING_HOMES
        assert each.help["home"] != each.watch["home"]
        assert each.help["home"] in (TRAINING_HOMES if split == TRAIN else ("apartment-3", "apartment-6"))
        assert task(split, number) == each


@pytest.mark.parametrize("split", SPLITS)
def test_another_seed_gives_the_same_goals_in_other_places(split: str) -> None:
    of_training = {each.key for each in goals_of(TRAIN)}
    for number in (0, 40, 99):
        one, other = task(split, number, seed=0), task(split, number, seed=1)
        assert (one.name, one.goal) == (other.name, other.goal) and one.watch != other.watch and one.help != other.help
        assert (frozenset(other.goal.items()) in of_training) == (split == TRAIN)
        shown, again = demonstration(split, number, seed=0), demonstration(split, number, seed=1)
        assert shown["task"] == again["task"] and shown != again


def test_demonstrations_show_all_activities_and_homes_alike() -> None:
    assert DEMONSTRATIONS[TRAIN] == 5303
    configs = [demonstration(TRAIN, number) for number in range(22)]
    pairs = {(each["task"]["name"], each["home"]) for each in configs}
    assert len(pairs) == 22  # of five sets in five homes, less three that are not possible
    assert demonstration(TRAIN, 3) == configs[3]
    assert demonstration(TRAIN, 22)["task"]["goal"] != configs[0]["task"]["goal"]
