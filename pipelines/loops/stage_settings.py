"""Settings of every stage of a loop as a command of its own, which presets of the single commands start from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig


class StageSettings:
    """Base of the configurations of loops, which hold the settings of every stage."""

    demonstrations: RecordConfig
    mark: MarkConfig
    clone: CloneConfig
    reward: RewardConfig
    improve: ImproveConfig
    evaluate: EvaluateConfig

    def stages(self) -> dict[str, Any]:
        """Return the settings of every stage as a command of its own, by the command's name.

        Improvement replays all recorded play: by itself a command does not know who played.
        """
        return {
            "record": self.demonstrations,
            "mark": self.mark,
            "clone": self.clone,
            "reward": self.reward,
            "improve": replace(self.improve, replay=None),
            "evaluate": self.evaluate,
        }
