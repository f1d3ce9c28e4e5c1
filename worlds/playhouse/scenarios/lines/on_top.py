"""Put something on something else."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario, in_turn

LINES = (
    Scenario(
        12,
        "Put the train engine on the wardrode?",
        Asks("put on", things="the train engine", target="the small wardrobe in this room"),
        house=("a small wardrobe in the bedroom", "a train engine on the floor in the bedroom"),
    ),
    Scenario(
        28,
        "Place a pillow on the bed, in bed room",
        Asks("put on", things="a pillow on the floor in the bedroom", target="the bed in the bedroom"),
        house=("a bed in the bedroom", "2 pillows on the floor in the bedroom"),
    ),
    Scenario(
        38,
        "Place the bottle on the table in living romm/",
        Asks("put on", things="the bottle in the living room", target="the table in the living room"),
        house=("a table in the living room", "a bottle on the floor in the living room"),
    ),
    Scenario(
        56,
        "Put the bin on top of dining table",
        Asks("put on", things="the bin in this room", target="the dining table in this room"),
        house=("a dining table in the living room", "a medium bin on the floor in the living room"),
    ),
    Scenario(
        68,
        "Place the bus toy on the ledge of living room.",
        Asks("put on", things="the bus toy in the living room", target="the ledge in the living room"),
        house=("a ledge in the living room", "a small bus on the floor in the living room"),
    ),
    Scenario(
        79,
        "Place the siting object on table in this room",
        Asks("put on", things="the stool in this room", target="the table in this room"),
        house=("a table in the living room", "a small stool on the floor in the living room"),
    ),
    Scenario(
        94,
        "Place the grapes on the dining table and then place the lemon on the dining table in the living room",
        in_turn(
            Asks("put on", things="the grapes in the living room", target="the dining table in the living room"),
            Asks("put on", things="the lemon in the living room", target="the dining table in the living room"),
        ),
        house=(
            "a dining table in the living room",
            "a grapes on the floor in the living room",
            "a lemon on the floor in the living room",
        ),
    ),
    Scenario(
        99,
        "Place olive pillow on sofa in living room’",
        Asks("put on", things="the olive pillow in the living room", target="the sofa in the living room"),
        house=("a sofa in the living room", "an olive pillow on the floor in the living room"),
    ),
    Scenario(
        106,
        "Put objects on bed which are on the floor in bedroom",
        Asks("put on", things="all objects on the floor in the bedroom", target="the bed in the bedroom"),
        house=("a bed in the bedroom", "2 small objects on the floor in the bedroom"),
    ),
    Scenario(
        121,
        "Lift the drum and place on the blue pillow?",
        in_turn(
            Asks("pick up", things="the drum in this room"),
            Asks("put on", things="the drum in this room", target="the blue pillow in this room"),
        ),
        house=("a small drum on the floor in the playroom", "a large blue pillow on the floor in the playroom"),
    ),
    Scenario(
        127,
        "Put the white book on red chair in living room",
        Asks("put on", things="the white book in the living room", target="the red chair in the living room"),
        house=("a red chair in the living room", "a small white book on the floor in the living room"),
    ),
    Scenario(
        137,
        "Place a cyan pointy object on the bed",
        Asks("put on", things="a cyan pointy object in this room", target="the bed in this room"),
        house=("a bed in the bedroom", "a cyan pointy object on the floor in the bedroom"),
    ),
)
