"""The kinds of training, and the progress of a run: finished, running, or interrupted."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipelines.stages.outcomes.headlines import cloning_headline, improvement_headline, reward_headline
from rlhf.run.config import is_locked
from rlhf.run.json_lines import Row


@dataclass(frozen=True)
class Training:
    """A kind of training: its command, the folder that it writes last, and the headline of its metrics."""

    verb: str
    makes: str
    headline: Callable[[list[Row]], str]


TRAININGS: Mapping[str, Training] = {  # by the class of their configuration
    "CloneConfig": Training("clone", "agent", cloning_headline),
    "RefineConfig": Training("refine", "agent", cloning_headline),
    "RewardConfig": Training("reward", "reward_model", reward_headline),
    "ImproveConfig": Training("improve", "agent", improvement_headline),
}


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
    """Return the state of the run in the folder ``run``."""
    reached = f"update {done:,} of at most {planned:,}"
    if is_locked(run):
        return RunState(False, f"The run is running, at {reached}.")
    if (run / TRAININGS[kind].makes).is_dir():
        return RunState(True)
    resume = f"rlhf {TRAININGS[kind].verb} --resume {shlex.quote(str(run))}"
    return RunState(False, f"The run was interrupted at {reached} ({resume} resumes it).", resume)
