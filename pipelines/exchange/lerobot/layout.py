"""The files of LeRobot's dataset v3: where they lie, and what ``meta/info.json`` declares of a column.

LeRobot 0.6 documents them at https://huggingface.co/docs/lerobot/lerobot-dataset-v3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

VERSION = "v3.0"
INFO = "meta/info.json"
STATS = "meta/stats.json"
TASKS = "meta/tasks.parquet"
EPISODES = "meta/episodes"
PROGRESS = "sarm_progress.parquet"
CARD = "README.md"

FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
EPISODES_PATH = f"{EPISODES}/{FILE}.parquet"
DATA_PATH = f"data/{FILE}.parquet"
VIDEO_PATH = f"videos/{{video_key}}/{FILE}.mp4"
FILES_A_CHUNK = 1000

ACTION = "action"
STATE = "observation.state"
CAMERA = "observation.images.solver"
INTERVENTION = "intervention"  # true where a person or program acts instead of the policy
EVENTS = "language_events"


@dataclass(frozen=True)
class Feature:
    """What ``meta/info.json`` declares of one column.

    Args:
      dtype: NumPy's name of a type, or "string", "image", "video" or "language".
      shape: of a frame's value; one number is (1,).
      names: of the numbers, for people; None where they have none.
    """

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the feature as LeRobot writes it."""
        names = None if self.names is None else list(self.names)
        return {"dtype": self.dtype, "shape": list(self.shape), "names": names}


# Columns of every dataset, which number the frames.
NUMBERED = {
    "timestamp": Feature("float32", (1,)),
    "frame_index": Feature("int64", (1,)),
    "episode_index": Feature("int64", (1,)),
    "index": Feature("int64", (1,)),
    "task_index": Feature("int64", (1,)),
}


def place(number: int) -> dict[str, int]:
    """Return ``chunk_index`` and ``file_index`` of the file with this number, from 0 on."""
    return {"chunk_index": number // FILES_A_CHUNK, "file_index": number % FILES_A_CHUNK}
