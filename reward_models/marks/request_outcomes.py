"""Requests of marked play, and whether their marks say that they were carried out.

A request counts as carried out if the last mark in its stretch is a (+), at the step of that mark, and as failed if
the last one is a (-) or there is none. Where only a late (+) follows, which may be about the next request, nothing is
known. Verdicts of raters on a stretch replace what marks say of the requests in it.
Only episodes that somebody has rated count. Marks are a poor judge of requests with several parts: a (+) for the first
part looks like success.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reward_models.marks.dialogue import Dialogue
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.pairs import MINUS, PLUS
from rlhf.records.preferences import SUCCESS, RequestVerdict


@dataclass(frozen=True, eq=False)
class RequestOutcomes:
    """K requests, in the rows of the play.

    Args:
      begin: int64 [K], the row at which each is heard.
      end: int64 [K], the row after the last of its stretch.
      text: int64 [K], number of the setter's text.
      success: int64 [K], the row of the mark by which it was carried out; -1 where it was not.
    """

    begin: np.ndarray
    end: np.ndarray
    text: np.ndarray
    success: np.ndarray

    @classmethod
    def of(cls, play: MarkedPlay, delay: int = 0, verdicts: Iterable[RequestVerdict] = ()) -> RequestOutcomes:
        """Requests of ``play`` of at least two steps.

        Args:
          delay: marks at most this many steps after a later request may be about the request before it, and are not
            counted for either, nor are marks at its very step.
        """
        dialogue, rated = Dialogue.of(play.episodes), set(np.flatnonzero(play.rated_episodes.any(axis=1)).tolist())
        judged, marks = _by_begin(play, verdicts), play.marks.sum(axis=1, dtype=np.int64)
        found = []
        for episode in range(len(play)):
            rows = play.rows(episode)
            requests = dialogue.requests_in(rows).tolist()
            for number, (begin, end) in enumerate(zip(requests, [*requests[1:], rows.stop], strict=True)):
                verdict = judged.get(begin)
                if end - begin < 2 or (episode not in rated and verdict is None):
                    continue
                first = begin + 1 + (delay if number else 0)
                success = _carried_out(marks[first:end], first)
                late = marks[end : min(end + delay + 1, rows.stop), PLUS]
                if verdict is None and success == -1 and late.any():
                    continue
                if verdict is not None:
                    end, carried_out = verdict
                    success = (success if begin < success < end else end - 1) if carried_out else -1
                found.append((begin, end, dialogue.setter_text[begin], success))
        columns = np.array(found, dtype=np.int64).reshape(-1, 4).T
        return cls(*columns)

    def __len__(self) -> int:
        return len(self.begin)


def _carried_out(marks: np.ndarray, first: int) -> int:
    """Row of the last mark in ``marks`` [T, 2], which begin at row ``first``, if it is a (+); else -1."""
    marked = np.flatnonzero(marks.any(axis=1))
    if not len(marked) or marks[marked[-1], PLUS] <= marks[marked[-1], MINUS]:
        return -1
    return first + int(marked[-1])


def _by_begin(play: MarkedPlay, verdicts: Iterable[RequestVerdict]) -> dict[int, tuple[int, bool]]:
    """End and success of each judged stretch, by the row at which it begins; the last verdict on it counts."""
    starts = {episode_id: play.rows(number) for number, episode_id in enumerate(play.episode_ids)}
    found = {}
    for verdict in verdicts:
        rows = starts.get(verdict.episode_id)
        if verdict.decides and rows is not None and verdict.end - verdict.begin > 1:
            end = min(rows.start + verdict.end, rows.stop)
            found[rows.start + verdict.begin] = end, verdict.answer == SUCCESS
    return found
