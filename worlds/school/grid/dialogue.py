"""What the agent can say, and how what the peer says is written down."""

from __future__ import annotations

from collections.abc import Iterator

TEMPLATES = ("Where is", "Help", "Close", "How are")
NOUNS = (
    "please", "the exit", "the wall", "you", "the ceiling", "the window", "the entrance", "the closet",
    "the drawer", "the fridge", "the floor", "the lamp", "the trash can", "the chair", "the bed", "the sofa",
)  # fmt: skip
SILENCE = "NA \n"  # what is heard in a step in which nobody speaks
OPENING = "Conversation: \n"


def sentence(template: int, noun: int) -> str:
    """Return the utterance of a template and a noun, with the space at its end that is part of it."""
    return f"{TEMPLATES[template]} {NOUNS[noun]} "


INTRODUCTION = sentence(1, 0)  # "Help please "


def sentences() -> Iterator[str]:
    """Yield all utterances of the agent."""
    return (sentence(template, noun) for template in range(len(TEMPLATES)) for noun in range(len(NOUNS)))


class Dialogue:
    """What the agent hears. It does not hear itself."""

    def __init__(self) -> None:
        self.heard = self.history = self.transcript = OPENING

    def hear(self, name: str, reply: str | None) -> None:
        """Write down a step of the peer."""
        line = f"{name}: {reply} \n" if reply else ""
        self.heard = SILENCE + line
        self.history += line
        self.transcript += line

    def say(self, utterance: str) -> None:
        """Write down what the agent said."""
        self.transcript += f"YOU: {utterance} \n"
