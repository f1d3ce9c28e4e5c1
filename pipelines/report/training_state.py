"""Progress of the run of a training: finished, running, or interrupted."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from rlhf.run.config import is_locked

_MAKES = {  # folder written last
    "CloneConfig": "agent",
    "RewardConfig": "reward_model",
    "RefineConfig": "agent",
    "ImproveConfig": "agent",
}
_VERBS = {"CloneConfig": "clone", "RewardConfig": "reward", "RefineConfig": "refine", "ImproveConfig": "improve"}


@dataclass(frozen=True)
class RunState:
    """Progress of a run.

    Args:
      finished: true if it has written its model.
      summary: sentence on a run that is not finished; "" of one that is.
      resume: command that resumes an interrupted run; "" of others.
    """

    finished: bool
    summary: str = ""
    resume: str = ""


def run_state(run: Path, kind: str, done: int, planned: int) -> RunState:
    """Return the state of the run in the folder ``run``.

    Args:
      run: the run's folder.
      kind: the name of its configuration's class.
      done: updates made.
      planned: largest number of updates.
    """
    reached = f"update {done:,} of at most {planned:,}"
    if is_locked(run):
        return RunState(False, f"The run is running, at {reached}.")
    if (run / _MAKES[kind]).is_dir():
        return RunState(True)
    resume = f"rlhf {_VERBS[kind]} --resume {shlex.quote(str(run))}"
    return RunState(False, f"The run was interrupted at {reached} ({resume} resumes it).", resume)
