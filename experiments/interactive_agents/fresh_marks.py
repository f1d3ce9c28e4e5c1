"""Whose play to mark once a reward model is used up, at the six probes.

`rlhf reproduce fresh-marks --source runs/reproduce/plateau`, for seeds of `plateau` that are complete, without those
of "default". Its "BC+RL (IBT, read later)" is improved further, by half as many updates, with the learner of `plateau`,
in four ways that start alike:

* "same reward model": against the reward model that it was improved against already.
* "BC's play marked": against a reward model that learns from a third more marked play, of the cloned agent. The marks
  of `plateau` are on its play, too, and on demonstrations.
* "its own play marked": the same, but the further play is of the improved agent (the second round of the paper's
  Figure 9).
* "both marked": against a reward model that learns from both.

Houses, requests, raters and the reward models' settings are the same for all. The reward models start from the cloned
agent. Fresh setters are not replayed: BC+RL replays those of `plateau`.

Whose play to mark once a reward model is used up: agents that an experiment has improved are improved further.

RUN/seed-N/play-bc, play-own         further play of the cloned agent and of the improved one, with marks
RUN/seed-N/reward-bc, -own, -both    reward models of the experiment's marks and of these
RUN/seed-N/improve, improve-*        the improved agent, further: against the experiment's reward model and each of
these RUN/table.md, success.png            success of all, less the improved agent, BC and each other
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.engine import figures
from experiments.engine.config import (
    FIRST_FURTHER_SEED,
    PLAYER,
    TRUTH,
    ExperimentConfig,
    ExperimentSeed,
    agent_of,
    check_seeds,
    check_trained,
    clone_folder,
    data_of,
    folder_of,
    is_evaluated,
    load_experiment,
    marking_of,
    probes_of,
    results_of,
    reward_folder,
)
from experiments.engine.declaration import ReproduceConfig
from experiments.engine.page import Section, write_page
from experiments.engine.plan import Plan
from experiments.engine.rows import Row, rows_of_results
from experiments.engine.stages import SeedStages, mark_by_all
from experiments.engine.table import differences, markdown, tabulate
from experiments.interactive_agents import plateau
from pipelines.loops.wiring import Wiring
from pipelines.stages.evaluate import EvaluateConfig, evaluate, load_results
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.outcomes.evaluation_text import REQUESTS
from pipelines.stages.record import record
from pipelines.stages.record_config import RecordConfig
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.running.staged_run import Stage, resume_or_start
from worlds.errors import UserError
from worlds.ranges import Count
from worlds.settings import settings

BC, OWN, BOTH = "bc", "own", "both"  # whose further play is marked
UNMARKED = "further, same reward model"
MARKED = {BC: "further, BC's play marked", OWN: "further, its own play marked", BOTH: "further, both marked"}
FURTHER = (UNMARKED, *MARKED.values())
RESULTS = "results.json"


@settings
class FreshMarksConfig:
    """Settings of improving an experiment's agents further.

    Args:
      source: folder of the experiment, with its agents and their results.
      arm: agent of the experiment that was improved against a reward model of marks.
      beside: agents of the experiment that are shown as well.
      run: folder of all outputs.
      seeds: seeds of the experiment.
      episodes: of play that are marked besides those of the experiment.
      updates: by which the agent is improved further.
      checkpoint_every: updates.
    """

    source: Path
    arm: str
    beside: tuple[str, ...] = ()
    run: Path = Path("runs/reproduce/fresh-marks")
    seeds: tuple[ExperimentSeed, ...] = (0, 1, 2)
    episodes: Count = 2000
    updates: Count = 750
    checkpoint_every: Count = 250

    def __post_init__(self) -> None:
        check_seeds(self.seeds)


def plan_fresh_marks(config: FreshMarksConfig) -> Plan:
    """Return the plan that records, marks, trains and evaluates.

    Raises:
      UserError: if the experiment or one of its agents is not there, or the agent was not improved against a reward
        model.
    """
    experiment = load_experiment(config.source)
    _check_agents(config, experiment)

    def stages(_: str, seed: int) -> list[Stage]:
        return FurtherStages(config, experiment, seed).all()

    def report(_: str, seeds: Sequence[int]) -> Path:
        return _write_report(replace(config, seeds=tuple(seeds)), experiment)

    return Plan(config.run, config.seeds, stages, report, config)


def _check_agents(config: FreshMarksConfig, experiment: ExperimentConfig) -> None:
    for seed in config.seeds:
        for arm in (config.arm, *config.beside):
            check_trained(experiment, arm, seed)
        for arm in (experiment.compared_with, config.arm, *config.beside):
            if not is_evaluated(experiment, arm, seed):
                raise UserError(f"{arm!r} of seed {seed} is not evaluated in {config.source}; repeat its command")
    arm = experiment.arms[config.arm]
    if arm.improve is None or arm.reward == TRUTH:
        raise UserError(f"{config.arm!r} of {config.source} was not improved against a reward model of marks")


@dataclass(frozen=True)
class FurtherStages:
    """Stages of one seed."""

    config: FreshMarksConfig
    experiment: ExperimentConfig
    seed: int

    @property
    def wiring(self) -> Wiring:
        """Folder and seed of the stages."""
        return Wiring(self.config.run / f"seed-{self.seed}", self.seed)

    @property
    def begun(self) -> Path:
        """Folder of the agent that is improved further."""
        return Path(agent_of(self.experiment, self.config.arm, self.seed))

    def all(self) -> list[Stage]:
        """Return the stages in their order."""
        updates = f"{self.config.updates} updates"
        evaluating, unmarked = self.evaluating(), self.improving(None)
        stages = [Stage(UNMARKED, updates, lambda: resume_or_start(improve, unmarked))]
        for whose in (BC, OWN):
            stages += [*self.marked(whose), *self.learned(whose)]
        stages += self.learned(BOTH)
        return [*stages, Stage("evaluation", "held-out requests", lambda: evaluate(evaluating))]

    def marked(self, whose: str) -> list[Stage]:
        """Return the stages of further play and its marks."""
        playing = self.playing(whose)
        raters = marking_of(self.experiment, self.experiment.arms[self.config.arm].marks)
        return [
            Stage(f"play {whose}", f"{playing.episodes} episodes", lambda: record(playing)),
            Stage(f"marks {whose}", "by scripted raters", lambda: mark_by_all(self.wiring, raters, playing.data)),
        ]

    def learned(self, whose: str) -> list[Stage]:
        """Return the stages of an agent whose reward model learns from marked further play as well."""
        rewarding, improving = self.rewarding(whose), self.improving(whose)
        return [
            Stage(f"reward {whose}", "from these marks as well", lambda: resume_or_start(reward, rewarding)),
            Stage(MARKED[whose], f"{self.config.updates} updates", lambda: resume_or_start(improve, improving)),
        ]

    def playing(self, whose: str) -> RecordConfig:
        """Return the settings of further play, in the same houses and of the same requests for all agents."""
        player = clone_folder(folder_of(self.experiment, self.seed), PLAYER) if whose == BC else self.begun
        play = self.wiring.play(self.experiment.play, self.wiring.folder / f"play-{whose}", player)
        return replace(play, episodes=self.config.episodes, seed=FIRST_FURTHER_SEED + self.seed)

    def rewarding(self, whose: str) -> RewardConfig:
        """Return the settings of a reward model, those of the agent's in the experiment, of more marks."""
        arm = self.experiment.arms[self.config.arm]
        cloned = clone_folder(folder_of(self.experiment, self.seed), arm.clone)
        further = (BC, OWN) if whose == BOTH else (whose,)
        marked = (data_of(self.experiment, arm.marks, self.seed), *(self.playing(one).data for one in further))
        return self.wiring.reward(self.experiment.rewards[arm.reward], marked, cloned, f"reward-{whose}")

    def improving(self, whose: str | None) -> ImproveConfig:
        """Return the settings of improving further against a reward model; None: against that of the experiment."""
        before = SeedStages(self.experiment, self.seed).improve_config(self.config.arm)
        used = reward_folder(folder_of(self.experiment, self.seed), self.experiment.arms[self.config.arm])
        model = used if whose is None else self.wiring.folder / f"reward-{whose}"
        return replace(
            before, agent=self.begun, reward_model=model / "reward_model", runs=self.wiring.folder,
            name=_run_name(whose), updates=self.config.updates, checkpoint_every=self.config.checkpoint_every,
        )  # fmt: skip

    def evaluating(self) -> EvaluateConfig:
        """Return the settings of evaluating all, on the episodes of the experiment's results."""
        names = {None: UNMARKED, **MARKED}
        agents = {name: str(self.wiring.folder / _run_name(whose) / "agent") for whose, name in names.items()}
        return self.wiring.evaluate(self.experiment.evaluate, agents, self.wiring.folder / RESULTS)


