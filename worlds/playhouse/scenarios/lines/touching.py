"""Touch, hit and push something with something else."""

from __future__ import annotations

from worlds.playhouse.scenarios.scenario import Asks, Scenario

LINES = (
    Scenario(
        20,
        "Hit the yellow toy which is not near to the table in living room.",
        Asks("hit with", things="any object in the living room",
             target="the yellow toy that is not near the table in the living room"),
        house=(
            "a table in the living room",
            "a yellow toy on the floor near the table in the living room",
            "a yellow toy on the floor far from the table in the living room",
            "2 small objects on the floor in the living room",
        ),
    ),
    Scenario(
        27,
        "Touch the rack using ball?",
        Asks("touch with", things="a ball in this room", target="the rack in this room"),
        house=("a rack in the playroom", "a ball on the floor in the playroom"),
    ),
    Scenario(
        32,
        "Touch the potted plant using the bird toy",
        Asks("touch with", things="the bird toy in this room", target="the potted plant in this room"),
        house=("a potted plant on the floor in the living room", "a water bird on the floor in the living room"),
    ),
    Scenario(
        33,
        "Push the box with shoe in bedroom",
        Asks("push with", things="the shoe in the bedroom", target="the box in the bedroom"),
        house=("a box on the floor in the bedroom", "a shoe on the floor in the bedroom"),
    ),
    Scenario(
        35,
        "Push red color object with yellow color object which are in the pantry .",
        Asks("push with", things="the yellow object in the pantry", target="the red object in the pantry"),
        house=("a red object on the floor in the pantry", "a yellow object on the floor in the pantry"),
    ),
    Scenario(
        37,
        "Touch car toy with rocket which are on the floor of bed room",
        Asks("touch with", things="the rocket in the bedroom", target="the car toy in the bedroom"),
        house=("a car on the floor in the bedroom", "a rocket on the floor in the bedroom"),
    ),
    Scenario(
        41,
        "Touch the blue tissue roll using the robot in the restroom",
        Asks("touch with", things="the robot in the bathroom", target="the blue tissue roll in the bathroom"),
        house=(
            "a blue tissue roll on the floor in the bathroom",
            "a white tissue roll on the floor in the bathroom",
            "a robot on the floor in the bathroom",
        ),
    ),
    Scenario(
        53,
        "Push the potted plant using the plate?",
        Asks("push with", things="the plate in this room", target="the potted plant in this room"),
        house=("a potted plant on the floor in the living room", "a plate on the floor in the living room"),
    ),
    Scenario(
        72,
        "Push the train engine with water bird",
        Asks("push with", things="the water bird in this room", target="the train engine in this room"),
        house=("a train engine on the floor in the playroom", "a water bird on the floor in the playroom"),
    ),
    Scenario(
        76,
        "Touch the red lamp with the blue one",
        Asks("touch with", things="the blue lamp in this room", target="the red lamp in this room"),
        house=("a red lamp on the floor in the living room", "a blue lamp on the floor in the living room"),
    ),
    Scenario(
        77,
        "Touch the white object which is next to the wardrobe with the cyan colour object in the living room?",
        Asks("touch with", things="the cyan object in the living room",
             target="the white object next to the small wardrobe in the living room"),
        house=(
            "a small wardrobe in the living room",
            "a white object on the floor next to the small wardrobe in the living room",
            "a cyan object on the floor in the living room",
        ),
    ),
    Scenario(
        78,
        "Hit the book using another book",
        Asks("hit with", things="a book in this room", target="a book in this room"),
        house=("2 books on the floor in the playroom",),
    ),
    Scenario(
        114,
        "Push peach tissue with blue book in rest room.",
        Asks("push with", things="the blue book in the bathroom", target="the peach tissue in the bathroom"),
        house=("a peach tissue roll on the floor in the bathroom", "a blue book on the floor in the bathroom"),
    ),
    Scenario(
        129,
        "Hit the vehicle with the animal",
        Asks("hit with", things="the animal in this room", target="the vehicle in this room"),
        house=("a vehicle on the floor in the playroom", "an animal on the floor in the playroom"),
    ),
    Scenario(
        145,
        "Hit the candle using the pillow which is left of airplane in the living room",
        Asks("hit with", things="the pillow left of the aeroplane in the living room",
             target="the candle in the living room"),
        house=(
            "a candle on the floor in the living room",
            "an aeroplane on the floor in the living room",
            "a pillow on the floor left of the aeroplane in the living room",
        ),
    ),
    Scenario(
        153,
        "Push the chair using the plotted plant",
        Asks("push with", things="the potted plant in this room", target="the mini chair in this room"),
        house=("a mini chair on the floor in the living room", "a potted plant on the floor in the living room"),
    ),
    Scenario(
        160,
        "Push the pillow in living room",
        Asks("scenario: push", things="the pillow in the living room"),
        house=("a pillow on the floor in the living room",),
    ),
)  # fmt: skip
