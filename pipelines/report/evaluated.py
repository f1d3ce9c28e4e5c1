"""Table of an evaluation (`rlhf evaluate`) whose results lie in the folder of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.report.findings import OVERALL
from pipelines.report.page import Cell, Row, Table
from pipelines.stages.evaluate import ProbeResult, load_results
from pipelines.stages.outcomes.paired import success_of
from rlhf.run.statistics import LEVEL, Interval, percent, points

RESULTS_FILE = "results.json"


@dataclass(frozen=True)
class Evaluation:
    """Success of agents."""

    table: Table
    lead: str


def evaluation(run: Path) -> Evaluation | None:
    """Return the evaluation in ``RESULTS_FILE`` of the folder ``run``; None without that file.

    Raises UserError if the file holds no results.
    """
    path = run / RESULTS_FILE
    results = load_results(path) if path.is_file() else []
    if not results:
        return None
    agents, probes = (list(dict.fromkeys(getattr(r, name) for r in results)) for name in ("agent", "probe"))
    by_agent = {agent: {r.probe: r for r in results if r.agent == agent} for agent in agents}
    rows = [Row(_title(probe), tuple(_at_probe(by_agent[agent].get(probe)) for agent in agents)) for probe in probes]
    if len(probes) > 1:
        cells = tuple(_over_all(list(found.values()), len(probes)) for found in by_agent.values())
        rows.append(Row(OVERALL, cells, css="overall"))
    lead = f"{results[0].episodes:,} episodes a probe, the same for all agents; {percent(LEVEL)} intervals."
    if baseline := next((r.difference.baseline for r in results if r.difference is not None), None):
        lead += f" The second line is the difference to {baseline}, paired by episode."
    return Evaluation(Table(("Probe", *agents), tuple(rows)), lead)


def _title(probe: str) -> str:
    return probe[:1].upper() + probe[1:]


def _at_probe(result: ProbeResult | None) -> Cell:
    if result is None:
        return Cell()
    return _cell(success_of([[result]]), result.difference and result.difference.at_probe)


def _over_all(results: Sequence[ProbeResult], probes: int) -> Cell:
    """Cell over all probes, empty for an agent that has not played them all."""
    if len(results) < probes:
        return Cell()
    success = success_of([results])
    over_all = results[0].difference and results[0].difference.over_all
    if over_all is not None and over_all.count < success.count:
        over_all = None  # the baseline has played fewer probes
    return _cell(success, over_all)


def _cell(success: Interval, difference: Interval | None) -> Cell:
    return Cell.share(success, *([] if difference is None else [points(difference)]))
