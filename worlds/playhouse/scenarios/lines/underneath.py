"""Put something underneath something else, or beside it."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, CannotBePosed, Scenario

LINES = (
    Scenario(
        29,
        "Place the mug under the table of living room.",
        Asks("put under", things="the mug in the living room", target="the table in the living room"),
        house=("a table in the living room", "a mug on the floor in the living room"),
    ),
    Scenario(
        30,
        "Place orange color cushion under red color armchair which is in bedroom",
        CannotBePosed("armchairs reach down to the floor: nothing fits beneath one"),
    ),
    Scenario(
        40,
        "Place the flying object underneath the table?",
        Asks("put under", things="the flying object in this room", target="the table in this room"),
        house=("a table in the playroom", "a small rocket on the floor in the playroom"),
    ),
    Scenario(
        44,
        "Place soaps underneath the ledge in bathroom",
        Asks("put under", things="all soaps in the bathroom", target="the ledge in the bathroom"),
        house=("a ledge in the bathroom", "2 soaps on the floor in the bathroom"),
    ),
    Scenario(
        48,
        "Place the object which is used to dry next to sitting object",
        Asks("place by", things="the towel in this room", place="next to the stool in this room"),
        house=("a towel on the floor in the bathroom", "a stool on the floor in the bathroom"),
    ),
    Scenario(
        73,
        "Put the red pillow underneath the bin in bed room",
        Asks("put under", things="the red pillow in the bedroom", target="the bin in the bedroom"),
        house=("a large red pillow on the floor in the bedroom", "a medium bin on the floor in the bedroom"),
    ),
    Scenario(
        132,
        "Put the light object under the dining furniture in the living area",
        Asks("put under", things="the lamp in the living room", target="the dining table in the living room"),
        house=("a dining table in the living room", "a small lamp on the floor in the living room"),
    ),
    Scenario(
        150,
        "Place the stool underneath the dining table in the living room",
        Asks("put under", things="the stool in the living room", target="the dining table in the living room"),
        house=("a dining table in the living room", "a small stool on the floor in the living room"),
    ),
    Scenario(
        151,
        "Put the object we pore water to it underneath of dining table in living room",
        Asks("put under", things="the plant in the living room", target="the dining table in the living room"),
        house=("a dining table in the living room", "a small potted plant on the floor in the living room"),
    ),
    Scenario(
        155,
        "Place the arm chair far to bed in bed room",
        CannotBePosed("armchairs are fixed furniture, which nobody can move"),
    ),
    Scenario(
        162,
        "Put all objects underneath ledge in pantry",
        Asks("put under", things="all objects on the floor in the pantry", target="the ledge in the pantry"),
        house=("a ledge in the pantry", "2 small objects on the floor in the pantry"),
    ),
)
