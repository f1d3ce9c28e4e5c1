"""Windows of play before marks: those before a (+) are desirable, those before a (-) are not.

A mark's step is the first at which what is marked can be seen, so the window ends with the action before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.tokenizer import PAD_ID
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.pairs import MINUS, PLUS
from rlhf.data.memory import MemoryDataset
from rlhf.learning.labelled_windows import NO_REQUEST, LabelledWindows


def windows_before_marks(play: MarkedPlay, steps: int, rater_delay: int = 1) -> LabelledWindows:
    """Find the windows before all marks of ``play``.

    A window has at most ``steps`` steps and lies under one request: the setter's words are the same at all of them. It
    begins after the same rater's last mark of the other sign, which is about what was done before. A mark at most
    ``rater_delay`` steps after a request, if it is not the episode's first, is about what was done before the request.
    A step that a rater marked (+) as often as (-) gives no window, and neither does an episode's first step.

    Args:
      play: with its marks; each rater's are used separately.
      steps: largest number of steps of a window.
    """
    heard = _Heard.of(play.episodes)
    found: list[tuple[int, int, int, bool, int]] = []
    for episode in range(len(play)):
        first, marks = play.rows(episode).start, play.marks_of(episode).astype(np.int64)
        signs = np.sign(marks[..., PLUS] - marks[..., MINUS])  # [T, R]
        signs[0] = 0
        for rater in range(signs.shape[1]):
            for step in np.flatnonzero(signs[:, rater]).tolist():
                sign = int(signs[step, rater])
                end = heard.end_of_actions(first + step, first, rater_delay)
                others = np.flatnonzero(signs[:step, rater] == -sign)
                after = first + int(others[-1]) if len(others) else first
                begin = max(end - steps, heard.begin(end - 1), after)
                if begin < end:
                    found.append((begin, end, first, sign > 0, int(heard.text[end - 1])))
    begin, end, first, desirable, request = zip(*found, strict=True) if found else ((),) * 5
    return LabelledWindows(
        *(np.array(rows, dtype=np.int64) for rows in (begin, end, first)),
        desirable=np.array(desirable, dtype=bool),
        request=np.array(request, dtype=np.int64),
    )


@dataclass(frozen=True, eq=False)
class _Heard:
    """The setter's words along N rows of play.

    Args:
      text: int64 [N], equal numbers for equal words, ``NO_REQUEST`` before the first ones.
      begins: rows from which the words are others than before.
    """

    text: np.ndarray
    begins: np.ndarray

    @classmethod
    def of(cls, play: MemoryDataset) -> _Heard:
        tokens = play.observations.setter_tokens
        text = np.unique(tokens, axis=0, return_inverse=True)[1].reshape(-1)
        text = np.where(tokens[:, 0] == PAD_ID, NO_REQUEST, text)
        return cls(text, np.flatnonzero(play.first | (np.diff(text, prepend=NO_REQUEST - 1) != 0)))

    def begin(self, row: int) -> int:
        """First row from which the words have been those of ``row``."""
        return int(self.begins[np.searchsorted(self.begins, row, side="right") - 1])

    def end_of_actions(self, row: int, first: int, rater_delay: int) -> int:
        """Row after the last action that a mark at ``row``, of an episode from ``first`` on, is about."""
        request = self.begin(row - 1)
        follows_another = request > first and self.text[request - 1] != NO_REQUEST
        return request if follows_another and row - request <= rater_delay else row
