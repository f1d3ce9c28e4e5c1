"""The part "policies": the policies of the helpers Hybrid and HRL, one set for each seed, and their learning curves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.watch_and_help.policies.training import CURVE, STAGES, PolicyName, PolicySettings, train
from pipelines.stages.running.staged_run import Stage
from rlhf.run.progress import announce

FULL = PolicySettings()
TITLES: dict[PolicyName, str] = {
    "grab": "grab a thing",
    "put": "bring it to its place",
    "high": "choose predicates",
    "cloned": "choose predicates, cloned",
}
_PARTS = 10  # of a curve, whose first and last are shown


def stages(folder: Path, seed: int, settings: PolicySettings = FULL) -> list[Stage]:
    """Return the stage that trains the policies of a seed; one that was interrupted resumes within it.

    Args:
      folder: of the whole experiment.
      seed: of the policies.
      settings: of training.
    """

    def learn() -> None:
        train(folder, seed, settings, lambda name: announce(f"policy {name}, seed {seed}: complete"))

    return [Stage("policies", "of Hybrid and HRL", learn)]


def section(folder: Path) -> str:
    """Return the learning curves in short, Markdown; see :mod:`experiments.watch_and_help.parts`."""
    rows: list[str] = []
    clones: list[str] = []
    for path in sorted((folder / "policies").glob(f"seed-*/*/{CURVE}"), key=_order):
        curve = json.loads(path.read_bytes())
        seed, stage = path.parent.parent.name.removeprefix("seed-"), path.parent.name
        if stage not in STAGES:
            continue
        if stage == "cloned":
            last = curve["rows"][-max(1, len(curve["rows"]) // _PARTS) :]
            alike = float(np.mean([row["alike"] for row in last]))
            clones.append(f"The clone of seed {seed} chooses what the planner chose in {alike:.0%} of its choices.")
            continue
        phases = [("", curve["rows"])]
        if stage == "high":
            phases = [
                (", alone", [row for row in curve["rows"] if not row["with_alice"]]),
                (", with Alice", [row for row in curve["rows"] if row["with_alice"]]),
            ]
        for words, part in phases:
            if part:
                rows.append(_line(seed, TITLES[stage] + words, part, curve))
    if not rows:
        return ""
    head = (
        "## Learned policies\n\nEach figure is the mean of the first and of the last tenth of a stage's updates, "
        "with the policy that was learning at the time. The reward is that of an episode.\n\n"
        "| seed | policy | episodes | success | steps | reward | CPU time of the policy |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
    )
    return "\n".join([head + "\n".join(rows), *(f"\n{each}" for each in clones)]) + "\n"


def _order(path: Path) -> tuple[str, int]:
    stage = path.parent.name
    return path.parent.parent.name, STAGES.index(stage) if stage in STAGES else len(STAGES)


def _line(seed: str, title: str, rows: Sequence[dict[str, Any]], curve: dict[str, Any]) -> str:
    """Return a row of the table."""
    size = max(1, len(rows) // _PARTS)
    ends = (rows[:size], rows[-size:])
    success = [_ratio(part, "successes") for part in ends]
    steps = [_ratio(part, "steps") for part in ends]
    rewards = [float(np.mean([row["reward"] for row in part])) if "reward" in part[0] else None for part in ends]
    shown = [f"{success[0]:.0%} → {success[1]:.0%}", f"{steps[0]:.0f} → {steps[1]:.0f}"]
    reward = "" if rewards[0] is None or rewards[1] is None else f"{rewards[0]:.2f} → {rewards[1]:.2f}"
    episodes = sum(int(row["episodes"]) for row in rows)
    minutes = curve["cpu_seconds"] / 60
    return f"| {seed} | {title} | {episodes:,} | {shown[0]} | {shown[1]} | {reward} | {minutes:.1f} min |"


def _ratio(rows: Sequence[dict[str, Any]], name: str) -> float:
    """Return a sum over episodes divided by their number."""
    return sum(row[name] for row in rows) / max(1, sum(row["episodes"] for row in rows))
