"""How far the run of a training has come: finished, at work, or ended before its time."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from rlhf.run.config import is_locked

_MAKES = {"CloneConfig": "agent", "RewardConfig": "reward_model", "ImproveConfig": "agent"}  # the folder written last
_VERBS = {"CloneConfig": "clone", "RewardConfig": "reward", "ImproveConfig": "improve"}


@dataclass(frozen=True)
class RunState:
    """How far a run has come.

    Args:
      finished: whether it has written what it was to make.
      said: a sentence on a run that is not finished; "" of one that is.
      resume: the command that resumes a run that ended before its time; "" of others.
    """

    finished: bool
    said: str = ""
    resume: str = ""


def run_state(run: Path, kind: str, done: int, planned: int) -> RunState:
    """The state of the run in the folder ``run``.

    Args:
      run: the run's folder.
      kind: the name of its configuration's class.
      done: updates made.
      planned: updates at most.
    """
    reached = f"update {done:,} of at most {planned:,}"
    if is_locked(run):
        return RunState(False, f"The run is at work, at {reached}.")
    if (run / _MAKES[kind]).is_dir():
        return RunState(True)
    resume = f"rlhf {_VERBS[kind]} --resume {shlex.quote(str(run))}"
    return RunState(False, f"The run ended before its time, at {reached} ({resume} resumes it).", resume)
