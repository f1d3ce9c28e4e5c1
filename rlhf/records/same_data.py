"""Whether a run that goes on learns from the recorded play that it was begun with."""

from __future__ import annotations

from collections.abc import Mapping

from worlds.errors import UserError

_TOLD = ("episodes", "steps", "marks")


def check_same_data(then: Mapping[str, int], now: Mapping[str, int]) -> None:
    """See that the play is what it was.

    Args:
      then, now: counts of ``episodes``, ``steps`` and ``marks``, and digests under other names.

    Raises:
      UserError: if they differ; the counts are told.
    """
    if then != now:
        before, after = _told(then), _told(now)
        after = "as many now, but others" if after == before else f"{after} now"
        raise UserError(
            f"the recorded play is not what the run was learning from: {before} then, {after}; put "
            "the datasets back as they were, or start a new run"
        )


def _told(play: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in play.items() if name in _TOLD)