def _run_name(whose: str | None) -> str:
    return "improve" if whose is None else f"improve-{whose}"


def _write_report(config: FreshMarksConfig, experiment: ExperimentConfig) -> Path:
    """Write the tables and the figure; return the path of the tables."""
    rows, probes = list(_rows(config, experiment)), probes_of(experiment)
    table = tabulate(rows, (experiment.compared_with, *_arms(config)), probes, experiment.compared_with)
    parts = [markdown(table, REQUESTS[experiment.evaluate.split])]
    for other, *arms in ((config.arm, *FURTHER), FURTHER, tuple(MARKED.values())):
        parts.append(differences(tabulate(rows, (other, *arms), probes, other)))
    section = Section(rows, parts, {"success.png": figures.success(table)})
    return write_page(config.run, "fresh-marks", [section], config.seeds)


def _arms(config: FreshMarksConfig) -> tuple[str, ...]:
    return (config.arm, *FURTHER, *config.beside)


def _rows(config: FreshMarksConfig, experiment: ExperimentConfig) -> Iterator[Row]:
    """Yield the episodes of the experiment's agents and of those improved further."""
    for seed in config.seeds:
        for arm in (experiment.compared_with, *_arms(config)):
            ours = config.run / f"seed-{seed}" / RESULTS
            results = load_results(ours if arm in FURTHER else results_of(experiment, arm, seed))
            yield from rows_of_results("fresh-marks", arm, seed, [one for one in results if one.agent == arm])


def plan(config: ReproduceConfig) -> Plan:
    """`rlhf reproduce fresh-marks`."""
    scripted, marked, _ = plateau.FOLLOWED
    return plan_fresh_marks(
        FreshMarksConfig(
            source=config.needed_source(),
            arm=marked,
            beside=(scripted, "demonstrator"),
            run=config.run,
            seeds=config.seeds,
        )
    )
