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

AROUND = [(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * math.pi, 5, endpoint=False)]


@pytest.mark.parametrize("shape", [ROW, CIRCLE, TRIANGLE, SQUARE])
def test_layouts_form_their_shape_wherever_they_are_and_a_little_off(shape: str) -> None:
    rng = np.random.default_rng(0)
    for number in range(FEWEST[shape], MOST[shape] + 1):
        points = layout(shape, number, 0.7)
        nearest = [min(math.dist(a, b) for j, b in enumerate(points) if j != i) for i, a in enumerate(points)]
        assert nearest == pytest.approx([0.7] * number)
        for turn in rng.uniform(-math.pi, math.pi, 3):
            turned = points @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
            moved = turned + rng.uniform(-3, 3, 2) + rng.uniform(-0.04, 0.04, points.shape)
            assert forms(shape, rng.permutation(moved))


@pytest.mark.parametrize(
    ("shape", "points", "formed"),
    [
        (ROW, [(0, 0), (0.5, 0.1), (1, 0)], True),
        (ROW, [(0, 0), (0.5, 0.5), (1, 0)], False),
        (ROW, [(0, 0), (0.5, 0), (2.5, 0)], False),
        (ROW, [(0, 0), (0.5, 0)], False),
        (TRIANGLE, [(0, 0), (0.6, 0), (0.3, 0.5)], True),
        (TRIANGLE, [(0, 0), (0.6, 0), (0.3, 0.05)], False),
        (SQUARE, [(0, 0), (0.6, 0), (0.6, 0.6), (0, 0.6)], True),
        (SQUARE, [(0, 0), (0.6, 0.2), (1.2, 0), (0.6, -0.2)], False),
        (SQUARE, [(0, 0), (2.0, 0), (2.0, 0.4), (0, 0.4)], False),
        (CIRCLE, AROUND, True),
        (CIRCLE, [(math.cos(a), math.sin(a)) for a in np.linspace(0, math.pi / 2, 5)], False),
        (CIRCLE, 3 * np.array(AROUND), False),  # too wide for anybody to see one
    ],
)
def test_what_only_resembles_a_shape_is_none(shape: str, points: list, formed: bool) -> None:
    assert forms(shape, np.array(points)) == formed


def test_order_along_a_row_by_size() -> None:
    order = order_in_row(np.array([(1.0, 1.0), (0.0, 0.0), (0.5, 0.52)]))
    assert order.tolist() in ([1, 2, 0], [0, 2, 1])
    assert is_sorted([0.3, 0.1, 0.2], order) and not is_sorted([0.1, 0.2, 0.3], order)
