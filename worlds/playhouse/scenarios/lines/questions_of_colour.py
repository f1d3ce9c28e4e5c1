"""What colour is it, and is it larger: questions of colour and of size."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario, question

LINES: tuple[Scenario, ...] = (
    question(
        1,
        "Is bed larger,smaller or same size as sofa in bed room?",
        Asks("compare sizes", of="the bed in the bedroom", and_of="the sofa in the bedroom"),
        ("a bed in the bedroom", "a sofa in the bedroom"),
    ),
    question(
        4,
        "What is color of chest which is near me",
        Asks("color of", of="the chest near me"),
        ("a chest in the playroom",),
        setter="near the chest in the playroom",
    ),
    question(
        45,
        "Compare table and rack and tell which one is larger, smaller or they of same size",
        Asks("compare sizes", of="the table in this room", and_of="the rack in this room"),
        ("a table in the playroom", "a rack in the playroom"),
    ),
    question(
        59,
        "Whether 2 drum have same color or different color in purple room?",
        Asks("same color", of="drums in the purple playroom"),
        ("a purple playroom", "2 drums in the playroom"),
    ),
    question(
        69,
        "What is the color of the footrest in living room?",
        Asks("color of", of="the footrest in the living room"),
        ("a footrest on the floor in the living room",),
    ),
    question(
        102,
        "What is the color of the object in the wall frame near the arm chair in living room",
        Asks("color of", of="the object in the wall frame near the armchair in the living room"),
        (
            "an armchair in the living room",
            "a wall frame in the living room",
            "a small object in the wall frame in the living room",
        ),
    ),
    question(
        105,
        "What is the color of rack?",
        Asks("color of", of="the rack in this room"),
        ("a rack in the playroom",),
    ),
    question(
        123,
        "The rack and wardrobe in living room have same color or different",
        Asks("same color", of="the rack in the living room", and_of="the small wardrobe in the living room"),
        ("a rack in the living room", "a small wardrobe in the living room"),
    ),
    question(
        141,
        "What is color of rack in living room",
        Asks("color of", of="the rack in the living room"),
        ("a rack in the living room",),
    ),
    question(
        148,
        "What is the color of rack in bed room ..",
        Asks("color of", of="the rack in the bedroom"),
        ("a rack in the bedroom",),
    ),
)
