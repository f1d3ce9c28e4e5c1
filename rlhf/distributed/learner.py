"""The learner as RLlib's Learner: reads fragments as runners made them, and learns from them in the usual way."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import ObjectLostError
from ray.rllib.core import ALL_MODULES, COMPONENT_RL_MODULE
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.rllib.core.learner.training_data import TrainingData
from ray.rllib.utils.metrics import NUM_ENV_STEPS_TRAINED_LIFETIME, WEIGHTS_SEQ_NO

from agents.learning.workers import SINGLE_WORKER, Workers
from rlhf.distributed import workers as ray_peers
from rlhf.learning.learner import Learner
from rlhf.learning.local_executor import RecordedPlay
from rlhf.replay.fragment import Fragment, concatenate, take

UPDATE = "update"  # the metric that carries the number of the last update and all that it measured
_STATE, _WEIGHTS_AFTER = "bc_rl", "_rl_module_state_after_update"


class PlayLearner(TorchLearner):
    """Wraps ``Learner``, made with its recorded play by the configuration's ``make_learner(workers)``.

    RLlib's modules, optimisers, connectors and losses are not used; its update loop, state and metrics are. Where it
    is one of several, each learns from its own columns of the play and of the recordings.
    """

    learner: Learner
    recorded: RecordedPlay
    workers: Workers = SINGLE_WORKER

    def host(self) -> ray_peers.Meeting:
        """Open the store through which several learners find each other, and return its address."""
        self._store, meeting = ray_peers.host()
        return meeting

    def join(self, rank: int, count: int, meeting: ray_peers.Meeting, backend: str, timeout_sec: float) -> None:
        """Meet the other learners; before :meth:`build`."""
        self.workers = ray_peers.join(rank, count, meeting, backend, timeout_sec)

    def build(self) -> None:
        self.learner, self.recorded = self.config.make_learner(self.workers)  # type: ignore[attr-defined]
        self.workers.broadcast(self.learner.agent.parameters())
        self._recent: deque[Fragment] = deque(maxlen=self.config.recent)  # type: ignore[attr-defined]
        self._rng = np.random.default_rng(self.config.draw_seed)  # type: ignore[attr-defined]
        self._idle_since = time.monotonic()
        self._is_built = True

    def update(
        self, training_data: TrainingData, *, timesteps: Any = None, return_state: bool = False, **_: Any
    ) -> dict[str, Any]:
        """One gradient step on the fragments behind ``training_data.episodes_refs``, side by side.

        Returns: RLlib's metrics, and the new weights if ``return_state``. Nothing if all fragments were lost with
        their runners' processes, or one of them if there are several learners; then no update was made.
        """
        fragments = self._share(training_data.episodes_refs or [])
        if not fragments:
            return {}
        fragment = _writable(fragments)
        self._recent.append(fragment)
        measured = self._learn(fragment)
        self.metrics.log_value(UPDATE, measured, reduce="item")
        for name, value in measured.items():
            self.metrics.log_value((ALL_MODULES, name), value, window=1)
        trained = fragment.steps * fragment.columns * self.workers.count
        self.metrics.log_value((ALL_MODULES, NUM_ENV_STEPS_TRAINED_LIFETIME), trained, reduce="lifetime_sum")
        result = self.metrics.reduce()
        if return_state:
            result[_WEIGHTS_AFTER] = self._numbered(ray.put(self.weights()))
        return result

    def learn_again(self) -> dict[str, float]:
        """One more gradient step, on a recent fragment. Returns what was measured, as ``UPDATE`` does."""
        return self._learn(self._recent[int(self._rng.integers(len(self._recent)))])

    def weights(self) -> dict[str, np.ndarray]:
        """The agent's, copied."""
        return {name: tensor.cpu().numpy().copy() for name, tensor in self.learner.agent.state_dict().items()}

    def set_weights(self, weights: Mapping[str, np.ndarray]) -> None:
        """Give the agent other weights, and runners reason to fetch them."""
        self.learner.agent.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        self._weights_seq_no += 1

    def memory(self) -> list[torch.Tensor] | None:
        """The memory of this learner's columns of recorded play."""
        memory = self.learner.state_dict()["memory"]
        return None if memory is None else [part.cpu() for part in memory]

    def run_state(self) -> dict[str, Any]:
        """Return everything that determines the updates to come but weights and play: plain values, for checkpoints.

        All tensors are on the CPU: who asks for them need not have a GPU. The same for all learners but for the
        :meth:`memory`.
        """
        return {
            "learner": _on_cpu(self.learner.state_dict()),
            "recorded": self.recorded.state_dict(),
            "rng": self._rng.bit_generator.state,
        }

    def set_run_state(self, state: Mapping[str, Any]) -> None:
        """Resume from what :meth:`run_state` returned, with the memory of all columns, or None, as its memory."""
        memory = state["learner"]["memory"]
        if memory is not None:
            memory = tuple(part[self.workers.columns(len(part))] for part in memory)
        self.learner.load_state_dict(state["learner"] | {"memory": memory})
        self.recorded.load_state_dict(state["recorded"])
        self._rng.bit_generator.state = state["rng"]
        self._recent.clear()

    def get_state(self, components: Any = None, *, not_components: Any = None, **_: Any) -> dict[str, Any]:
        """Return the state in RLlib's form: weights, and all the rest unless only ``components`` are asked for."""
        state = self._numbered(self.weights())
        if components is not None:
            return state
        run = self.run_state()
        if self.workers.count > 1:  # RLlib asks one of them, which has not all of the memory
            run["learner"]["memory"] = None
        return state | {_STATE: run}

    def set_state(self, state: Mapping[str, Any]) -> None:
        if COMPONENT_RL_MODULE in state:
            self.set_weights(state[COMPONENT_RL_MODULE])
        if _STATE in state:
            self.set_run_state(state[_STATE])

    def get_checkpointable_components(self) -> list:
        """None apart: :meth:`get_state` is all."""
        return []

    def compute_loss_for_module(self, **_: Any) -> Any:
        raise NotImplementedError("losses are those of rlhf.learning.learner; RLlib is not to compute any")

    def _learn(self, fragment: Fragment) -> dict[str, float]:
        window = self.recorded.next(self.learner.device)
        began = time.monotonic()
        measured = self.learner.update(fragment, window)
        measured["seconds/play"], self._idle_since = began - self._idle_since, time.monotonic()
        measured["seconds/update"] = self._idle_since - began
        self._weights_seq_no += 1
        return {"update": self.learner.updates} | measured

    def _share(self, references: Sequence[ray.ObjectRef]) -> list[Fragment]:
        """This learner's columns of the fragments behind ``references``; none if one is lost to any of several.

        Only fragments of which it has columns are fetched.
        """
        if self.workers.count == 1:
            return _fetch(references)
        slots = int(self.config.num_envs_per_env_runner or 1)
        own, share = self.workers.columns(slots * len(references)), list[Fragment]()
        for number, reference in enumerate(references):
            columns = slice(max(0, own.start - slots * number), min(slots, own.stop - slots * number))
            if columns.start < columns.stop:
                share += [take(fragment, columns) for fragment in _fetch([reference])]
        lacking = own.stop - own.start - sum(fragment.columns for fragment in share)
        return [] if float(self.workers.total(torch.tensor(float(lacking)))) else share

    def _numbered(self, weights: Any) -> dict[str, Any]:
        return {COMPONENT_RL_MODULE: weights, WEIGHTS_SEQ_NO: self._weights_seq_no}


def _fetch(references: Sequence[ray.ObjectRef]) -> list[Fragment]:
    """The fragments behind ``references``, each of which is to a list; without those lost with their makers."""
    fragments: list[Fragment] = []
    for reference in references:
        try:
            fragments += ray.get(reference)
        except ObjectLostError:
            continue
    return fragments


def _on_cpu(value: Any) -> Any:
    """``value`` with all tensors in its mappings, lists and tuples on the CPU."""
    if isinstance(value, torch.Tensor):
        return value.cpu()
    if isinstance(value, Mapping):
        return {key: _on_cpu(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_on_cpu(item) for item in value)
    return value


def _writable(fragments: Sequence[Fragment]) -> Fragment:
    """``fragments`` side by side, out of Ray's read-only memory, which PyTorch does not know to be so."""
    if len(fragments) > 1:
        return concatenate(fragments)
    return Fragment.of({name: array.copy() for name, array in fragments[0].arrays().items()})
