"""Configuration and folders of an experiment.

Play that is marked in several ways is in one dataset for each way: the files of play are shared, the marks are not, so
that no reward model reads marks of another way.

```
RUN/seed-0/data, data-<marks>, clone-bc/, reward-ibt/, refine-<name>/, improve-<arm>/, stages.json
RUN/seed-0/results/<arm>.json, <arm>-train.json
RUN/table.md, table.json, table-train.json, figures
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pipelines.loops.wiring import LoopSettings
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig, Split, load_results
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.refine import RefineConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.play_settings import PlaySettings
from rlhf.run.config import load_config
from rlhf.run.place_seeds import LARGEST_SEED
from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero
from worlds.settings import settings

EVERY_PROBE = "all"  # instead of the name of one
PLAYER = "bc"  # the cloned agent whose play is marked, and whose setters are replayed
SCRIPTED_SOLVER, TRUTH = "scripted", "truth"
LIKELIEST = "likeliest words"  # the evaluation in which agents say them, beside one with drawn words
# Of what is recorded for agents of another experiment; smaller ones are of the first 125 seeds of that, two for a seed.
FIRST_FURTHER_SEED = LARGEST_SEED // 2
ExperimentSeed = Annotated[int, Field(ge=0, le=LARGEST_SEED // 2 - 1)]


def check_seeds(seeds: Sequence[int]) -> None:
    """Refuse an experiment without seeds, or with one of them twice. Raises UserError."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise UserError(f"seeds are one or more different numbers, not {seeds}")


@dataclass(frozen=True)
class Arm:
    """One agent of an experiment.

    Args:
      clone: name of the cloned agent that it is, or starts from; "scripted" is the demonstrator.
      reward: name of the reward model that it is improved against; "truth" is the tasks' own success check (the
        paper's scripted reward).
      improve: settings of its improvement; None: it is not improved.
      marks: name of the way of marking that its reward model and its refinement learn from; None: the experiment's
        usual one.
      refine: name of the refinement on marked play with which it begins, before it is improved; None: it has none.
    """

    clone: str = PLAYER
    reward: str = TRUTH
    improve: ImproveConfig | None = None
    marks: str | None = None
    refine: str | None = None


