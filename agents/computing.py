"""Computation of an agent: its precision, compilation, and what is kept for the gradient.

Every training uses it (:class:`rlhf.learning.trainer.Trainer`, :class:`rlhf.learning.learner.Learner`). None of it
changes the weights or their names.
"""

from __future__ import annotations

import os
import shutil

import torch

from agents.agent import InteractiveAgent
from agents.computing_config import ComputingConfig
from agents.networks.checkpointed_layers import CheckpointedLayers
from worlds.errors import UserError

__all__ = ["ComputingConfig", "autocast", "prepare", "usable_device"]

_COMPILERS = ("g++", "clang++", "c++")


def prepare(agent: InteractiveAgent, config: ComputingConfig) -> None:
    """Change ``agent`` in place to be computed as ``config`` says. For the precision, see :func:`autocast`.

    Raises:
      UserError: it is to be compiled and there is no compiler.
    """
    for module in agent.modules():
        if isinstance(module, CheckpointedLayers):
            module.gradient_checkpointing = config.checkpoint_activations
    if config.compile:
        if not any(map(shutil.which, (os.environ.get("CXX", _COMPILERS[0]), *_COMPILERS))):
            raise UserError("computing.compile needs a C++ compiler, and there is none; install g++, or leave it off")
        vision = [] if agent.trunk.vision is None else [agent.trunk.vision]
        for module in (*vision, *agent.trunk.layers):
            module.compile()


def autocast(config: ComputingConfig, device: torch.device) -> torch.autocast:
    """Return the context for calls of ``agent(...)``, and for nothing else.

    Losses and policies are computed outside it: an error in the sum of 48 log-probabilities is in the exponent of the
    importance weight. The agent keeps its value exact, and a reward model its utility.
    """
    return torch.autocast(device.type, torch.bfloat16, enabled=config.bf16)


def usable_device(name: str) -> torch.device:
    """Return the device called ``name``: "cpu", "cuda", "cuda:1" and so on.

    Raises:
      UserError: PyTorch knows no such device, or finds none here.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UserError(f"no device is called {name!r}; use cpu, cuda or cuda:1") from None
    if device.type not in ("cpu", "cuda"):
        raise UserError(f"agents are not computed on {name!r}; use cpu, cuda or cuda:1")
    if device.type == "cuda":
        found = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if found == 0:
            raise UserError(f"no device {name} here: PyTorch finds no CUDA device; use cpu (`rlhf doctor` says more)")
        if device.index is not None and device.index >= found:
            raise UserError(f"no device {name} here: PyTorch finds {found}, the first is cuda:0")
    return device
