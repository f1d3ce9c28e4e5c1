"""Dialogue of recorded play, and requests that may ask for the same thing, found from texts and marks.

Two requests may ask for the same thing if

* **they name the same objects**: one's content words are all among the other's ("lift the blue block", "walk to the
  blue block"; not "lift the blue ball"). Content words are found from where they occur, as no grammar is known: a house
  has few objects, so their words recur within an episode ("block": twice as often as by chance), while verbs
  ("lift", "up", "walk") are independent of the house. Where there is too little play, as where every episode has one
  request, no word is a content word, and only equal texts ask for the same thing;
* **the same answer was right for both**: the same words of the solver were marked (+) after each. "Is there a red
  block?" may well be answered "yes" here if it was elsewhere.

Both rules err towards "the same": an exchange not made costs little, while an example with right behaviour marked as
wrong teaches the error. Tokens stand for words: frequent words are tokens of their own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agents.tokenizer import CUT_ID, PAD_ID
from reward_models.marks.pairs import MINUS, PLUS
from rlhf.data.memory import MemoryDataset

ANSWER_REACH = 8
COMES_BACK = 1.5  # a content word recurs in an episode at least this many times as often as by chance,
BEYOND_CHANCE = 4.0  # and by so many standard deviations


@dataclass(frozen=True, eq=False)
class Dialogue:
    """Texts of setter and solver in N steps of play end to end.

    Args:
      setter_text: int64 [N], equal numbers for texts that are equal to the agent.
      solver_text: int64 [N], the same of the solver's texts.
      requests: rows at which the setter's text changes.
      utterances: rows at which the solver speaks; its words are seen from the next row on.
      content: bool [setter texts, content words], the content words of each of the setter's texts.
      liked: for a number of ``solver_text``, those of ``setter_text`` after which it was marked (+) and never (-).
      right_together: pairs of numbers of ``solver_text``, the smaller first, that were marked so in one episode after
        requests that may ask for the same thing.
    """

    setter_text: np.ndarray
    solver_text: np.ndarray
    requests: np.ndarray
    utterances: np.ndarray
    content: np.ndarray
    liked: dict[int, frozenset[int]]
    right_together: set[tuple[int, int]]

    @classmethod
    def of(cls, play: MemoryDataset, marks: np.ndarray | None = None, reach: int = ANSWER_REACH) -> Dialogue:
        """Dialogue of ``play``.

        Args:
          play: N steps, encoded.
          marks: uint8 [N, R, 2]; without them right answers are unknown.
          reach: number of steps after an utterance in which marks are about it.
        """
        seen = play.observations
        asked = _changes(seen.setter_tokens, play.first) & (seen.setter_tokens[:, 0] != PAD_ID)
        speaks = play.utterance[:, 0] != PAD_ID
        speaks[play.starts[1:] - 1] = False  # an utterance of the last step is never seen
        text, requests = _number(seen.setter_tokens, play.first), np.flatnonzero(asked)
        episode = np.searchsorted(play.starts, requests, side="right") - 1
        plain = cls(
            setter_text=text,
            solver_text=_number(seen.solver_tokens, play.first),
            requests=requests,
            utterances=np.flatnonzero(speaks),
            content=_content(seen.setter_tokens, text, content_words(seen.setter_tokens[requests], episode)),
            liked={},
            right_together=set(),
        )
        if marks is not None:
            plain._add_right_answers(play.starts, marks, reach)
        return plain

    def may_ask_the_same(self, text: int) -> np.ndarray:
        """Texts of the setter, bool [setter texts], that may ask for the same thing as its text ``text``."""
        same = alike(self.content, text)
        same[text] = True
        return same

    def answers_in(self, rows: slice, marks: np.ndarray, reach: int) -> set[tuple[int, int]]:
        """Right answers in the episode at ``rows``, and the last request heard before each, as numbers of their texts.

        Args:
          marks: [T, R, 2], of the episode.
          reach: number of steps after an utterance in which marks are about it.
        """
        found = liked_answers(self, rows, marks, reach).tolist()
        return {(int(self.solver_text[one + 1]), int(self.setter_text[one])) for one in found}

    def _add_right_answers(self, starts: np.ndarray, marks: np.ndarray, reach: int) -> None:
        """Fill :attr:`liked` and :attr:`right_together`; arguments as of :meth:`of`."""
        liked: defaultdict[int, set[int]] = defaultdict(set)
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            answers = sorted(self.answers_in(slice(begin, end), marks[begin:end], reach))
            for answer, request in answers:
                liked[answer].add(request)
            for (one, first), (other, second) in combinations(answers, 2):
                if one != other and (first == second or alike(self.content[[first, second]], 0)[1]):
                    self.right_together.add((one, other))
        self.liked.update({answer: frozenset(requests) for answer, requests in liked.items()})

    def requests_in(self, rows: slice) -> np.ndarray:
        """Rows of the requests of the episode at ``rows``."""
        return _within(self.requests, rows)

    def utterances_in(self, rows: slice) -> np.ndarray:
        """Rows at which the solver of the episode at ``rows`` speaks."""
        return _within(self.utterances, rows)

    def heard(self, rows: slice, utterance: int) -> slice:
        """Steps of the episode at ``rows`` that show the words of row ``utterance``."""
        later = self.utterances[np.searchsorted(self.utterances, utterance, side="right") :]
        until = int(later[0]) + 1 if len(later) else rows.stop
        return slice(utterance + 1 - rows.start, min(until, rows.stop) - rows.start)

    def other_requests(self, rows: slice, request: int, answers: np.ndarray) -> np.ndarray:
        """Rows of requests of other episodes that ask for something else than this episode from ``request`` on.

        Args:
          request: row from which this episode's requests count.
          answers: rows at which its solver spoke and was marked (+) (:func:`liked_answers`).
        """
        mine = np.unique(self.setter_text[self.requests_in(slice(request, rows.stop))])
        same = np.zeros(len(self.content), dtype=bool)
        for text in mine.tolist():
            same |= self.may_ask_the_same(text)
        for answer in answers[answers >= request].tolist():
            same[list(self.liked.get(int(self.solver_text[answer + 1]), ()))] = True
        elsewhere = (self.requests < rows.start) | (self.requests >= rows.stop)
        return self.requests[elsewhere & ~same[self.setter_text[self.requests]]]


def content_words(tokens: np.ndarray, episode: np.ndarray) -> np.ndarray:
    """Words, int64 [W], that recur within episodes more often than by chance.

    Args:
      tokens: int64 [requests, L], words of each request.
      episode: int64 [requests], number of its episode.
    """
    words = np.sort(tokens, axis=1)
    once = np.ones(words.shape, dtype=bool)
    once[:, 1:] = words[:, 1:] != words[:, :-1]  # a word twice in a request counts once
    request, place = np.nonzero(once & (words != PAD_ID) & (words != CUT_ID))
    word, vocabulary = words[request, place], int(tokens.max(initial=0)) + 1
    # Pairs of requests of one episode: their number, and the number in which both have the word.
    sizes = np.unique(episode, return_counts=True)[1].astype(np.float64)
    pairs = float((sizes * (sizes - 1)).sum() / 2)
    together, times = np.unique(episode[request] * vocabulary + word, return_counts=True)
    both = np.bincount(together % vocabulary, times * (times - 1) / 2.0, vocabulary)
    chance = pairs * (np.bincount(word, minlength=vocabulary) / max(1, len(tokens))) ** 2
    return np.flatnonzero((both - chance > BEYOND_CHANCE * np.sqrt(chance)) & (both >= COMES_BACK * chance))


def alike(content: np.ndarray, text: int) -> np.ndarray:
    """Texts, bool [texts], whose ``content`` words [texts, W] are all among those of ``text``, or the reverse.

    A text without content words is alike to none.
    """
    shared, sizes = (content & content[text]).sum(1), content.sum(1)
    return (shared > 0) & ((shared == sizes) | (shared == sizes[text]))


def liked_answers(dialogue: Dialogue, rows: slice, marks: np.ndarray, reach: int) -> np.ndarray:
    """Rows at which the solver of the episode at ``rows`` speaks and gets a (+) and no (-) within ``reach`` steps."""

    def right(utterance: int) -> bool:
        seen = dialogue.heard(rows, utterance)
        about_it = marks[seen.start : min(seen.stop, seen.start + reach)]
        return bool(about_it[..., PLUS].any()) and not about_it[..., MINUS].any()

    return np.array([u for u in dialogue.utterances_in(rows).tolist() if right(u)], dtype=np.int64)


def _content(tokens: np.ndarray, text: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Mask bool [texts, W] of the ``words`` [W] in each text; ``text`` [N] numbers the texts of ``tokens`` [N, L]."""
    column = np.full(int(tokens.max(initial=0)) + 1, len(words))
    column[words] = np.arange(len(words))
    _, row = np.unique(text, return_index=True)
    has = np.zeros((len(row), len(words) + 1), dtype=bool)
    np.put_along_axis(has, column[tokens[row]], True, axis=1)
    return has[:, :-1]  # without the column of all other words


def _within(found: np.ndarray, rows: slice) -> np.ndarray:
    return found[np.searchsorted(found, rows.start) : np.searchsorted(found, rows.stop)]


def _changes(tokens: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Mask [N] of the rows at which ``tokens`` [N, L] differ from the row before, or an episode begins."""
    changes = first.copy()
    changes[1:] |= (tokens[1:] != tokens[:-1]).any(axis=1)
    return changes


def _number(tokens: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Number [N] of the text of every row of ``tokens`` [N, L], equal for equal texts."""
    changes = _changes(tokens, first)
    _, numbers = np.unique(tokens[changes], axis=0, return_inverse=True)
    return numbers.reshape(-1)[np.cumsum(changes) - 1].astype(np.int64)
