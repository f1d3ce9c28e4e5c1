"""A step of both persons at once."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.household.navigation.ways import Ways
from worlds.household.rules.effects import Scene, take_effect
from worlds.household.rules.refusals import Refusal, refusal, sentence
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.tables import Tables, in_hand, tables
from worlds.household.state.vocabulary import Held, Verb

Act = tuple[int, int, int]  # verb, row of the thing pointed at or NO_ROW, and RIGHT_HAND or LEFT_HAND
WAITING: Act = (Verb.WAIT, NO_ROW, Held.RIGHT_HAND)
_TOUCHING = frozenset(Verb) - {
    Verb.WAIT, Verb.TURN_LEFT, Verb.TURN_RIGHT, Verb.WALK_FORWARD, Verb.WALK_TOWARDS, Verb.STAND,
}  # fmt: skip


def apply(
    home: Home, state: State, ways: Ways, actions: Sequence[Act], seed: int = 0, full: bool = False
) -> tuple[str, str]:
    """Play one step: both persons act in ``state``. Return why each action failed, in words; "" for one that succeeded.

    An action with a failed precondition changes nothing. If both are possible and touch the same thing, pointed at or
    in the acting hand, only one person acts, chosen by ``seed`` and the step; if that one finds no free place, the
    other does. Otherwise the setter's action takes effect first, then the solver's if it is still possible.
    """
    scene = Scene(home, state, tables(home, state), ways)
    # Members of enumerations are slow to pass to compiled code.
    actions = [(int(verb), int(row), int(hand)) for verb, row, hand in actions]
    refusals: list[int] = [_refusal(scene.t, number, act, full) for number, act in enumerate(actions)]
    if not any(refusals) and _touched(scene.t, 0, actions[0]) & _touched(scene.t, 1, actions[1]):
        first = drawn(seed, state.step)
        refusals[first] = take_effect(scene, first, *actions[first])
        other = 1 - first
        refusals[other] = take_effect(scene, other, *actions[other]) if refusals[first] else Refusal.OTHER_FIRST
    else:
        for number, act in enumerate(actions):
            if number == 1 and not refusals[0] and not refusals[1]:
                refusals[1] = _refusal(scene.t, 1, act, full)
            if not refusals[number]:
                refusals[number] = take_effect(scene, number, *act)
    state.step += 1
    return _words(home, actions[0], refusals[0]), _words(home, actions[1], refusals[1])


def why_not(home: Home, state: State, number: int, act: Act, full: bool = False) -> str:
    """Return why an action is not possible now, in words for the person; "" if no precondition fails.

    Free places and the floor plan are not asked.
    """
    return _words(home, act, _refusal(tables(home, state), number, act, full))


def drawn(seed: int, step: int) -> int:
    """Return the number of the person who acts where both touch the same thing; fair, and the same at every replay."""
    mixed = (seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & _WORD
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ mixed >> shift) * factor & _WORD
    return (mixed ^ mixed >> 31) & 1


_WORD = (1 << 64) - 1


def _refusal(t: Tables, number: int, act: Act, full: bool) -> int:
    return refusal(t, t.persons[number], *map(int, act), full)


def _touched(t: Tables, number: int, act: Act) -> set[int]:
    """Return the rows that an action touches: what it points at, and what is put."""
    verb, row, hand = act
    if verb not in _TOUCHING:
        return set()
    return {row, in_hand(t, t.persons[number], hand)} if verb in (Verb.PUT_ON, Verb.PUT_IN) else {row}


def _words(home: Home, act: Act, why: int) -> str:
    return sentence(home, why, *act[1:]) if why else ""
