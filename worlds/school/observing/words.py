"""What an agent sees of the school in words, for language models: a line for every thing in view, the nearest first."""

from __future__ import annotations

import numpy as np

from worlds.school.grid.codes import (
    ANTAGONISTIC,
    COLOURS,
    EMPTY,
    NO_OP,
    NONE,
    OBJECTS,
    PEER,
    PEER_ACTS,
    POINT_EAST,
    UNSEEN,
    VIEW,
    WALL,
)

_COLOUR = {number: name for name, number in COLOURS.items()}
_OBJECT = {number: name for name, number in OBJECTS.items()}
_NAMES = {
    "npc": "peer",
    "lockablebox": "box",
    "applegenerator": "generator",
    "generatorplatform": "platform",
    "marbletee": "marble tee",
    "remotedoor": "remote door",
}
# By object, words for the channel of its state; the empty word says nothing.
_STATES: dict[str, dict[int, str]] = {
    "door": {0: "open", 1: "closed", 2: "locked"},
    "remotedoor": {0: "open", 1: "closed"},
    "lockablebox": {1: "closed", 2: "locked"},
    "switch": {0: "", 1: "lit"},
    "lever": {0: "", 1: "pulled"},
    "applegenerator": {1: "square", 2: "round"},
}
_COLOURLESS = ("wall", "fence", "floor")
# Directions of gaze and of pointing, relative to the agent: towards it, to its left, where it looks, to its right.
_GAZE = ("facing you", "facing to your left", "facing away from you", "facing to your right")
_POINT = ("towards you", "to your left", "ahead of you", "to your right")


def surroundings(view: np.ndarray) -> str:
    """Return what is in view, in words, e.g. "a closed blue box 2 steps ahead and 1 step to the left".

    Empty cells and cells that are not seen are left out, and so are walls, but for one right before the agent.
    """
    found = []
    for column, row in np.argwhere((view[..., 0] != UNSEEN) & (view[..., 0] != EMPTY)).tolist():
        ahead, right = VIEW - 1 - row, column - VIEW // 2
        cell = view[column, row].tolist()
        if (ahead, right) == (0, 0) or (cell[0] == WALL and (ahead, right) != (1, 0)):
            continue
        found.append((ahead + abs(right), ahead, right, f"{_thing(cell)} {_place(ahead, right)}"))
    return "\n".join(line for *_, line in sorted(found)) or "nothing"


def _thing(cell: list[int]) -> str:
    """Return an object of CHANNELS numbers in words, with its article."""
    name = _OBJECT[cell[0]]
    if cell[0] == PEER:
        return _peer(cell)
    if name == "apple":
        return "an eaten apple" if cell[1] == COLOURS["yellow"] else "an apple"
    state = _STATES.get(name, {}).get(cell[2], "")
    colour = "" if name in _COLOURLESS else _COLOUR[cell[1]]
    return _with_article(" ".join(filter(None, (state, colour, _NAMES.get(name, name)))))


def _peer(cell: list[int]) -> str:
    """Return the peer in words: kind, where it looks and points, and what it has just done."""
    _, colour, kind, gaze, point, act = cell
    said = [_with_article(f"{_COLOUR[colour]} {'guard' if kind == ANTAGONISTIC else 'peer'}"), _GAZE[gaze]]
    if point != NONE:
        said.append(f"pointing {_POINT[point]}")
    elif act != NO_OP and act < POINT_EAST:
        said.append(f"who just did {PEER_ACTS[act].replace('_', ' ')}")
    return ", ".join(said) + ","


def _place(ahead: int, right: int) -> str:
    """Return a place in words, e.g. "right in front of you" or "2 steps ahead and 1 step to the left"."""
    if (ahead, right) == (1, 0):
        return "right in front of you"
    if ahead == 0 and abs(right) == 1:
        return f"right beside you, to the {_side(right)}"
    parts = [f"{_steps(ahead)} ahead"] if ahead else []
    return " and ".join(parts + ([f"{_steps(abs(right))} to the {_side(right)}"] if right else []))


def _steps(count: int) -> str:
    return f"{count} step" + "s" * (count != 1)


def _side(right: int) -> str:
    return "right" if right > 0 else "left"


def _with_article(words: str) -> str:
    return ("an " if words[0] in "aeiou" else "a ") + words
