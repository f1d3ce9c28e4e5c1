"""Settings of each format, for export and for import. Imports nothing heavy: the help text shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from worlds.ranges import Count, Megabytes, Seconds
from worlds.settings import settings


@settings
class LeRobotExport:
    """Settings of an export to LeRobot's dataset v3.

    Args:
      images: "png" keeps every pixel; "video" is smaller, and loses some.
      language: write what was said as language events, too, which LeRobot reads from version 0.6 on.
      reward_model: folder of a reward model whose utility is exported as progress; None exports none.
      file_mb: megabytes (10^6 bytes) that a file of steps or video has at least, before the next one begins.
    """

    images: Literal["png", "video"] = "png"
    language: bool = True
    reward_model: Path | None = None
    file_mb: Megabytes = 100.0


@settings
class LeRobotImport:
    """Settings of an import of a LeRobot dataset that another program wrote; one of ours needs none.

    Args:
      camera: feature whose pictures the solver sees, e.g. "observation.images.front"; "none" takes none, and None the
        only one that there is.
      height: of pictures, to which they are reduced, in pixels; None keeps them as they are.
      width: of pictures, likewise.
      state: features whose numbers the solver observes, end to end; none of them takes observation.state or, without
        it, observation.environment_state.
      world: name of the world in the new dataset; None takes the type of the robot.
      solver: who acted, e.g. "human:ann" or "agent:policy"; an agent's own actions are not imitated.
      instruction_column: column of texts that the setter asks for, of meta/tasks.parquet or a feature; None takes
        "task", the unnamed index, or the only column of texts.
      tolerance_sec: seconds by which a frame of a film may be shown before or after its row, where frames cannot be
        counted; None refuses such a film unless all its seconds fit.
    """

    camera: str | None = None
    height: Count | None = None
    width: Count | None = None
    state: tuple[str, ...] = ()
    world: str | None = None
    solver: str = "demonstrator"
    instruction_column: str | None = None
    tolerance_sec: Seconds | None = None


@settings
class MinariExport:
    """Settings of an export to a Minari dataset.

    Args:
      dataset_id: id of the dataset; `minari.load_dataset` finds it in a folder of this name in MINARI_DATASETS_PATH.
    """

    dataset_id: str = "play-v0"


@settings
class MinariImport:
    """Settings of an import of a Minari dataset that another program wrote.

    Args:
      world: name of the world in the new dataset, e.g. "gym:CartPole-v1"; None makes one of the dataset's id.
      solver: who played, e.g. "human:ann"; one that begins with "agent:" is not imitated.
      instruction: what the setter asks for; None takes a text among the observations, or "play ID".
      instruction_column: text among the observations that the setter asks for; None takes "mission", "instruction",
        "goal" or "task", the first one that says anything.
      leave_out: parts of observations and actions that are left out, e.g. "depth", or "arm.camera" for one in another.
    """

    world: str | None = None
    solver: str = "demonstrator"
    instruction: str | None = None
    instruction_column: str | None = None
    leave_out: tuple[str, ...] = ()


@settings
class RldsExport:
    """Settings of an export to an RLDS dataset.

    Args:
      name: name of the dataset; `tfds.load` finds it in a folder NAME/1.0.0.
      file_mb: megabytes (10^6 bytes) that a file has at least, before the next one begins.
    """

    name: str = "play"
    file_mb: Megabytes = 100.0


@settings
class RldsImport:
    """Settings of an import of an RLDS dataset that another program wrote.

    Args:
      world: name of the world in the new dataset; None makes one of the dataset's name.
      solver: who played, e.g. "human:ann"; one that begins with "agent:" is not imitated.
      instruction: what the setter asks for; None takes a text of the dataset, or "play NAME".
      instruction_column: text that the setter asks for, e.g. "language_instruction_2"; None takes the first one that
        says anything of "language_instruction", "language_instruction_2" and so on.
      leave_out: parts of observations and actions that are left out, e.g. "depth", or "arm.camera" for one in another.
      last_step: what the last step of an episode has: an observation only, as RLDS has it, or an action as all others.
    """

    world: str | None = None
    solver: str = "demonstrator"
    instruction: str | None = None
    instruction_column: str | None = None
    leave_out: tuple[str, ...] = ()
    last_step: Literal["observation", "action"] = "observation"
