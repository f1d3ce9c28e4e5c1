"""Instructions and questions are distinguished, in the paper's own words and in others."""

from __future__ import annotations

import pytest

from pipelines.suite.request_kinds import INSTRUCTION, QUESTION, kind_of


@pytest.mark.parametrize(
    "words",
    [  # of the paper's appendix B, as people wrote them
        "Is bed larger,smaller or same size as sofa in bed room?",
        "What are you noticing at right now?",
        "Count bananas in pantry room",
        "Describe where is the small white object in playroom?",
        "Whether 2 drum have same color or different color in purple room?",
        "Does there is the red object between the ball and candle in the living room?",
        "Tell me any three objects on table",
        "Give me the count of pillows which are on the floor of the room which has bed.",
        "The rack and wardrobe in living room have same color or different",
        "Name the objects which are in pantry room",
        "Wether mug exists in living room",
        # and others
        "please tell me the colour of the duck",
        "can you see a ball?",
        "could you count the chairs",
        "HOW MANY?",
        "ok, now where is the lamp",
    ],
)
def test_questions(words: str) -> None:
    assert kind_of(words) == QUESTION


@pytest.mark.parametrize(
    "words",
    [
        "Place three white objects in a row in playroom?",
        "Bring me one or more objects from bed room?",
        "Lift the drum and place on the blue pillow?",
        "Touch the white object which is next to the wardrobe with the cyan colour object in the living room?",
        "Find white colored robot in this house and go near to it",
        "Lift the red color object which flies in the air in bedroom",
        "Hand over the plate?",
        "Stand far from me",
        "can you lift the ball?",
        "could you please bring me the book",
        "now put it on the bed",
        "...",
        "",
    ],
)
def test_instructions(words: str) -> None:
    assert kind_of(words) == INSTRUCTION
