"""Two rounds of improvement at towers, as in the paper's Figure 9, of agents that know the words already.

`rlhf reproduce rounds --source runs/reproduce/plateau`, for seeds whose cloned agent `plateau` has trained. World,
demonstrations and raters are those of :mod:`pipelines.presets.tower`, and these differ:

* The cloned agent is that of :mod:`experiments.interactive_agents.plateau`, trained further on the demonstrations in
  windows of 16 steps.
* A round has 2,000 episodes of play, which end soon after success and are twice as long where there is none: a quarter
  of the cloned agent's towers take longer than :mod:`pipelines.presets.tower` plays.
* The reward model learns for 3,000 updates and reads marks three steps later
  (:mod:`experiments.interactive_agents.raters`).
* Every round improves the agent of the round before, with the learner of `plateau`, for 1,500 updates. In the paper
  every round begins with the cloned agent.

Rounds of improvement (paper, section 6.7 and Figure 9) of an experiment's agents at a new task, from several seeds.

RUN/seed-N/rounds        a run of `rlhf iterate`, whose cloned agent begins with the experiment's
RUN/seed-N/rounds/known  its agents at requests of training, in new houses
RUN/table.md             success of every round's agent, less BC and less the round before
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path

from experiments.engine.config import (
    PLAYER,
    ExperimentConfig,
    ExperimentSeed,
    check_seeds,
    clone_folder,
    folder_of,
    load_experiment,
)
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.page import Section, write_page
from experiments.engine.plan import Plan
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, gained, grouped, rows_of_results, success
from experiments.engine.table import Cell, by_arm, format_difference, format_success, table
from experiments.interactive_agents import plateau, raters
from pipelines.loops.loop import LoopConfig, iterate
from pipelines.loops.rounds import (
    CLONE,
    REFERENCE,
    agent_name,
    resolve_config,
    resolve_start,
    round_folder,
)
from pipelines.presets import tower
from pipelines.stages.evaluate import EvaluateConfig, evaluate, load_results
from pipelines.stages.running.staged_run import Stage
from worlds.errors import UserError
from worlds.settings import settings

KNOWN, RESULTS = "known", "results.json"


@settings
class RoundsConfig:
    """Settings of rounds from several seeds.

    Args:
      source: folder of the experiment whose cloned agents learn the task; their cloning is complete.
      run: folder of all outputs.
      seeds: seeds of the experiment, each from 0 to 24.
      rounds: every seed's rounds, evaluated at one probe.
    """

    source: Path
    run: Path = Path("runs/reproduce/rounds")
    seeds: tuple[ExperimentSeed, ...] = (0, 1, 2)
    rounds: LoopConfig = field(default_factory=LoopConfig)

    def __post_init__(self) -> None:
        check_seeds(self.seeds)
        if len(self.rounds.evaluate.probes) != 1:
            raise UserError(f"rounds are evaluated at one probe, not {len(self.rounds.evaluate.probes)}")


def plan_rounds(config: RoundsConfig) -> Plan:
    """Return the plan of all rounds from every seed.

    Raises:
      UserError: if the experiment or one of its cloned agents is not there.
    """
    experiment = load_experiment(config.source)
    runs = {seed: _rounds_of(config, experiment, seed) for seed in config.seeds}

    def stages(_: str, seed: int) -> list[Stage]:
        evaluation = _on_known_requests(runs[seed])
        return [
            Stage("rounds", "as of `rlhf iterate`", lambda: iterate(runs[seed])),
            Stage("known requests", "of training, in new houses", lambda: evaluate(evaluation)),
        ]

    def report(_: str, seeds: Sequence[int]) -> Path:
        return _write_report(config, {seed: runs[seed] for seed in seeds})

    return Plan(config.run, config.seeds, stages, report, config)


def _rounds_of(config: RoundsConfig, experiment: ExperimentConfig, seed: int) -> LoopConfig:
    begun = clone_folder(folder_of(experiment, seed), PLAYER)
    if not (begun / "model.safetensors").is_file():
        raise UserError(f"the cloned agent of seed {seed} is not in {config.source}; train it, or name other --seeds")
    clone = replace(config.rounds.clone, agent=begun)
    return resolve_config(replace(config.rounds, run=config.run / f"seed-{seed}" / "rounds", seed=seed, clone=clone))


def _on_known_requests(rounds: LoopConfig) -> EvaluateConfig:
    """Return the settings of evaluating all agents on requests of training."""
    start = resolve_start(rounds).evaluate
    made = {agent_name(n): str(round_folder(rounds.run, n) / "improve" / "agent") for n in _numbers(rounds)}
    return replace(start, agents={**start.agents, **made}, split="train", out=rounds.run / KNOWN / RESULTS)


def _numbers(rounds: LoopConfig) -> range:
    return range(1, rounds.rounds + 1)


def _write_report(config: RoundsConfig, runs: dict[int, LoopConfig]) -> Path:
    new, known = list[Row](), list[Row]()
    for seed, rounds in runs.items():
        folders = [rounds.run, *(round_folder(rounds.run, number) for number in _numbers(rounds))]
        for found, files in ((new, [folder / RESULTS for folder in folders]), (known, [rounds.run / KNOWN / RESULTS])):
            results = {one.agent: one for file in files for one in load_results(file)}
            place = "rounds" if found is new else f"rounds/{KNOWN}"
            found += [row for agent, one in results.items() for row in rows_of_results(place, agent, seed, [one])]
    (probe,) = config.rounds.evaluate.probes
    about = (
        f"Success at {probe} in per cent, and points more than another agent, paired by episode: "
        f"{config.rounds.evaluate.episodes} requests a seed with held-out words, and as many as in training, all in "
        "new houses. 95% intervals over seeds (Student's t, or a bootstrap of the episodes where that is wider)."
    )
    agents = [CLONE, *map(agent_name, _numbers(config.rounds)), REFERENCE]
    section = Section([*new, *known], [about, rounds_table(agents, new, known)])
    return write_page(config.run, "rounds", [section], tuple(runs))


def rounds_table(agents: Sequence[str], new: Rows, known: Rows) -> ResultTable:
    """Return success with held-out words and with those of training, less BC and less the round before.

    Args:
      agents: BC, the agent of every round in order, and the demonstrator.
    """

    def less(rows: Rows, other: Callable[[int], int]) -> Cell:
        by = grouped(rows, by_arm)

        def cell(own: Rows) -> str:
            place = agents.index(own[0].arm)
            before = other(place)
            if own[0].arm in (CLONE, REFERENCE) or before < 0:
                return ""
            found = gained(by[own[0].arm], by[agents[before]])
            return "" if found is None else format_difference(found)

        return cell

    columns = list[tuple[str, Cell]]()
    for title, rows in (("held-out words", new), ("words of training", known)):
        by = grouped(rows, by_arm)
        columns += [
            (title, lambda own, by=by: format_success(success(by[own[0].arm]))),
            (f"than {CLONE}", less(rows, lambda _: 0)),
            ("than the round before", less(rows, lambda place: place - 1 if place > 1 else -1)),
        ]
    return table(new, "agent", columns, lines=agents)


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce rounds`."""
    return plan_rounds(
        RoundsConfig(source=config.needed_source(), run=config.run, seeds=config.seeds, rounds=seed_rounds())
    )


def seed_rounds() -> LoopConfig:
    """Settings of every seed's rounds."""
    base = tower.iterate()
    further = plateau.experiment().clones[PLAYER]
    rewarding = replace(base.reward.training, updates=3000, evaluate_every=300, marks_later=raters.LATER)
    return replace(
        base,
        improve_start="previous",
        clone=replace(further, training=replace(further.training, updates=9000)),
        play=replace(base.play, episodes=2000, steps=2 * base.play.steps, tail=16),
        held_out_play=160,  # half of them have nothing of held-out words to ask for
        reward=replace(base.reward, training=rewarding),
        improve=replace(plateau.improving(), world=tower.WORLD, replay=None, updates=1500, checkpoint_every=250),
    )
