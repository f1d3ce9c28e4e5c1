"""What the page *Teach* shows and asks for; `rlhf teach` answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Phase = Literal["playing", "marking", "training", "trained", "failed"]


@dataclass(frozen=True)
class Work:
    """A stage of training, as far as it has come.

    Args:
      name: what is done, in words.
      done: share of it that is done, from 0 to 1.
      seconds_left: estimate of the time that it still takes; None before there is one.
    """

    name: str
    done: float
    seconds_left: float | None


@dataclass(frozen=True)
class Predicted:
    """How well the reward model has predicted what people said later.

    Args:
      right: answers whose sign it predicted.
      answers: all that it was asked about.
    """

    right: int
    answers: int


@dataclass(frozen=True)
class Compared:
    """Pairs of clips in which two agents play the same requests.

    Args:
      pairs: how many there are.
      judged: how many of them this person has judged.
    """

    pairs: int
    judged: int


@dataclass(frozen=True)
class TaughtAgent:
    """The agent that people can ask themselves: the one that played the clips of this round.

    Args:
      name: name of the agent in recordings.
      folder: folder of the agent.
      play: dataset with its clips.
      asked: dataset for the games in which people ask it, which may be yet to come.
    """

    name: str
    folder: Path
    play: str
    asked: str


@dataclass(frozen=True)
class Taught:
    """State of teaching an agent.

    Args:
      round: number of the round, counted from 1.
      phase: "playing": the agent plays what is to be marked; "marking": people mark; "training": it learns; "trained":
        the round is done; "failed": a command ended with an error.
      clips: clips of this round.
      marks: marks on them.
      verdicts: verdicts on their requests.
      predicted: predictions of the present reward model; None without one.
      compared: pairs of the new agent's clips and those of the one before; None before both have played.
      work: stages of training, in their order.
      results: a sentence for each finished round.
      trouble: why it failed, in a line.
    """

    round: int
    phase: Phase
    clips: int
    marks: int
    verdicts: int
    predicted: Predicted | None
    compared: Compared | None
    work: Sequence[Work]
    results: Sequence[str]
    trouble: str


class Teacher(Protocol):
    """What `rlhf teach` does behind its page."""

    def state(self, rater: str) -> Taught:
        """Return how far teaching has come, for one of those who teach."""
        ...

    def comparison(self) -> tuple[str, int]:
        """Return the dataset in which the agents of this round play the same requests, and how many there will be."""
        ...

    def agent(self) -> TaughtAgent:
        """Return the agent that people can ask now. Raises Refused if the round is done."""
        ...

    def train(self) -> None:
        """Begin to train on all that was said so far. Raises Refused if it cannot begin now."""
        ...

    def again(self) -> None:
        """Begin the next round. Raises Refused if this one is not done."""
        ...
