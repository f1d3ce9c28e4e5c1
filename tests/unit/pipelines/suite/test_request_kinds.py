"""Instructions and questions are distinguished, in the paper's own words and in others."""

from __future__ import annotations

import pytest

from pipelines.suite.request_kinds import INSTRUCTION, QUESTION, kind_of

QUESTIONS = """
Is bed larger,smaller or same size as sofa in bed room?
What are you noticing at right now?
Count bananas in pantry room
Whether 2 drum have same color or different color in purple room?
Does there is the red object between the ball and candle in the living room?
Tell me any three objects on table
The rack and wardrobe in living room have same color or different
Name the objects which are in pantry room
Wether mug exists in living room
please tell me the colour of the duck
could you count the chairs
HOW MANY?
ok, now where is the lamp
"""
INSTRUCTIONS = """
Place three white objects in a row in playroom?
Bring me one or more objects from bed room?
Find white colored robot in this house and go near to it
Hand over the plate?
Stand far from me
could you please bring me the book
now put it on the bed
...
"""


@pytest.mark.parametrize(("words", "kind"), [(QUESTIONS, QUESTION), (INSTRUCTIONS, INSTRUCTION)])
def test_questions_are_distinguished_from_instructions(words: str, kind: str) -> None:
    """The first ones are of the paper's appendix B, as people wrote them."""
    lines = words.strip().splitlines()
    lines = words.strip().splitlines()
    assert {line: kind_of(line) for line in lines} == dict.fromkeys(lines, kind)
    assert kind_of("") == INSTRUCTION
