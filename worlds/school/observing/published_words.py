"""What an agent sees of the school in the published code's words (paper, Figures 25 and 26), for comparison with it.

Spelling and grammar are those of the published sentences; doubled spaces are single ones here, as in the paper.
"""

from __future__ import annotations

import numpy as np

from worlds.school.grid.codes import COLOURS, EMPTY, NONE, OBJECTS, PEER, PEER_ACTS, UNSEEN, VIEW, WALL

_COLOUR = {number: name for name, number in COLOURS.items()}
_OBJECT = {number: name for name, number in OBJECTS.items()}
_OPEN = {0: "open", 1: "closed", 2: "locked"}
_STATES: dict[str, dict[int, str]] = {
    "lockablebox": _OPEN,
    "remotedoor": _OPEN,
    "door": _OPEN,
    "applegenerator": {1: "square", 2: "round"},
    "lever": {0: "unactivated", 1: "activated"},
}
_KINDS = ("friendly", "antagonistic")
_TOWARDS = ("towards you", "to the left of you", "in the same direction as you", "to the right of you")
_ACTS = {
    "go_forward": "foward",  # codespell:ignore foward
    "rotate_left": "turn left",
    "rotate_right": "turn right",
    "toggle_action": "toggle",
    "point_stop_point": "stop pointing",
    "stop_point": "stop pointing",
}


def published_surroundings(view: np.ndarray) -> str:
    """Return a line for every thing in view, e.g. "2 steps to the right there is a closed green lockablebox".

    Lines are in the order of the columns of the view from left to right, in each from the farthest to the nearest.
    Walls are left out.
    """
    lines = []
    for column, row in np.argwhere(~np.isin(view[..., 0], (UNSEEN, EMPTY, WALL))).tolist():
        ahead, right = VIEW - 1 - row, column - VIEW // 2
        if (ahead, right) != (0, 0):
            lines.append(f"{_place(ahead, right)} there is a {_thing(view[column, row].tolist())}")
    return "\n".join(lines)


def _place(ahead: int, right: int) -> str:
    side = "right" if right > 0 else "left"
    if (ahead, right) == (1, 0):
        return "Right in front of you"
    if (ahead, abs(right)) == (0, 1):
        return f"Just to the {side} of you"
    parts = [f"{ahead} steps in front of you"] if ahead else []
    return " and ".join([*parts, f"{abs(right)} steps to the {side}"] if right else parts)


def _thing(cell: list[int]) -> str:
    kind, colour, state, fourth = _OBJECT[cell[0]], _COLOUR[cell[1]], cell[2], cell[3]
    if cell[0] == PEER:
        return _peer(cell)
    words = " ".join([*([_STATES[kind][state]] if kind in _STATES else []), colour, kind])
    return f"{words} with {fourth} timesteps left." if kind == "lever" and fourth != NONE else words


def _peer(cell: list[int]) -> str:
    _, colour, kind, gaze, point, act = cell
    said = [f"{_KINDS[kind]} {_COLOUR[colour]} peer.", f"It is looking {_TOWARDS[gaze]}."]
    if point != NONE:
        said.append(f"It is pointing {_TOWARDS[point]}.")
    if act < len(PEER_ACTS) and PEER_ACTS[act] in _ACTS:
        said.append(f"It's last action is {_ACTS[PEER_ACTS[act]]}.")
    return " ".join(said)
