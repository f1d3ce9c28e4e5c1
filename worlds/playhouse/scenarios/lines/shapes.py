"""Arrange things in a triangle, a square or a circle."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Scenario, arranged

LINES = (
    Scenario(
        9,
        "Form a triangle with white objects near to white furniture in the living room",
        arranged("triangle", "3 white objects in the living room", place="near the white sofa in the living room"),
        house=("a white sofa in the living room", "3 white objects on the floor in the living room"),
    ),
    Scenario(
        15,
        "Take books and form a triangle",
        arranged("triangle", "3 books in this room"),
        house=("4 books on the floor in the playroom",),
    ),
    Scenario(
        74,
        "Form a circle of objects in pantry",
        arranged("circle", "4 objects in the pantry"),
        house=("4 small objects on the floor in the pantry",),
    ),
    Scenario(
        95,
        "Form a triangle with blocks in play room",
        arranged("triangle", "3 blocks in the playroom"),
        house=("3 blocks on the floor in the playroom",),
    ),
    Scenario(
        101,
        "Make a circle with the objects on the floor in the play area",
        arranged("circle", "4 objects in the playroom", floor=True),
        house=("5 objects on the floor in the playroom",),
    ),
    Scenario(
        112,
        "Take 4 books and form a square in living room",
        arranged("square", "4 books in the living room"),
        house=("4 books on the floor in the living room",),
    ),
    Scenario(
        113,
        "Form a circle with the few items in the living room",
        arranged("circle", "4 items in the living room"),
        house=("5 objects on the floor in the living room",),
    ),
    Scenario(
        118,
        "Arrange 4 pointy objects in a square shape in the bed room",
        arranged("square", "4 pointy objects in the bedroom"),
        house=("4 pointy objects on the floor in the bedroom",),
    ),
    Scenario(
        130,
        "Make a triangle by using 2 square objects and 1 rectangular object in the same room as bed exists in the room",
        arranged("triangle", "2 square objects in the bedroom", "1 rectangular object in the bedroom"),
        house=(
            "a bed in the bedroom",
            "2 blocks on the floor in the bedroom",
            "a book on the floor in the bedroom",
        ),
    ),
    Scenario(
        131,
        "Form a triangle by using 3 books in the living room",
        arranged("triangle", "3 books in the living room"),
        house=("3 books on the floor in the living room",),
    ),
    Scenario(
        138,
        "Form a circle with the objects in the bedroom",
        arranged("circle", "4 objects in the bedroom"),
        house=("4 objects on the floor in the bedroom",),
    ),
    Scenario(
        142,
        "Form a triangle shape on bedroom floor by using cushions",
        arranged("triangle", "3 cushions in the bedroom", floor=True),
        house=("3 pillows on the floor in the bedroom",),
    ),
)
