"""BC+RL on Ray, driven like :class:`rlhf.learning.local_executor.LocalExecutor`: the same reports, the same state."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import ray
import torch
from ray.exceptions import RayActorError, RayTaskError
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, LEARNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME

from agents.agent import InteractiveAgent
from rlhf.distributed.algorithm import BCRL, NOTICES, BCRLConfig, MakeLearner, MakeRunner
from rlhf.distributed.config import RayConfig
from rlhf.distributed.connection import connect
from rlhf.distributed.learner import UPDATE
from rlhf.distributed.runner import DELIVERIES
from rlhf.distributed.watch import RemoteTraceback, WorkerDied, gist
from rlhf.learning.config import ExecutorConfig
from rlhf.learning.local_executor import UpdateReport
from rlhf.run.progress import announce
from worlds.errors import UserError

_STATE = ("learner", "recorded", "runners", "rng", "played")  # what is resumed here of the state of any executor


class RayExecutor:
    """Runs BC+RL on a Ray cluster, or on a Ray that is started on this machine for as long as this lives.

    Playing and learning always overlap, so a run is not determined by its seeds.

    Args:
      make_runner: see :meth:`rlhf.distributed.algorithm.BCRLConfig.play`.
      make_learner: see :meth:`rlhf.distributed.algorithm.BCRLConfig.play`.
      agent: has the learner's weights after :meth:`fetch_agent` and :meth:`state_dict`; they are not sent otherwise.
      config: which processes.
      execution: its ``overlap`` does not apply.

    Raises:
      UserError: if there is no such cluster.
    """

    def __init__(
        self,
        make_runner: MakeRunner,
        make_learner: MakeLearner,
        agent: InteractiveAgent,
        slots: int,
        steps: int,
        config: RayConfig | None = None,
        execution: ExecutorConfig | None = None,
    ) -> None:
        self.config, self.execution = config or RayConfig(), execution or ExecutorConfig()
        self._agent, self._behind = agent, False
        self._played_before = self._played = 0
        self._algorithm: Any = None
        self._started = connect(self.config)
        settings = (
            BCRLConfig()
            .play(
                make_runner=make_runner,
                make_learner=make_learner,
                slots=slots,
                steps=steps,
                stall_sec=self.execution.stall_sec,
                replacements=self.config.replacements,
                recent=self.execution.recent,
                draw_seed=self.execution.seed,
            )
            .env_runners(
                num_env_runners=self.config.runners,
                num_cpus_per_env_runner=self.config.cpus_per_runner,  # type: ignore[arg-type]
                num_gpus_per_env_runner=self.config.gpus_per_runner,
            )
        )
        if self.config.learners > 1:
            settings.learners(
                num_learners=self.config.learners,
                num_cpus_per_learner=self.config.cpus_per_learner,
                num_gpus_per_learner=self.config.gpus_per_learner,
            )
        try:
            _await_resources(self.config, 0.0 if self._started else self.execution.stall_sec)
            self._algorithm = self._place(settings)
        except BaseException:
            self.close()
            raise

    def steps(self) -> Iterator[UpdateReport]:
        """Update for ever, one report an update. It may be left and entered again at any update.

        Raises:
          RunStalled: if there is no update for ``stall_sec``.
          WorkerDied: naming the worker and its exception.
          FloatingPointError: the learner's.
        """
        while True:
            result = self._ask("train")
            for line in _series(result, NOTICES):
                announce(line)
            played = result[ENV_RUNNER_RESULTS]
            self._played = self._played_before + int(played[NUM_ENV_STEPS_SAMPLED_LIFETIME])
            results = tuple(ended for delivery in _series(played, DELIVERIES) for ended in delivery.results)
            health = result["fault_tolerance"]
            beside = {
                "ray/runners": float(health["num_healthy_workers"]),
                "ray/replaced": float(health["num_remote_worker_restarts"]),
            }
            yield self._report(result[LEARNER_RESULTS][UPDATE] | beside, results)
            for _ in range(self.execution.reuse - 1):
                yield self._report(self._ask("learn_again"))

    def fetch_agent(self) -> None:
        """Give the agent here the learner's weights, unless it has them."""
        if not self._behind:
            return
        weights = self._ask("learned_weights")
        for name, own in self._agent.state_dict().items():  # load_state_dict takes ten times as long
            own.copy_(torch.tensor(weights[name]))
        self._behind = False

    def state_dict(self) -> dict[str, Any]:
        """Return what ``LocalExecutor.state_dict`` returns, without play; None for a runner that does not answer.

        Fetches the agent, too: the state is of the agent with these weights.
        """
        self.fetch_agent()
        return self._ask("run_state") | {"played": self._played}

    def load_state_dict(self, state: Mapping[str, Any], plays: bool = True) -> bool:
        """Resume from what :meth:`state_dict` returned, with the weights that the agent has.

        The number of runners may be another one: those without a state begin with their first episodes.

        Returns:
          False: fragments and plays in progress are dropped, whatever ``plays`` says.
        """
        state = {name: part for name, part in state.items() if name in _STATE}
        weights = {name: tensor.cpu().numpy() for name, tensor in self._agent.state_dict().items()}
        self._played_before = self._played = state["played"]
        self._behind = False
        self._ask("set_run_state", state, weights)
        return False

    def close(self) -> None:
        """End every process of the run, and Ray too if it was started here. Closing twice does no harm."""
        algorithm, self._algorithm = self._algorithm, None
        if algorithm is not None and self.config.learner_apart:
            ray.wait([algorithm.stop.remote()], timeout=5.0)  # it may be busy for ever
            ray.kill(algorithm)
        elif algorithm is not None:
            algorithm.stop()
        if self._started:
            self._started = False
            ray.shutdown()

    def _report(self, metrics: dict[str, float], results: tuple = ()) -> UpdateReport:
        self._behind = True
        update = int(metrics.pop("update"))
        return UpdateReport(update, self._played, metrics, results)

    def _place(self, settings: BCRLConfig) -> Any:
        """The algorithm: in this process, or a handle of it in a process of its own."""
        if not self.config.learner_apart:
            return BCRL(config=settings)
        actor = ray.remote(num_cpus=self.config.cpus_per_learner, num_gpus=self.config.gpus_per_learner)(BCRL)
        return actor.remote(config=settings)

    def _ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the algorithm, wherever it is."""
        if not self.config.learner_apart:
            return getattr(self._algorithm, method)(*arguments)
        try:
            return ray.get(getattr(self._algorithm, method).remote(*arguments))
        except RayTaskError as error:
            cause = error.cause
            raise cause from (cause.__cause__ or RemoteTraceback(str(error)))
        except RayActorError as error:
            raise WorkerDied(f"the learner's process died: {gist(str(error))}") from error


def _series(results: dict[str, Any], name: str) -> list[Any]:
    """All values of a metric that is a series; RLlib gives one value as it is."""
    values = results.get(name, [])
    return values if isinstance(values, list) else [values]


def _await_resources(config: RayConfig, patience_sec: float) -> None:
    """Wait until there is room for all processes; Ray would wait for it for ever, and in silence.

    Raises:
      UserError: if there is none within ``patience_sec``.
    """
    deadline = time.monotonic() + patience_sec
    wanted = {"CPU": config.cpus, "GPU": config.gpus}
    while lacking := [kind for kind, count in wanted.items() if ray.available_resources().get(kind, 0.0) < count]:
        if time.monotonic() >= deadline:
            free = ray.available_resources()
            raise UserError(
                f"the run asks Ray for {' and '.join(f'{wanted[kind]:g} {kind}s' for kind in lacking)}, but only "
                f"{' and '.join(f'{free.get(kind, 0.0):g}' for kind in lacking)} are free; ask for less with "
                "ray.runners, ray.cpus-per-runner, ray.gpus-per-learner and the like, or wait until others are done"
            )
        time.sleep(0.5)
