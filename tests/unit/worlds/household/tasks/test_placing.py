"""Places of episodes: what their goals need is there, with some more, and nothing is done yet; all are feasible."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations

import pytest

from worlds.contract import WorldError
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.placing import place
from worlds.household.players.demonstrations import demonstrate
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.benchmark import DEMONSTRATIONS, demonstration
from worlds.household.tasks.goals import things_of
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.places import places_of
from worlds.household.tasks.placing import SPARE, NoPlaces, place_config
from worlds.household.tasks.predicates import parse
from worlds.household.tasks.progress import progress
from worlds.household.tasks.sampling import TRAINING_HOMES, sample
from worlds.household.tasks.sets import SETS
from worlds.household.tasks.splits import TEST_1, TEST_2, TRAIN, sets_of


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


def test_the_same_seed_gives_the_same_configuration_in_json() -> None:
    config = sample(3)
    assert json.loads(json.dumps(config)) == config == sample(3)
    assert config != sample(4)
    assert config["home"] in TRAINING_HOMES


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


def test_a_goal_for_which_there_is_no_room_is_refused() -> None:
    with pytest.raises(NoPlaces, match="find no places in apartment-1"):
        place_config({"inside_plate_microwave": 3, "inside_pie_microwave": 3}, "apartment-1", 0)


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


def test_demonstrations_show_all_activities_and_homes_alike() -> None:
    assert DEMONSTRATIONS[TRAIN] == 5303
    configs = [demonstration(TRAIN, number) for number in range(22)]
    pairs = {(each["task"]["name"], each["home"]) for each in configs}
    assert len(pairs) == 22  # of five sets in five homes, less three that are not possible
    assert demonstration(TRAIN, 3) == configs[3]
    assert demonstration(TRAIN, 22)["task"]["goal"] != configs[0]["task"]["goal"]
