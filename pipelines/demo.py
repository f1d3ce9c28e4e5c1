"""`rlhf demo`: the whole loop on this machine, from recorded play to a report, in minutes."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pipelines.clone import CloneConfig, clone
from pipelines.evaluate import EvaluateConfig, evaluate
from pipelines.improve import ImproveConfig, improve
from pipelines.mark import MarkConfig, mark
from pipelines.places import LARGEST_SEED
from pipelines.record import RecordConfig, record
from pipelines.report_data import Stage
from pipelines.reward import RewardConfig, reward
from pipelines.story import tell
from rlhf.errors import UserError
from rlhf.machine import release_memory
from rlhf.progress import announce
from rlhf.run_config import CONFIG_FILE, load_config, lock_run, new_run_folder, save_config

_STAGES = "stages.json"  # of the run, in the order in which they came to their end


@dataclass(frozen=True)
class DemoConfig:
    """Settings of `rlhf demo`: those of every stage. Folders and seeds of the stages follow from ``run`` and ``seed``.

    Args:
      run: folder of the run; every stage writes into it. seed: of everything.
      demonstrations: the scripted demonstrator's play. play: the cloned agent's own play, on which marks are given.
      held_out_play: episodes of the agent's play in held-out houses, which judge the reward model.
    """

    run: Path = Path("runs/demo")
    seed: int = 0
    demonstrations: RecordConfig = field(default_factory=RecordConfig)
    clone: CloneConfig = field(default_factory=CloneConfig)
    play: RecordConfig = field(default_factory=RecordConfig)
    held_out_play: int = 60
    mark: MarkConfig = field(default_factory=MarkConfig)
    reward: RewardConfig = field(default_factory=RewardConfig)
    improve: ImproveConfig = field(default_factory=ImproveConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)

    def __post_init__(self) -> None:
        if not 0 <= self.seed < LARGEST_SEED // 2:
            raise UserError(f"seed is from 0 to {LARGEST_SEED // 2 - 1}, not {self.seed}")


def demo(config: DemoConfig) -> Path:
    """Run the whole loop and return the path of its report. An interrupted run goes on at the stage it was in.

    Raises:
      UserError: if the run's folder holds a run with other settings, or anything else.
    """
    config = settle(config)
    folder = _begin(config)
    with lock_run(folder):
        stages = _finished(folder)
        done = {stage.name for stage in stages}
        for number, (name, note, work) in enumerate(_journey(config), start=1):
            if name in done:
                announce(f"{number} of 8: {name}: there already")
                continue
            announce(f"{number} of 8: {name}")
            began = time.monotonic()
            work()
            release_memory()
            stages.append(Stage(name, time.monotonic() - began, note))
            _note(folder, stages)
        began = time.monotonic()
        announce("8 of 8: writing the report")
        path = tell(folder, config, stages, config.evaluate, config.improve, config.seed)
        announce(f"report: {path} (written in {time.monotonic() - began:.0f} s)")
    return path


def _begin(config: DemoConfig) -> Path:
    """The run's folder: a new one, or that of a run with the very same settings."""
    if not (config.run / CONFIG_FILE).is_file():
        folder = new_run_folder(config.run.parent, config.run.name)
        save_config(folder, config)
    elif load_config(config.run, DemoConfig) != config:
        raise UserError(f"{config.run} holds a demo with other settings; give this one a folder of its own with --run")
    return config.run


def _finished(folder: Path) -> list[Stage]:
    """The stages of an earlier, interrupted attempt that came to their end."""
    path = folder / _STAGES
    return [Stage(**stage) for stage in json.loads(path.read_text())] if path.is_file() else []


def _note(folder: Path, stages: list[Stage]) -> None:
    partial = folder / (_STAGES + ".partial")
    partial.write_text(json.dumps([asdict(stage) for stage in stages], indent=2))
    os.replace(partial, folder / _STAGES)  # a reader sees the whole file or none


def _journey(config: DemoConfig) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Name, what it makes, and the work of every stage but the report. Recording and marking go on by themselves."""
    yield "demonstrations", f"{config.demonstrations.episodes} scripted episodes", lambda: record(config.demonstrations)
    yield "cloning (BC)", "the agent to improve", lambda: _go_on(config.run / "clone", clone, config.clone)
    yield "the agent's play", f"{config.play.episodes} episodes to be marked", lambda: _agent_play(config)
    yield "marks", "by scripted raters", lambda: mark(config.mark)
    yield "reward model (IBT)", "learned from the marks", lambda: _go_on(config.run / "reward", reward, config.reward)
    yield (
        "improvement (BC+RL)",
        "against the reward model",
        lambda: _go_on(config.run / "improve", improve, config.improve),
    )
    yield "evaluation", "held-out houses and instructions", lambda: evaluate(config.evaluate)


def _go_on(folder: Path, work: Callable[[Any], Any], config: Any) -> None:
    """Do ``work``, from the last checkpoint of an interrupted attempt in ``folder`` if there is one, else anew."""
    if (folder / "checkpoints" / "latest").exists():
        work(replace(config, resume=folder))
    else:
        shutil.rmtree(folder, ignore_errors=True)
        work(config)


def _agent_play(config: DemoConfig) -> None:
    record(config.play)
    if config.held_out_play:
        record(replace(config.play, episodes=config.held_out_play, split="held_out"))


def settle(config: DemoConfig) -> DemoConfig:
    """The configuration with every stage's folders and seeds filled in."""
    run, seed = config.run, config.seed
    if config.demonstrations.world != config.play.world or config.play.world != config.evaluate.world:
        raise UserError("demonstrations, play and evaluate differ in their world: an agent plays where it was cloned")
    data, agent = run / "data", run / "clone" / "agent"
    return replace(
        config,
        demonstrations=replace(config.demonstrations, data=data, seed=2 * seed),
        clone=replace(
            config.clone, data=(data,), runs=run, name="clone", training=replace(config.clone.training, seed=seed)
        ),
        play=replace(config.play, data=data, solver=str(agent), seed=2 * seed + 1),
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
