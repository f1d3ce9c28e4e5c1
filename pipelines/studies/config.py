"""What a study is, and where its things lie.

Play that is marked in several ways lies in a dataset for each: the files of play are the same, the marks are not, so
no reward model sees marks of another way.

```
RUN/seed-0/data, data-<marks>, clone-bc/, reward-ibt/, improve-<arm>/, stages.json
RUN/seed-0/results/<arm>.json, <arm>-train.json
RUN/table.md, table.json, table-train.json, figures
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from agents.ranges import Count, CountFromZero, Range, check_ranges
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig, Split
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.play_settings import PlaySettings, with_play_settings
from rlhf.run.place_seeds import LARGEST_SEED
from worlds.errors import UserError

PLAYER = "bc"  # the cloned agent whose play is marked, and whose setters are replayed
SCRIPTED_SOLVER, TRUTH = "scripted", "truth"
StudySeed = Annotated[int, Range(least=0, most=LARGEST_SEED // 2 - 1)]


@dataclass(frozen=True)
class Arm:
    """One agent of a study.

    Args:
      clone: name of the cloned agent that it is, or begins from; "scripted" is the demonstrator.
      reward: name of the reward model that it is improved against; "truth" is the tasks' own success check (the
        paper's scripted reward).
      improve: how it is improved; None: not at all.
      marks: name of the way of marking whose marks its reward model learns; None: the study's usual one.
    """

    clone: str = PLAYER
    reward: str = TRUTH
    improve: ImproveConfig | None = None
    marks: str | None = None


@dataclass(frozen=True)
class StudyConfig:
    """Settings of a study. Folders and seeds of the stages follow from ``run`` and the seed.

    Args:
      run: its folder. seeds: of everything; one run of every arm each.
      demonstrations: the scripted demonstrator's play. clones: agents that imitate it, by name; one is "bc".
      play: the agent bc's play, on which marks are given. held_out_play: episodes of it in held-out houses.
      mark: how it is marked, and demonstrations too. marks: other ways of marking the same, by name.
      rewards: reward models learned from the marks, by name.
      arms: the agents that are compared, by name, the most informative first.
      compared_with: the arm that the others' differences are taken from. also_compared_with: arms from which they are
        taken in tables of their own.
      curves: arms of which success at ``curve_probe`` is followed over their updates (the paper's Figure 5A), on
        ``curve_episodes`` at every checkpoint.
      lines: arms that are drawn as lines, e.g. over the agents' sizes: line -> place along it -> arm. Where the first
        line has an arm, those of the others at that place are compared with it.
      also_evaluated_on: requests of which there are tables of their own, beside those of ``evaluate.split``.
      device: that trains and evaluates, in place of what the stages' own settings say: "cpu", "cuda" or "cuda:1".
    """

    run: Path = Path("runs/study")
    seeds: tuple[StudySeed, ...] = (0, 1, 2)
    demonstrations: RecordConfig = field(default_factory=RecordConfig)
    clones: Mapping[str, CloneConfig] = field(default_factory=dict)
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
    marks: Mapping[str, MarkConfig] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    device: str | None = None
    also_compared_with: tuple[str, ...] = ()
    also_evaluated_on: tuple[Split, ...] = ("train",)

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise UserError(f"seeds are one or more different numbers, not {self.seeds}")
        if PLAYER not in self.clones or self.compared_with not in self.arms:
            raise UserError(f"a study needs a clone {PLAYER!r} and an arm {self.compared_with!r}")
        for name, arm in self.arms.items():
            _check_arm(self, name, arm)
        _check_folders(self)
        for name in self.also_compared_with:
            if name not in self.arms:
                raise UserError(f"also_compared_with: no arm {name!r}; known: {', '.join(self.arms)}")
        if self.evaluate.split in self.also_evaluated_on:
            raise UserError(f"also_evaluated_on: {self.evaluate.split} is what evaluate.split has already")
        for name in self.curves:
            if name not in self.arms or self.arms[name].improve is None:
                raise UserError(f"no arm {name!r} that is improved, so it has no curve over updates")
        for name in (arm for line in self.lines.values() for arm in line.values()):
            if name not in self.arms:
                raise UserError(f"lines: no arm {name!r}; known: {', '.join(self.arms)}")

    def stages(self) -> dict[str, Any]:
        """Settings of every stage as a command of its own, by the command's name, as `DemoConfig.stages` has them.

        Of several agents, reward models and improvements these are the usual ones: the player, and the first.
        """
        improved = [arm.improve for arm in self.arms.values() if arm.improve is not None]
        return {
            "record": self.demonstrations,
            "mark": self.mark,
            "clone": self.clones[PLAYER],
            "reward": next(iter(self.rewards.values()), None),
            "improve": replace(improved[0], replay=None) if improved else None,
            "evaluate": self.evaluate,
        }


def resolve_config(config: StudyConfig) -> StudyConfig:
    """The configuration with what a study decides for all its seeds.

    Recordings are of one split each, and where a stage leaves world or players open, they are as in the demonstrations.
    """
    shown = PlaySettings(config.demonstrations.world, config.demonstrations.players)
    arms = {name: _in_complete_world(arm) for name, arm in config.arms.items()}
    return replace(
        config,
        demonstrations=with_play_settings(config.demonstrations.for_training(), shown),
        play=with_play_settings(config.play.for_training(), shown),
        evaluate=with_play_settings(config.evaluate, shown),
        arms=arms,
    )


def _in_complete_world(arm: Arm) -> Arm:
    """The same arm; where it is improved is as the study's play says (see :mod:`pipelines.studies.steps`)."""
    if arm.improve is None:
        return arm
    return replace(arm, improve=replace(arm.improve, world=arm.improve.world.complete()))


def _check_arm(config: StudyConfig, name: str, arm: Arm) -> None:
    """Raises UserError if an arm is made of what the study does not have."""
    if arm.clone not in config.clones and arm.clone != SCRIPTED_SOLVER:
        raise UserError(f"arm {name}: no clone {arm.clone!r}; known: {', '.join(config.clones)}")
    if arm.improve is not None and arm.reward not in (*config.rewards, TRUTH):
        raise UserError(f"arm {name}: no reward model {arm.reward!r}; known: {', '.join(config.rewards)}")
    if arm.marks is not None and arm.marks not in config.marks:
        raise UserError(f"arm {name}: no marks {arm.marks!r}; known: {', '.join(config.marks)}")
    if arm.marks is not None and (arm.improve is None or arm.reward == TRUTH):
        raise UserError(f"arm {name}: it learns from no marks, so it has no way of marking")


def _check_folders(config: StudyConfig) -> None:
    """Raises UserError if two of the study's things would be written into one folder."""
    models = {(arm.reward, arm.clone, arm.marks): reward_folder(Path(), arm).name for arm in config.arms.values()}
    named = [{name: slug(name) for name in names} for names in (config.clones, config.marks, config.arms)]
    for folders in (*named, models):
        taken = dict[str, object]()
        for what, folder in folders.items():
            if not folder or folder in taken:
                raise UserError(f"{taken.get(folder)!r} and {what!r} would have one folder; name one of them otherwise")
            taken[folder] = what


def others_compared(config: StudyConfig) -> dict[str, str]:
    """Arms of which differences are not taken from ``compared_with``, and from which they are."""
    first, *lines = config.lines.values() or [{}]
    return {arm: first[place] for line in lines for place, arm in line.items() if place in first}


def folder_of(config: StudyConfig, seed: int) -> Path:
    """Where everything that is made from ``seed`` lies."""
    return config.run / f"seed-{seed}"


def splits_of(config: StudyConfig) -> tuple[Split, ...]:
    """The requests that every arm is evaluated on, those of the main table first."""
    return (config.evaluate.split, *config.also_evaluated_on)


def results_of(config: StudyConfig, arm: str, seed: int, split: Split | None = None) -> Path:
    """The file with an arm's outcomes at the probes; None is the split of the main table."""
    return folder_of(config, seed) / "results" / f"{slug(arm)}{suffix_of(config, split)}.json"


def suffix_of(config: StudyConfig, split: Split | None) -> str:
    """What names of files about a split end with: nothing for that of the main table."""
    return "" if split in (None, config.evaluate.split) else f"-{slug(split)}"


def agent_of(config: StudyConfig, name: str, seed: int) -> str:
    """The folder of an arm's agent, as an evaluation names it."""
    arm, folder = config.arms[name], folder_of(config, seed)
    if arm.clone == SCRIPTED_SOLVER:
        return SCRIPTED_SOLVER
    return str(clone_folder(folder, arm.clone) if arm.improve is None else folder / improve_name(name) / "agent")


def curve_of(config: StudyConfig, arm: str, seed: int) -> Path:
    """The file with an arm's outcomes at its checkpoints, whose updates are the agents' names there."""
    return folder_of(config, seed) / "results" / f"{slug(arm)}-over-updates.json"


def marks_stage(marks: str | None) -> str:
    """What the stage is called that gives the marks of a way."""
    return "marks" if marks is None else f"marks {marks}"


def data_of(config: StudyConfig, marks: str | None, seed: int) -> Path:
    """The dataset with the marks of the way ``marks``; None is the study's usual one."""
    return folder_of(config, seed) / ("data" if marks is None else f"data-{slug(marks)}")


def clone_name(name: str) -> str:
    """The run that clones an agent."""
    return f"clone-{slug(name)}"


def clone_folder(folder: Path, name: str) -> Path:
    """The cloned agent in a seed's ``folder``."""
    return folder / clone_name(name) / "agent"


def improve_name(arm: str) -> str:
    """The run that improves an arm's agent."""
    return f"improve-{slug(arm)}"


def reward_folder(folder: Path, arm: Arm) -> Path:
    """An arm's reward model. It begins from the agent that is improved against it, so each such pair is a model of its
    own, and so is one of other marks.
    """
    beginning = "" if arm.clone == PLAYER else f"-{slug(arm.clone)}"
    return folder / (f"reward-{slug(arm.reward)}{beginning}" + (f"-from-{slug(arm.marks)}" if arm.marks else ""))


def slug(name: str) -> str:
    """``name`` as part of a file's name: "BC+RL (IBT)" as "bc-rl-ibt"."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
