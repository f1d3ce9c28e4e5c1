"""`rlhf demo`: the whole loop on this machine, from recorded play to a report, in minutes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from agents.computing import usable_device
from agents.ranges import CountFromZero, Range, check_ranges
from pipelines.loops.stage_settings import StageSettings
from pipelines.report.gathered import write_loop_report
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.running.staged_run import Stage, open_run, resume_or_start, run_stages
from pipelines.stages.settings.play_settings import PlaySettings, with_play_settings
from reward_models import registry
from rlhf.run.config import lock_run
from rlhf.run.place_seeds import LARGEST_SEED
from rlhf.run.progress import announce
from worlds.errors import UserError

# Settings that may differ when a run is resumed.
DEVICES = ("clone.device", "play.device", "reward.device", "improve.device", "evaluate.device")


@dataclass(frozen=True)
class DemoConfig(StageSettings):
    """Settings of `rlhf demo`: those of every stage. Folders and seeds of the stages follow from run and seed.

    Args:
      run: folder of the run; every stage writes into it.
      seed: seed of everything, from 0 to 249.
      demonstrations: the scripted demonstrator's play.
      clone: the agent that imitates it.
      play: the cloned agent's own play, on which marks are given.
      held_out_play: episodes of the agent's play in held-out houses, on which the reward model is evaluated; 0 records
        none.
      mark: the scripted raters.
      reward: the reward model that learns from the marks.
      improve: the improvement against the reward model.
      evaluate: the evaluation at the probes.
    """

    run: Path = Path("runs/demo")
    seed: Annotated[int, Range(least=0, most=LARGEST_SEED // 2 - 1)] = 0
    demonstrations: RecordConfig = field(default_factory=RecordConfig)
    clone: CloneConfig = field(default_factory=CloneConfig)
    play: RecordConfig = field(default_factory=RecordConfig)
    held_out_play: CountFromZero = 60
    mark: MarkConfig = field(default_factory=MarkConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    improve: ImproveConfig = field(default_factory=ImproveConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)

    def __post_init__(self) -> None:
        check_ranges(self, UserError)


def demo(config: DemoConfig) -> Path:
    """Run the whole loop and return the path of its report. An interrupted run resumes at the stage it was in.

    Raises:
      UserError: if the run's folder holds a run with other settings, or anything else.
    """
    config = resolve_config(config)
    open_run(config.run, config, "demo", free=DEVICES)
    with lock_run(config.run):
        stages = _stages(config)
        total = len(stages) + 1
        finished = run_stages(config.run, stages, total=total)
        began = time.monotonic()
        announce(f"{total} of {total}: writing the report")
        path = write_loop_report(config.run, config, finished, config.evaluate, config.improve, config.seed)
        announce(f"report: {path} (written in {time.monotonic() - began:.0f} s)")
    return path


def _stages(config: DemoConfig) -> list[Stage]:
    """Return all stages but the report. Each resumes from what an earlier attempt has left."""
    shown, model = config.demonstrations, registry.get(config.reward.kind).short
    return [
        Stage("demonstrations", f"{shown.episodes} scripted episodes", lambda: record(shown)),
        Stage("cloning (BC)", "the agent to improve", lambda: resume_or_start(clone, config.clone)),
        Stage("the agent's play", f"{config.play.episodes} episodes to be marked", lambda: _agent_play(config)),
        Stage("marks", "by scripted raters", lambda: mark(config.mark)),
        Stage(f"reward model ({model})", "learned from the marks", lambda: resume_or_start(reward, config.reward)),
        Stage("improvement (BC+RL)", "against the reward model", lambda: resume_or_start(improve, config.improve)),
        Stage("evaluation", "held-out houses and instructions", lambda: evaluate(config.evaluate)),
    ]  # fmt: skip


def _agent_play(config: DemoConfig) -> None:
    record(config.play)
    if config.held_out_play:
        record(replace(config.play, episodes=config.held_out_play, split="held_out"))


def resolve_config(config: DemoConfig) -> DemoConfig:
    """Return the configuration with the folders and seeds of every stage.

    Raises:
      UserError: if the stages differ in their world.
    """
    config = _in_one_world(config)
    run, seed = config.run, config.seed
    if config.demonstrations.world != config.play.world or config.play.world != config.evaluate.world:
        raise UserError("demonstrations, play and evaluate differ in their world: an agent plays where it was cloned")
    data, agent = run / "data", run / "clone" / "agent"
    return replace(
        config,
        demonstrations=replace(config.demonstrations.for_training(), data=data, seed=2 * seed),
        clone=replace(
            config.clone, data=(data,), runs=run, name="clone", training=replace(config.clone.training, seed=seed)
        ),
        play=replace(config.play.for_training(), data=data, solver=str(agent), seed=2 * seed + 1),
        mark=replace(config.mark, data=data, seed=seed),
        reward=replace(
            config.reward, data=(data,), agent=agent, runs=run, name="reward",
            training=replace(config.reward.training, seed=seed),
        ),
        improve=replace(
            config.improve, data=(data,), agent=agent, reward_model=run / "reward" / "reward_model", runs=run,
            name="improve", seed=seed,
        ),
        evaluate=replace(
            config.evaluate, out=run / "results.json", seed=seed,
            agents={"BC": str(agent), "BC+RL": str(run / "improve" / "agent"), "demonstrator": "scripted"},
        ),
    )  # fmt: skip


def _in_one_world(config: DemoConfig) -> DemoConfig:
    """Return the configuration with complete world and players: a stage's own, else those of the demonstrations."""
    shown = PlaySettings(config.demonstrations.world, config.demonstrations.players).complete()
    return replace(
        config,
        demonstrations=with_play_settings(config.demonstrations, shown),
        play=with_play_settings(config.play, shown),
        improve=replace(config.improve, world=config.improve.world.or_else(shown.world)),
        evaluate=with_play_settings(config.evaluate, shown),
    )


def on_device(config: DemoConfig, device: str | None) -> DemoConfig:
    """Return the configuration with training, play and evaluation on ``device``; None leaves each as it is.

    Raises:
      UserError: if there is no such device here.
    """
    if device is None:
        return config
    usable_device(device)
    return replace(
        config,
        clone=replace(config.clone, device=device),
        play=replace(config.play, device=device),
        reward=replace(config.reward, device=device),
        improve=replace(config.improve, device=device),
        evaluate=replace(config.evaluate, device=device),
    )
