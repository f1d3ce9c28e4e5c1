"""Advantages and weights agree with sums written out by hand; rows and draws of windows that are desirable or not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents.networks.improvement import GOOD, NOT_GOOD, UNKNOWN
from rlhf.learning.advantages import (
    advantages,
    imitation_weights,
    indicators_of_advantages,
    indicators_of_windows,
    window_change,
)
from rlhf.learning.labelled_windows import NO_REQUEST, LabelledWindows

UTILITIES = [np.array([0.0, 1.0, 1.0, 4.0, 2.0]), np.array([5.0]), np.array([3.0, 0.0, 0.5])]


def by_hand(steps: int) -> list[float]:
    changes = []
    for utility in UTILITIES:
        for t in range(len(utility)):
            rewards = [utility[k] - utility[k - 1] for k in range(t + 1, len(utility)) if k <= t + steps]
            changes.append((len(rewards), float(sum(rewards))))
    alike = {m: [change for length, change in changes if length == m] for m, _ in changes}
    above = [change - sum(alike[m]) / len(alike[m]) for m, change in changes]
    deviation = math.sqrt(sum(each**2 for each in above) / len(above))
    return [each / deviation for each in above]


@pytest.mark.parametrize("steps", [1, 2, 10])
def test_an_advantage_is_the_sum_of_the_next_rewards_less_the_mean(steps: int) -> None:
    assert advantages(UTILITIES, steps).tolist() == pytest.approx(by_hand(steps))


def test_the_last_steps_of_an_episode_are_as_good_as_others() -> None:
    """Events that no action causes: as many of any step are above the mean."""
    rng = np.random.default_rng(0)
    utilities = [np.cumsum(rng.random(60) < 0.05).astype(float) for _ in range(2000)]
    found = advantages(utilities, 12).reshape(2000, 60)
    assert found.mean(axis=0) == pytest.approx(0.0, abs=0.07)
    assert found[:, -1].tolist() == [0.0] * 2000, "nothing can follow the last step"


def test_a_window_ends_with_its_episode() -> None:
    assert window_change(UTILITIES[0], 2).tolist() == [1.0, 3.0, 1.0, -2.0, 0.0]
    joined = advantages([np.concatenate(UTILITIES)], 2)
    assert not np.allclose(joined, advantages(UTILITIES, 2)), "no advantage crosses from one episode into the next"


def test_equal_utilities_have_no_advantage() -> None:
    assert advantages([np.full(4, 2.0)], 3).tolist() == [0.0] * 4


def test_weights_are_clipped_exponentials_of_mean_1() -> None:
    advantage, temperature, largest = [-2.0, 0.0, 1.0, 8.0], 0.5, 20.0
    plain = [min(math.exp(a / temperature), largest) for a in advantage]
    assert plain[3] == largest and plain[2] < largest
    expected = [4 * weight / sum(plain) for weight in plain]
    found = imitation_weights(np.array(advantage), temperature, largest)
    assert found.tolist() == pytest.approx(expected, rel=1e-5) and found.dtype == np.float32


def test_a_factor_scales_some_steps_and_the_mean_stays_1() -> None:
    found = imitation_weights(np.zeros(4), 1.0, 20.0, np.array([1.0, 1.0, 0.5, 0.0]))
    assert found.tolist() == pytest.approx([1.6, 1.6, 0.8, 0.0])
    with pytest.raises(ValueError, match="nothing to imitate"):
        imitation_weights(np.zeros(4), 1.0, 20.0, np.zeros(4))


def test_the_best_of_the_agents_own_steps_are_good_and_demonstrations_always() -> None:
    """Demonstrations do not raise the bar for the agent."""
    advantage = np.array([1.0, 2.0, 3.0, 4.0, -9.0, 90.0])
    demonstrated = np.array([False] * 4 + [True] * 2)
    found = indicators_of_advantages(advantage, demonstrated, good_share=0.5)
    assert found.tolist() == [NOT_GOOD, NOT_GOOD, GOOD, GOOD, GOOD, GOOD]
    assert (indicators_of_advantages(advantage, ~demonstrated, 0.5) == [GOOD] * 4 + [NOT_GOOD, GOOD]).all()
    assert (indicators_of_advantages(advantage, np.ones(6, bool), 0.5) == GOOD).all()


def test_steps_are_good_before_progress_and_not_before_regress() -> None:
    windows = LabelledWindows(
        begin=np.array([0, 4, 5, 8]), end=np.array([2, 7, 6, 9]), first=np.zeros(4, int),
        desirable=np.array([True, False, True, False]), request=np.zeros(4, int),
    )  # fmt: skip
    demonstrated = np.arange(10) == 8
    expected = [GOOD, GOOD, UNKNOWN, UNKNOWN, NOT_GOOD, UNKNOWN, NOT_GOOD, UNKNOWN, GOOD, UNKNOWN]
    assert indicators_of_windows(windows, demonstrated).tolist() == expected


# Windows

WINDOWS = LabelledWindows(
    begin=np.array([2, 12, 10, 25]),
    end=np.array([5, 14, 13, 26]),
    first=np.array([0, 10, 10, 20]),
    desirable=np.array([True, True, False, False]),
    request=np.array([7, 8, 7, NO_REQUEST]),
)


def test_windows_end_side_by_side_after_the_play_before_them() -> None:
    rows, resets, inside = WINDOWS.rows(np.arange(4), context=1)
    assert rows.T.tolist() == [[1, 2, 3, 4], [11, 11, 12, 13], [10, 10, 11, 12], [24, 24, 24, 25]]
    assert inside.T.tolist() == [[0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]]
    assert resets.T.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]


def test_play_before_a_window_ends_at_its_episodes_beginning() -> None:
    rows = WINDOWS.rows(np.arange(4), context=100).rows
    assert (rows >= WINDOWS.first).all()
    assert rows.min(axis=0).tolist() == WINDOWS.first.tolist()


def test_windows_of_a_pair_are_cut_to_their_last_steps() -> None:
    pairs = np.array([[0, 1], [1, 3]])
    assert WINDOWS.common_lengths(pairs).tolist() == [2, 1]
    inside = WINDOWS.rows(pairs.reshape(-1), 0, np.tile(WINDOWS.common_lengths(pairs), 2)).inside
    assert inside.sum(axis=0).tolist() == [2, 1, 2, 1] and inside[-1].all()


def test_as_many_windows_of_each_kind_are_drawn() -> None:
    chosen = WINDOWS.draw(5, np.random.default_rng(0))
    assert WINDOWS.desirable[chosen].tolist() == [True] * 3 + [False] * 2
    assert (chosen == WINDOWS.draw(5, np.random.default_rng(0))).all()
    drawn = np.concatenate([WINDOWS.draw(4, np.random.default_rng(seed)) for seed in range(20)])
    assert set(drawn.tolist()) == {0, 1, 2, 3}


def test_a_pair_is_of_both_kinds_under_one_request() -> None:
    assert WINDOWS.pairable == 2
    assert WINDOWS.draw_pairs(3, np.random.default_rng(0)).tolist() == [[0, 0, 0], [2, 2, 2]]


def test_windows_before_any_request_make_no_pair() -> None:
    begin, end = np.zeros(2, int), np.ones(2, int)
    nothing = LabelledWindows(begin, end, begin, np.array([True, False]), np.full(2, NO_REQUEST))
    assert nothing.pairable == 0
    with pytest.raises(ValueError):
        nothing.draw_pairs(1, np.random.default_rng(0))
