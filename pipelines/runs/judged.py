"""The agents of :mod:`pipelines.runs.plateau` at the standardised test suite and in live evaluation.

`rlhf reproduce judged --source runs/reproduce/plateau` (paper, Figures 6 and 7), for seeds of `plateau` that are
complete, without those of "default". Setters, judges and the recorded players are scripts. Differences from the paper:

* 108 scenarios instead of 162, of the six probes' requests, in rooms of `plateau` that agents have not learned from. An
  agent has 96 steps.
* Live setters have half as long an episode, and give up a request after 96 steps.
* The human bar is the scripted demonstrator, with its mistakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.runs import plateau
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.settings.world_config import PlayersConfig
from pipelines.studies.judged import JudgedConfig, judged_study
from pipelines.suite.judge import JudgeSuiteConfig
from pipelines.suite.live import LiveSuiteConfig
from pipelines.suite.make import MakeSuiteConfig

STEPS = 96  # of a continuation, and of a live setter's patience


def further(source: Path, run: Path, seeds: Sequence[int]) -> Path:
    """`rlhf reproduce judged`."""
    return judged_study(replace(judged(), source=source, run=run, seeds=tuple(seeds)))


def judged() -> JudgedConfig:
    """Settings of `rlhf reproduce judged`."""
    study = plateau.study()
    players = study.demonstrations.players
    asking = {"first_request": [0, 4], "pause": [4, 12], "patience": STEPS}
    live = PlayersConfig(tasks=players.tasks, setter=asking, solver=players.solver)
    return JudgedConfig(
        source=Path("runs/reproduce/plateau"),
        arms=tuple(name for name, arm in study.arms.items() if arm.clone != plateau.DEFAULT),
        contexts=RecordConfig(episodes=80, steps=240, players=live),
        suite=MakeSuiteConfig(scenarios=108, steps=STEPS),
        judge=JudgeSuiteConfig(judges=3),
        live=LiveSuiteConfig(episodes=30, steps=562, players=live),
    )
