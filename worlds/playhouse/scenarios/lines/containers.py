"""Put things into something, and take them out."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario, in_turn

LINES = (
    Scenario(
        0,
        "Add the circular objects into the green bin in play room",
        Asks("put in", things="the circular objects in the playroom", target="the green bin in the playroom"),
        house=(
            "a large green bin on the floor in the playroom",
            "2 small circular objects on the floor in the playroom",
        ),
    ),
    Scenario(
        11,
        "Add any 2 same color objects into cyan bin in bedroom",
        Asks("scenario: put in alike", things="2 objects in the bedroom", target="the cyan bin in the bedroom"),
        house=(
            "a large cyan bin on the floor in the bedroom",
            "2 small red objects on the floor in the bedroom",
            "2 small yellow objects on the floor in the bedroom",
        ),
    ),
    Scenario(
        23,
        "Remove all objects from the box which is in green color in play room",
        Asks("take out", things="all objects in the green box in the playroom", target="the green box in the playroom"),
        house=("a large green box on the floor in the playroom", "2 small objects in the green box in the playroom"),
    ),
    Scenario(
        70,
        "Remove all objects from the bin in play room",
        Asks("take out", things="all objects in the bin in the playroom", target="the bin in the playroom"),
        house=("a medium bin on the floor in the playroom", "a small object in the bin in the playroom"),
    ),
    Scenario(
        75,
        "Remove the objects from the bin box in bed room?",
        Asks("take out", things="all objects in the bin in the bedroom", target="the bin in the bedroom"),
        house=("a medium bin on the floor in the bedroom", "a small object in the bin in the bedroom"),
    ),
    Scenario(
        91,
        "Place the yellow balls in the white bin",
        Asks("put in", things="the yellow balls in this room", target="the white bin in this room"),
        house=("a large white bin on the floor in the playroom", "2 small yellow balls on the floor in the playroom"),
    ),
    Scenario(
        96,
        "Add two books in the box",
        Asks("put in", things="2 books in this room", target="the box in this room"),
        house=("a large box on the floor in the playroom", "3 small books on the floor in the playroom"),
    ),
    Scenario(
        120,
        "Remove the rectangular object from box",
        Asks("take out", things="the rectangular object in the box", target="the box in this room"),
        house=("a large box on the floor in the playroom", "a small rectangular object in the box in the playroom"),
    ),
    Scenario(
        128,
        "Put the paper roll in the bathtub and then lift the soap bar in restroom.",
        in_turn(
            Asks("put in", things="the paper roll in the bathroom", target="the bathtub in the bathroom"),
            Asks("pick up", things="the soap in the bathroom"),
        ),
        house=(
            "a bathtub in the bathroom",
            "a tissue roll on the floor in the bathroom",
            "a soap on the floor in the bathroom",
        ),
    ),
    Scenario(
        149,
        "Add the train toy into the green bin?",
        Asks("put in", things="the train toy in this room", target="the green bin in this room"),
        house=("a large green bin on the floor in the playroom", "a small train engine on the floor in the playroom"),
    ),
    Scenario(
        156,
        "Add tennis ball into bin in play room",
        Asks("put in", things="a tennis ball in the playroom", target="the bin in the playroom"),
        house=("a bin on the floor in the playroom", "a tennis ball on the floor in the playroom"),
    ),
)
