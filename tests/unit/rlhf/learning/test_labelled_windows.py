"""Rows and draws of windows that are desirable or not."""

from __future__ import annotations

import numpy as np
import pytest

from rlhf.learning.labelled_windows import NO_REQUEST, LabelledWindows

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
