"""Sessions in which each person meets every helper; a seed decides who helps with which task."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from rlhf.run.place_seeds import place_seed

NOTE = "session"  # in the notes of an episode


@dataclass(frozen=True)
class HelpedTask:
    """One episode of a person's session.

    Args:
      number: of the episode in the session, from 0.
      task: number of the task, which is the same for everybody, from 0.
    """

    number: int
    of: int
    task: int
    helper: str
    seed: int

    @property
    def place_seed(self) -> int:
        """Seed of the task's place, in which nobody trains."""
        return place_seed(self.seed, self.task, held_out=True)

    def note(self) -> dict[str, Any]:
        """Return it for an episode's notes."""
        return {NOTE: {"seed": self.seed, "number": self.number, "of": self.of, "task": self.task}}


def plan(person: str, helpers: Sequence[str], tasks: int, seed: int) -> list[HelpedTask]:
    """Return the session of a person: every task once, in an order of their own, with helpers in random turns.

    Among as many episodes in a row as there are helpers, each is met once. Which helper is met in which task differs
    between people.

    Args:
      seed: of the session, from 0 to 499.
    """
    rng = np.random.default_rng([seed, crc32(person.encode())])
    order = rng.permutation(tasks).tolist()
    met: list[str] = []
    while len(met) < tasks:
        met += [helpers[int(i)] for i in rng.permutation(len(helpers))]
    return [HelpedTask(number, tasks, order[number], met[number], seed) for number in range(tasks)]


def next_task(session: Sequence[HelpedTask], played: Container[int]) -> HelpedTask | None:
    """Return the first episode of a session whose number was not played; None after the last."""
    return next((each for each in session if each.number not in played), None)
