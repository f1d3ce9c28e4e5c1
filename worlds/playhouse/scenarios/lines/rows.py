"""Arrange things in a row."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Scenario, arranged

LINES = (
    Scenario(
        3,
        "Place the chairs on the floor in a row in the living room",
        arranged("row", "3 mini chairs in the living room", floor=True),
        house=("3 mini chairs on the floor in the living room",),
    ),
    Scenario(
        13,
        "Put any three objects in a row",
        arranged("row", "3 objects in this room"),
        house=("5 objects on the floor in the playroom",),
    ),
    Scenario(
        16,
        "Make a single row uisng small bjects in living room.",
        arranged("row", "3 small objects in the living room"),
        house=("4 small objects on the floor in the living room",),
    ),
    Scenario(
        21,
        "Arrange a row with the white color objects on the floor in the living area",
        arranged("row", "3 white objects in the living room", floor=True),
        house=("3 white objects on the floor in the living room",),
    ),
    Scenario(
        24,
        "Arrange 3 objects in ascending order rule in living room",
        arranged("row", "3 objects in the living room", by_size=True),
        house=(
            "a small object on the floor in the living room",
            "a medium object on the floor in the living room",
            "a large object on the floor in the living room",
        ),
    ),
    Scenario(
        42,
        "Make a row using white colour objects in the living room",
        arranged("row", "3 white objects in the living room"),
        house=("4 white objects on the floor in the living room",),
    ),
    Scenario(
        55,
        "Form a row with green color objects in living room",
        arranged("row", "3 green objects in the living room"),
        house=("3 green objects on the floor in the living room",),
    ),
    Scenario(
        63,
        "Arrange four tissues in a row",
        arranged("row", "4 tissue rolls"),
        house=("4 tissue rolls on the floor in the bathroom",),
    ),
    Scenario(
        66,
        "Move the eatable objects into a row",
        arranged("row", "3 eatable objects in this room"),
        house=("3 eatable objects on the floor in the pantry",),
    ),
    Scenario(
        82,
        "Place the one circular. one pointy, one rectangular object in a row on floor in living room.",
        arranged(
            "row",
            "1 circular object in the living room",
            "1 pointy object in the living room",
            "1 rectangular object in the living room",
            floor=True,
        ),
        house=(
            "a circular object on the floor in the living room",
            "a pointy object on the floor in the living room",
            "a rectangular object on the floor in the living room",
        ),
    ),
    Scenario(
        87,
        "Place three white objects in a row in playroom?",
        arranged("row", "3 white objects in the playroom"),
        house=("4 white objects on the floor in the playroom",),
    ),
    Scenario(
        88,
        "Move three rectangular objects into a row on the floor in living room",
        arranged("row", "3 rectangular objects in the living room", floor=True),
        house=("3 rectangular objects on the floor in the living room",),
    ),
    Scenario(
        110,
        "Make a row on floor with 3 books and 3 potted plants in the living room",
        arranged("row", "3 books in the living room", "3 potted plants in the living room", floor=True),
        house=(
            "3 small books on the floor in the living room",
            "3 small potted plants on the floor in the living room",
        ),
    ),
    Scenario(
        117,
        "Make a row with 3 different colour objects in living room",
        arranged("row", "3 objects in the living room", likeness={"colour": "different"}),
        house=(
            "a red object on the floor in the living room",
            "a yellow object on the floor in the living room",
            "2 blue objects on the floor in the living room",
        ),
    ),
    Scenario(
        133,
        "Place three pillows in a row on floor",
        arranged("row", "3 pillows in this room", floor=True),
        house=("3 pillows on the floor in the bedroom",),
    ),
    Scenario(
        134,
        "Arrange four objects in a line on floor",
        arranged("row", "4 objects in this room", floor=True),
        house=("5 objects on the floor in the playroom",),
    ),
    Scenario(
        136,
        "Put three red objects in a row on the floor small to big?",
        arranged("row", "3 red objects in this room", floor=True, by_size=True),
        house=(
            "a small red object on the floor in the playroom",
            "a medium red object on the floor in the playroom",
            "a large red object on the floor in the playroom",
        ),
    ),
    Scenario(
        140,
        "Put three objects on top of bath tub plank n a row",
        arranged("row", "3 objects in the bathroom", target="the bathtub plank in the bathroom"),
        house=(
            "a bathtub in the bathroom",
            "a bathtub plank in the bathroom",
            "2 small soaps on the floor in the bathroom",
            "a small tissue roll on the floor in the bathroom",
        ),
    ),
    Scenario(
        157,
        "Make a row of 3 boats in bedroom",
        arranged("row", "3 boats in the bedroom"),
        house=("3 boats on the floor in the bedroom",),
    ),
)
