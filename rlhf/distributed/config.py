"""The settings of BC+RL on Ray. Imports nothing heavy, and not Ray."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from worlds.ranges import LARGEST, CountFromZero, Weight
from worlds.settings import settings


@settings
class RayConfig:
    """Processes of a run on Ray, and the resources of each.

    Args:
      address: address of a running cluster, as ray.init expects it; None starts Ray on this machine for this run only,
        unless the environment variable RAY_ADDRESS names a cluster (as it does inside `ray job submit`).
      runners: number of processes that play. The slots of the run are shared out evenly among them.
      learners: number of processes that learn. The columns of every batch are shared out evenly among them and their
        gradients averaged, so that the update is that of one.
      cpus_per_runner: CPUs of each process that plays, and how many threads step its slots.
      gpus_per_runner: GPUs of each process that plays; may be a fraction.
      cpus_per_learner: CPUs of each process that learns, where it has one of its own.
      gpus_per_learner: GPUs of each process that learns; 0 lets a single learner work inside the command's own process,
        otherwise each gets a process of its own where Ray finds so many GPUs.
      replacements: how often a process that plays and dies is replaced before the run gives up.
      object_store_mb: megabytes of memory for fragments on their way, where Ray is started here; at least 80.
    """

    address: str | None = None
    runners: Annotated[int, Field(ge=1, le=LARGEST)] = 2
    learners: Annotated[int, Field(ge=1, le=LARGEST)] = 1
    cpus_per_runner: Weight = 1.0
    gpus_per_runner: Weight = 0.0
    cpus_per_learner: Weight = 1.0
    gpus_per_learner: Weight = 0.0
    replacements: CountFromZero = 10
    object_store_mb: Annotated[int, Field(ge=80, le=LARGEST)] = 1000

    @property
    def cpus(self) -> float:
        """Of all processes that Ray places."""
        apart = self.learners if self.learner_apart or self.learners > 1 else 0
        return self.runners * self.cpus_per_runner + apart * self.cpus_per_learner

    @property
    def gpus(self) -> float:
        """Of all processes that Ray places."""
        return self.runners * self.gpus_per_runner + self.learners * self.gpus_per_learner

    @property
    def learner_apart(self) -> bool:
        """Return whether a single learner gets a process of its own, and the algorithm with it."""
        return self.learners == 1 and self.gpus_per_learner > 0
