"""Outcomes of replays at the beginning and the end of a run of BC+RL, with intervals.

``train/*`` metrics are means over the latest plays that ended, so the first row is of a single play. The beginning is
the first row of enough plays; the end is compared with it only if it is of other plays. ``held_out/*`` metrics are of
the same episodes at every evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rlhf.run.json_lines import Row
from rlhf.run.statistics import Interval, mean_of, wilson_interval

Replays = Literal["held_out", "train"]
Metric = Literal["modelled_return", "second_return", "true_success"]

FEWEST: Mapping[Replays, int] = {"held_out": 20, "train": 50}  # requests (or plays) behind a number that is compared
NAMES: Mapping[Replays, str] = {"held_out": "held-out", "train": "training"}
METRICS: tuple[Metric, ...] = ("modelled_return", "second_return", "true_success")


@dataclass(frozen=True)
class Measurement:
    """A metric at one update.

    Args:
      value: mean over plays, or share of requests.
      count: number of plays or requests.
      interval: interval of ``value``; None if the run did not record the standard deviation of its returns.
    """

    update: int
    value: float
    count: int
    interval: Interval | None


@dataclass(frozen=True)
class Change:
    """A metric at the beginning and the end of a run.

    Args:
      first: first measurement of enough plays; None if there is none, or it shares plays with ``last``.
      last: newest measurement; None if no play has ended.
    """

    first: Measurement | None
    last: Measurement | None

    @property
    def known(self) -> bool:
        """True if the beginning and the end can be compared."""
        return self.first is not None and self.last is not None

    @property
    def requests(self) -> int:
        """Number of plays or requests of the newest measurement."""
        return 0 if self.last is None else self.last.count


def change_of(rows: Sequence[Row], replays: Replays, metric: Metric) -> Change:
    """Return the change of ``metric`` on ``replays``, from all rows of a run's metrics."""
    found = [(row, measured) for row in rows if (measured := _measurement(row, replays, metric)) is not None]
    if not found:
        return Change(None, None)
    row, last = found[-1]
    first = next(((r, measured) for r, measured in found if measured.count >= FEWEST[replays]), None)
    if first is None or last.count < FEWEST[replays] or not _of_different_plays(replays, first, (row, last)):
        return Change(None, last)
    return Change(first[1], last)


def compared_replays(rows: Sequence[Row]) -> Replays:
    """Return the replays to report: held-out ones, or training ones if only those are enough or exist."""
    for replays in NAMES:
        if any(change_of(rows, replays, metric).known for metric in METRICS):
            return replays
    return "held_out" if any(change_of(rows, "held_out", metric).last for metric in METRICS) else "train"


def requests_behind(row: Row, replays: Replays, metric: Metric) -> int:
    """Return the number of requests (true success) or plays (returns) of a row's metric; 0 if unknown."""
    requests = row.get(f"{replays}/requests", 0)
    return int(requests if metric == "true_success" else row.get(f"{replays}/plays", requests))


def _measurement(row: Row, replays: Replays, metric: Metric) -> Measurement | None:
    value, count = row.get(f"{replays}/{metric}"), requests_behind(row, replays, metric)
    if value is None or not count:
        return None
    if metric == "true_success":
        interval = wilson_interval(round(value * count), count)
        return Measurement(row["step"], value, count, interval)
    spread = row.get(f"{replays}/{metric}_sd")
    return Measurement(row["step"], value, count, None if spread is None else mean_of(value, spread, count))


def _of_different_plays(replays: Replays, first: tuple[Row, Measurement], last: tuple[Row, Measurement]) -> bool:
    """Return True if two measurements share no play. Plays end in proportion to the steps played."""
    if replays == "held_out":
        return last[1].update > first[1].update
    before, after = (row.get("played_steps", 0) for row, _ in (first, last))
    return before > 0 and after >= before * (1 + last[1].count / first[1].count)
