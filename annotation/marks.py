"""The records of what raters and judges say. They know nothing of worlds, agents or files."""

from __future__ import annotations

from dataclasses import dataclass

PROGRESS = 1
REGRESS = -1


@dataclass(frozen=True)
class Mark:
    """A rater's opinion that at ``step`` of an episode the solver made progress (+1) or regressed (-1).

    Raises:
      ValueError: if the sign is neither +1 nor -1 or the step is negative.
    """

    episode_id: str
    rater: str
    step: int
    sign: int
    scripted: bool  # given by a stand-in, not by a person

    def __post_init__(self) -> None:
        if self.sign not in (PROGRESS, REGRESS):
            raise ValueError(f"a mark's sign is +1 or -1, not {self.sign}")
        if self.step < 0:
            raise ValueError(f"a mark's step counts from 0, not {self.step}")


@dataclass(frozen=True)
class Judgement:
    """A judge's verdict on one task of an episode, with the step of success where there was one."""

    episode_id: str
    judge: str
    success: bool
    step: int | None
    scripted: bool
