"""Artificial examples of wrong behaviour: the setter's words or the solver's are exchanged (paper, section 4).

The paper defines what is exchanged and how often; the marks of altered episodes are this project's choice:

* **Another instruction.** From one request of the episode on, the setter's words are those of another episode. What
  made progress on the old request is irrelevant to the new one, and raters were asked to mark irrelevant behaviour
  as a regression: (+) after the exchange becomes (-); (-) stays (-). A (+) so soon after the request that it may be
  about what was done before is dropped, unless it is the episode's first request.
* **Other answers.** Every utterance of the solver that was followed by a (+) is replaced by another, and that (+)
  becomes a (-). Utterances marked (-) stay: the replacement of a wrong answer may be right by chance.

  :mod:`reward_models.marks.rival_answers` has answers that are wrong and plausible.

Beside them, progress may be played backwards (:mod:`reward_models.marks.rewinding`), which is not in the paper.

Words are never exchanged for themselves or for words that may ask for the same (:mod:`reward_models.marks.dialogue`
compares texts and marks), and every exchange turns at least one (+) into a (-): the same behaviour under other words
with the opposite mark teaches a model to listen; wrong behaviour under other words would teach it to ignore words.
Replacements are sampled from all play that is trained on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reward_models.marks.dialogue import Dialogue, liked_answers
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.marks.rewinding import rewind, rewindable
from reward_models.marks.rival_answers import RivalAnswers

__all__ = ["Alteration", "Augmentation", "Dialogue", "exchange_answers", "exchange_instruction", "liked_answers"]


@dataclass(frozen=True, eq=False)
class Alteration:
    """Words and marks of an altered episode of T steps.

    Args:
      start: row of the episode's first step.
      setter_rows: int64 [T], rows whose setter's words replace those of each step.
      solver_rows: int64 [T], rows whose solver's words replace those of each step.
      marks: [T, R, 2], the marks of the altered episode.
      unclear: bool [T], steps whose marks were dropped, so that the raters' mark is unknown.
      frame_rows: int64 [T], rows whose frames replace those of each step; None: its own.
      backwards: bool [T], steps that are played backwards; None: none.
    """

    start: int
    setter_rows: np.ndarray
    solver_rows: np.ndarray
    marks: np.ndarray
    unclear: np.ndarray
    frame_rows: np.ndarray | None = None
    backwards: np.ndarray | None = None


@dataclass(frozen=True)
class Augmentation:
    """Probability of altering an episode, and the delays of marks after what they are about.

    Args:
      probability: of altering an episode that has a (+) to turn (paper: 0.33 of all episodes).
      answer_reach: a mark is about an utterance if it is at most this many steps after it, with no other
        utterance between.
      rater_delay: a (+) at most this many steps after a request may be about what was done before it.
      rewind: probability of playing progress of an episode backwards instead; 0 in the paper.
      hard_answers: probability that another answer is one that is plausible and wrong; 0 in the paper.
    """

    probability: float = 0.33
    answer_reach: int = 8
    rater_delay: int = 1
    rewind: float = 0.0
    hard_answers: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise ValueError(f"the augmentation's probability is in [0, 1], not {self.probability}")
        if not 0.0 <= self.rewind <= 1.0 - self.probability:
            raise ValueError(f"augmentation and rewind are at most 1 together, not {self.probability} + {self.rewind}")

    def alter(
        self,
        dialogue: Dialogue,
        rows: slice,
        marks: np.ndarray,
        rng: np.random.Generator,
        rival: RivalAnswers | None = None,
    ) -> Alteration | None:
        """Alter the episode at ``rows`` with the probability of this augmentation.

        Both alterations are equally likely where both are possible.

        Args:
          marks: [T, R, 2], of the episode.
          rival: answers that are plausible and wrong; without them there are none.

        Returns:
          The alteration, or None if the episode stays as it is.
        """
        drawn = rng.random()
        if drawn >= self.probability:
            return self._rewound(dialogue, rows, marks, rng) if drawn < self.probability + self.rewind else None
        requests = self._exchangeable(dialogue, rows, marks)
        answers = liked_answers(dialogue, rows, marks, self.answer_reach)
        if len(requests) and (not len(answers) or rng.random() < 0.5):
            return self._other_instruction(dialogue, rows, marks, int(rng.choice(requests)), rng)
        return self._other_answers(dialogue, rows, marks, answers, rng, rival) if len(answers) else None

    def _rewound(
        self, dialogue: Dialogue, rows: slice, marks: np.ndarray, rng: np.random.Generator
    ) -> Alteration | None:
        found = rewindable(dialogue, rows, marks, self.answer_reach, self.rater_delay)
        if not found:
            return None
        rewound = rewind(marks, found[int(rng.integers(len(found)))], self.rater_delay)
        words, frames = rows.start + rewound.words, rows.start + rewound.frames
        return Alteration(rows.start, words, words, rewound.marks, rewound.unclear, frames, rewound.backwards)

    def _exchangeable(self, dialogue: Dialogue, rows: slice, marks: np.ndarray) -> np.ndarray:
        """Requests of the episode at ``rows`` whose exchange would turn a (+)."""
        last_plus = rows.start + int(np.flatnonzero(marks[..., PLUS].any(axis=1)).max(initial=-1))
        requests = dialogue.requests_in(rows)
        delays = np.array([self._delay(dialogue, rows, request) for request in requests.tolist()], dtype=np.int64)
        return requests[requests + delays < last_plus]

    def _delay(self, dialogue: Dialogue, rows: slice, request: int) -> int:
        """Number of steps after ``request`` in which a (+) may be about earlier behaviour: 0 for the first request."""
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
        self,
        dialogue: Dialogue,
        rows: slice,
        marks: np.ndarray,
        answers: np.ndarray,
        rng: np.random.Generator,
        rival: RivalAnswers | None,
    ) -> Alteration | None:
        seen = dialogue.utterances + 1
        donors = {}
        for answer in answers.tolist():
            others = seen[dialogue.solver_text[seen] != dialogue.solver_text[answer + 1]]
            if rival is not None and self.hard_answers and rng.random() < self.hard_answers:
                hard = rival.of(rows, answer, marks, self.answer_reach)
                others = hard if len(hard) else others
            if len(others):
                donors[answer] = int(rng.choice(others))
        return exchange_answers(dialogue, rows, marks, donors, self.answer_reach) if donors else None


def exchange_instruction(rows: slice, marks: np.ndarray, request: int, donor: int, delay: int = 0) -> Alteration:
    """Exchange the setter's words from row ``request`` of the episode at ``rows`` on for those of row ``donor``.

    Marks strictly after the request become (-): one at the request itself is about what was done before it. A (+) in
    the ``delay`` steps after the request may be about either, and is dropped.
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
    """Exchange the solver's words of each row ``answer`` for those of row ``donors[answer]``, until it speaks again.

    A (+) about such an answer becomes a (-).
    """
    own = np.arange(rows.start, rows.stop)
    solver, wrong = own.copy(), np.zeros(len(own), dtype=bool)
    for answer, donor in donors.items():
        seen = dialogue.heard(rows, answer)
        solver[seen] = donor
        wrong[seen.start : min(seen.stop, seen.start + reach)] = True
    return Alteration(rows.start, own, solver, _worsened(marks, wrong), np.zeros(len(own), dtype=bool))


def _worsened(marks: np.ndarray, where: np.ndarray) -> np.ndarray:
    """``marks`` [T, R, 2] with every (+) turned into a (-) at the steps where ``where`` [T] is true."""
    turned = marks.copy()
    turned[where, :, MINUS] += marks[where, :, PLUS]
    turned[where, :, PLUS] = 0
    return turned
