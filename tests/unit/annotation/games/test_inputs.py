"""From keys and mouse to bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.games.inputs import MOST_LINES, MOST_MOUSE, Hands, Inputs, Key, printable
from worlds.contract import (
    FULL_BODY,
    FULL_MOVEMENT,
    MOVEMENT,
    MOVEMENT_BINS,
    MOVEMENT_NAMES,
    UTTERANCE_MAX_CHARS,
    neutral_movement,
)

FORWARD, STRAFE, TURN, LOOK, HAND, REACH = range(len(MOVEMENT))


def pressed(hands: Hands, *keys: Key, **more: Any) -> Hands:
    """Hands that hold these keys and no others."""
    hands.give(Inputs(held=frozenset(keys), **more))
    return hands


def ticks(hands: Hands, count: int) -> np.ndarray:
    return np.stack([hands.tick() for _ in range(count)])


def values(rows: np.ndarray, component: int) -> list[float]:
    return np.array(MOVEMENT[component].values)[rows[:, component]].tolist()


@pytest.mark.parametrize(
    ("key", "component", "value"),
    [
        (Key.FORWARD, FORWARD, 1.0), (Key.BACK, FORWARD, -1.0), (Key.LEFT, STRAFE, -1.0), (Key.RIGHT, STRAFE, 1.0),
        (Key.TURN_LEFT, TURN, 1.0), (Key.TURN_RIGHT, TURN, -1.0), (Key.LOOK_UP, LOOK, 1.0), (Key.LOOK_DOWN, LOOK, -1.0),
        (Key.PUSH, REACH, 1.0), (Key.PULL, REACH, -1.0), (Key.GRAB, HAND, 1.0),
    ],
)  # fmt: skip
def test_each_key_moves_its_component_alone_for_as_long_as_it_is_held(key, component, value):
    hands = Hands()
    rows = ticks(pressed(hands, key), 3)
    assert values(rows, component) == [value] * 3
    assert (np.delete(rows, component, axis=1) == np.delete(neutral_movement()[:3], component, axis=1)).all()
    after = values(ticks(pressed(hands), 2), component)
    assert after == ([2.0, 0.0] if key is Key.GRAB else [0.0, 0.0]), "a hand that lets go releases once"


def test_opposite_keys_cancel_and_slow_turns_slowly():
    row = ticks(pressed(Hands(), Key.FORWARD, Key.BACK, Key.TURN_LEFT, Key.SLOW), 1)
    assert values(row, FORWARD) == [0.0] and values(row, TURN) == [0.3]


def test_a_tap_between_two_ticks_is_not_lost_and_counts_once():
    hands = Hands()
    hands.give(Inputs(tapped=frozenset({Key.FORWARD, Key.GRAB})))
    rows = ticks(pressed(hands), 3)
    assert values(rows, FORWARD) == [1.0, 0.0, 0.0] and values(rows, HAND) == [1.0, 2.0, 0.0]


@given(asked=st.floats(-7.9, 7.9), name=st.sampled_from(["turn", "look"]))
def test_turns_follow_the_mouse_up_to_half_a_bin(asked, name):
    turned = np.array(values(ticks(pressed(Hands(), **{name: asked}), 12), MOVEMENT_NAMES.index(name)))
    assert abs(turned.sum() - asked) <= (0.15 if name == "turn" else 0.5) + 1e-9
    assert (turned * asked >= 0.0).all(), "never the other way"


@given(st.lists(st.floats(-0.4, 0.4), min_size=20, max_size=60))
def test_small_movements_add_up(moves):
    hands = Hands()
    turned = sum(values(ticks(pressed(hands, turn=move), 1), TURN)[0] for move in moves)
    assert abs(turned - sum(moves)) <= 0.9


def test_a_flick_ends_soon_and_nonsense_is_dropped():
    hands = Hands()
    for turn in (1e9, float("nan"), float("inf")):
        pressed(hands, turn=turn)
    turned = values(ticks(hands, 20), TURN)
    assert sum(turned) == MOST_MOUSE and turned[-1] == 0.0


def test_a_key_overrides_the_mouse():
    hands = Hands()
    assert values(ticks(pressed(hands, Key.TURN_RIGHT, turn=5.0), 2), TURN) == [-1.0, -1.0]
    assert not any(values(ticks(pressed(hands), 3), TURN))


def test_a_lost_player_stands_still_and_keeps_hold():
    hands = pressed(Hands(), Key.FORWARD, Key.GRAB, turn=5.0)
    hands.tick()
    hands.rest()
    rows = ticks(hands, 2)
    assert not any(values(rows, FORWARD)) and not any(values(rows, TURN))
    assert values(rows, HAND) == [1.0, 1.0]


def test_a_hand_that_only_watches_drops_nothing_when_it_takes_over():
    hands = pressed(Hands(), Key.GRAB)
    hands.tick()
    hands.watch()
    hands.give(Inputs(turn=5.0, tapped=frozenset({Key.FORWARD})))
    hands.watch()
    assert (ticks(hands, 4) == neutral_movement()[:4]).all()


@given(st.lists(st.tuples(st.frozensets(st.sampled_from(Key)), st.floats(allow_nan=True)), max_size=20))
def test_every_row_is_a_movement(many):
    hands = Hands()
    for keys, mouse in many:
        row = pressed(hands, *keys, turn=mouse, look=-mouse, reach=mouse).tick()
        assert row.dtype == np.int8 and (row >= 0).all() and (row < MOVEMENT_BINS).all()


def test_lines_are_said_one_a_step_in_any_language():
    hands = Hands()
    for line in ("", "   ", "lift  the\nduck", "\x00\x1b[31m", "größer? 日本 ok"):
        hands.give(Inputs(say=line))
    assert [hands.line() for _ in range(4)] == ["lift the duck", "[31m", "größer? 日本 ok", ""]
    for number in range(50):
        hands.give(Inputs(say=str(number)))
    assert sum(bool(hands.line()) for _ in range(50)) == MOST_LINES
    assert len(printable("x" * 999)) == UTTERANCE_MAX_CHARS


def full_hands_row(hands: Hands, **inputs) -> dict[str, str]:
    """Return what is not neutral in the next tick, by component."""
    hands.give(Inputs(**inputs))
    moved = zip(FULL_MOVEMENT, hands.tick(), strict=True)
    return {part.name: part.bins[value] for part, value in moved if value != part.neutral}


def test_full_hands_rotate_by_keys_that_simple_hands_ignore():
    down = frozenset({Key.TILT_AWAY, Key.SPIN_RIGHT, Key.ROLL_RIGHT, Key.FORWARD})
    rotated = {"forward": "forward", "tilt": "forward", "spin": "back", "roll": "forward"}
    assert full_hands_row(Hands(FULL_BODY), held=down) == rotated
    simple = ticks(pressed(Hands(), *down, Key.THROW), 1)
    assert (simple == ticks(pressed(Hands(), Key.FORWARD), 1)).all()


def test_a_thrown_thing_is_not_grabbed_out_of_the_air():
    hands, grab = Hands(FULL_BODY), frozenset({Key.GRAB})
    assert full_hands_row(hands, held=grab) == {"hand": "grab"}
    assert full_hands_row(hands, held=grab, tapped=frozenset({Key.THROW})) == {"hand": "throw"}
    assert full_hands_row(hands, held=grab) == {}, "the button is still down"
    assert full_hands_row(hands) == {}, "and nothing is left to release"
    assert full_hands_row(hands, held=grab) == {"hand": "grab"}
