"""Settings of every run that trains something and can be resumed. Imports nothing heavy."""

from __future__ import annotations

from pathlib import Path

from rlhf.run.tracking import WandbMode
from worlds.ranges import Count
from worlds.settings import settings


@settings
class TrainingRunConfig:
    """Settings of a run that trains something.

    Args:
      runs: folder of all runs.
      name: name of this run's folder in it; what is trained is written there, into "agent" or "reward_model".
      checkpoint_every: updates between checkpoints.
      resume: folder of a run to resume from its last checkpoint, with its own settings. It ends in the same weights as
        a run that was never interrupted.
      device: device that computes: "cpu", "cuda" or "cuda:1".
      wandb: whether metrics also go to Weights & Biases: "offline" (a local folder), "online" or "disabled".
    """

    runs: Path = Path("runs")
    name: str = "training"
    checkpoint_every: Count = 500
    resume: Path | None = None
    device: str = "cpu"
    wandb: WandbMode = "offline"
