"""The loop: play recorded, marked, imitated; a reward model trained; an agent improved and evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from pipelines.stages import clone as cloning
from pipelines.stages import evaluate as evaluation
from pipelines.stages import improve as improvement
from pipelines.stages import mark as marking
from pipelines.stages import record as recording
from pipelines.stages import reward as rewarding
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.outcomes.results_file import ProbeResult, Split
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.marks import Mark
from rlhf.records.preferences import RequestVerdict
from rlhf.run.config import load_config
from worlds.errors import UserError
from worlds.foreign_code.trust import permit_texts

AnyPath = str | PathLike[str]
Paths = AnyPath | Sequence[AnyPath]  # of one dataset or several
Config = TypeVar("Config")
# Settings that may come from the folder of a run. All others were named by the user's own Python code.
_FROM_START = ("training", "learner")


def record(
    data: AnyPath | None = None,
    *,
    episodes: int | None = None,
    steps: int | None = None,
    solver: AnyPath | None = None,
    split: Literal["train", "held_out"] | None = None,
    seed: int | None = None,
    workers: int | None = None,
    world: WorldConfig | None = None,
    players: PlayersConfig | None = None,
    config: RecordConfig | None = None,
) -> Path:
    """Record episodes of play into a dataset, as `rlhf record` does.

    Episodes that the dataset holds already are kept and not played again.

    Args:
      data: folder of the dataset, which is created if it does not exist; "data/play" by default.
      episodes: number of episodes.
      steps: largest number of steps of an episode.
      solver: "scripted" (the default), or the folder of an agent that plays.
      split: "train" or "held_out", the split of all episodes; by default a tenth of them is held out.
      seed: seed of places and requests, from 0 to 499; 0 by default.
      workers: processes of scripted play; by default one a core, 16 at most.
      world: the world and its settings.
      players: the settings of the scripted players.
      config: all other settings.

    Returns:
      The folder of the dataset.

    Raises:
      UserError: if the dataset holds these episodes with other settings, or a setting is invalid.

    Examples:
      >>> import pipelines as rl
      >>> play = rl.record("data/play", episodes=20, seed=0)
      >>> len(rl.open_dataset(play))
      20
    """
    resolved = _with(
        _start(config, RecordConfig, None),
        data=_path(data),
        episodes=episodes,
        steps=steps,
        solver=None if solver is None else str(solver),
        split=split,
        seed=seed,
        workers=workers,
        world=world,
        players=players,
    )
    recording.record(resolved)
    return resolved.data


def mark(
    data: AnyPath | None = None,
    *,
    raters: int | None = None,
    solver: str | None = None,
    share: float | None = None,
    seed: int | None = None,
    config: MarkConfig | None = None,
) -> list[Mark | RequestVerdict]:
    """Have scripted raters mark the episodes of a dataset, as `rlhf mark` does.

    Args:
      data: folder of the dataset, "data/play" by default.
      raters: number of raters, 1 by default; each marks every episode.
      solver: mark only episodes of this solver, e.g. "scripted" or "agent:clone"; by default all.
      share: share of the episodes that is marked, 1.0 by default.
      seed: seed of the raters' errors, 0 by default.
      config: all other settings.

    Returns:
      The new marks or verdicts, by episode and step. Those that were in the dataset before are not among them.

    Raises:
      UserError: if there is no episode to mark.

    Examples:
      >>> marks = rl.mark("data/play")
      >>> sum(mark.sign > 0 for mark in marks)  # marks of progress
      33
    """
    return marking.mark(
        _with(_start(config, MarkConfig, None), data=_path(data), raters=raters, solver=solver, share=share, seed=seed)
    )


def clone(
    data: Paths | None = None,
    *,
    name: str | None = None,
    runs: AnyPath | None = None,
    size: str | None = None,
    updates: int | None = None,
    batch: int | None = None,
    steps: int | None = None,
    learning_rate: float | None = None,
    seed: int | None = None,
    device: str | None = None,
    resume: AnyPath | None = None,
    config: CloneConfig | None = None,
) -> Path:
    """Train an agent to imitate recorded play, as `rlhf clone` does.

    Args:
      data: folder or folders of datasets, "data/play" by default.
      name: name of the run, "clone" by default.
      runs: folder of all runs, "runs" by default.
      size: size of the agent: "nano" (the default), "micro", "mini", "5m", "18m", "71m" or "165m".
      updates: number of gradient steps.
      batch: trajectories in every update.
      steps: consecutive steps of every trajectory.
      learning_rate: learning rate of Adam after the warm-up.
      seed: seed of weights and order, 0 by default.
      device: "cpu" (the default), "cuda" or "cuda:1".
      resume: folder of a run to resume from its last checkpoint; its settings are those of the run.
      config: all other settings; ``config.training`` holds those of the training.

    Returns:
      The folder of the agent, for :func:`load_agent`.

    Raises:
      UserError: if there is no play to imitate, or the run's folder holds another run.

    Examples:
      >>> agent = rl.clone("data/play", name="clone", updates=200)
      >>> agent
      PosixPath('runs/clone/agent')
    """
    start = _start(config, CloneConfig, resume)
    training = _with(start.training, updates=updates, batch=batch, steps=steps, learning_rate=learning_rate, seed=seed)
    return cloning.clone(
        _with(start, data=_paths(data), name=name, runs=_path(runs), size=size, device=device, training=training)
    )


def train_reward_model(
    data: Paths | None = None,
    *,
    agent: AnyPath | None = None,
    kind: str | None = None,
    name: str | None = None,
    runs: AnyPath | None = None,
    updates: int | None = None,
    batch: int | None = None,
    steps: int | None = None,
    learning_rate: float | None = None,
    seed: int | None = None,
    device: str | None = None,
    resume: AnyPath | None = None,
    config: RewardConfig | None = None,
) -> Path:
    """Train a reward model on marks, as `rlhf reward` does.

    Args:
      data: folder or folders of datasets with marks, "data/play" by default.
      agent: folder of the cloned agent from whose weights the reward model starts, "runs/clone/agent" by default.
      kind: "inter_temporal" (IBT, the default) or "autoregressive" (AR).
      name: name of the run, "reward" by default.
      runs: folder of all runs, "runs" by default.
      updates: number of gradient steps.
      batch: trajectories in every update.
      steps: consecutive steps of every trajectory.
      learning_rate: learning rate of Adam after the warm-up.
      seed: seed of new weights, order and augmentation, 0 by default.
      device: "cpu" (the default), "cuda" or "cuda:1".
      resume: folder of a run to resume from its last checkpoint; its settings are those of the run.
      config: all other settings; ``config.training`` holds those of the training.

    Returns:
      The folder of the reward model, for :func:`load_reward_model` and :func:`score`.

    Raises:
      UserError: if there are no marks, or the run's folder holds another run.

    Examples:
      >>> model = rl.train_reward_model("data/play", agent="runs/clone/agent", updates=100)
      >>> model
      PosixPath('runs/reward/reward_model')
    """
    start = _start(config, RewardConfig, resume)
    training = _with(start.training, updates=updates, batch=batch, steps=steps, learning_rate=learning_rate, seed=seed)
    return rewarding.reward(
        _with(
            start,
            data=_paths(data),
            agent=_path(agent),
            kind=kind,
            name=name,
            runs=_path(runs),
            device=device,
            training=training,
        )
    )


def improve(
    data: Paths | None = None,
    *,
    agent: AnyPath | None = None,
    reward_model: AnyPath | None = None,
    name: str | None = None,
    runs: AnyPath | None = None,
    updates: int | None = None,
    slots: int | None = None,
    steps: int | None = None,
    batch: int | None = None,
    learning_rate: float | None = None,
    seed: int | None = None,
    device: str | None = None,
    resume: AnyPath | None = None,
    config: ImproveConfig | None = None,
) -> Path:
    """Improve a cloned agent against a reward model by setter replay (BC+RL), as `rlhf improve` does.

    Args:
      data: folder or folders of datasets, "data/play" by default: their setters are replayed, their play is imitated.
      agent: folder of the cloned agent, "runs/clone/agent" by default.
      reward_model: folder of the reward model, "runs/reward/reward_model" by default.
      name: name of the run, "improve" by default.
      runs: folder of all runs, "runs" by default.
      updates: number of gradient steps.
      slots: environments that are played at once.
      steps: steps of every fragment of play.
      batch: trajectories of recorded play in every update; as many as slots by default.
      learning_rate: learning rate of Adam.
      seed: seed of play and order, 0 by default.
      device: "cpu" (the default), "cuda" or "cuda:1".
      resume: folder of a run to resume from its last checkpoint; its settings are those of the run.
      config: all other settings; ``config.learner`` holds those of the losses and the optimiser.

    Returns:
      The folder of the improved agent, for :func:`load_agent`.

    Raises:
      UserError: if agent, reward model and world do not fit each other, or the run's folder holds another run.

    Examples:
      >>> better = rl.improve("data/play", agent=agent, reward_model=model, updates=20, slots=8, steps=8)
      >>> better
      PosixPath('runs/improve/agent')
    """
    start = _start(config, ImproveConfig, resume)
    return improvement.improve(
        _with(
            start,
            data=_paths(data),
            agent=_path(agent),
            reward_model=_path(reward_model),
            name=name,
            runs=_path(runs),
            updates=updates,
            slots=slots,
            steps=steps,
            batch=batch,
            seed=seed,
            device=device,
            learner=_with(start.learner, learning_rate=learning_rate),
        )
    )


def evaluate(
    agents: Mapping[str, AnyPath] | None = None,
    *,
    probes: Sequence[str] | None = None,
    episodes: int | None = None,
    split: Split | None = None,
    seed: int | None = None,
    device: str | None = None,
    out: AnyPath | None = None,
    baseline: str | None = None,
    config: EvaluateConfig | None = None,
) -> list[ProbeResult]:
    """Measure how often agents succeed at the probe tasks, as `rlhf evaluate` does.

    Args:
      agents: folder of every agent by a name of your choice; the folder "scripted" is the demonstrator, "perfect" the
        demonstrator without its errors, "random" a solver that acts at random.
      probes: names of probe tasks or games; by default all probe tasks of the world.
      episodes: episodes of each probe and agent.
      split: "held_out" (the default) or "train": the instructions. The houses are new in both.
      seed: seed of houses and instructions, 0 by default.
      device: "cpu" (the default), "cuda" or "cuda:1".
      out: JSON file of the results, "results.json" by default. Results that it holds are not played again.
      baseline: name of the agent to compare the others with, paired by episode; by default none is compared.
      config: all other settings.

    Returns:
      One result for every agent and probe in ``out``, with ``agent``, ``probe``, ``rate`` and the outcome of every
      episode. With a baseline the results of the others have a ``difference``: ``at_probe`` and ``over_all`` probes,
      each with ``estimate``, ``low`` and ``high`` (95% bootstrap interval) as shares of 1.

    Raises:
      UserError: if there is no agent, no such probe or no such baseline, or ``out`` holds results of other settings.

    Examples:
      >>> results = rl.evaluate({"BC": agent, "BC+RL": improved}, probes=["go"], episodes=20, baseline="BC")
      >>> [(result.agent, result.probe, result.rate) for result in results]
      [('BC', 'go', 0.1), ('BC+RL', 'go', 0.45)]
      >>> results[1].difference.at_probe
      Interval(estimate=0.35, low=0.15, high=0.55, count=20)
    """
    named = None if agents is None else {name: str(folder) for name, folder in agents.items()}
    return evaluation.evaluate(
        _with(
            _start(config, EvaluateConfig, None),
            agents=named,
            probes=None if probes is None else tuple(probes),
            episodes=episodes,
            split=split,
            seed=seed,
            device=device,
            out=_path(out),
            baseline=baseline,
        )
    )


def _path(path: AnyPath | None) -> Path | None:
    return None if path is None else Path(path)


def _paths(paths: Paths | None) -> tuple[Path, ...] | None:
    if paths is None:
        return None
    return (Path(paths),) if isinstance(paths, (str, PathLike)) else tuple(Path(path) for path in paths)


def _with(config: Config, **settings: Any) -> Config:
    """Return ``config`` with those of ``settings`` that are not None."""
    permit_texts([value for name, value in settings.items() if name not in _FROM_START])
    return replace(config, **{name: value for name, value in settings.items() if value is not None})  # type: ignore[type-var]


def _start(config: Config | None, kind: type[Config], resume: AnyPath | None) -> Config:
    """Return the settings that keywords override: ``config``, those of the run to ``resume``, or the defaults.

    Raises:
      UserError: if both are given.
    """
    if resume is None:
        permit_texts(config)
        return kind() if config is None else config
    if config is not None:
        raise UserError("resume takes the settings of the run; leave out config")
    return replace(load_config(Path(resume), kind), resume=Path(resume))  # type: ignore[type-var]
