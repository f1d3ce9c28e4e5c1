"""Outcomes of agents at a probe, paired episode by episode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from rlhf.run.statistics import Interval, difference_interval


class ProbeOutcomes(Protocol):
    """Outcomes of one agent at one probe: ``success[i]`` is of the episode with seed ``seeds[i]``."""

    @property
    def agent(self) -> str: ...
    @property
    def probe(self) -> str: ...
    @property
    def seeds(self) -> Sequence[int]: ...
    @property
    def success(self) -> Sequence[bool]: ...


Found = TypeVar("Found", bound=ProbeOutcomes)


def at_probe(results: Iterable[Found], probe: str) -> Found:
    """Return the result at ``probe`` among an agent's results.

    Raises:
      ValueError: if there is none, or several.
    """
    (found,) = (result for result in results if result.probe == probe)
    return found


def ordered(result: ProbeOutcomes) -> np.ndarray:
    """Outcomes as 0 and 1 in the order of the episodes' seeds: float64 [episodes]."""
    return np.asarray(result.success, dtype=np.float64)[np.argsort(result.seeds)]


def paired(result: ProbeOutcomes, other: ProbeOutcomes) -> np.ndarray:
    """Differences episode by episode: float64 [episodes] of -1, 0 and 1.

    Args:
      result: of the compared agent.
      other: of the agent whose outcomes are subtracted.

    Raises:
      ValueError: if the two did not play the same episodes of one probe.
    """
    if result.probe != other.probe or sorted(result.seeds) != sorted(other.seeds):
        raise ValueError(f"{result.agent} and {other.agent} did not play the same episodes of {result.probe}")
    return ordered(result) - ordered(other)


def gain(after: Sequence[ProbeOutcomes], before: Sequence[ProbeOutcomes], seed: int) -> Interval:
    """Difference of success between two agents over all probes, paired by episode, with a bootstrap interval.

    Args:
      after: results of one agent.
      before: results of the agent that is subtracted.
      seed: seed of the bootstrap.

    Raises:
      ValueError: if they were not evaluated at the same probes on the same episodes.
    """
    earlier = {result.probe: result for result in before}
    if set(earlier) != {result.probe for result in after}:
        raise ValueError("agents of different probes cannot be compared")
    return difference_interval([[paired(result, earlier[result.probe]) for result in after]], seed=seed)
