"""Progress played backwards as an example of regress (the video rewind of ReWiND, Zhang et al. 2025).

An episode with a (+) at step m, of a stretch that begins at step b, is played up to m, then back from m to b, and then
again from b on, as far as its length lasts. What the (+) was about is undone on the way back, so a (-) is put there.
What is shown on the way back:

* **Frames** are those of the steps m - 1, m - 2, ... b, in that order.
* **Words** stay those of step m: nothing that was said is unsaid. The stretch begins at the request at the earliest,
  and a (+) is left out if the solver has spoken in its stretch or if the (+) may be about an answer.
* **The previous movement** is rest, as it is at the first step of an episode: nobody knows the movements that lead
  back. The reward models of this project do not observe it.
* **The memory** is carried on: to the model it is one episode, in which what was done is undone and done again.

Marks are late, so a (+) at m may be about something that could first be seen ``delay`` steps earlier. The (-) is
therefore at the step that shows the frame of m - 1 - delay, at which it is surely undone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reward_models.marks.dialogue import Dialogue
from reward_models.marks.pairs import MINUS, PLUS


class Rewindable(NamedTuple):
    """Stretch of progress, in steps of its episode: a (+) at ``mark`` and nothing else since ``begin``."""

    begin: int
    mark: int


class Rewound(NamedTuple):
    """Rewound episode of T steps.

    Args:
      frames: int64 [T], step whose frame is shown at each step.
      words: int64 [T], step whose words are heard at each step.
      backwards: bool [T], steps on the way back.
      marks: [T, R, 2], the marks of the rewound episode.
      unclear: bool [T], steps on the way back at which it is not known what raters would have marked.
    """

    frames: np.ndarray
    words: np.ndarray
    backwards: np.ndarray
    marks: np.ndarray
    unclear: np.ndarray


def rewindable(dialogue: Dialogue, rows: slice, marks: np.ndarray, reach: int, delay: int) -> list[Rewindable]:
    """Stretches of progress of the episode at ``rows`` that can be played backwards.

    Args:
      marks: [T, R, 2], of the episode.
      reach: a mark may be about an utterance that is at most this many steps older.
    """
    marked = np.flatnonzero(marks.any(axis=(1, 2)))
    requests = dialogue.requests_in(rows) - rows.start
    spoken = dialogue.utterances_in(rows) + 1 - rows.start
    found = []
    for before, mark in zip([0, *marked[:-1].tolist()], marked.tolist(), strict=True):
        heard = requests[requests <= mark]
        if not len(heard) or marks[mark, :, MINUS].any():
            continue
        begin = max(before, int(heard[-1]))
        silent = not ((spoken >= min(begin, mark - reach)) & (spoken <= mark)).any()
        if silent and begin <= mark - 1 - delay and mark + 1 + delay < len(marks):
            found.append(Rewindable(begin, mark))
    return found


def rewind(marks: np.ndarray, stretch: Rewindable, delay: int) -> Rewound:
    """Play a stretch of an episode with ``marks`` [T, R, 2] backwards after its (+), and then on from its beginning.

    Arguments are those of :func:`rewindable`.
    """
    begin, mark = stretch
    steps, turn = np.arange(len(marks)), 2 * mark - begin  # the step at which the way back ends
    backwards = (steps > mark) & (steps <= turn)
    frames = np.where(backwards, 2 * mark - steps, np.where(steps > turn, begin + steps - turn, steps))
    rewound = marks[frames]
    rewound[backwards] = 0
    undone = mark + 1 + delay
    rewound[undone, :, MINUS] = marks[mark, :, PLUS]
    return Rewound(frames, np.where(backwards, mark, frames), backwards, rewound, backwards & (steps != undone))