@settings
class ExperimentConfig(LoopSettings):
    """Settings of an experiment. Folders and seeds of the stages follow from ``run`` and the seed.

    Args:
      run: folder of the experiment.
      seeds: one run of every arm from each.
      demonstrations: play of the scripted demonstrator.
      agent: folder of an agent that takes the place of cloning "bc"; None clones it.
      clones: agents that imitate it, by name; one is "bc".
      begins_with: clones that are trained further from another one: name -> name of the clone that they begin with.
      play: play of the agent bc, which is marked.
      held_out_play: number of its episodes in held-out houses.
      mark: usual way of marking play and demonstrations.
      rewards: reward models learned from the marks, by name.
      arms: compared agents, by name, the most informative first.
      evaluate: settings of the evaluation.
      compared_with: arm that is subtracted from the others.
      curves: arms whose success at ``curve_probe`` is evaluated over their updates (the paper's Figure 5A).
      curve_probe: probe of ``curves``; "all" means all that are evaluated, and a table of them.
      curve_episodes: episodes of ``curves`` at every checkpoint, of each probe.
      marks: other ways of marking the same play, by name: the raters that mark it, one after the other.
      lines: arms that are drawn as lines, e.g. over the agents' sizes: line -> position along it -> arm. Arms of
        further lines are compared with the first line's arm at the same position, if there is one.
      device: device of training and evaluation, which overrides the stages' own: "cpu", "cuda" or "cuda:1".
      also_compared_with: arms that are subtracted from the others in further tables.
      also_evaluated_on: requests with tables of their own, beside those of ``evaluate.split``.
      also_with_likeliest_words: evaluate all arms saying the likeliest words, too, in a table of its own, where
        ``evaluate`` has words drawn.
      refinements: ways of training a cloned agent further on marked play, by name.
    """

    run: Path = Path("runs/experiment")
    seeds: tuple[ExperimentSeed, ...] = (0, 1, 2)
    demonstrations: RecordConfig = field(default_factory=RecordConfig)
    agent: Path | None = None
    clones: Mapping[str, CloneConfig] = field(default_factory=dict)
    begins_with: Mapping[str, str] = field(default_factory=dict)
    play: RecordConfig = field(default_factory=RecordConfig)
    held_out_play: CountFromZero = 60
    mark: MarkConfig = field(default_factory=MarkConfig)
    rewards: Mapping[str, RewardConfig] = field(default_factory=dict)
    arms: Mapping[str, Arm] = field(default_factory=dict)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)
    compared_with: str = "BC"
    curves: tuple[str, ...] = ()
    curve_probe: str = "position"
    curve_episodes: Count = 100
    marks: Mapping[str, tuple[MarkConfig, ...]] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    device: str | None = None
    also_compared_with: tuple[str, ...] = ()
    also_evaluated_on: tuple[Split, ...] = ("train",)
    also_with_likeliest_words: bool = False
    refinements: Mapping[str, RefineConfig] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_seeds(self.seeds)
        if PLAYER not in self.clones or self.compared_with not in self.arms:
            raise UserError(f"an experiment needs a clone {PLAYER!r} and an arm {self.compared_with!r}")
        _check_beginnings(self)
        for name, arm in self.arms.items():
            _check_arm(self, name, arm)
        _check_folders(self)
        for name in self.also_compared_with:
            if name not in self.arms:
                raise UserError(f"also_compared_with: no arm {name!r}; known: {', '.join(self.arms)}")
        if self.evaluate.split in self.also_evaluated_on:
            raise UserError(f"also_evaluated_on: {self.evaluate.split} is what evaluate.split has already")
        if self.also_with_likeliest_words and self.evaluate.greedy_words:
            raise UserError("also_with_likeliest_words: evaluate.greedy_words has agents say the likeliest already")
        for name in self.curves:
            if name not in self.arms or self.arms[name].improve is None:
                raise UserError(f"no arm {name!r} that is improved, so it has no curve over updates")
        for name in (arm for line in self.lines.values() for arm in line.values()):
            if name not in self.arms:
                raise UserError(f"lines: no arm {name!r}; known: {', '.join(self.arms)}")

    def trainings(self) -> tuple[CloneConfig, RewardConfig | None, ImproveConfig | None]:
        """Return the settings of the player's cloning, and of the first reward model and improvement."""
        improved = (arm.improve for arm in self.arms.values() if arm.improve is not None)
        return self.clones[PLAYER], next(iter(self.rewards.values()), None), next(improved, None)


def load_experiment(folder: Path) -> ExperimentConfig:
    """Load the experiment in ``folder``, which may have been moved. Raises UserError if there is none."""
    return replace(load_config(folder, ExperimentConfig), run=folder.absolute())


def resolve_config(config: ExperimentConfig) -> ExperimentConfig:
    """Complete the configuration with the settings shared by all seeds.

    Recordings are of one split each, and a stage without settings of world or players has those of the demonstrations.
    """
    shown = PlaySettings(config.demonstrations.world, config.demonstrations.players)
    arms = {name: _in_complete_world(arm) for name, arm in config.arms.items()}
    return replace(config, arms=arms).in_one_world(shown)


def _in_complete_world(arm: Arm) -> Arm:
    """Complete the world of an arm's improvement (:mod:`experiments.engine.stages` sets it to that of the play)."""
    if arm.improve is None:
        return arm
    return replace(arm, improve=replace(arm.improve, world=arm.improve.world.complete()))


def _check_arm(config: ExperimentConfig, name: str, arm: Arm) -> None:
    """Check that the experiment has the inputs of an arm. Raises UserError if it lacks one."""
    if arm.clone not in config.clones and arm.clone != SCRIPTED_SOLVER:
        raise UserError(f"arm {name}: no clone {arm.clone!r}; known: {', '.join(config.clones)}")
    if arm.refine is not None and arm.refine not in config.refinements:
        raise UserError(f"arm {name}: no refinement {arm.refine!r}; known: {', '.join(config.refinements)}")
    if uses_reward_model(config, arm) and arm.reward == TRUTH:
        raise UserError(f"arm {name}: its refinement needs a reward model, as its reward")
    if (arm.improve is not None or arm.refine is not None) and arm.reward not in (*config.rewards, TRUTH):
        raise UserError(f"arm {name}: no reward model {arm.reward!r}; known: {', '.join(config.rewards)}")
    if arm.marks is not None and arm.marks not in config.marks:
        raise UserError(f"arm {name}: no marks {arm.marks!r}; known: {', '.join(config.marks)}")
    if arm.marks is not None and not learns_from_marks(arm):
        raise UserError(f"arm {name}: it learns from no marks, so it has no way of marking")


