"""How replays fared at the beginning and at the end of a run of BC+RL, with intervals, or that too few ended to say.

``train/*`` metrics are means over the last plays that ended, so the first of them is of one play: the beginning is read
where enough have ended, and the end is compared with it only if it is of other plays. ``held_out/*`` metrics are of the
same episodes at every evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rlhf.run.json_lines import Row
from rlhf.run.statistics import Interval, mean_of, wilson_interval

Replays = Literal["held_out", "train"]
Metric = Literal["modelled_return", "true_success"]

FEWEST: Mapping[Replays, int] = {"held_out": 20, "train": 50}  # requests (or plays) behind a number that is compared
NAMES: Mapping[Replays, str] = {"held_out": "held-out", "train": "training"}
METRICS: tuple[Metric, ...] = ("modelled_return", "true_success")


@dataclass(frozen=True)
class Measurement:
    """What was measured at one update.

    Args:
      update: the number of updates made.
      value: a mean over plays, or a share of requests.
      count: plays or requests behind it.
      interval: around ``value``; None if the run did not note the spread of its returns.
    """

    update: int
    value: float
    count: int
    interval: Interval | None


@dataclass(frozen=True)
class Change:
    """What became of a metric.

    Args:
      first: the first reading of enough plays; None if there is none, or none of other plays than ``last``.
      last: the newest reading; None if no play has ended.
    """

    first: Measurement | None
    last: Measurement | None

    @property
    def known(self) -> bool:
        """Whether the beginning and the end can be compared."""
        return self.first is not None and self.last is not None

    @property
    def requests(self) -> int:
        """How many plays or requests the newest reading is of."""
        return 0 if self.last is None else self.last.count


def change_of(rows: Sequence[Row], replays: Replays, metric: Metric) -> Change:
    """What became of ``metric`` on these ``replays``, from all rows of a run's metrics."""
    found = [(row, reading) for row in rows if (reading := _reading(row, replays, metric)) is not None]
    if not found:
        return Change(None, None)
    row, last = found[-1]
    begun = next(((r, reading) for r, reading in found if reading.count >= FEWEST[replays]), None)
    if begun is None or last.count < FEWEST[replays] or not _apart(replays, begun, (row, last)):
        return Change(None, last)
    return Change(begun[1], last)


def compared_replays(rows: Sequence[Row]) -> Replays:
    """The replays that say how a run went: held-out ones, or training ones if only those suffice or exist."""
    for replays in NAMES:
        if any(change_of(rows, replays, metric).known for metric in METRICS):
            return replays
    return "held_out" if any(change_of(rows, "held_out", metric).last for metric in METRICS) else "train"


def requests_behind(row: Row, replays: Replays, metric: Metric) -> int:
    """How many requests (of true success) or plays (of modelled return) a row's number is of; 0 if it does not say."""
    requests = row.get(f"{replays}/requests", 0)
    return int(requests if metric == "true_success" else row.get(f"{replays}/plays", requests))


def _reading(row: Row, replays: Replays, metric: Metric) -> Measurement | None:
    value, count = row.get(f"{replays}/{metric}"), requests_behind(row, replays, metric)
    if value is None or not count:
        return None
    if metric == "true_success":
        interval = wilson_interval(round(value * count), count)
        return Measurement(row["step"], value, count, interval)
    spread = row.get(f"{replays}/modelled_return_sd")
    return Measurement(row["step"], value, count, None if spread is None else mean_of(value, spread, count))


def _apart(replays: Replays, first: tuple[Row, Measurement], last: tuple[Row, Measurement]) -> bool:
    """Whether two readings are of different plays. Plays end in proportion to the steps played."""
    if replays == "held_out":
        return last[1].update > first[1].update
    before, after = (row.get("played_steps", 0) for row, _ in (first, last))
    return before > 0 and after >= before * (1 + last[1].count / first[1].count)
