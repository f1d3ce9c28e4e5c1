"""A runner as RLlib's EnvRunner: plays in a process of its own, and says so when it cannot."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import RayError
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.env import INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME, WEIGHTS_SEQ_NO

from rlhf.distributed.watch import Delivery, Failure
from rlhf.replay.fragment import Fragment
from rlhf.replay.runner import Runner

DELIVERIES = "deliveries"  # the metric that carries them to the algorithm


class PlayRunner(EnvRunner):
    """Wraps :class:`rlhf.replay.runner.Runner`. ``sample`` returns a list of one fragment, which RLlib hands on unseen.

    The runner is made by the configuration's ``make_runner(index, generation)`` at the first sample, so that an
    exception in it is reported like any other: as a ``Delivery`` with a failure. RLlib itself
    would end the process and start another, for ever.

    The one in the algorithm's own process (``worker_index`` 0) never plays; RLlib insists on having it.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        self._runner: Runner | None = None
        self._notices: list[str] = []  # not delivered yet
        self._play_state: dict[str, Any] | None = None  # to begin from
        self._weights: Mapping[str, np.ndarray] | None = None  # not given to the runner yet
        self._weights_seq_no = 0
        self._env_runner_state_server: Any = None  # set by IMPALA; has the newest weights

    def sample(self, **_: Any) -> list[Fragment]:
        """Play T steps in every slot, with the newest weights. The local one plays nothing."""
        if not self.worker_index:
            return []
        self._pull()
        if self._runner is None:
            self._runner = self._make_runner()
        if self._weights is not None:
            self._runner.set_weights({name: torch.tensor(array) for name, array in self._weights.items()})
            self._weights = None
        fragment = self._runner.sample()
        self._log(fragment)
        return [fragment]

    def sample_get_state_and_metrics(self) -> Any:
        """Return a reference to what was sampled, no state, and the metrics; IMPALA calls this."""
        try:
            return super().sample_get_state_and_metrics()
        except Exception as error:
            self._deliver(failure=Failure.of(error))
            return ray.put([]), {}, self.get_metrics()

    def get_metrics(self) -> Any:
        return self.metrics.reduce()

    def get_state(self, components: Any = None, *, not_components: Any = None, **_: Any) -> dict[str, Any]:
        """Nothing: weights are the learner's, and there are no connectors to merge. See :meth:`play_state`."""
        return {}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Set weights that are newer than those at hand."""
        number = state.get(WEIGHTS_SEQ_NO, 0)
        if COMPONENT_RL_MODULE in state and (number == 0 or number > self._weights_seq_no):
            weights = state[COMPONENT_RL_MODULE]
            self._weights = ray.get(weights) if isinstance(weights, ray.ObjectRef) else weights
            self._weights_seq_no = number

    def play_state(self) -> dict[str, Any]:
        """Random states, for a checkpoint; empty if play has not begun. The plays in progress are not in it."""
        return self._runner.state_dict(plays=False) if self._runner is not None else self._play_state or {}

    def set_play_state(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`play_state` returned, or a local run's runner; plays in progress are dropped."""
        self._play_state = state or None
        if self._runner is not None and state:
            self._runner.load_state_dict(state, plays=False)

    def get_spaces(self) -> dict[str, Any]:
        """Return RLlib's spaces, which nothing here uses."""
        spaces = (self.config.observation_space, self.config.action_space)
        return {INPUT_ENV_SPACES: spaces, DEFAULT_MODULE_ID: spaces}

    def assert_healthy(self) -> None:
        """Construction cannot fail; what can is reported by the first sample."""

    def stop(self) -> None:
        if self._runner is not None:
            self._runner.close()

    def _make_runner(self) -> Runner:
        again = self.worker_index and ray.get_runtime_context().was_current_actor_reconstructed
        runner = self.config.make_runner(self.worker_index - 1, os.getpid() if again else 0)  # type: ignore[attr-defined]
        if self._play_state is not None:
            runner.load_state_dict(self._play_state, plays=False)
        runner.report = self._notices.append  # standard error of this process is seen by nobody
        return runner

    def _pull(self) -> None:
        """Fetch the newest weights, if those at hand are older. Without an answer, play continues with those."""
        if self._env_runner_state_server is not None:
            try:
                newer: Any = ray.get(self._env_runner_state_server.pull_if_newer.remote(self._weights_seq_no))
            except RayError:  # it is restarted by Ray
                return
            if newer is not None:
                self.set_state(newer)

    def _log(self, fragment: Fragment) -> None:
        assert self._runner is not None
        results = tuple(self._runner.finished())
        notices, self._notices[:] = tuple(self._notices), ()
        self._deliver(results=results, notices=notices)
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED_LIFETIME, fragment.steps * fragment.columns, reduce="lifetime_sum")
        for result in results:
            self.metrics.log_value("modelled_return", result.modelled_return, window=100)
            for success in result.success:
                self.metrics.log_value("true_success", float(success), window=100)

    def _deliver(self, **what: Any) -> None:
        process = f"process {os.getpid()} on {platform.node()}"
        delivery = Delivery(self.worker_index, process, ray.get_runtime_context().get_actor_id() or "", **what)
        self.metrics.log_value(DELIVERIES, delivery, reduce="item_series")
