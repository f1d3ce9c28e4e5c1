"""Check that a resumed run learns from the recorded play that it was begun with."""

from __future__ import annotations

from collections.abc import Mapping

from worlds.errors import UserError

_REPORTED = ("episodes", "steps", "marks")


def check_same_data(then: Mapping[str, int], now: Mapping[str, int]) -> None:
    """Check that the recorded play is the same.

    Args:
      then: counts of ``episodes``, ``steps`` and ``marks``, and digests under other names, when the run was begun.

    Raises:
      UserError: if they differ; the message gives both counts.
    """
    if then != now:
        before, after = _counts(then), _counts(now)
        after = "as many now, but others" if after == before else f"{after} now"
        raise UserError(
            f"the recorded play differs from that which the run was learning from: {before} then, {after}; put "
            "the datasets back as they were, or start a new run"
        )


def _counts(play: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in play.items() if name in _REPORTED)
