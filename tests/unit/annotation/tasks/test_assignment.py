"""The order in which episodes go to raters."""

from __future__ import annotations

from collections import Counter

import pytest

from annotation.tasks.assignment import STRATEGIES, Waiting, next_episode


def served(strategy: str, overlap: int, raters: int, episodes: int = 4) -> list[str]:
    """Episodes in the order in which ``raters`` in turn get them, until nobody gets one."""
    order: list[tuple[str, str]] = []
    idle = 0
    while idle < raters:
        for rater in range(raters):
            counts = Counter(key for key, _ in order)
            had = {key for key, who in order if who == str(rater)}
            waiting = [Waiting(f"e{i}", i, counts[f"e{i}"]) for i in range(episodes) if f"e{i}" not in had]
            found = next_episode(waiting, overlap, strategy, str(rater))
            idle = 0 if found else idle + 1
            if found:
                order.append((found.key, str(rater)))
    return [key for key, _ in order]


def test_breadth_first_gives_every_episode_once_before_any_twice() -> None:
    assert served("breadth", overlap=2, raters=2) == ["e0", "e1", "e2", "e3"] * 1 + ["e1", "e0", "e3", "e2"]


def test_depth_first_finishes_episodes() -> None:
    assert served("depth", overlap=2, raters=2) == ["e0", "e0", "e1", "e1", "e2", "e2", "e3", "e3"]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_every_strategy_gives_every_episode_to_as_many_as_wanted(strategy: str, overlap: int) -> None:
    assert Counter(served(strategy, overlap, raters=4)) == {f"e{i}": overlap for i in range(4)}


def test_shuffled_differs_between_raters_and_stays_the_same_for_each() -> None:
    waiting = [Waiting(f"e{i}", i, 0) for i in range(20)]
    firsts = [next_episode(waiting, 1, "shuffled", str(rater)) for rater in range(20)]
    assert len(set(firsts)) > 5 and firsts == [next_episode(waiting, 1, "shuffled", str(r)) for r in range(20)]


def test_an_unknown_strategy_is_named() -> None:
    with pytest.raises(ValueError, match="breadth, depth, shuffled"):
        next_episode([], 1, "fast", "ann")
