"""A group of RLlib's learners that make every update together, or none of them does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import ray
from ray.exceptions import RayActorError, RayTaskError
from ray.rllib.core.learner.learner_group import LearnerGroup
from ray.rllib.core.learner.training_data import TrainingData
from ray.rllib.utils.actor_manager import FaultTolerantActorManager

from agents.learning.workers import WorkerLost
from rlhf.distributed.learner import PlayLearner
from rlhf.distributed.watch import RemoteTraceback, RunStalledOnRay, WorkerDied, gist

_PATIENCE_SEC = 5.0  # for the learner that others say they have lost


class PlayLearnerGroup(LearnerGroup):
    """One ``PlayLearner`` in this process, or ``config.num_learners`` in processes of their own.

    RLlib sends its learners updates as each of them has room and collects what is ready. Learners that average their
    gradients wait for each other: were an update dropped by one of them, all would wait for ever. Here an update is
    sent to all, and they are waited for. RLlib also lets PyTorch listen on every address of the machine; these
    learners meet at the address that Ray itself uses.

    Raises (from everything that asks the learners):
      WorkerDied: naming the learner, if its process died, or failed in a way that is not reported otherwise.
      RunStalled: if they do not answer within the configuration's ``stall_sec``.
      FloatingPointError, RunError: the learners' own.
    """

    def __init__(self, *, config: Any, module_spec: Any = None, placement_group: Any = None) -> None:
        self._workers: list[Any] | None = None
        if not config.num_learners:
            super().__init__(config=config, module_spec=module_spec, placement_group=placement_group)
            return
        # RLlib's constructor would start learners of its own; the rest of the group asks for no more than this.
        self.config, self._module_spec = config.copy(copy_frozen=False), module_spec
        self._learner, self._is_shut_down, self._ts_dropped = None, False, 0
        worker = ray.remote(num_cpus=config.num_cpus_per_learner, num_gpus=config.num_gpus_per_learner)(PlayLearner)
        self._workers = [worker.remote(config=config, module_spec=module_spec) for _ in range(config.num_learners)]
        backend = "nccl" if config.num_gpus_per_learner >= 1 else "gloo"  # NCCL refuses two on one GPU
        try:
            (meeting,) = self._answers([self._workers[0].host.remote()])
            self._answers(
                [
                    worker.join.remote(rank, config.num_learners, meeting, backend, config.stall_sec)
                    for rank, worker in enumerate(self._workers)
                ]
            )
            self._answers([worker.build.remote() for worker in self._workers])
        except BaseException:
            self.shutdown()
            raise
        self._worker_manager = FaultTolerantActorManager(self._workers)

    def ask(self, call: Callable[[PlayLearner], Any]) -> list[Any]:
        """Return what ``call`` gives for every learner, in their order."""
        if self._workers is None:
            return [call(self._learner)]  # type: ignore[arg-type]
        return self._answers([worker.apply.remote(call) for worker in self._workers])

    def update(  # type: ignore[override]
        self, *, training_data: TrainingData, return_state: bool = False, async_update: bool = False, **settings: Any
    ) -> list[dict[str, Any]]:
        """One update by all learners; RLlib's metrics of it, once."""
        if self._workers is None:
            return super().update(training_data=training_data, return_state=return_state, **settings)
        training_data.validate()
        return self._answers(
            [
                worker.update.remote(training_data, return_state=return_state and rank == 0)
                for rank, worker in enumerate(self._workers)
            ]
        )[:1]

    def get_stats(self) -> dict[str, Any]:
        return super().get_stats() if self._workers is None else {}

    def shutdown(self) -> None:
        """End the learners, also those that hang."""
        if self._workers is None:
            super().shutdown()
        for worker in self._workers or ():
            ray.kill(worker)
        self._is_shut_down = True

    def _answers(self, references: Sequence[ray.ObjectRef]) -> list[Any]:
        """Return what is behind ``references``, one for every learner, as soon as all are there or one has failed."""
        began, waiting = time.monotonic(), list(references)
        while waiting:
            left = self.config.stall_sec - (time.monotonic() - began)
            ready, waiting = ray.wait(waiting, timeout=max(0.0, left))
            if not ready:
                numbers = ", ".join(str(references.index(reference) + 1) for reference in waiting)
                raise RunStalledOnRay(f"no progress: learner {numbers} has not answered for {self.config.stall_sec} s")
            for reference in ready:
                try:
                    ray.get(reference)
                except (RayActorError, RayTaskError) as error:
                    raise self._cause(references, error) from RemoteTraceback(str(error))
        return ray.get(list(references))

    def _cause(self, references: Sequence[ray.ObjectRef], first: Exception) -> Exception:
        """Return the error to report: not that of a learner which merely lost another."""
        failed = {}
        ready, _ = ray.wait(list(references), num_returns=len(references), timeout=_PATIENCE_SEC)
        for reference in ready:
            try:
                ray.get(reference)
            except (RayActorError, RayTaskError) as error:
                failed[references.index(reference) + 1] = error
        number, error = min(failed.items(), key=lambda item: _merely_lost(item[1]), default=(0, first))
        if isinstance(error, RayActorError):
            return WorkerDied(f"learner {number}'s process died: {gist(str(error))}")
        cause = error.cause if isinstance(error, RayTaskError) else error
        if isinstance(cause, FloatingPointError):
            return cause
        message = " ".join(str(cause).split())
        return WorkerDied(f"learner {number} died of {type(cause).__name__}: {message}")


def _merely_lost(error: Exception) -> bool:
    return isinstance(error, RayTaskError) and isinstance(error.cause, WorkerLost)
