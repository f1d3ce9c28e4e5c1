"""Artificial examples of wrong behaviour: the setter's words or the solver's are exchanged (paper, section 4).

The paper says what is exchanged and how often; what becomes of the marks is this project's choice:

* **Another instruction.** From one request of the episode on, the setter says what it said in another episode. What
  made progress on the old request is irrelevant to the new one, and raters were asked to mark irrelevant behaviour
  as a regression: (+) after the exchange becomes (-); (-) stays (-).
* **Other answers.** Every utterance of the solver that was followed by a (+) is replaced by another, and that (+)
  becomes a (-). Utterances marked (-) are left alone: the replacement of a wrong answer may be right by luck.

Nothing is exchanged for itself, and nothing is exchanged that turns no (+) into a (-): the same behaviour under other
words and another judgement is what teaches a model to listen, while wrong behaviour under other words would teach it
not to. "Another" is drawn from all play that is trained on, of which a batch is a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.batch import EncodedEpisodes
from agents.tokenizer import PAD_ID
from reward_models.pairs import MINUS, PLUS


@dataclass(frozen=True, eq=False)
class Dialogue:
    """Who says what where, in N steps of play end to end.

    Args:
      setter_text, solver_text: int64 [N], equal numbers for texts that are equal to the agent.
      requests: rows at which the setter's text becomes a new one.
      utterances: rows at which the solver speaks; its words are seen from the row after on.
    """

    setter_text: np.ndarray
    solver_text: np.ndarray
    requests: np.ndarray
    utterances: np.ndarray

    @classmethod
    def of(cls, play: EncodedEpisodes) -> Dialogue:
        """The dialogue of ``play``."""
        asked = _changes(play.setter_tokens, play.first) & (play.setter_tokens[:, 0] != PAD_ID)
        speaks = play.utterance[:, 0] != PAD_ID
        speaks[play.starts[1:] - 1] = False  # what is said at the last step is never seen
        return cls(
            setter_text=_number(play.setter_tokens, play.first),
            solver_text=_number(play.solver_tokens, play.first),
            requests=np.flatnonzero(asked),
            utterances=np.flatnonzero(speaks),
        )


@dataclass(frozen=True, eq=False)
class Alteration:
    """What an altered episode of T steps, from row ``start`` on, is to be taken for.

    Args:
      setter_rows, solver_rows: int64 [T], rows whose setter's and solver's words are seen instead.
      marks: [T, R, 2], the marks of the altered episode.
    """

    start: int
    setter_rows: np.ndarray
    solver_rows: np.ndarray
    marks: np.ndarray


@dataclass(frozen=True)
class Augmentation:
    """How often episodes are altered, and how far an utterance's marks reach.

    Args:
      probability: of altering an episode that has a (+) to turn (paper: 0.33 of all episodes).
      answer_reach: a mark judges an utterance if it is at most this many steps after it, with no other
        utterance between.
    """

    probability: float = 0.33
    answer_reach: int = 8

    def __post_init__(self) -> None:
        if not 0.0 <= self.probability <= 1.0:
            raise ValueError(f"the augmentation's probability is in [0, 1], not {self.probability}")

    def alter(self, dialogue: Dialogue, rows: slice, marks: np.ndarray, rng: np.random.Generator) -> Alteration | None:
        """Perhaps alter the episode at ``rows``, which has ``marks`` [T, R, 2]; None if it stays as it is.

        Either kind of alteration is as likely as the other where both are possible.
        """
        if rng.random() >= self.probability:
            return None
        liked = rows.start + np.flatnonzero(marks[..., PLUS].any(axis=1))
        requests = _within(dialogue.requests, rows)
        requests = requests[requests < liked.max(initial=-1)]
        answers = judged_right(dialogue, rows, marks, self.answer_reach)
        if len(requests) and (not len(answers) or rng.random() < 0.5):
            return self._other_instruction(dialogue, rows, marks, int(rng.choice(requests)), rng)
        return self._other_answers(dialogue, rows, marks, answers, rng) if len(answers) else None

    def _other_instruction(
        self, dialogue: Dialogue, rows: slice, marks: np.ndarray, request: int, rng: np.random.Generator
    ) -> Alteration | None:
        text = dialogue.setter_text[dialogue.requests]
        donors = dialogue.requests[text != dialogue.setter_text[request]]
        return exchange_instruction(rows, marks, request, int(rng.choice(donors))) if len(donors) else None

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


def exchange_instruction(rows: slice, marks: np.ndarray, request: int, donor: int) -> Alteration:
    """From row ``request`` of the episode at ``rows`` on, the setter's words are those of row ``donor``.

    Marks strictly after the request become (-): one at the request itself judges what was done before it.
    """
    own = np.arange(rows.start, rows.stop)
    setter = np.where(own >= request, donor, own)
    return Alteration(rows.start, setter, own, _worsened(marks, own > request))


def exchange_answers(
    dialogue: Dialogue, rows: slice, marks: np.ndarray, donors: dict[int, int], reach: int
) -> Alteration:
    """After row ``answer``, what the solver said is seen as in row ``donors[answer]``, until it speaks again.

    A (+) that judges such an answer becomes a (-).
    """
    own = np.arange(rows.start, rows.stop)
    solver, wrong = own.copy(), np.zeros(len(own), dtype=bool)
    for answer, donor in donors.items():
        seen = _heard(dialogue, rows, answer)
        solver[seen] = donor
        wrong[seen.start : min(seen.stop, seen.start + reach)] = True
    return Alteration(rows.start, own, solver, _worsened(marks, wrong))


def judged_right(dialogue: Dialogue, rows: slice, marks: np.ndarray, reach: int) -> np.ndarray:
    """Rows at which the solver of the episode at ``rows`` says something that gets a (+) and no (-)."""

    def right(utterance: int) -> bool:
        seen = _heard(dialogue, rows, utterance)
        judged = marks[seen.start : min(seen.stop, seen.start + reach)]
        return bool(judged[..., PLUS].any()) and not judged[..., MINUS].any()

    return np.array([u for u in _within(dialogue.utterances, rows).tolist() if right(u)], dtype=np.int64)


def _heard(dialogue: Dialogue, rows: slice, utterance: int) -> slice:
    """Steps of the episode at ``rows`` that show the words said at row ``utterance``."""
    later = dialogue.utterances[np.searchsorted(dialogue.utterances, utterance, side="right") :]
    until = int(later[0]) + 1 if len(later) else rows.stop
    return slice(utterance + 1 - rows.start, min(until, rows.stop) - rows.start)


def _worsened(marks: np.ndarray, where: np.ndarray) -> np.ndarray:
    """``marks`` [T, R, 2] with every (+) turned into a (-) at the steps that ``where`` [T] tells."""
    turned = marks.copy()
    turned[where, :, MINUS] += marks[where, :, PLUS]
    turned[where, :, PLUS] = 0
    return turned


def _within(found: np.ndarray, rows: slice) -> np.ndarray:
    return found[np.searchsorted(found, rows.start) : np.searchsorted(found, rows.stop)]


def _changes(tokens: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Rows [N] at which ``tokens`` [N, L] differ from the row before, or an episode begins."""
    changes = first.copy()
    changes[1:] |= (tokens[1:] != tokens[:-1]).any(axis=1)
    return changes


def _number(tokens: np.ndarray, first: np.ndarray) -> np.ndarray:
    """A number [N] for every row of ``tokens`` [N, L], the same for the same text."""
    changes = _changes(tokens, first)
    _, numbers = np.unique(tokens[changes], axis=0, return_inverse=True)
    return numbers.reshape(-1)[np.cumsum(changes) - 1].astype(np.int64)
