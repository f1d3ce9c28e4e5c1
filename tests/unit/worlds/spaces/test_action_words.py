"""Actions in words, by declared names."""

from __future__ import annotations

import numpy as np

from worlds.spaces.action import ActionSpec, Continuous, Discrete, Pointer
from worlds.spaces.action_words import action_words

VERB = Discrete("verb", ("wait", "go", "take"))


def test_several_components_are_named_where_they_do_something() -> None:
    action = ActionSpec((VERB, Pointer("thing", 3), Continuous("force", -1, 1)))
    force = np.array([[0.25]], np.float32)
    assert action_words(action, np.array([[2, 3]], np.int8), force) == "verb take, thing 3, force 0.25"
    assert action_words(action, np.array([[0, 0]], np.int8), force) == "force 0.25"
    assert action_words(ActionSpec((VERB, Pointer("thing", 3))), np.array([[0, 0]], np.int8)) == "–"


def test_ticks_that_do_the_same_are_one() -> None:
    action = ActionSpec((VERB,), ticks=4)
    assert action_words(action, np.array([[1], [1], [2], [1]], np.int8)) == "go; take; go"
