"""Results of experiments as rows, from which every table and figure is made.

A row is one episode: its experiment, arm, seed and probe, whether it succeeded, and whatever else was measured in it. A
number of a whole run, such as its processor time, is a row without an episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.stages.evaluate import ProbeResult
from pipelines.stages.outcomes.paired import at_probes, gain, success_of
from rlhf.run.statistics import Interval, mean_of

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Row:
    """One result.

    Args:
      experiment: its name; after a slash, which of its evaluations or measurements.
      probe: what was asked, or where; "" for a number of the whole run.
      episode: which episode; rows of two arms with the same one are paired.
      success: None for what neither succeeds nor fails.
    """

    experiment: str
    arm: str
    seed: int
    probe: str = ""
    episode: str = ""
    success: bool | None = None
    measures: Mapping[str, float] = field(default_factory=dict)


Rows = Sequence[Row]


@dataclass(frozen=True)
class Outcomes:
    """An arm's episodes at one probe in one run, as :mod:`pipelines.stages.outcomes.paired` takes them."""

    agent: str
    probe: str
    seeds: Sequence[str]
    success: Sequence[bool]


def rows_of_results(
    experiment: str, arm: str, seed: int, results: Iterable[ProbeResult], measures: Mapping[str, float] | None = None
) -> Iterator[Row]:
    """Yield a row for every episode of an evaluation; ``measures`` are the same in all of them."""
    for result in results:
        for episode, success in zip(result.seeds, result.success, strict=True):
            yield Row(experiment, arm, seed, result.probe, str(episode), success, measures or {})


def rows_of(rows: Iterable[Row], experiment: str) -> list[Row]:
    """Return the rows of one evaluation or measurement."""
    return [row for row in rows if row.experiment == experiment]


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Return rows by ``key``, groups and rows in the order in which they come."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def of_seeds(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """Return rows by seed."""
    return grouped(rows, lambda row: row.seed)


def success(rows: Rows, probes: Sequence[str] = ()) -> Interval:
    """Return the share of episodes that succeeded, over all seeds; ``probes``, by default all, weigh the same."""
    return success_of(_runs(rows, probes).values())


def gained(rows: Rows, others: Rows, probes: Sequence[str] = ()) -> Interval | None:
    """Return the success of one arm less another's, paired by seed, probe and episode; None without common seeds."""
    after, before = _runs(rows, probes), _runs(others, probes)
    shared = sorted(after.keys() & before.keys())
    return gain([after[seed] for seed in shared], [before[seed] for seed in shared]) if shared else None


def _runs(rows: Rows, probes: Sequence[str]) -> dict[int, list[Outcomes]]:
    """The outcomes at each of the probes, by seed, rising."""
    found = {}
    for seed, of_seed in sorted(of_seeds(rows).items()):
        outcomes = [
            Outcomes(own[0].arm, probe, [row.episode for row in own], [bool(row.success) for row in own])
            for probe, own in grouped(of_seed, lambda row: row.probe).items()
        ]
        found[seed] = at_probes(outcomes, probes) if probes else outcomes
    return found


def value(row: Row, name: str) -> float | None:
    """Return a measure of a row, or its ``success`` as 0 or 1; None where it was not measured."""
    return row.measures.get(name) if name != "success" or row.success is None else float(row.success)


def seed_means(rows: Rows, name: str) -> list[float]:
    """Return the mean of a measure in each seed that has it."""
    found = ([one for row in own if (one := value(row, name)) is not None] for own in of_seeds(rows).values())
    return [float(np.mean(values)) for values in found if values]


def over_seeds(rows: Rows, name: str) -> Interval | None:
    """Return the mean of a measure over seeds with Student's 95% interval; None of fewer than two seeds."""
    values = seed_means(rows, name)
    return mean_of(float(np.mean(values)), float(np.std(values, ddof=1)), len(values)) if len(values) > 1 else None


def parquet(rows: Iterable[Row]) -> bytes:
    """Return rows as a Parquet file, with a column for each measure."""
    rows = list(rows)
    names = ("experiment", "arm", "seed", "probe", "episode", "success")
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    measured = dict.fromkeys(name for row in rows for name in row.measures)
    columns |= {name: [row.measures.get(name) for row in rows] for name in measured}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()
