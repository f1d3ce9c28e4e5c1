"""Where is it, and what is it called: questions of place and of names."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario, question

LINES: tuple[Scenario, ...] = (
    question(10, "What are you noticing at right now?", Asks("notice"), ("2 toys on the floor in the playroom",)),
    question(31, "Where is the pink ball?", Asks("where is", of="the pink ball"), ("a pink ball in the playroom",)),
    question(
        43,
        "Where is the orange duck in the wash room",
        Asks("where is", of="the orange duck in the bathroom"),
        ("an orange duck in the bathroom",),
    ),
    question(
        49,
        "Describe where is the small white object in playroom?",
        Asks("where is", of="the small white object in the playroom"),
        ("a small white object in the playroom",),
    ),
    question(
        54,
        "Where is yellow duck present in house",
        Asks("where is", of="the yellow duck"),
        ("a yellow duck in the bathroom",),
        room="living room",
    ),
    question(
        65,
        "Where is the bed?",
        Asks("where is", of="the bed"),
        ("a bed in the bedroom",),
        room="living room",
    ),
    question(
        83,
        "Name the objects which are in pantry room",
        Asks("name objects", of="objects in the pantry"),
        ("4 objects in the pantry",),
    ),
    question(
        90,
        "Tell me any three objects on table",
        Asks("name objects", of="objects on the table in this room", number=3),
        ("a table in the living room", "4 small objects on the table in the living room"),
    ),
    question(
        92,
        "Where is the ball in playroom which is not used for the tennis?",
        Asks("where is", of="the ball in the playroom that is not used for tennis"),
        ("a tennis ball in the playroom", "a red ball in the playroom"),
    ),
    question(
        97,
        "Where is the red color lamp in this room",
        Asks("where is", of="the red lamp in this room"),
        ("a red lamp in the living room",),
    ),
    question(
        98,
        "Tell me the names of playing objects in living room.",
        Asks("name objects", of="toys in the living room"),
        ("4 toys in the living room",),
    ),
    question(109, "Where is grey pillow?", Asks("where is", of="the grey pillow"), ("a grey pillow in the bedroom",)),
    question(
        119,
        "Where is green color flying object in living room",
        Asks("where is", of="the green object that flies in the living room"),
        ("a green object that flies on the floor in the living room",),
    ),
    question(
        122,
        "Tell me the names of pointy objects in this room ?",
        Asks("name objects", of="pointy objects in this room"),
        ("3 pointy objects in the playroom",),
    ),
    question(
        144,
        'Describe where is yellow rack"',
        Asks("where is", of="the yellow rack"),
        ("a yellow rack in the living room",),
    ),
    question(
        147,
        "Tell me names of objects in pantry",
        Asks("name objects", of="objects in the pantry"),
        ("4 objects in the pantry",),
    ),
    question(
        158,
        "Where is the purple color object in living room",
        Asks("where is", of="the purple object in the living room"),
        ("a purple object in the living room",),
    ),
)
