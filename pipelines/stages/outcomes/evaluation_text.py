"""Results of `rlhf evaluate` as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipelines.stages.outcomes.paired import success_of
from pipelines.stages.outcomes.results_file import LEARNED, ProbeResult, Split
from rlhf.run.statistics import Interval, points
from worlds.registry import WorldEntry

REQUESTS: Mapping[Split, str] = {"held_out": "held-out requests", "train": "requests of training combinations"}
NEW_HOUSES: Mapping[Split, str] = {split: f"{requests} in new houses" for split, requests in REQUESTS.items()}
_SAME_REQUESTS = "requests in new places"  # where both splits ask for the same
_LEARNED_REQUESTS = "first requests of a learned setter"
_LEAST_WIDTH = 9  # of the column of probes


def requests_of(split: Split, entry: WorldEntry) -> str:
    """Return what an evaluation asks for in a world, in words."""
    return REQUESTS[split] if entry.splits_requests else _SAME_REQUESTS


def success_table(results: Sequence[ProbeResult], requests: str) -> str:
    """Format the success of every agent at every probe, with 95% intervals, as lines of text.

    Args:
      requests: what was asked for, in words; see :func:`requests_of`.
    """
    agents, probes = (list(dict.fromkeys(getattr(r, name) for r in results)) for name in ("agent", "probe"))
    cells = {(r.agent, r.probe): success_of([[r]]) for r in results}
    width = max(len(agent) for agent in agents)
    requests = _LEARNED_REQUESTS if probes == [LEARNED] else f"{requests} a probe"
    lines = [f"success at {results[0].episodes} {requests}, 95% intervals:"]
    for probe in probes:
        columns = (
            f"{agent:>{width}} {100 * c.estimate:3.0f}% ({100 * c.low:.0f} to {100 * c.high:.0f})"
            for agent in agents
            if (c := cells.get((agent, probe))) is not None
        )
        lines.append(f"  {probe:<{_width(probes)}} " + "   ".join(columns))
    return "\n".join(lines)


def _width(probes: Iterable[str]) -> int:
    """Return the width of the column of probes' names."""
    return max(_LEAST_WIDTH, *map(len, probes))


def difference_table(results: Sequence[ProbeResult], baseline: str) -> str:
    """Format the differences of all agents to ``baseline``, at every probe and over all, as lines of text."""
    cells = dict[str, list[tuple[str, Interval]]]()
    agents = {result.agent: result.difference.over_all for result in results if result.difference is not None}
    for result in results:
        if result.difference is not None:
            cells.setdefault(result.probe, []).append((result.agent, result.difference.at_probe))
    if len(cells) > 1:
        cells["all"] = list(agents.items())
    if not cells:
        return f"no other agent has played a probe of {baseline}"
    lines = [f"differences to {baseline} in points, paired by episode, 95% intervals:"]
    width = max(map(len, agents))
    for probe, found in cells.items():
        columns = (f"{agent:>{width}} {points(difference)}" for agent, difference in found)
        lines.append(f"  {probe:<{_width(cells)}} " + "   ".join(columns))
    return "\n".join(lines)
