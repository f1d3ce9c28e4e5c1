"""Time of V-trace and of RLlib's in PyTorch, and the error of both against plain sums in float64.

    python -m benchmarks.vtrace

The paper's batch is the default: T = 50 and B = 192. Both get the same tensors and return targets and advantages.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from ray.rllib.algorithms.impala.torch.vtrace_torch_v2 import vtrace_torch
from torch import Tensor

from benchmarks.pairs import alternate, report
from benchmarks.timing import options
from rlhf.learning.vtrace import vtrace

CALLS = 50  # in one round


class Case(NamedTuple):
    """One batch of play; every tensor is float32 [T, B], the last one [B]."""

    learned: Tensor  # log-probabilities of the actions under the target policy
    acted: Tensor  # log-probabilities under the behaviour policy
    discounts: Tensor
    rewards: Tensor
    values: Tensor
    bootstrap_value: Tensor


def synthetic_case(steps: int, batch: int, device: torch.device, seed: int = 0) -> Case:
    """Return play that is somewhat off policy; one step in forty begins an episode."""
    generator = torch.Generator().manual_seed(seed)
    learned, noise, rewards, values = torch.randn((4, steps, batch), generator=generator)
    begins = torch.rand((steps, batch), generator=generator) < 1 / 40
    bootstrap = torch.randn(batch, generator=generator)
    case = Case(learned - 50.0, learned - 50.0 + 0.5 * noise, 0.96 * (~begins).float(), rewards, values, bootstrap)
    return Case(*(tensor.to(device) for tensor in case))


def ours(case: Case) -> tuple[Tensor, Tensor]:
    return vtrace(
        case.learned - case.acted, case.discounts, case.rewards, case.values, case.bootstrap_value
    )  # fmt: skip


def theirs(case: Case) -> tuple[Tensor, Tensor]:
    return vtrace_torch(
        target_action_log_probs=case.learned,
        behaviour_action_log_probs=case.acted,
        discounts=case.discounts,
        rewards=case.rewards,
        values=case.values,
        bootstrap_values=case.bootstrap_value,
    )


def reference(case: Case) -> tuple[Tensor, Tensor]:
    """Return targets and advantages in float64, one step of one trajectory after the other."""
    learned, acted, discounts, rewards, values = (tensor.double().cpu().numpy() for tensor in case[:5])
    after = case.bootstrap_value.double().cpu().numpy()
    steps, batch = values.shape
    targets, advantages = torch.empty((2, steps, batch), dtype=torch.float64)
    rhos = torch.from_numpy(learned - acted).exp().numpy()
    for b in range(batch):
        value_after, target_after = after[b], after[b]
        for t in reversed(range(steps)):
            clipped = min(1.0, rhos[t, b])
            bootstrapped = rewards[t, b] + discounts[t, b] * target_after - values[t, b]
            delta = clipped * (rewards[t, b] + discounts[t, b] * value_after - values[t, b])
            target = values[t, b] + delta + discounts[t, b] * clipped * (target_after - value_after)
            targets[t, b], advantages[t, b] = target, clipped * bootstrapped
            value_after, target_after = values[t, b], target
    return targets, advantages


def error(found: tuple[Tensor, Tensor], exact: tuple[Tensor, Tensor]) -> float:
    """Return the largest absolute difference."""
    return max(float((a.double().cpu() - b.double().cpu()).abs().max()) for a, b in zip(found, exact, strict=True))


def speed(call: Callable[[Case], object], case: Case) -> float:
    """Return calls a second, the device's work included."""
    began = time.perf_counter()
    for _ in range(CALLS):
        call(case)
    if case.values.device.type == "cuda":
        torch.cuda.synchronize()
    return CALLS / (time.perf_counter() - began)


def main() -> None:
    arguments = options(
        __doc__, steps=(50, "T"), batch=(192, "B"), rounds=30, device="cuda" if torch.cuda.is_available() else "cpu"
    )
    case = synthetic_case(arguments.steps, arguments.batch, torch.device(arguments.device))
    exact = reference(case)
    print(
        f"T = {arguments.steps}, B = {arguments.batch}, {arguments.device}, {torch.get_num_threads()} threads: "
        f"largest error {error(ours(case), exact):.1e}, RLlib's {error(theirs(case), exact):.1e}, "
        f"between the two {error(ours(case), theirs(case)):.1e}"
    )
    pairs = alternate(lambda: speed(ours, case), lambda: speed(theirs, case), arguments.rounds)
    report(pairs, ("ours", "RLlib's"), "calls/s", "ours has {} times the speed of RLlib's")


if __name__ == "__main__":
    main()
