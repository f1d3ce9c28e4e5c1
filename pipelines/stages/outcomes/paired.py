"""Success of agents at probes, and the difference of two agents, with intervals; outcomes are paired by episode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from rlhf.run.statistics import Interval, difference_interval, share_interval


class ProbeOutcomes(Protocol):
    """Outcomes of one agent at one probe: ``success[i]`` is of the episode with seed ``seeds[i]``."""

    @property
    def agent(self) -> str: ...
    @property
    def probe(self) -> str: ...
    @property
    def seeds(self) -> Sequence[int] | Sequence[str]: ...
    @property
    def success(self) -> Sequence[bool]: ...


Found = TypeVar("Found", bound=ProbeOutcomes)
Runs = Iterable[Iterable[ProbeOutcomes]]  # of each run (an agent trained from one seed) its results, one a probe


def at_probes(results: Iterable[Found], probes: Iterable[str]) -> list[Found]:
    """Return an agent's results at ``probes``, in their order. Raises KeyError if it has not played one of them."""
    by_probe = {result.probe: result for result in results}
    return [by_probe[probe] for probe in probes]


def success_of(runs: Runs, seed: int = 0) -> Interval:
    """Return the share of an agent's episodes that succeeded, with probes of equal weight.

    Args:
      runs: the agent's results; every run has the same probes.
    """
    return share_interval([[ordered(result) for result in run] for run in runs], seed=seed)


def gain(after: Runs, before: Runs, seed: int = 0) -> Interval:
    """Return the success of one agent less that of another, paired by run, probe and episode.

    Args:
      before: results of the agent that is subtracted, of the same runs in the same order.

    Raises:
      ValueError: if they were not evaluated at the same probes on the same episodes.
    """
    groups = [_paired_run(list(run), list(others)) for run, others in zip(after, before, strict=True)]
    return difference_interval(groups, seed=seed)


def _paired_run(run: Sequence[ProbeOutcomes], others: Sequence[ProbeOutcomes]) -> list[np.ndarray]:
    if {result.probe for result in run} != {other.probe for other in others}:
        raise ValueError("agents of different probes cannot be compared")
    return [paired(*both) for both in zip(run, at_probes(others, [result.probe for result in run]), strict=True)]


def ordered(result: ProbeOutcomes) -> np.ndarray:
    """Outcomes as 0 and 1 in the order of the episodes' seeds: float64 [episodes]."""
    return np.asarray(result.success, dtype=np.float64)[np.argsort(result.seeds)]


def paired(result: ProbeOutcomes, other: ProbeOutcomes) -> np.ndarray:
    """Differences episode by episode: float64 [episodes] of -1, 0 and 1.

    Raises:
      ValueError: if the two did not play the same episodes of one probe.
    """
    if result.probe != other.probe or sorted(result.seeds) != sorted(other.seeds):
        raise ValueError(f"{result.agent} and {other.agent} did not play the same episodes of {result.probe}")
    return ordered(result) - ordered(other)