def _check_beginnings(config: ExperimentConfig) -> None:
    """Check that every clone that begins with another one leads to one that begins with none.

    Raises:
      UserError: if a clone does not exist, or begins with itself.
    """
    for name in config.begins_with:
        passed = [name]
        while (before := config.begins_with.get(passed[-1])) is not None:
            if before in passed:
                raise UserError(f"begins_with: {name} would begin with itself")
            passed.append(before)
        if unknown := [each for each in passed if each not in config.clones]:
            raise UserError(f"begins_with: no clone {unknown[0]!r}; known: {', '.join(config.clones)}")


def _check_folders(config: ExperimentConfig) -> None:
    """Check that all outputs of the experiment have different folders. Raises UserError if two have the same one."""
    models = {(arm.reward, arm.clone, arm.marks): reward_folder(Path(), arm).name for arm in config.arms.values()}
    named = [{name: slug(name) for name in names} for names in (config.clones, config.marks, config.arms)]
    refined = {refinement_key(config, arm): refine_name(config, arm) for arm in config.arms.values() if arm.refine}
    for folders in (*named, models, refined):
        owners = dict[str, object]()
        for owner, folder in folders.items():
            if not folder or folder in owners:
                raise UserError(f"{owners.get(folder)!r} and {owner!r} would have one folder; rename one of them")
            owners[folder] = owner


def learns_from_marks(arm: Arm) -> bool:
    """Return true if an arm's reward model or refinement learns from marks."""
    return arm.refine is not None or (arm.improve is not None and arm.reward != TRUTH)


def uses_reward_model(config: ExperimentConfig, arm: Arm) -> bool:
    """Return true if an arm's refinement needs a reward model."""
    return arm.refine is not None and config.refinements[arm.refine].training.uses_reward_model


def refinement_key(config: ExperimentConfig, arm: Arm) -> tuple[str | None, ...]:
    """Return what an arm's refinement depends on: two arms of equal keys share one."""
    return arm.refine, arm.clone, arm.marks, arm.reward if uses_reward_model(config, arm) else None


def others_compared(config: ExperimentConfig) -> dict[str, str]:
    """Map arms that are not compared with ``compared_with`` to the arms that they are compared with."""
    first, *lines = config.lines.values() or [{}]
    return {arm: first[place] for line in lines for place, arm in line.items() if place in first}


def folder_of(config: ExperimentConfig, seed: int) -> Path:
    """Folder of all outputs of ``seed``."""
    return config.run / f"seed-{seed}"


def curve_probes(config: ExperimentConfig) -> tuple[str, ...]:
    """Probes at which the arms in ``curves`` are evaluated; empty means all of the world."""
    return config.evaluate.probes if config.curve_probe == EVERY_PROBE else (config.curve_probe,)


def evaluations_of(config: ExperimentConfig) -> dict[str, EvaluateConfig]:
    """Evaluations of every arm, that of the main table first: the name of each, "" for that one, and its settings."""
    found = {"": config.evaluate} | {on: replace(config.evaluate, split=on) for on in config.also_evaluated_on}
    if config.also_with_likeliest_words:
        found[LIKELIEST] = replace(config.evaluate, greedy_words=True)
    return found


def results_of(config: ExperimentConfig, arm: str, seed: int, evaluation: str = "") -> Path:
    """File with an arm's outcomes at the probes in one of the evaluations."""
    return folder_of(config, seed) / "results" / f"{slug(arm)}{suffix_of(evaluation)}.json"


def suffix_of(evaluation: str) -> str:
    """Suffix of the names of an evaluation's files; "" for that of the main table."""
    return f"-{slug(evaluation)}" if evaluation else ""


