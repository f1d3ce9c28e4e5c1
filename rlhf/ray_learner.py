"""The learner as RLlib's Learner: reads fragments as runners made them, and learns from them in the usual way."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import ray
import torch
from ray.exceptions import ObjectLostError
from ray.rllib.core import ALL_MODULES, COMPONENT_RL_MODULE
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.rllib.core.learner.training_data import TrainingData
from ray.rllib.utils.metrics import NUM_ENV_STEPS_TRAINED_LIFETIME, WEIGHTS_SEQ_NO

from rlhf.fragment import Fragment, concatenate
from rlhf.learner import Learner
from rlhf.local_executor import RecordedPlay

UPDATE = "update"  # the metric that carries the number of the last update and all that it measured
_STATE, _WEIGHTS_AFTER = "bc_rl", "_rl_module_state_after_update"


class PlayLearner(TorchLearner):
    """Wraps :class:`rlhf.learner.Learner`, made with its recorded play by the configuration's ``make_learner()``.

    RLlib's modules, optimisers, connectors and losses are not used; its update loop, state and metrics are.
    """

    learner: Learner
    recorded: RecordedPlay

    def build(self) -> None:
        self.learner, self.recorded = self.config.make_learner()  # type: ignore[attr-defined]
        self._recent: deque[Fragment] = deque(maxlen=self.config.recent)  # type: ignore[attr-defined]
        self._rng = np.random.default_rng(self.config.draw_seed)  # type: ignore[attr-defined]
        self._idle_since = time.monotonic()
        self._is_built = True

    def update(
        self, training_data: TrainingData, *, timesteps: Any = None, return_state: bool = False, **_: Any
    ) -> dict[str, Any]:
        """One gradient step on the fragments behind ``training_data.episodes_refs``, side by side.

        Returns: RLlib's metrics, and the new weights if ``return_state``. Nothing if all fragments were lost with
        their runners' processes; then no update was made.
        """
        fragments = _fetch(training_data.episodes_refs or [])
        if not fragments:
            return {}
        fragment = _writable(fragments)
        self._recent.append(fragment)
        measured = self._learn(fragment)
        self.metrics.log_value(UPDATE, measured, reduce="item")
        for name, value in measured.items():
            self.metrics.log_value((ALL_MODULES, name), value, window=1)
        trained = fragment.steps * fragment.columns
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

    def run_state(self) -> dict[str, Any]:
        """What determines the updates to come, but for weights and play: plain values, as checkpoints take them."""
        return {
            "learner": self.learner.state_dict(weights=False),
            "recorded": self.recorded.state_dict(),
            "rng": self._rng.bit_generator.state,
        }

    def set_run_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what :meth:`run_state` gave."""
        self.learner.load_state_dict(state["learner"])
        self.recorded.load_state_dict(state["recorded"])
        self._rng.bit_generator.state = state["rng"]
        self._recent.clear()

    def get_state(self, components: Any = None, *, not_components: Any = None, **_: Any) -> dict[str, Any]:
        """RLlib's own way to the same: weights, and all the rest unless only ``components`` are asked for."""
        state = self._numbered(self.weights())
        return state if components is not None else state | {_STATE: self.run_state()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        if COMPONENT_RL_MODULE in state:
            self.set_weights(state[COMPONENT_RL_MODULE])
        if _STATE in state:
            self.set_run_state(state[_STATE])

    def get_checkpointable_components(self) -> list:
        """None apart: :meth:`get_state` is all."""
        return []

    def compute_loss_for_module(self, **_: Any) -> Any:
        raise NotImplementedError("losses are those of rlhf.learner; RLlib is not to compute any")

    def _learn(self, fragment: Fragment) -> dict[str, float]:
        window = self.recorded.next(self.learner.device)
        began = time.monotonic()
        measured = self.learner.update(fragment, window)
        measured["seconds/play"], self._idle_since = began - self._idle_since, time.monotonic()
        measured["seconds/update"] = self._idle_since - began
        self._weights_seq_no += 1
        return {"update": self.learner.updates} | measured

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


def _writable(fragments: Sequence[Fragment]) -> Fragment:
    """``fragments`` side by side, out of Ray's read-only memory, which PyTorch does not know to be so."""
    if len(fragments) > 1:
        return concatenate(fragments)
    return Fragment(**{field.name: getattr(fragments[0], field.name).copy() for field in fields(Fragment)})
