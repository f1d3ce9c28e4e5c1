"""Declared spaces of several kinds of worlds, for tests of what carries all of them."""

from __future__ import annotations

from rlhf.records.spaces import EpisodeSpaces, playhouse_spaces
from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.observation import (
    Category,
    Entities,
    Grid,
    Image,
    ObservationSpec,
    PlayerSpec,
    Vector,
)

_SPEAKER = ActionSpec((), speech=FreeText())  # who only speaks
_TURNS = Discrete("act", ("left", "right", "forward", "pickup", "drop", "toggle", "done"), neutral=6)

GRID = EpisodeSpaces(  # as BabyAI
    PlayerSpec(ObservationSpec(grid=Grid(7, 7, (11, 6, 3)), texts=("mission",)), ActionSpec((_TURNS,))), _SPEAKER
)
ENTITIES = EpisodeSpaces(  # as a household of hundreds of things
    PlayerSpec(
        ObservationSpec(
            entities=Entities(200, (Category("class", 300), Category("state", 4)), ("x", "y", "z"), ("x", "y", "z")),
            texts=("inventory", "room"),
        ),
        ActionSpec(
            (Discrete("verb", ("wait", "grab", "open", "put")), Pointer("thing", 200)),
            2,
            speech=FreeText(),
            masked=True,
        ),
    ),
    _SPEAKER,
)
CONTINUOUS = EpisodeSpaces(  # as the Adroit door, without a word
    PlayerSpec(
        ObservationSpec(vector=Vector(39)), ActionSpec(tuple(Continuous(f"joint {i}", -1.0, 1.0) for i in range(28)))
    ),
    ActionSpec(()),
)
MIXED = EpisodeSpaces(  # everything at once, and what nobody thinks of
    PlayerSpec(
        ObservationSpec(
            Image(5, 6, channels=6),
            Grid(2, 3, (20_000,)),
            Entities(3, (Category("class", 9),)),
            Vector(1),
            ("step", "a.b"),
        ),
        ActionSpec(
            (Continuous("speed", -2.0, 0.5), Discrete("gear", tuple(f"gear {i}" for i in range(130)), 7)),
            3,
            speech=Grammar((("where is", "help"), ("Jack", ""))),
        ),
    ),
    ActionSpec((Continuous("wind", 0.0, 1e-3), Discrete("lamp", ("off", "on"))), 2, masked=True),
)
GREY = EpisodeSpaces(PlayerSpec(ObservationSpec(Image(4, 5, channels=1)), ActionSpec((_TURNS,))), ActionSpec((_TURNS,)))
PLAYHOUSE = playhouse_spaces(4, 5)
SPACES = {
    "playhouse": PLAYHOUSE, "grid": GRID, "entities": ENTITIES, "continuous": CONTINUOUS, "mixed": MIXED, "grey": GREY,
}  # fmt: skip
