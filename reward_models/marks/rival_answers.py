"""Answers of one kind that cannot both be right: another colour, another number, yes and no.

Two answers are of one kind if raters marked both (+) after the same words of the setter: "red" and "blue" after "what
color is the ball". They are rivals if they also say something else, and never were both right in one house after
requests that may ask for the same thing. No grammar is known, so they count as the same answer if one has all words of
the other ("red", "it is red") or they share a word that fewer than half of the answers to that question have ("the ball
is red", "it is red"). The rule errs towards the same: an exchange not made costs little, and a right answer called
wrong teaches the error.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np

from agents.tokenizer import CUT_ID, PAD_ID
from reward_models.marks.dialogue import Dialogue
from rlhf.data.memory import MemoryDataset


class RivalAnswers:
    """Rivals of every answer of some play.

    Args:
      play: N steps, encoded.
    """

    def __init__(self, dialogue: Dialogue, play: MemoryDataset) -> None:
        self._dialogue = dialogue
        seen = dialogue.utterances + 1
        self._rows: dict[int, np.ndarray] = {text: seen[dialogue.solver_text[seen] == text] for text in dialogue.liked}
        words = {text: _words(play.observations.solver_tokens[rows[0]]) for text, rows in self._rows.items()}
        self._rivals = rivals(dialogue.liked, words, dialogue.right_together)

    def of(self, rows: slice, answer: int, marks: np.ndarray, reach: int) -> np.ndarray:
        """Rows that show a rival of the answer of row ``answer`` of the episode at ``rows``.

        Rivals that were right in the same house, about something else, are preferred: both can be seen there.

        Args:
          answer: row at which its solver speaks and is marked (+).
          marks: [T, R, 2], of the episode.
          reach: number of steps after an utterance in which marks are about it.
        """
        found = set(self._rivals.get(int(self._dialogue.solver_text[answer + 1]), ()))
        said = self._dialogue.answers_in(rows, marks, reach)
        same = self._dialogue.may_ask_the_same(int(self._dialogue.setter_text[answer]))
        found -= {text for text, request in said if same[request]}  # a question with several right answers
        chosen = found & {text for text, _ in said} or found
        return np.concatenate([np.empty(0, np.int64), *(self._rows[text] for text in sorted(chosen))])


def rivals(
    liked: Mapping[int, frozenset[int]],
    words: Mapping[int, Sequence[int]],
    right_together: Collection[tuple[int, int]] = (),
) -> dict[int, frozenset[int]]:
    """Rivals of every answer.

    Args:
      liked: for each answer, the questions after which it was right.
      words: of each answer.
      right_together: pairs of answers that are no rivals.
    """
    answers: defaultdict[int, list[int]] = defaultdict(list)
    for answer, questions in liked.items():
        for question in questions:
            answers[question].append(answer)
    found: defaultdict[int, set[int]] = defaultdict(set)
    same = set(right_together)
    for given in answers.values():
        often = Counter(word for answer in given for word in set(words[answer]))
        for one, other in combinations(sorted(given), 2):
            shared = set(words[one]) & set(words[other])
            contained = shared in (set(words[one]), set(words[other]))
            if contained or any(2 * often[word] < len(given) for word in shared):
                same.add((one, other))
            found[one].add(other)
            found[other].add(one)
    for one, other in same:
        found[one].discard(other)
        found[other].discard(one)
    return {answer: frozenset(others) for answer, others in found.items()}


def _words(tokens: np.ndarray) -> tuple[int, ...]:
    return tuple(int(token) for token in tokens if token not in (PAD_ID, CUT_ID))