def agent_of(config: ExperimentConfig, name: str, seed: int) -> str:
    """Folder of an arm's agent, or "scripted", for an evaluation."""
    arm, folder = config.arms[name], folder_of(config, seed)
    if arm.clone == SCRIPTED_SOLVER:
        return SCRIPTED_SOLVER
    return str(begun_folder(config, arm, folder) if arm.improve is None else folder / improve_name(name) / "agent")


def probes_of(config: ExperimentConfig) -> tuple[str, ...]:
    """Names of the probes at which the experiment's agents are evaluated."""
    return config.evaluate.probes or tuple(config.evaluate.world.entry().probes)


def is_evaluated(config: ExperimentConfig, arm: str, seed: int, evaluation: str = "") -> bool:
    """Return true if an arm's results of all probes exist; an evaluation writes after each probe."""
    path = results_of(config, arm, seed, evaluation)
    return path.is_file() and len(load_results(path)) == len(probes_of(config))


def check_trained(config: ExperimentConfig, arm: str, seed: int) -> None:
    """Check that an experiment in a folder has an agent. Raises UserError if it is not there."""
    if arm not in config.arms:
        raise UserError(f"{config.run} has no agent {arm!r}; it has {', '.join(config.arms)}")
    folder = agent_of(config, arm, seed)
    if folder != SCRIPTED_SOLVER and not (Path(folder) / "model.safetensors").is_file():
        raise UserError(f"the agent {arm!r} of seed {seed} is not in {config.run}; train it, or name other --seeds")


def curve_of(config: ExperimentConfig, arm: str, seed: int) -> Path:
    """File with an arm's outcomes at its checkpoints, where agents are named by their updates."""
    return folder_of(config, seed) / "results" / f"{slug(arm)}-over-updates.json"


def marking_of(config: ExperimentConfig, marks: str | None) -> tuple[MarkConfig, ...]:
    """Settings of the raters of a way of marking; None is the experiment's usual one."""
    return (config.mark,) if marks is None else config.marks[marks]


def marks_stage(marks: str | None) -> str:
    """Name of the stage of a way of marking."""
    return "marks" if marks is None else f"marks {marks}"


def data_of(config: ExperimentConfig, marks: str | None, seed: int) -> Path:
    """Dataset with the marks of the way ``marks``; None is the experiment's usual one."""
    return folder_of(config, seed) / ("data" if marks is None else f"data-{slug(marks)}")


def clone_name(name: str) -> str:
    """Name of the run that clones an agent."""
    return f"clone-{slug(name)}"


def clone_folder(folder: Path, name: str) -> Path:
    """Folder of a cloned agent in a seed's ``folder``."""
    return folder / clone_name(name) / "agent"


def refine_name(config: ExperimentConfig, arm: Arm) -> str:
    """Name of the run that refines an arm's agent on marked play."""
    beginning = "" if arm.clone == PLAYER else f"-{slug(arm.clone)}"
    model = f"-by-{slug(arm.reward)}" if uses_reward_model(config, arm) else ""
    return f"refine-{slug(arm.refine or '')}{beginning}{model}" + (f"-from-{slug(arm.marks)}" if arm.marks else "")


def begun_folder(config: ExperimentConfig, arm: Arm, folder: Path) -> Path:
    """Folder of the agent that an arm is, or whose improvement begins with it, in a seed's ``folder``."""
    return clone_folder(folder, arm.clone) if arm.refine is None else folder / refine_name(config, arm) / "agent"


def improve_name(arm: str) -> str:
    """Name of the run that improves an arm's agent."""
    return f"improve-{slug(arm)}"


def reward_folder(folder: Path, arm: Arm) -> Path:
    """Folder of an arm's reward model.

    A reward model starts from the agent that is improved against it, so each such pair has a model of its own, and so
    has each way of marking.
    """
    beginning = "" if arm.clone == PLAYER else f"-{slug(arm.clone)}"
    return folder / (f"reward-{slug(arm.reward)}{beginning}" + (f"-from-{slug(arm.marks)}" if arm.marks else ""))


def slug(name: str) -> str:
    """Convert ``name`` for file names: "BC+RL (IBT)" to "bc-rl-ibt"."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
