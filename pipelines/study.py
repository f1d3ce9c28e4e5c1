"""A study: several agents that differ in one thing each, trained from several seeds and compared on the same episodes.

Everything that agents have in common is made once a seed (demonstrations, the cloned agent, its play, its marks), and
so is every reward model that more than one of them is improved against. The table is written anew whenever another
agent has been evaluated; a cell whose agent there is not yet says so.

Play that is marked in several ways lies in a dataset for each: the files of play are the same, the marks are not, so
no reward model sees marks of another way.

```
RUN/seed-0/data, data-<marks>, clone-bc/, reward-ibt/, improve-<arm>/, results/<arm>.json, stages.json
RUN/table.md, table.json, figures
```
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.computing import usable_device
from pipelines.clone import CloneConfig, clone
from pipelines.evaluate import EvaluateConfig, evaluate
from pipelines.improve import improve
from pipelines.improve_config import ImproveConfig
from pipelines.mark import MarkConfig, mark
from pipelines.places import LARGEST_SEED
from pipelines.record import RecordConfig, record
from pipelines.reward import RewardConfig, reward
from pipelines.stages import Work, begin, go_on, go_through
from rlhf.checkpoint import Checkpoints
from rlhf.errors import UserError
from rlhf.run_config import lock_run
from rlhf.store import share_play

PLAYER = "bc"  # the cloned agent whose play is marked, and whose setters are replayed
SCRIPTED_SOLVER, TRUTH = "scripted", "truth"
_ALL = 1_000_000  # checkpoints of an arm that is followed


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
      compared_with: the arm that the others' differences are taken from.
      curves: arms of which success at ``curve_probe`` is followed over their updates (the paper's Figure 5A), on
        ``curve_episodes`` at every checkpoint.
      lines: arms that are drawn as lines, e.g. over the agents' sizes: line -> place along it -> arm. Where the first
        line has an arm, those of the others at that place are compared with it.
      device: that trains and evaluates, in place of what the stages' own settings say: "cpu", "cuda" or "cuda:1".
    """

    run: Path = Path("runs/study")
    seeds: tuple[int, ...] = (0, 1, 2)
    demonstrations: RecordConfig = field(default_factory=RecordConfig)
    clones: Mapping[str, CloneConfig] = field(default_factory=dict)
    play: RecordConfig = field(default_factory=RecordConfig)
    held_out_play: int = 60
    mark: MarkConfig = field(default_factory=MarkConfig)
    rewards: Mapping[str, RewardConfig] = field(default_factory=dict)
    arms: Mapping[str, Arm] = field(default_factory=dict)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)
    compared_with: str = "BC"
    curves: tuple[str, ...] = ()
    curve_probe: str = "position"
    curve_episodes: int = 100
    marks: Mapping[str, MarkConfig] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    device: str | None = None

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise UserError(f"seeds are one or more different numbers, not {self.seeds}")
        if not all(0 <= seed < LARGEST_SEED // 2 for seed in self.seeds):
            raise UserError(f"seeds are from 0 to {LARGEST_SEED // 2 - 1}, not {self.seeds}")
        if PLAYER not in self.clones or self.compared_with not in self.arms:
            raise UserError(f"a study needs a clone {PLAYER!r} and an arm {self.compared_with!r}")
        for name, arm in self.arms.items():
            _check_arm(self, name, arm)
        _check_folders(self)
        for name in self.curves:
            if name not in self.arms or self.arms[name].improve is None:
                raise UserError(f"no arm {name!r} that is improved, so it has no curve over updates")
        for name in (arm for line in self.lines.values() for arm in line.values()):
            if name not in self.arms:
                raise UserError(f"lines: no arm {name!r}; known: {', '.join(self.arms)}")


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
    models = {(arm.reward, arm.clone, arm.marks): _reward_folder(Path(), arm).name for arm in config.arms.values()}
    named = [{name: _slug(name) for name in names} for names in (config.clones, config.marks, config.arms)]
    for folders in (*named, models):
        taken = dict[str, object]()
        for what, folder in folders.items():
            if not folder or folder in taken:
                raise UserError(f"{taken.get(folder)!r} and {what!r} would have one folder; name one of them otherwise")
            taken[folder] = what


def study(config: StudyConfig, only: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """Make and evaluate every arm from every seed, the first arms of all seeds first; yield (arm, seed) after each.

    An interrupted study goes on where it was.

    Args:
      only: names of arms to make now; none means all.

    Raises:
      UserError: if the folder holds another study, ``only`` names arms that there are not, or the device is not here.
    """
    if unknown := [name for name in only if name not in config.arms]:
        raise UserError(f"no arm {unknown[0]!r} in this study; known: {', '.join(config.arms)}")
    if config.device is not None:
        usable_device(config.device)  # said now, not when the first agent is to be trained
    begin(config.run, config, "study", free=("seeds", "device"))
    with lock_run(config.run):
        for name in only or config.arms:
            for seed in config.seeds:
                go_through(folder_of(config, seed), works(config, name, seed), title=f"{name}, seed {seed}: ")
                yield name, seed


def others_compared(config: StudyConfig) -> dict[str, str]:
    """Arms of which differences are not taken from ``compared_with``, and from which they are."""
    first, *lines = config.lines.values() or [{}]
    return {arm: first[place] for line in lines for place, arm in line.items() if place in first}


def folder_of(config: StudyConfig, seed: int) -> Path:
    """Where everything that is made from ``seed`` lies."""
    return config.run / f"seed-{seed}"


def results_of(config: StudyConfig, arm: str, seed: int) -> Path:
    """The file with an arm's outcomes at the probes."""
    return folder_of(config, seed) / "results" / f"{_slug(arm)}.json"


def works(config: StudyConfig, name: str, seed: int) -> list[Work]:
    """The stages that lead to one arm's results; those that other arms share have the same names there."""
    arm, found = config.arms[name], list[Work]()
    if arm.clone != SCRIPTED_SOLVER:
        found += _cloning(config, arm.clone, seed)
    if arm.improve is not None:
        found += [*_playing(config, seed), _marking(config, arm.marks, seed)]
        if arm.reward != TRUTH:
            found.append(_rewarding(config, arm, seed))
        improving = improving_config(config, name, seed)
        found.append(Work(f"improve {name}", "BC+RL", lambda: go_on(improve, improving)))
    evaluating = evaluating_config(config, name, seed)
    found.append(Work(f"evaluate {name}", "held-out houses and instructions", lambda: evaluate(evaluating)))
    if name in config.curves:
        found.append(Work(f"follow {name}", f"{config.curve_probe} over updates", lambda: _follow(config, name, seed)))
    return found


def agent_of(config: StudyConfig, name: str, seed: int) -> str:
    """The folder of an arm's agent, as an evaluation names it."""
    arm, folder = config.arms[name], folder_of(config, seed)
    if arm.clone == SCRIPTED_SOLVER:
        return SCRIPTED_SOLVER
    return str(_clone_folder(folder, arm.clone) if arm.improve is None else folder / f"improve-{_slug(name)}" / "agent")


def improving_config(config: StudyConfig, name: str, seed: int) -> ImproveConfig:
    """The settled configuration of an arm's improvement."""
    arm, folder = config.arms[name], folder_of(config, seed)
    assert arm.improve is not None
    return replace(
        arm.improve, data=(folder / "data",), replay=f"agent:{_clone_name(PLAYER)}", runs=folder,
        name=f"improve-{_slug(name)}", agent=_clone_folder(folder, arm.clone), scripted_reward=arm.reward == TRUTH,
        reward_model=_reward_folder(folder, arm) / "reward_model", seed=seed,
        world=config.play.world, device=config.device or arm.improve.device,
        keep_checkpoints=_ALL if name in config.curves else arm.improve.keep_checkpoints,
    )  # fmt: skip


def evaluating_config(config: StudyConfig, name: str, seed: int) -> EvaluateConfig:
    """The settled configuration of an arm's evaluation: the same episodes for all arms of one seed."""
    return replace(
        config.evaluate, agents={name: agent_of(config, name, seed)}, seed=seed, out=results_of(config, name, seed),
        device=config.device or config.evaluate.device,
    )  # fmt: skip


def curve_of(config: StudyConfig, arm: str, seed: int) -> Path:
    """The file with an arm's outcomes at its checkpoints, whose updates are the agents' names there."""
    return folder_of(config, seed) / "results" / f"{_slug(arm)}-over-updates.json"


def _follow(config: StudyConfig, name: str, seed: int) -> None:
    """Evaluate an arm at its checkpoints, and the agent that it began with."""
    checkpoints = Checkpoints(folder_of(config, seed) / f"improve-{_slug(name)}").all()
    agents = {"0": str(_clone_folder(folder_of(config, seed), config.arms[name].clone))}
    agents |= {str(checkpoint.step): str(checkpoint.agent_folder) for checkpoint in checkpoints}
    evaluate(
        replace(
            config.evaluate, agents=agents, seed=seed, probes=(config.curve_probe,), episodes=config.curve_episodes,
            out=curve_of(config, name, seed), device=config.device or config.evaluate.device,
        )
    )  # fmt: skip


def _cloning(config: StudyConfig, name: str, seed: int) -> list[Work]:
    folder, shown = folder_of(config, seed), config.demonstrations
    recording = replace(shown, data=folder / "data", seed=2 * seed)
    cloning = config.clones[name]
    cloning = replace(
        cloning, data=(folder / "data",), runs=folder, name=_clone_name(name),
        training=replace(cloning.training, seed=seed), device=config.device or cloning.device,
    )  # fmt: skip
    return [
        Work("demonstrations", f"{shown.episodes} scripted episodes", lambda: record(recording)),
        Work(f"clone {name}", "BC", lambda: go_on(clone, cloning)),
    ]


def _playing(config: StudyConfig, seed: int) -> list[Work]:
    folder, player = folder_of(config, seed), _cloning(config, PLAYER, seed)
    playing = replace(
        config.play, data=folder / "data", solver=str(_clone_folder(folder, PLAYER)), seed=2 * seed + 1,
        device=config.device or config.play.device,
    )  # fmt: skip

    def play() -> None:
        record(playing)
        if config.held_out_play:
            record(replace(playing, episodes=config.held_out_play, split="held_out"))

    return [*player, Work("play", f"{playing.episodes} episodes of the cloned agent", play)]


def _marking(config: StudyConfig, name: str | None, seed: int) -> Work:
    """Marks of the way ``name``: the usual ones in the dataset itself, others in one that shares its play."""
    played, marked = folder_of(config, seed) / "data", data_of(config, name, seed)
    marking = replace(config.mark if name is None else config.marks[name], data=marked, seed=seed)
    if name is None:
        return Work(marks_stage(name), "by scripted raters", lambda: mark(marking))

    def share_and_mark() -> None:
        shutil.rmtree(marked, ignore_errors=True)  # what an interrupted attempt has left
        share_play(played, marked)
        mark(marking)

    return Work(marks_stage(name), "by other scripted raters", share_and_mark)


def marks_stage(marks: str | None) -> str:
    """What the stage is called that gives the marks of a way."""
    return "marks" if marks is None else f"marks {marks}"


def data_of(config: StudyConfig, marks: str | None, seed: int) -> Path:
    """The dataset with the marks of the way ``marks``; None is the study's usual one."""
    return folder_of(config, seed) / ("data" if marks is None else f"data-{_slug(marks)}")


def _rewarding(config: StudyConfig, arm: Arm, seed: int) -> Work:
    folder, settings = folder_of(config, seed), config.rewards[arm.reward]
    where = _reward_folder(folder, arm)
    rewarding = replace(
        settings, data=(data_of(config, arm.marks, seed),), agent=_clone_folder(folder, arm.clone), runs=folder,
        name=where.name, training=replace(settings.training, seed=seed), device=config.device or settings.device,
    )  # fmt: skip
    return Work(f"reward {where.name}", "learned from the marks", lambda: go_on(reward, rewarding))


def _clone_name(name: str) -> str:
    return f"clone-{_slug(name)}"


def _clone_folder(folder: Path, name: str) -> Path:
    return folder / _clone_name(name) / "agent"


def _reward_folder(folder: Path, arm: Arm) -> Path:
    """A reward model begins from the agent that is improved against it, so each such pair is a model of its own, and
    so is one of other marks.
    """
    beginning = "" if arm.clone == PLAYER else f"-{_slug(arm.clone)}"
    return folder / (f"reward-{_slug(arm.reward)}{beginning}" + (f"-from-{_slug(arm.marks)}" if arm.marks else ""))


def _slug(name: str) -> str:
    """``name`` as part of a file's name: "BC+RL (IBT)" as "bc-rl-ibt"."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
