"""Artificial examples of wrong behaviour: the setter's words or the solver's are exchanged (paper, section 4).

The paper says what is exchanged and how often; what becomes of the marks is this project's choice:

* **Another instruction.** From one request of the episode on, the setter says what it said in another episode. What
  made progress on the old request is irrelevant to the new one, and raters were asked to mark irrelevant behaviour
  as a regression: (+) after the exchange becomes (-); (-) stays (-). A (+) so soon after the request that it may judge
  what was done before is left out, unless it is the episode's first request.
* **Other answers.** Every utterance of the solver that was followed by a (+) is replaced by another, and that (+)
  becomes a (-). Utterances marked (-) are left alone: the replacement of a wrong answer may be right by luck.

Nothing is exchanged for itself or what may ask for the same (:mod:`reward_models.dialogue` tells by texts and marks),
and nothing is exchanged that turns no (+) into a (-): the same behaviour under other words and another judgement is
what teaches a model to listen, while wrong behaviour under other words would teach it not to. "Another" is drawn from
all play that is trained on, of which a batch is a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reward_models.dialogue import Dialogue, liked_answers
from reward_models.pairs import MINUS, PLUS

__all__ = ["Alteration", "Augmentation", "Dialogue", "exchange_answers", "exchange_instruction", "liked_answers"]


@dataclass(frozen=True, eq=False)
class Alteration:
    """What an altered episode of T steps, from row ``start`` on, is to be taken for.

    Args:
      setter_rows, solver_rows: int64 [T], rows whose setter's and solver's words are seen instead.
      marks: [T, R, 2], the marks of the altered episode.
      unclear: bool [T], steps of which marks have been left out, so that it is not known what raters would have said.
    """

    start: int
    setter_rows: np.ndarray
    solver_rows: np.ndarray
    marks: np.ndarray
    unclear: np.ndarray


@dataclass(frozen=True)
class Augmentation:
    """How often episodes are altered, and how far an utterance's marks reach.

    Args:
      probability: of altering an episode that has a (+) to turn (paper: 0.33 of all episodes).
      answer_reach: a mark judges an utterance if it is at most this many steps after it, with no other
        utterance between.
      rater_delay: a (+) at most this many steps after a request may judge what was done before it.
    """

    probability: float = 0.33
    answer_reach: int = 8
    rater_delay: int = 1

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise ValueError(f"the augmentation's probability is in [0, 1], not {self.probability}")

    def alter(self, dialogue: Dialogue, rows: slice, marks: np.ndarray, rng: np.random.Generator) -> Alteration | None:
        """Perhaps alter the episode at ``rows``, which has ``marks`` [T, R, 2]; None if it stays as it is.

        Either kind of alteration is as likely as the other where both are possible.
        """
        if rng.random() >= self.probability:
            return None
        requests = self._exchangeable(dialogue, rows, marks)
        answers = liked_answers(dialogue, rows, marks, self.answer_reach)
        if len(requests) and (not len(answers) or rng.random() < 0.5):
            return self._other_instruction(dialogue, rows, marks, int(rng.choice(requests)), rng)
        return self._other_answers(dialogue, rows, marks, answers, rng) if len(answers) else None

    def _exchangeable(self, dialogue: Dialogue, rows: slice, marks: np.ndarray) -> np.ndarray:
        """Requests of the episode at ``rows`` whose exchange would turn a (+)."""
        last_liked = rows.start + int(np.flatnonzero(marks[..., PLUS].any(axis=1)).max(initial=-1))
        requests = dialogue.requests_in(rows)
        delays = np.array([self._delay(dialogue, rows, request) for request in requests.tolist()], dtype=np.int64)
        return requests[requests + delays < last_liked]

    def _delay(self, dialogue: Dialogue, rows: slice, request: int) -> int:
        """Steps after ``request`` in which a (+) may judge what was done before: none after the first."""
        return 0 if request == dialogue.requests_in(rows)[0] else self.rater_delay

    def _other_instruction(
        self, dialogue: Dialogue, rows: slice, marks: np.ndarray, request: int, rng: np.random.Generator
    ) -> Alteration | None:
        donors = dialogue.other_requests(rows, request, liked_answers(dialogue, rows, marks, self.answer_reach))
        if not len(donors):
            return None
        delay = self._delay(dialogue, rows, request)
        return exchange_instruction(rows, marks, request, int(rng.choice(donors)), delay)

    def _other_answers(
        self, dialogue: Dialogue, rows: slice, marks: np.ndarray, answers: np.ndarray, rng: np.random.Generator
    ) -> Alteration | None:
        seen = dialogue.utterances + 1
        donors = {}
        for answer in answers.tolist():
            others = seen[dialogue.solver_text[seen] != dialogue.solver_text[answer + 1]]
            if len(others):
                donors[answer] = int(rng.choice(others))
        return exchange_answers(dialogue, rows, marks, donors, self.answer_reach) if donors else None


def exchange_instruction(rows: slice, marks: np.ndarray, request: int, donor: int, delay: int = 0) -> Alteration:
    """From row ``request`` of the episode at ``rows`` on, the setter's words are those of row ``donor``.

    Marks strictly after the request become (-): one at the request itself judges what was done before it. A (+) in the
    ``delay`` steps after it may judge either, and is left out.
    """
    own = np.arange(rows.start, rows.stop)
    setter = np.where(own >= request, donor, own)
    turned = _worsened(marks, own > request + delay)
    unclear = (own > request) & (own <= request + delay) & marks[..., PLUS].any(axis=1)
    turned[unclear, :, PLUS] = 0
    return Alteration(rows.start, setter, own, turned, unclear)


def exchange_answers(
    dialogue: Dialogue, rows: slice, marks: np.ndarray, donors: dict[int, int], reach: int
) -> Alteration:
    """After row ``answer``, what the solver said is seen as in row ``donors[answer]``, until it speaks again.

    A (+) that judges such an answer becomes a (-).
    """
    own = np.arange(rows.start, rows.stop)
    solver, wrong = own.copy(), np.zeros(len(own), dtype=bool)
    for answer, donor in donors.items():
        seen = dialogue.heard(rows, answer)
        solver[seen] = donor
        wrong[seen.start : min(seen.stop, seen.start + reach)] = True
    return Alteration(rows.start, own, solver, _worsened(marks, wrong), np.zeros(len(own), dtype=bool))


def _worsened(marks: np.ndarray, where: np.ndarray) -> np.ndarray:
    """``marks`` [T, R, 2] with every (+) turned into a (-) at the steps that ``where`` [T] tells."""
    turned = marks.copy()
    turned[where, :, MINUS] += marks[where, :, PLUS]
    turned[where, :, PLUS] = 0
    return turned
