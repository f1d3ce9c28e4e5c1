"""`rlhf demo`: the whole loop on this machine, from recorded play to a report, in minutes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from agents.computing import usable_device
from agents.ranges import CountFromZero, Range, check_ranges
from pipelines.loops.wiring import StageSettings, Wiring, record_both_splits
from pipelines.report.gathered import write_loop_report
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.outcomes.evaluation_text import NEW_HOUSES
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.running.staged_run import Stage, open_run, resume_or_start, run_stages
from pipelines.stages.settings.play_settings import PlaySettings
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
        path = write_loop_report(
            config.run, config, finished, config.evaluate, config.improve, config.mark, config.seed
        )
        announce(f"report: {path} (written in {time.monotonic() - began:.0f} s)")
    return path


def _stages(config: DemoConfig) -> list[Stage]:
    """Return all stages but the report. Each resumes from what an earlier attempt has left."""
    shown, model = config.demonstrations, registry.get(config.reward.kind).short
    return [
        Stage("demonstrations", f"{shown.episodes} scripted episodes", lambda: record(shown)),
        Stage("cloning (BC)", "the agent to improve", lambda: resume_or_start(clone, config.clone)),
        Stage(
            "the agent's play", f"{config.play.episodes} episodes to be marked",
            lambda: record_both_splits(config.play, config.held_out_play),
        ),
        Stage("marks", "by scripted raters", lambda: mark(config.mark)),
        Stage(f"reward model ({model})", "learned from the marks", lambda: resume_or_start(reward, config.reward)),
        Stage("improvement (BC+RL)", "against the reward model", lambda: resume_or_start(improve, config.improve)),
        Stage("evaluation", NEW_HOUSES[config.evaluate.split], lambda: evaluate(config.evaluate)),
    ]  # fmt: skip


def resolve_config(config: DemoConfig, device: str | None = None) -> DemoConfig:
    """Return the configuration with the folders and seeds of every stage.

    Args:
      config: of the demo.
      device: device of play, training and evaluation; None keeps each stage's own.

    Raises:
      UserError: if the stages differ in their world, or there is no such device here.
    """
    if device is not None:
        usable_device(device)
    shown = PlaySettings(config.demonstrations.world, config.demonstrations.players).complete()
    config = config.in_one_world(shown)
    if config.demonstrations.world != config.play.world or config.play.world != config.evaluate.world:
        raise UserError("demonstrations, play and evaluate differ in their world: an agent plays where it was cloned")
    run, wiring = config.run, Wiring(config.run, config.seed, device)
    data, agent = run / "data", run / "clone" / "agent"
    improve = replace(config.improve, world=config.improve.world.or_else(shown.world))
    agents = {"BC": str(agent), "BC+RL": str(run / "improve" / "agent"), "demonstrator": "scripted"}
    return replace(
        config,
        demonstrations=wiring.demonstrations(config.demonstrations, data),
        clone=wiring.clone(config.clone, data),
        play=wiring.play(config.play, data, agent),
        mark=wiring.mark(config.mark, data),
        reward=wiring.reward(config.reward, (data,), agent),
        improve=wiring.improve(improve, data, agent, run / "reward" / "reward_model"),
        evaluate=wiring.evaluate(config.evaluate, agents, run / "results.json"),
    )
