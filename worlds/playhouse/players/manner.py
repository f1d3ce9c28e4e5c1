"""How a scripted solver does things: with care, or with a person's mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worlds.contract import Action
from worlds.playhouse.players.behaviours import answer
from worlds.playhouse.players.body import Body

ASKEW = (0.5, 1.3)  # share of the half-width of what is below by which a careless solver misses its middle


@dataclass(frozen=True)
class Manner:
    """Chances of the mistakes that people make in whatever they are asked for.

    Args:
      rng: of the mistakes.
      wrong_object: chance per request of doing it with a wrong thing first.
      notice: chance of noticing that.
      careless: chance per thing put somewhere of not putting it quite there.
      wrong_answer: chance per question.
      corrected: whether the setter has said which thing it meant; then none is mistaken for it.
    """

    rng: np.random.Generator
    wrong_object: float = 0.0
    notice: float = 0.0
    careless: float = 0.0
    wrong_answer: float = 0.0
    corrected: bool = False

    def aside(self) -> float:
        """By which share of the half-width of what is below a thing is let go off the middle."""
        if self.rng.random() >= self.careless:
            return 0.0
        return float(self.rng.uniform(*ASKEW) * self.rng.choice((-1, 1)))

    def say(self, body: Body, truth: str, others: Sequence[str] = ()) -> Action:
        """The action of answering: with the truth, or now and then with one of the ``others``, which are wrong."""
        wrong = [words for words in others if words != truth]
        if wrong and self.rng.random() < self.wrong_answer:
            return answer(body, wrong[self.rng.integers(len(wrong))])
        return answer(body, truth)
