"""Prompts for setters (paper, A.8): what to ask for, and a modifier.

A prompt says what kind of instruction or question to pose; a modifier adds a constraint on its words. The kinds are
the paper's, the sentences our own. The prompt is drawn from a seed that the episode keeps. In
free-form play there is none. A setter can be asked to challenge the other player, too: the scenarios of the paper's
test suite are of such play (section 6.4).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

Group = Literal["instruction", "question"]


@dataclass(frozen=True)
class Prompt:
    """One prompt.

    Args:
      modifier_name: the modifier's name in recordings; "" without one.
      modifier: for the setter to read; "" without one.
      challenge: whether the setter is to ask for what the other player would struggle with; ``text`` says so.
    """

    group: Group
    name: str
    text: str
    modifier_name: str = ""
    modifier: str = ""
    challenge: bool = False

    def note(self) -> dict[str, Any]:
        """Return the prompt for an episode's notes."""
        return asdict(self)


CHALLENGE = "Make it hard: choose what you think the other player will struggle with."
INSTRUCTIONS: dict[str, str] = {
    "touch with": "Have the other player touch one thing with another thing.",
    "activity": "Think of an activity and have the other player do it.",
    "hand over": "Have the other player hand you something, and take it from them.",
    "stand": "Have the other player stand somewhere as seen from you.",
    "arrange": "Have the other player bring several things into a simple arrangement.",
    "put on": "Have the other player put one thing on top of another.",
    "put under": "Have the other player put one thing underneath another.",
    "lift": "Have the other player lift something.",
    "two in turn": "Have the other player do one thing and, once that is done, ask for a second.",
    "reposition": "Have the other player move something to another place in the room.",
    "bring": "Have the other player bring you one thing or several.",
    "push with": "Have the other player push one thing around with another.",
    "position": "Have the other player place something relative to something else.",
    "row": "Have the other player line up three or more particular things.",
    "go": "Send the other player somewhere.",
}
QUESTIONS: dict[str, str] = {
    "yes or no": "Ask something about a thing in the room that is answered by yes or no.",
    "where": "Ask where something is.",
    "count": "Ask how many of something there are.",
    "see": "Ask the other player what they see or notice at this moment.",
    "colour": "Ask what colour something has.",
    "same colour": "Ask whether two things have the same colour or different ones.",
    "yes or no, number": "Ask something about how many things there are in the room that is answered by yes or no.",
    "exist": "Ask whether there is a particular thing in the room.",
    "anything": "Ask whatever you like about the room.",
    "size": "Ask whether one thing is larger than another, smaller, or just as large.",
}
MODIFIERS: dict[str, str] = {
    "objects by colour": "Name things by their colour.",
    "place by colour": "Name the place by its colour.",
    "objects by place": "Name things by where they are.",
    "shape": "Use words for shapes, such as: circular, rectangular, round, pointy, long.",
    "proximity": "Use words for nearness, such as: near, far, close to, next to.",
    "horizontal": "Use words for sides, such as: in front, behind, left of, right of, between.",
    "vertical": "Use words for above and below, such as: on top, beneath, above, below.",
    "negation": "Use words that deny, such as: not, isn't.",
    "quantity": "Use words for amounts, such as: some, all, most, many, none.",
    "forbidden": "Do without the words: bed, door, window.",
}


def draw(seed: int, questions: float = 0.4, modified: float = 0.75, challenge: bool = False) -> Prompt:
    """Return the prompt of ``seed``; prompts of a group are equally likely, and so are modifiers.

    Args:
      questions: share of prompts that ask a question; the paper has 10 kinds of question among 25 prompts.
      modified: share of prompts with a modifier.

    Raises ValueError if a share is outside [0, 1].
    """
    for name, share in (("questions", questions), ("modified", modified)):
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"the share of prompts {name} lies in [0, 1], not at {share}")
    rng = np.random.default_rng([seed, 8])
    asks = rng.random() < questions
    texts = QUESTIONS if asks else INSTRUCTIONS
    name = _one_of(rng, texts)
    modifier = _one_of(rng, MODIFIERS) if rng.random() < modified else ""
    text = f"{texts[name]} {CHALLENGE}" if challenge else texts[name]
    group = "question" if asks else "instruction"
    return Prompt(group, name, text, modifier, MODIFIERS.get(modifier, ""), challenge)


def _one_of(rng: np.random.Generator, texts: dict[str, str]) -> str:
    return list(texts)[int(rng.integers(len(texts)))]
