"""The record from which the measures of a study are computed."""

from __future__ import annotations

from dataclasses import dataclass

from rlhf.records.marks import Mark


@dataclass(frozen=True)
class Submission:
    """One rater's submitted marks of one episode.

    Args:
      gold: "" or the purpose for which the episode was given as gold.
      active_sec: seconds of work on it.
      seen: share of the episode's steps that the rater's browser showed; None where that is not known.
    """

    rater: str
    episode: str
    steps: int
    marks: tuple[Mark, ...]
    gold: str = ""
    submitted: float = 0.0
    active_sec: float = 0.0
    seen: float | None = None
