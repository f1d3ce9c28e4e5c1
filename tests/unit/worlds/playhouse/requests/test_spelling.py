"""Words as people type them are set right, and words that are right stay as they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.playhouse.requests.lexicon import vocabulary
from worlds.playhouse.requests.reading import words_of
from worlds.playhouse.requests.spelling import edits

LETTERS = st.text(alphabet="abcde", max_size=7)


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("wardrode", "wardrobe"),
        ("tissue roil", "tissue roll"),
        ("small bjects", "small objects"),
        ("living romm", "living room"),
        ("sofa  in   bed room?", "sofa in bedroom"),
        ("bath tub", "bathtub"),
        ("arm chair", "armchair"),
        ("basket ball", "basketball"),
        ("red colour   ball.", "red color ball"),
        ("the ball isn’t on the table", "the ball is not on the table"),
        ("what's left of me", "what is left of me"),
        ("n the floor", "in the floor"),
        ("opposit to me", "opposite to me"),
        ("flys in the air", "flies in the air"),
        ("pore water on", "pour water on"),
        ("infront of the sofa", "in front of the sofa"),
    ],
)
def test_slips_of_people_are_set_right(typed: str, right: str) -> None:
    assert " ".join(words_of(typed, frozenset({"what"}))) == right


@given(LETTERS, LETTERS)
def test_edit_distance_is_that_of_the_recursive_definition(a: str, b: str) -> None:
    """Computed here from the definition, without a table."""

    def distance(i: int, j: int) -> int:
        if min(i, j) == 0:
            return max(i, j)
        if (i, j) not in known:
            options = [distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                options.append(distance(i - 2, j - 2) + 1)
            known[i, j] = min(options)
        return known[i, j]

    known: dict[tuple[int, int], int] = {}
    assert edits(a, b) == edits(b, a) == distance(len(a), len(b))


def test_most_single_slips_in_long_words_are_set_right() -> None:
    rng, long = np.random.default_rng(0), [word for word in sorted(vocabulary()) if len(word) >= 6]
    right = 0
    for word in long:
        at = int(rng.integers(1, len(word) - 1))
        right += words_of(word[:at] + word[at + 1 :]) == [word]
    assert right / len(long) > 0.95
