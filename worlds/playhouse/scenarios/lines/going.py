"""Stand somewhere, go somewhere."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario

LINES = (
    Scenario(
        17,
        "To go dining table in living room",
        Asks("go somewhere", place="near the dining table in the living room"),
        house=("a dining table in the living room",),
        solver="bedroom",
    ),
    Scenario(
        51,
        "Stand far from me",
        Asks("stand by", place="far from me"),
        room="living room",
        solver="living room",
    ),
    Scenario(
        103,
        "Stand in between two chest which are in front of me",
        Asks("stand by", place="between the chests in this room"),
        house=("a chest in the playroom", "a chest in the playroom"),
        faces="the chests in this room",
    ),
    Scenario(
        125,
        "Go and stand opposit eto me",
        Asks("stand by", place="in front of me"),
        room="living room",
        solver="living room",
    ),
    Scenario(
        154,
        "Find white colored robot in this house and go near to it",
        Asks("go somewhere", place="near the white robot"),
        house=("a white robot on the floor in the bedroom",),
        room="living room",
        solver="living room",
    ),
)
