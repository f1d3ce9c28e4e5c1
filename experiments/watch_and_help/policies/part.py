"""The part "policies": the policies of the helpers Hybrid and HRL, one set for each seed, and their learning curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from experiments.engine.page import Section
from experiments.engine.rows import Row, Rows
from experiments.engine.table import Cell, table
from experiments.watch_and_help.policies.training import STAGES, PolicyName, PolicySettings, train
from pipelines.stages.running.staged_run import Stage
from rlhf.run import json_lines
from rlhf.run.progress import announce
from rlhf.run.tracking import METRICS_FILE, read_metrics

FULL = PolicySettings()
TITLES: dict[PolicyName, str] = {
    "grab": "grab a thing",
    "put": "bring it to its place",
    "high": "choose predicates",
    "cloned": "choose predicates, cloned",
}
_PARTS = 10  # of a curve, whose first and last are shown


def stages(folder: Path, seed: int, settings: PolicySettings = FULL) -> list[Stage]:
    """Return the stage that trains the policies of a seed; one that was interrupted resumes within it."""

    def learn() -> None:
        train(folder, seed, settings, lambda name: announce(f"policy {name}, seed {seed}: complete"))

    return [Stage("policies", "of Hybrid and HRL", learn)]


def section(folder: Path) -> Section:
    """Return the learning curves in short; see :mod:`experiments.watch_and_help.parts`."""
    rows, clones = list[Row](), list[str]()
    for path in sorted((folder / "policies").glob(f"seed-*/*/{METRICS_FILE}"), key=_order):
        curve = read_metrics(path.parent)
        seed, stage = int(path.parent.parent.name.removeprefix("seed-")), path.parent.name
        if stage == "cloned":
            last = curve[-max(1, len(curve) // _PARTS) :]
            alike = float(np.mean([row["alike"] for row in last]))
            clones.append(f"The clone of seed {seed} chooses what the planner chose in {alike:.0%} of its choices.")
        elif stage in STAGES:
            rows += _rows(seed, stage, curve)
    if not rows:
        return Section()
    about = (
        "Each figure is the mean of the first and of the last tenth of a stage's updates, with the policy that was "
        "learning at the time. The reward is that of an episode."
    )
    columns = (
        ("episodes", lambda own: f"{sum(row.measures['episodes'] for row in own):,}"),
        ("success", _ends(lambda own: _ratio(own, "successes"), ".0%")),
        ("steps", _ends(lambda own: _ratio(own, "steps"), ".0f")),
        ("reward", _ends(_reward, ".2f")),
        ("CPU time of the policy", lambda own: f"{own[0].measures['cpu_seconds'] / 60:.1f} min"),
    )
    made = table(rows, ("seed", "policy"), columns, lambda row: (str(row.seed), row.arm))
    return Section(rows, ["## Learned policies", about, made, *clones])


def _rows(seed: int, stage: PolicyName, curve: Sequence[json_lines.Row]) -> Iterator[Row]:
    """Yield every update of a stage; the choice of predicates is learned alone first, then with Alice."""
    names = ("episodes", "successes", "steps", "reward")
    for update in sorted(curve, key=lambda one: one["with_alice"]) if stage == "high" else curve:
        phase = "" if stage != "high" else ", with Alice" if update["with_alice"] else ", alone"
        measures = {name: update[name] for name in names if name in update} | {"cpu_seconds": curve[-1]["cpu_seconds"]}
        yield Row("watch-and-help/policies", TITLES[stage] + phase, seed, measures=measures)


def _order(path: Path) -> tuple[str, int]:
    stage = path.parent.name
    return path.parent.parent.name, STAGES.index(stage) if stage in STAGES else len(STAGES)


def _ends(measure: Callable[[Rows], float | None], form: str) -> Cell:
    """Return a cell with a measure of the first and of the last tenth of the updates."""

    def cell(own: Rows) -> str:
        size = max(1, len(own) // _PARTS)
        first, last = measure(own[:size]), measure(own[-size:])
        return "" if first is None or last is None else f"{first:{form}} → {last:{form}}"

    return cell


def _ratio(rows: Rows, name: str) -> float:
    """Return a sum over episodes divided by their number."""
    return sum(row.measures[name] for row in rows) / max(1, sum(row.measures["episodes"] for row in rows))


def _reward(rows: Rows) -> float | None:
    return float(np.mean([row.measures["reward"] for row in rows])) if "reward" in rows[0].measures else None
