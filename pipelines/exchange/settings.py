"""Settings of each format, for export and for import. Imports nothing heavy: the help text shows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class LeRobotExport:
    """Settings of an export to LeRobot's dataset v3.

    Args:
      images: "png" keeps every pixel; "video" is smaller, and loses some.
      reward_model: folder of a reward model whose utility is exported as progress; None exports none.
      file_mb: megabytes (10^6 bytes) that a file of steps or video has at least, before the next one begins.
    """

    images: Literal["png", "video"] = "png"
    reward_model: Path | None = None
    file_mb: float = 100.0


@dataclass(frozen=True)
class LeRobotImport:
    """Settings of an import of a LeRobot dataset that another program wrote.

    Args:
      camera: feature whose pictures the solver sees, e.g. "observation.images.front"; needed where there are several.
      world: name of the world in the new dataset; None takes the robot's type.
    """

    camera: str | None = None
    world: str | None = None


@dataclass(frozen=True)
class MinariExport:
    """Settings of an export to a Minari dataset.

    Args:
      dataset_id: id of the dataset; `minari.load_dataset` finds it in a folder of this name in MINARI_DATASETS_PATH.
    """

    dataset_id: str = "play-v0"


@dataclass(frozen=True)
class MinariImport:
    """Settings of an import of a Minari dataset that another program wrote.

    Args:
      world: name of the world in the new dataset, e.g. "gym:CartPole-v1"; None makes one of the dataset's id.
      solver: who played, e.g. "human:ann"; one that begins with "agent:" is not imitated.
      instruction: what the setter asks for; None takes the text "mission" among the observations, or "play ID".
    """

    world: str | None = None
    solver: str = "demonstrator"
    instruction: str | None = None
