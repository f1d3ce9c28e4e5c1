"""What the learner on Ray sends to other processes."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode

pytest.importorskip("ray", reason="Ray is an extra: pip install 'interactive-rlhf[ray]'")

from rlhf.distributed.learner import PlayLearner  # noqa: E402


def tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors(item)


def test_no_tensor_of_its_state_is_on_a_gpu() -> None:
    """Or a process without one could not read it. The tensors here have a device in name only."""
    with FakeTensorMode():

        def on_gpu() -> torch.Tensor:
            return torch.zeros(3, device="cuda")

        groups = [{"lr": 0.1, "betas": (0.0, 0.999), "params": [0]}]
        moments = {"step": on_gpu(), "exp_avg": on_gpu(), "exp_avg_sq": on_gpu()}
        state = {
            "optimizer": {"state": {0: moments}, "param_groups": groups},
            "memory": (on_gpu(), on_gpu()),
            "updates": 7,
        }
        working = PlayLearner.__new__(PlayLearner)
        working.learner = SimpleNamespace(state_dict=lambda: state)  # type: ignore[assignment]
        working.recorded = SimpleNamespace(state_dict=lambda: {"at": [1, 2]})  # type: ignore[assignment]
        working._rng = np.random.default_rng(0)
        found = working.run_state()
        assert [tensor.device.type for tensor in tensors(state)] == ["cuda"] * 5
        assert [tensor.device.type for tensor in tensors(found)] == ["cpu"] * 5
    sent = found["learner"]
    assert sent["optimizer"]["param_groups"] == groups and sent["updates"] == 7 and len(sent["memory"]) == 2
    assert list(sent["optimizer"]["state"][0]) == list(moments) and found["recorded"] == {"at": [1, 2]}
