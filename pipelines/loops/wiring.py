"""Wiring of the stages of demo, rounds and studies: each stage reads what those before it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.refine import RefineConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.play_settings import PlaySettings, with_play_settings


@dataclass(frozen=True)
class Wiring:
    """Folder, seed and device that the stages of a loop share.

    Args:
      folder: folder of the loop; trainings and results are written into it.
      seed: seed of trainings, marks and evaluations.
      device: device of play, training and evaluation: "cpu", "cuda" or "cuda:1"; None keeps each stage's own.
      recordings: number of recordings in the loop, each with its own seed.
    """

    folder: Path
    seed: int
    device: str | None = None
    recordings: int = 2

    def demonstrations(self, config: RecordConfig, data: Path) -> RecordConfig:
        """Return the settings of the scripted demonstrator's play, the first recording."""
        return replace(config, data=data, seed=self.recordings * self.seed)

    def play(self, config: RecordConfig, data: Path, agent: Path, number: int = 1) -> RecordConfig:
        """Return the settings of an agent's play, recording ``number`` of the loop."""
        seed = self.recordings * self.seed + number
        return replace(config, data=data, solver=str(agent), seed=seed, device=self.device or config.device)

    def mark(self, config: MarkConfig, data: Path) -> MarkConfig:
        """Return the settings of scripted raters."""
        return replace(config, data=data, seed=self.seed)

    def clone(self, config: CloneConfig, data: Path, name: str = "clone") -> CloneConfig:
        """Return the settings of cloning."""
        return replace(
            config, data=(data,), runs=self.folder, name=name, training=replace(config.training, seed=self.seed),
            device=self.device or config.device,
        )  # fmt: skip

    def reward(self, config: RewardConfig, data: tuple[Path, ...], agent: Path, name: str = "reward") -> RewardConfig:
        """Return the settings of a reward model that starts from ``agent``."""
        return replace(
            config, data=data, agent=agent, runs=self.folder, name=name,
            training=replace(config.training, seed=self.seed), device=self.device or config.device,
        )  # fmt: skip

    def refine(
        self, config: RefineConfig, data: Path, agent: Path, reward_model: Path, name: str = "refine"
    ) -> RefineConfig:
        """Return the settings of refining ``agent`` on marked play."""
        return replace(
            config, data=(data,), agent=agent, reward_model=reward_model, runs=self.folder, name=name,
            training=replace(config.training, seed=self.seed), device=self.device or config.device,
        )  # fmt: skip

    def improve(
        self, config: ImproveConfig, data: Path, agent: Path, reward_model: Path, name: str = "improve"
    ) -> ImproveConfig:
        """Return the settings of improving ``agent`` against a reward model."""
        return replace(
            config, data=(data,), agent=agent, reward_model=reward_model, runs=self.folder, name=name, seed=self.seed,
            device=self.device or config.device,
        )  # fmt: skip

    def evaluate(self, config: EvaluateConfig, agents: Mapping[str, str], out: Path) -> EvaluateConfig:
        """Return the settings of evaluating ``agents``, with the results in the file ``out``.

        There is no baseline: loops and studies compare agents of several files, in their reports.
        """
        device = self.device or config.device
        return replace(config, agents=agents, out=out, baseline=None, seed=self.seed, device=device)


def record_both_splits(config: RecordConfig, held_out: int) -> None:
    """Record an agent's play, and ``held_out`` episodes of it in held-out houses."""
    record(config)
    if held_out:
        record(replace(config, episodes=held_out, split="held_out"))


class LoopSettings:
    """Base of the configurations of loops and studies, which hold the settings of every stage."""

    demonstrations: RecordConfig
    play: RecordConfig
    mark: MarkConfig
    evaluate: EvaluateConfig

    def in_one_world(self, given: PlaySettings) -> Self:
        """Return the same with world and players of all play: the stage's own, else ``given``, else the default.

        Recordings are of one split each.
        """
        return replace(
            self,  # type: ignore[type-var]
            demonstrations=with_play_settings(self.demonstrations.for_training(), given),
            play=with_play_settings(self.play.for_training(), given),
            evaluate=with_play_settings(self.evaluate, given),
        )

    def trainings(self) -> tuple[CloneConfig, RewardConfig | None, ImproveConfig | None]:
        """Return the settings of cloning, reward model and improvement; of several, those of the first."""
        raise NotImplementedError

    def stages(self) -> dict[str, Any]:
        """Return the settings of each stage as those of a single command, by the command's name.

        Improvement replays all recorded play, as a single command does not know who played.
        """
        clone, reward, improve = self.trainings()
        return {
            "record": self.demonstrations,
            "mark": self.mark,
            "clone": clone,
            "reward": reward,
            "improve": improve and replace(improve, replay=None),
            "evaluate": self.evaluate,
        }


class StageSettings(LoopSettings):
    """Base of the configurations of loops that train one agent at a time."""

    clone: CloneConfig
    reward: RewardConfig
    improve: ImproveConfig

    def trainings(self) -> tuple[CloneConfig, RewardConfig, ImproveConfig]:
        """Return the settings of cloning, reward model and improvement."""
        return self.clone, self.reward, self.improve
