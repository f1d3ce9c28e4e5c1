"""Build a tower."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Scenario, tower

LINES = (
    Scenario(
        2,
        "Build a tower with white objects in the living room",
        tower("2 white objects in the living room"),
        house=("2 white blocks on the floor in the living room", "a white book on the floor in the living room"),
    ),
    Scenario(
        5,
        "Build tower with tissue rolls",
        tower("2 tissue rolls"),
        house=("3 tissue rolls on the floor in the bathroom",),
    ),
    Scenario(
        8,
        "Built a tower using soap,book and tissue roil which is in restroom",
        tower("1 soap in the bathroom", "1 book in the bathroom", "1 tissue roll in the bathroom"),
        house=(
            "a small soap on the floor in the bathroom",
            "a book on the floor in the bathroom",
            "a tissue roll on the floor in the bathroom",
        ),
    ),
    Scenario(
        36,
        "Build a tower with books in living area",
        tower("2 books in the living room"),
        house=("4 books on the floor in the living room",),
    ),
    Scenario(
        61,
        "Build a tower with three different colored and same type of rectangular objects.",
        tower("3 rectangular objects in this room", colour="different", kind="same"),
        house=(
            "a red book on the floor in the playroom",
            "a blue book on the floor in the playroom",
            "a white book on the floor in the playroom",
            "a green block on the floor in the playroom",
        ),
    ),
    Scenario(
        81,
        "Build a tower in the rest room?",
        tower("2 objects in the bathroom"),
        house=("2 soaps on the floor in the bathroom", "2 blocks on the floor in the bathroom"),
    ),
    Scenario(
        139,
        "Build a tower with four different objects in living room.",
        tower("4 objects in the living room", kind="different"),
        house=(
            "a large book on the floor in the living room",
            "a block on the floor in the living room",
            "a plate on the floor in the living room",
            "a small mug on the floor in the living room",
        ),
    ),
)
