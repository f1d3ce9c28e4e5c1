"""Goals of training and of the tests: their numbers and sizes, none in two splits, the same from the same seed."""

from __future__ import annotations

from collections import Counter

import pytest

from worlds.contract import WorldError
from worlds.household.catalogue.classes import CLASSES
from worlds.household.tasks.goals import parse_goal
from worlds.household.tasks.sets import SETS
from worlds.household.tasks.splits import GOALS_OF_SET, TEST_1, TEST_2, TRAIN, goal_splits, goals_of, sets_of

SPLITS = goal_splits()


def test_sets_have_the_reference_s_ranges() -> None:
    # From 0 to 2 of each of four dishes, 2 to 6 in all: 3^4 less those of 0, 1, 7 and 8 things.
    assert [len(list(SETS[name].goals())) for name in ("setup_table", "put_dishwasher")] == [71, 71]
    assert [len(list(SETS[name].goals())) for name in ("put_fridge", "prepare_food", "read_book")] == [339, 602, 88]
    for each in SETS.values():
        for goal in each.goals():
            assert all(count <= {**each.most, **each.always}[text] for text, count in goal.items())
            assert 2 <= sum(goal.values()) - goal.get("sit_sofa", 0) <= 6


def test_splits_have_the_published_sizes_and_share_no_goal() -> None:
    assert {split: len(goals) for split, goals in SPLITS.items()} == {TRAIN: 1011, TEST_1: 100, TEST_2: 100}
    assert len({each.key for goals in SPLITS.values() for each in goals}) == 1211
    assert len({(split, each.name) for split, goals in SPLITS.items() for each in goals}) == 1211
    of_one = Counter(each.sets[0] for split in (TRAIN, TEST_1) for each in SPLITS[split])
    assert of_one == Counter(GOALS_OF_SET)
    assert Counter(each.sets[0] for each in SPLITS[TEST_1]) == dict.fromkeys(SETS, 20)


def test_every_goal_can_be_and_is_of_the_sets_it_names() -> None:
    for split, goals in SPLITS.items():
        for each in goals:
            assert parse_goal(each.goal, CLASSES) == each.goal
            assert sets_of(each.goal) == each.sets
            assert len(each.sets) == (2 if split == TEST_2 else 1)


def test_goals_of_two_sets_have_two_to_eight_predicates_of_all_pairs() -> None:
    assert {sum(each.goal.values()) for each in SPLITS[TEST_2]} == set(range(2, 9))
    assert set(Counter(each.sets for each in SPLITS[TEST_2]).values()) == {10}


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(WorldError, match="no split named 'test'; known: train, test_1, test_2"):
        goals_of("test")
