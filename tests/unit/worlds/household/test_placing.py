"""Places of episodes: what their goals need is there, with some more, and nothing is done yet; all are feasible."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from typing import Any

import pytest

from experiments.watch_and_help.benchmark import demonstration
from experiments.watch_and_help.demonstrations import demonstrate
from worlds.contract import WorldError
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.placing import place
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.goals import things_of
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.placing import SPARE, NoPlaces, place_config, places_of
from worlds.household.tasks.predicates import parse
from worlds.household.tasks.progress import progress
from worlds.household.tasks.sampling import TRAINING_HOMES, sample
from worlds.household.tasks.sets import SETS
from worlds.household.tasks.splits import TEST_1, TEST_2, TRAIN, sets_of


@pytest.mark.parametrize("split", [TRAIN, TEST_1, TEST_2])
def test_sampled_tasks_are_feasible_and_not_done_yet(split: str) -> None:
    homes = set()
    for seed in range(35):
        config = sample(seed, APARTMENTS, split=split)
        (home, state), goal = place(config), config["task"]["goal"]
        assert obstacles(home, state, goal, home.persons[0]) == [], config
        assert not any(progress(home, state, goal, home.persons[0]).values()), config
        homes.add(config["home"])
    assert homes == set(APARTMENTS)


def test_a_place_has_what_the_goal_needs_and_spare_things_where_they_may_lie() -> None:
    spares = set()
    for seed in range(12):
        config = sample(seed, tasks=("prepare_food", "read_book"))
        (home, state), goal = place(config), config["task"]["goal"]
        added = Counter(name for _, name, _, _ in config["added"])
        for name, needed in things_of(goal).items():
            wanted = [(text, count) for each in sets_of(goal) for text, count in SETS[each].most.items()]
            most = 3 if name == "book" else sum(count for text, count in wanted if parse(text).thing == name)
            assert needed <= added[name] <= most + SPARE
            assert len(home.rows_of(name)) == added[name]  # all others have left
            spares.add(added[name] - needed)
        for number, name, held, parent in config["added"]:
            row, above = home.row_of[number], home.row_of[parent]
            assert (state.held[row], state.parent[row]) == (Held[held], above)
            assert (Held[held], home.name_of(above)) in places_of(name)
            assert home.name_of(above) not in {parse(text).place for text in goal}
    assert len(spares) > 1


def test_the_same_seed_gives_the_same_configuration_in_json() -> None:
    config = sample(3)
    assert json.loads(json.dumps(config)) == config == sample(3)
    assert config != sample(4)
    assert config["home"] in TRAINING_HOMES


FULL = [
    {"inside_waterglass_dishwasher": 1, "inside_plate_dishwasher": 2},
    {"inside_cutleryfork_dishwasher": 2, "inside_wineglass_dishwasher": 2, "inside_waterglass_dishwasher": 2,
     "inside_plate_dishwasher": 2},
    {"inside_pie_microwave": 1, "inside_apple_microwave": 2},
]  # fmt: skip


@pytest.mark.parametrize("goal", FULL)
def test_the_order_of_a_goal_has_no_influence_on_its_place(goal: dict[str, int]) -> None:
    orders = list(permutations(goal.items()))[:4]
    configs = [json.dumps(place_config(dict(order), "apartment-1", 1)) for order in orders]
    assert len(set(configs)) == 1
    config = json.loads(configs[0])
    home, state = place(config)
    assert obstacles(home, state, goal, home.persons[0]) == []
    assert demonstrate(config, 0).success


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"homes": "apartment-9"}, "there is no home 'apartment-9'"),
        ({"homes": "apartment-0", "tasks": "put_fridge", "split": "test_2"}, "its goals are of two sets each"),
        ({"tasks": 3}, "place setting tasks: give names, not"),
        ({"seed": -1}, "seed: -1 is not a whole number from 0 up"),
        ({"split": ["train"]}, r"no split named \['train'\]"),
        ({"tasks": ("wash_up",)}, "no task named 'wash_up'; known: setup_table"),
        ({"homes": ("apartment-0",), "tasks": ("put_dishwasher",)}, "no goal of put_dishwasher in train is possible"),
    ],
)
def test_what_cannot_be_sampled_is_refused(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(WorldError, match=words):
        sample(**{"seed": 0, **asked})


def test_a_goal_for_which_there_is_no_room_is_refused() -> None:
    with pytest.raises(NoPlaces, match="find no places in apartment-1"):
        place_config({"inside_plate_microwave": 3, "inside_pie_microwave": 3}, "apartment-1", 0)
    with pytest.raises(WorldError, match="apartment-0, which has no dishwasher"):
        place_config({"inside_plate_dishwasher": 1}, "apartment-0", 0)


def test_demonstrations_show_all_activities_and_homes_alike() -> None:
    configs = [demonstration(TRAIN, number) for number in range(22)]
    pairs = {(each["task"]["name"], each["home"]) for each in configs}
    assert len(pairs) == 22  # of five sets in five homes, less three that are not possible
    assert demonstration(TRAIN, 3) == configs[3]
