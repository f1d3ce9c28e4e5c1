"""Rows, circles, triangles and squares are told from what only resembles them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worlds.playhouse.games.arrangements import (
    CIRCLE,
    FEWEST,
    MOST,
    ROW,
    SQUARE,
    TRIANGLE,
    forms,
    is_sorted,
    layout,
    order_in_row,
)

SHAPES = (ROW, CIRCLE, TRIANGLE, SQUARE)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_layouts_form_their_shape_wherever_they_are_and_a_little_off(shape: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(FEWEST[shape], MOST[shape] + 1):
        points = layout(shape, number, 0.5)
        turn = rng.uniform(-math.pi, math.pi)
        turned = points @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        moved = turned + rng.uniform(-3, 3, 2) + rng.uniform(-0.04, 0.04, points.shape)
        assert forms(shape, rng.permutation(moved))


def test_neighbours_of_a_layout_are_as_far_apart_as_asked() -> None:
    for shape in SHAPES:
        points = layout(shape, 4 if shape != TRIANGLE else 3, 0.7)
        nearest = [min(math.dist(a, b) for j, b in enumerate(points) if j != i) for i, a in enumerate(points)]
        assert nearest == pytest.approx([0.7] * len(points))


def test_a_bent_or_torn_row_is_none() -> None:
    assert forms(ROW, np.array([(0, 0), (0.5, 0.1), (1, 0)]))
    assert not forms(ROW, np.array([(0, 0), (0.5, 0.5), (1, 0)]))
    assert not forms(ROW, np.array([(0, 0), (0.5, 0), (2.5, 0)]))
    assert not forms(ROW, np.array([(0, 0), (0.5, 0)]))


def test_things_in_line_are_no_triangle_and_a_slim_diamond_is_no_square() -> None:
    assert forms(TRIANGLE, np.array([(0, 0), (0.6, 0), (0.3, 0.5)]))
    assert not forms(TRIANGLE, np.array([(0, 0), (0.6, 0), (0.3, 0.05)]))
    assert forms(SQUARE, np.array([(0, 0), (0.6, 0), (0.6, 0.6), (0, 0.6)]))
    assert not forms(SQUARE, np.array([(0, 0), (0.6, 0.2), (1.2, 0), (0.6, -0.2)]))
    assert not forms(SQUARE, np.array([(0, 0), (2.0, 0), (2.0, 0.4), (0, 0.4)]))


def test_a_circle_has_things_all_around() -> None:
    around = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * math.pi, 5, endpoint=False)])
    half = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, math.pi / 2, 5)])
    assert forms(CIRCLE, around) and not forms(CIRCLE, half)
    assert not forms(CIRCLE, 3 * around)  # too wide for anybody to see one


def test_order_along_a_row_by_size() -> None:
    points = np.array([(1.0, 1.0), (0.0, 0.0), (0.5, 0.52)])
    order = order_in_row(points).tolist()
    assert order in ([1, 2, 0], [0, 2, 1])
    assert is_sorted([0.3, 0.1, 0.2], np.array(order)) and not is_sorted([0.1, 0.2, 0.3], np.array(order))
