"""Settings of the stages of a loop as settings of single commands, for their presets."""

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
        """Return the settings of each stage as those of a single command, by the command's name.

        Improvement replays all recorded play, as a single command does not know who played.
        """
        return {
            "record": self.demonstrations,
            "mark": self.mark,
            "clone": self.clone,
            "reward": self.reward,
            "improve": replace(self.improve, replay=None),
            "evaluate": self.evaluate,
        }
