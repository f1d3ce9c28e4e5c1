"""`rlhf household demonstrate`: demonstrations of Alice as a dataset, for people who infer her goals."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from experiments.watch_and_help.watching.recorded import record_shown
from rlhf.run.progress import announce
from worlds.errors import UserError
from worlds.household.tasks.splits import goals_of
from worlds.ranges import Count
from worlds.settings import settings


@settings
class HouseholdDemonstrateConfig:
    """Settings of `rlhf household demonstrate`.

    Args:
      data: folder of the dataset; a folder of `rlhf serve --data`, so that people can watch them.
      split: of the tasks: "test_1" has goals of one predicate set, "test_2" of two.
      episodes: demonstrations, evenly over the 100 tasks of the split and so over all activities.
    """

    data: Path = Path("experiment/demonstrations")
    split: Literal["test_1", "test_2"] = "test_1"
    episodes: Count = 30

    def __post_init__(self) -> None:
        most = len(goals_of(self.split))
        if self.episodes > most:
            raise UserError(f"{self.split} has {most} tasks; episodes is {self.episodes}")


def record_demonstrations(config: HouseholdDemonstrateConfig) -> list[str]:
    """Record demonstrations and return their ids. They are durable when this returns."""
    tasks = len(goals_of(config.split))
    numbers = np.floor(np.arange(config.episodes) * tasks / config.episodes).astype(int).tolist()
    ids, failed = record_shown(config.data, f"{config.split}_tasks", numbers)
    left_out = f"; {failed} in which Alice failed are left out" if failed else ""
    announce(f"{len(ids)} demonstrations of {config.split} are in {config.data}{left_out}")
    return ids
