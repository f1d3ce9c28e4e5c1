"""Rounds of improvement (paper, section 6.7 and Figure 9) of a study's agents at a new task, from several seeds.

RUN/seed-N               a run of `rlhf iterate`, whose cloned agent begins with the study's
RUN/seed-N/known         its agents at requests of training, in new houses
RUN/table.md             success of every round's agent, less BC and less the round before
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.ranges import check_ranges
from pipelines.loops.iterate import iterate
from pipelines.loops.rounds import (
    CLONE,
    REFERENCE,
    IterateConfig,
    agent_name,
    resolve_config,
    resolve_start,
    round_folder,
)
from pipelines.report.file import made_by
from pipelines.stages.evaluate import EvaluateConfig, ProbeResult, evaluate, load_results
from pipelines.stages.outcomes.paired import ordered, paired
from pipelines.stages.running.staged_run import Stage, open_run, run_stages
from pipelines.studies.config import PLAYER, StudyConfig, StudySeed, check_seeds, clone_folder, folder_of, load_study
from pipelines.studies.results_docs import ResultTable, format_table
from pipelines.studies.table import format_difference, format_success
from rlhf.run.config import lock_run
from rlhf.run.statistics import difference_interval, share_interval
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

TABLE, KNOWN, RESULTS = "table.md", "known", "results.json"
Found = dict[str, ProbeResult]  # by agent, in one seed


@dataclass(frozen=True)
class RoundsStudyConfig:
    """Settings of rounds from several seeds.

    Args:
      source: folder of the study whose cloned agents learn the task; their cloning is complete.
      run: folder of all outputs.
      seeds: seeds of the study, each from 0 to 24.
      rounds: every seed's rounds, evaluated at one probe.
    """

    source: Path
    run: Path = Path("runs/reproduce/rounds")
    seeds: tuple[StudySeed, ...] = (0, 1, 2)
    rounds: IterateConfig = field(default_factory=IterateConfig)

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        check_seeds(self.seeds)
        if len(self.rounds.evaluate.probes) != 1:
            raise UserError(f"rounds are evaluated at one probe, not {len(self.rounds.evaluate.probes)}")


def rounds_study(config: RoundsStudyConfig) -> Path:
    """Run all rounds from every seed; return the path of the table. An interrupted study resumes.

    Raises:
      UserError: if the study or one of its cloned agents is not there, or the folder holds other results.
    """
    study = load_study(config.source)
    runs = {seed: _rounds_of(config, study, seed) for seed in config.seeds}
    open_run(config.run, config, "study", free=("seeds",), option="--runs")
    with lock_run(config.run):
        for seed, rounds in runs.items():
            iterate(rounds)
            evaluation = _on_known_requests(rounds)
            run = Stage("known requests", "of training, in new houses", lambda one=evaluation: evaluate(one))
            run_stages(rounds.run / KNOWN, [run], title=f"seed {seed}: ")
        return _write_report(config, runs)


def _rounds_of(config: RoundsStudyConfig, study: StudyConfig, seed: int) -> IterateConfig:
    begun = clone_folder(folder_of(study, seed), PLAYER)
    if not (begun / "model.safetensors").is_file():
        raise UserError(f"the cloned agent of seed {seed} is not in {config.source}; train it, or name other --seeds")
    clone = replace(config.rounds.clone, agent=begun)
    return resolve_config(replace(config.rounds, run=config.run / f"seed-{seed}", seed=seed, clone=clone))


def _on_known_requests(rounds: IterateConfig) -> EvaluateConfig:
    """Return the settings of evaluating all agents on requests of training."""
    start = resolve_start(rounds).evaluate
    made = {agent_name(n): str(round_folder(rounds.run, n) / "improve" / "agent") for n in _numbers(rounds)}
    return replace(start, agents={**start.agents, **made}, split="train", out=rounds.run / KNOWN / RESULTS)


def _numbers(rounds: IterateConfig) -> range:
    return range(1, rounds.rounds + 1)


def _write_report(config: RoundsStudyConfig, runs: dict[int, IterateConfig]) -> Path:
    new, known = [], []
    for rounds in runs.values():
        folders = [rounds.run, *(round_folder(rounds.run, number) for number in _numbers(rounds))]
        new.append({one.agent: one for folder in folders for one in load_results(folder / RESULTS)})
        known.append({one.agent: one for one in load_results(rounds.run / KNOWN / RESULTS)})
    (probe,) = config.rounds.evaluate.probes
    about = (
        f"Success at {probe} in per cent, and points more than another agent, paired by episode: "
        f"{config.rounds.evaluate.episodes} requests a seed with held-out words, and as many as in training, all in "
        "new houses. 95% intervals over seeds (Student's t, or a bootstrap of the episodes where that is wider)."
    )
    agents = [CLONE, *map(agent_name, _numbers(config.rounds)), REFERENCE]
    table = format_table(ResultTable(_HEAD, tuple(table_rows(agents, new, known))))
    write_file(config.run / TABLE, "\n\n".join(["# rounds", made_by(tuple(runs)), about, table]).encode())
    return config.run / TABLE


_HEAD = (
    "agent", "held-out words", f"than {CLONE}", "than the round before",
    "words of training", f"than {CLONE}", "than the round before",
)  # fmt: skip


def table_rows(agents: Sequence[str], new: Sequence[Found], known: Sequence[Found]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the table.

    Args:
      agents: BC, the agent of every round, and the demonstrator.
      new: outcomes of every seed, with held-out words.
      known: the same, with words of training.
    """
    for place, agent in enumerate(agents):
        cells = []
        for found in (new, known):
            cells.append(format_success(share_interval([[ordered(one[agent])] for one in found], seed=0)))
            improved = agent not in (CLONE, REFERENCE)
            for other, shown in ((CLONE, improved), (agents[place - 1], improved and place > 1)):
                groups = [[paired(one[agent], one[other])] for one in found] if shown else []
                cells.append(format_difference(difference_interval(groups, seed=0)) if shown else "")
        yield agent, *cells
