"""Numbers of objects, colours, directions and acts, as observations have them.

Those of MiniGrid keep their values. MiniGrid's own tables stay as they are: its wrappers count their entries, and its
environments draw colours from them, so that further entries would change what they observe.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from minigrid.core.constants import COLOR_TO_IDX, COLORS, OBJECT_TO_IDX

OBJECTS: Mapping[str, int] = MappingProxyType(
    dict(OBJECT_TO_IDX)
    | {
        "npc": 11,
        "switch": 12,
        "lockablebox": 13,
        "apple": 14,
        "applegenerator": 15,
        "generatorplatform": 16,
        "marble": 17,
        "marbletee": 18,
        "fence": 19,
        "remotedoor": 20,
        "lever": 21,
    }
)
COLOURS: Mapping[str, int] = MappingProxyType(dict(COLOR_TO_IDX) | {"brown": 6})
RGB: Mapping[str, np.ndarray] = MappingProxyType(dict(COLORS) | {"brown": np.array([82, 36, 19])})
COLOUR_NAMES = tuple(sorted(COLOURS))  # in the order in which n_colors takes the first

UNSEEN, EMPTY, WALL, PEER = OBJECTS["unseen"], OBJECTS["empty"], OBJECTS["wall"], OBJECTS["npc"]

EAST, SOUTH, WEST, NORTH = range(4)
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # (x, y) of one step in each direction

VIEW = 7  # cells of a side of what is observed
CHANNELS = 6  # of a cell: object, colour, and four that depend on the object; for the peer type, gaze, point, last act
NONE = 255  # pointing nowhere, no countdown

# Acts of the peer; their order is that of the last channel of its encoding.
PEER_ACTS = (
    "go_forward",
    "rotate_left",
    "rotate_right",
    "toggle_action",
    "point_stop_point",
    "point_E",
    "point_S",
    "point_W",
    "point_N",
    "stop_point",
    "no_op",
)
PEER_ACT_IDS: Mapping[str, int] = MappingProxyType({name: number for number, name in enumerate(PEER_ACTS)})
GO_FORWARD, ROTATE_LEFT, ROTATE_RIGHT, TOGGLE = range(4)
POINT_EAST, STOP_POINT, NO_OP = 5, 9, 10
FRIENDLY, ANTAGONISTIC = 0, 1  # types of a peer
