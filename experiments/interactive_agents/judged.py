"""The agents of :mod:`experiments.interactive_agents.plateau` at the standardised test suite and in live evaluation.

`rlhf reproduce judged --source runs/reproduce/plateau` (paper, Figures 6 and 7), for seeds of `plateau` that are
complete, without those of "default". Setters, judges and the recorded players are scripts. Differences from the paper:

* 108 scenarios instead of 162, of the six probes' requests, in rooms of `plateau` that agents have not learned from. An
  agent has 96 steps.
* Live setters have half as long an episode, and give up a request after 96 steps.
* The human bar is the scripted demonstrator, with its mistakes.

An experiment's agents at the standardised test suite and in live evaluation (paper, 6.4 and 6.5), judged by scripts.

RUN/seed-N/contexts, suite.json      scripted play in held-out places, and the scenarios drawn from it
RUN/seed-N/continuations             every agent's continuations, with their judgements
RUN/seed-N/live                      play in which scripted setters ask and judge
RUN/table.md, against-time.png       success as judged and as checked, ranks, success against time
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path

from experiments.engine.config import (
    FIRST_FURTHER_SEED,
    SCRIPTED_SOLVER,
    ExperimentConfig,
    ExperimentSeed,
    agent_of,
    check_seeds,
    check_trained,
    load_experiment,
    slug,
)
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.plan import Plan
from experiments.interactive_agents import plateau
from experiments.interactive_agents.judged_report import write_judged_report
from pipelines.stages.record import record
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.running.staged_run import Stage
from pipelines.stages.settings.world_config import PlayersConfig
from pipelines.suite.judge import JudgeSuiteConfig, judge_suite
from pipelines.suite.live import LiveSuiteConfig, live_suite
from pipelines.suite.make import MakeSuiteConfig, make_suite
from pipelines.suite.play import PlaySuiteConfig, play_suite
from worlds.ranges import Count
from worlds.settings import settings


@settings
class JudgedConfig:
    """Settings of an experiment's agents at the test suite and in live evaluation.

    Args:
      source: folder of the finished experiment, with its agents.
      run: folder of all outputs.
      seeds: seeds of the experiment.
      arms: agents of the experiment; the first is the one that others are compared with.
      contexts: scripted play from which scenarios are drawn.
      suite: how they are drawn.
      continuations: of each scenario by each agent.
      judge: scripted judges of the continuations.
      live: live evaluation.
    """

    source: Path
    run: Path = Path("runs/reproduce/judged")
    seeds: tuple[ExperimentSeed, ...] = (0, 1, 2)
    arms: tuple[str, ...] = ()
    contexts: RecordConfig = field(default_factory=RecordConfig)
    suite: MakeSuiteConfig = field(default_factory=MakeSuiteConfig)
    continuations: Count = 10
    judge: JudgeSuiteConfig = field(default_factory=JudgeSuiteConfig)
    live: LiveSuiteConfig = field(default_factory=LiveSuiteConfig)

    def __post_init__(self) -> None:
        check_seeds(self.seeds)


def plan_judged(config: JudgedConfig) -> Plan:
    """Return the plan that plays, judges and reports.

    Raises:
      UserError: if the experiment or one of its agents is not there.
    """
    experiment = load_experiment(config.source)
    for arm in config.arms:
        for seed in config.seeds:
            check_trained(experiment, arm, seed)
    scripted = next((arm for arm in config.arms if experiment.arms[arm].clone == SCRIPTED_SOLVER), None)

    def stages(_: str, seed: int) -> list[Stage]:
        return _stages(config, experiment, seed)

    def report(_: str, seeds: Sequence[int]) -> Path:
        return write_judged_report(config.run, seeds, config.arms, scripted)

    return Plan(config.run, config.seeds, stages, report, config)


def _stages(config: JudgedConfig, experiment: ExperimentConfig, seed: int) -> list[Stage]:
    folder, own, words = config.run / f"seed-{seed}", FIRST_FURTHER_SEED + seed, experiment.evaluate.greedy_words
    agents = {slug(arm): agent_of(experiment, arm, seed) for arm in config.arms}
    contexts = replace(
        config.contexts, data=folder / "contexts", split="held_out", seed=own, world=experiment.demonstrations.world
    )
    drawing = replace(config.suite, data=contexts.data, out=folder / "suite.json", seed=seed)
    playing = PlaySuiteConfig(
        suite=drawing.out, data=folder / "continuations", agents=agents, continuations=config.continuations, seed=seed,
        slots=64, greedy_words=words, players=contexts.players,
    )  # fmt: skip
    judging = replace(config.judge, data=playing.data, seed=seed)
    asked = {SCRIPTED_SOLVER if one == SCRIPTED_SOLVER else name: one for name, one in agents.items()}
    living = replace(
        config.live,
        agents=asked,
        data=folder / "live",
        seed=own,
        world=experiment.demonstrations.world,
        greedy_words=words,
    )

    def draw() -> None:
        drawing.out.unlink(missing_ok=True)  # left by an interrupted attempt
        record(contexts)
        make_suite(drawing)

    return [
        Stage("scenarios", "drawn from scripted play", draw),
        Stage("continuations", "of every agent", lambda: play_suite(playing)),
        Stage("judgements", "of scripted judges", lambda: judge_suite(judging)),
        Stage("live", "scripted setters ask and judge", lambda: live_suite(living)),
    ]


STEPS = 96  # of a continuation, and of a live setter's patience


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce judged`."""
    return plan_judged(replace(judged(), source=config.needed_source(), run=config.run, seeds=config.seeds))


def judged() -> JudgedConfig:
    """Settings of `rlhf reproduce judged`."""
    experiment = plateau.experiment()
    players = experiment.demonstrations.players
    asking = {"first_request": [0, 4], "pause": [4, 12], "patience": STEPS}
    live = PlayersConfig(tasks=players.tasks, setter=asking, solver=players.solver)
    return JudgedConfig(
        source=Path("runs/reproduce/plateau"),
        arms=tuple(name for name, arm in experiment.arms.items() if arm.clone != plateau.DEFAULT),
        contexts=RecordConfig(episodes=80, steps=240, players=live),
        suite=MakeSuiteConfig(scenarios=108, steps=STEPS),
        judge=JudgeSuiteConfig(judges=3),
        live=LiveSuiteConfig(episodes=30, steps=562, players=live),
    )
