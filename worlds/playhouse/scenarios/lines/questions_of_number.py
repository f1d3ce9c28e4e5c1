"""How many are there, and is there any: questions of number."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario, question

LINES: tuple[Scenario, ...] = (
    question(
        19,
        "Count bananas in pantry room",
        Asks("how many", of="bananas in the pantry"),
        ("bananas in the pantry",),
    ),
    question(
        22,
        "Count the number of objects which flys in the sky in the bed room?",
        Asks("how many", of="objects that fly in the bedroom"),
        ("objects that fly on the floor in the bedroom",),
    ),
    question(
        34,
        "Count the pointy objects in the living room",
        Asks("how many", of="pointy objects in the living room"),
        ("pointy objects in the living room",),
    ),
    question(
        46,
        "How many white colour objects are there n living room",
        Asks("how many", of="white objects in the living room"),
        ("white objects in the living room",),
    ),
    question(
        47,
        "Is there five green color objects were present in the bed room or not",
        Asks("how many or not", of="green objects in the bedroom", number=5),
        ("5 green objects in the bedroom",),
    ),
    question(
        60,
        "Does there is the red object between the ball and candle in the living room?",
        Asks("is there", of="a red object between the ball and the candle in the living room"),
        (
            "a ball on the floor in the living room",
            "a candle on the floor in the living room",
            "a red object on the floor between the ball and the candle in the living room",
        ),
    ),
    question(84, "Tell me the count of candles", Asks("how many", of="candles"), ("candles in the living room",)),
    question(
        85,
        "Count the objects which are in red rack",
        Asks("how many", of="objects on the red rack"),
        ("a red rack in the living room", "3 small objects on the red rack in the living room"),
    ),
    question(
        89,
        "Is there a musical instrument in play room",
        Asks("is there", of="a musical instrument in the playroom"),
        ("a drum in the playroom",),
    ),
    question(
        100,
        "Give me the count of pillows which are on the floor of the room which has bed.",
        Asks("how many", of="pillows on the floor in the bedroom"),
        ("a bed in the bedroom", "pillows on the floor in the bedroom"),
    ),
    question(
        108,
        "Count the number of tissue rolls?",
        Asks("how many", of="tissue rolls"),
        ("tissue rolls in the bathroom",),
    ),
    question(
        126,
        "Count the object in the rack.",
        Asks("how many", of="objects on the rack in this room"),
        ("a rack in the pantry", "3 small objects on the rack in the pantry"),
    ),
    question(
        146,
        "What is the count of books in rack in living room?",
        Asks("how many", of="books on the rack in the living room"),
        ("a rack in the living room", "2 small books on the rack in the living room"),
    ),
    question(
        159,
        "Wether mug exists in living room",
        Asks("is there", of="a mug in the living room"),
        ("a mug in the living room",),
    ),
)
