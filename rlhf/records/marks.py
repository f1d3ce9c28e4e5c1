"""The records of what raters and judges say, and how their names are spelt. They know nothing of worlds or files."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from rlhf.records.checks import check_flags, check_texts, is_whole

PROGRESS = 1
REGRESS = -1
NO_REQUEST, CANNOT_TELL = "no request", "cannot tell"
LEFT_OUT = ("", NO_REQUEST, CANNOT_TELL)
# Zero-width spaces and soft hyphens come with text that is copied from pages; they are part of no name.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


@dataclass(frozen=True)
class Mark:
    """A rater's opinion that at ``step`` of an episode the solver made progress (+1) or regressed (-1).

    Raises:
      ValueError: if a field is of another type, the sign is neither +1 nor -1, or the step is negative.
    """

    episode_id: str
    rater: str
    step: int
    sign: int
    scripted: bool  # given by a stand-in, not by a person

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, rater=self.rater)
        check_flags("a mark", scripted=self.scripted)
        if not is_whole(self.step) or not is_whole(self.sign):
            raise ValueError(f"a mark's step and sign are whole numbers, not {self.step!r} and {self.sign!r}")
        if self.sign not in (PROGRESS, REGRESS):
            raise ValueError(f"a mark's sign is +1 or -1, not {self.sign}")
        if self.step < 0:
            raise ValueError(f"a mark's step counts from 0, not {self.step}")


@dataclass(frozen=True)
class Judgement:
    """A judge's verdict on one task of an episode.

    Args:
      episode_id: the episode.
      judge: name of the judge.
      success: whether the task was done; False where the judgement is left out.
      step: step at which it was done; None where it was not.
      scripted: whether the judge is a program.
      left_out: ``NO_REQUEST`` or ``CANNOT_TELL``, with which it counts neither as success nor as failure; else "".

    Raises:
      ValueError: if a field is of another type, or a judgement that is left out has a success.
    """

    episode_id: str
    judge: str
    success: bool
    step: int | None
    scripted: bool
    left_out: str = ""

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, judge=self.judge)
        check_flags("a judgement", success=self.success, scripted=self.scripted)
        if self.step is not None and not is_whole(self.step):
            raise ValueError(f"a judgement's step is a whole number or None, not {self.step!r}")
        if self.left_out not in LEFT_OUT:
            raise ValueError(f"a judgement is left out as {NO_REQUEST!r} or {CANNOT_TELL!r}, not {self.left_out!r}")
        if self.left_out and (self.success or self.step is not None):
            raise ValueError("a judgement that is left out has neither success nor step")


def rater_name(name: str) -> str:
    """Return ``name`` as it is kept: composed characters (NFC), and single spaces between its words."""
    return " ".join(unicodedata.normalize("NFC", name.translate(_UNSEEN)).split())


def rater_key(name: str) -> str:
    """Return a text that is equal for all spellings of one rater's name; letter case does not matter."""
    return rater_name(name).lower()
