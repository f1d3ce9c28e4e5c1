"""Time of the learner's update and of acting on a GPU; the share of its peak that the update uses (MFU); idle time.

    python -m benchmarks.gpu --size 71m

The peak is the measured rate of products of large bfloat16 matrices on this GPU. Model FLOPs are those of forward and
backward of the real update, counted operator by operator (``torch.utils.flop_counter``), without the recomputation of
checkpointing. They are counted on the CPU at few columns, where memory suffices, and
extrapolated: per row they are a n + b n^2 in the number n of columns of each kind, the square being the contrastive
loss, which compares every picture with every instruction of its step. MFU = model FLOPs / time / peak. Pictures, words
and actions are random.
"""

from __future__ import annotations

import statistics
from argparse import Namespace
from collections.abc import Callable, Iterable

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from agents.acting import AgentSolvers
from agents.agent import InteractiveAgent
from agents.computing_config import ComputingConfig
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from benchmarks.timing import options
from benchmarks.update import recorded, seconds, synthetic_fragment
from rlhf.learning.learner import Learner, LearnerConfig
from worlds.contract import Observation, neutral_movement

_COUNTED = (2, 4)  # columns of each kind
_COUNTED_STEPS = 1


def matrix_peak(device: torch.device, size: int = 8192, rounds: int = 30) -> float:
    """FLOP/s of the fastest of some products of two bfloat16 matrices [size, size]."""
    a, b = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    out = torch.empty_like(a)
    times = [seconds(lambda: torch.mm(a, b, out=out), device) for _ in range(rounds)]
    return 2 * size**3 / min(times)


def counted_flops(config: AgentConfig, steps: int, columns: int) -> int:
    """FLOPs of one update from a fragment [steps, columns] and as much recorded play, counted as it runs here."""
    device = torch.device("cpu")
    learner = Learner(InteractiveAgent(config), LearnerConfig(), device)
    fragments = [synthetic_fragment(config, steps, columns, seed) for seed in range(2)]
    window = recorded(fragments[1], device)
    # The plain form of attention is made of matrix products, which the counter knows on every device.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        learner.update(fragments[0], window)
    return counter.get_total_flops()


def update_flops(config: AgentConfig, steps: int, columns: int) -> float:
    """Model FLOPs of one update from [steps, columns] of each kind, extrapolated from updates small enough to count."""
    fewer, more = _COUNTED
    rows = _COUNTED_STEPS + 1
    one, other = (counted_flops(config, _COUNTED_STEPS, n) / rows for n in _COUNTED)
    square = (other / more - one / fewer) / (more - fewer)
    linear = one / fewer - square * fewer
    return (steps + 1) * (linear * columns + square * columns**2)


def warm_update(
    config: AgentConfig, computing: ComputingConfig, steps: int, columns: int, device: torch.device
) -> Callable[[], object]:
    """Return the update from [steps, columns] of each kind, after three calls that compile and allocate."""
    torch.manual_seed(0)
    learner = Learner(InteractiveAgent(config), LearnerConfig(computing=computing), device)
    fragments = [synthetic_fragment(config, steps, columns, seed) for seed in range(2)]
    window = recorded(fragments[1], torch.device("cpu"))  # the update sends both to the device, as it does in a run

    def update() -> object:
        return learner.update(fragments[0], window)

    for _ in range(3):
        update()
    return update


def busy_share(intervals: Iterable[tuple[float, float]]) -> float:
    """Share of the time from the first beginning to the last end that some of the intervals (begin, end) cover."""
    ordered = sorted(intervals)
    covered, until = 0.0, ordered[0][0]
    for begin, end in ordered:
        covered += max(0.0, end - max(begin, until))
        until = max(until, end)
    return covered / (until - ordered[0][0])


def busy_in(update: Callable[[], object], rounds: int = 2) -> float:
    """Share of the time of some updates, one after the other, in which the GPU computes or copies."""
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiled:
        for _ in range(rounds):
            update()
        torch.cuda.synchronize()
    events = (event for event in profiled.events() or () if event.device_type.name == "CUDA")
    return busy_share((event.time_range.start, event.time_range.end) for event in events)


def acting_seconds(config: AgentConfig, slots: int, rounds: int, device: torch.device) -> list[float]:
    """Seconds of some steps of play in ``slots`` slots, from pictures and text to actions, without the worlds."""
    tokenizer = Tokenizer.train(["lift the red ball", "yes"], config.vocab_size)
    agent = InteractiveAgent(config).to(device).eval()  # type: ignore[arg-type]
    solvers, rng = AgentSolvers(agent, tokenizer, slots), np.random.default_rng(0)
    seen: list[Observation] = [
        {
            "image": rng.integers(0, 256, (*config.image_size, 3), np.uint8),
            "setter_text": "lift the red ball",
            "solver_text": "yes",
            "previous_movement": neutral_movement(),
        }
        for _ in range(slots)
    ]
    reset = np.zeros(slots, dtype=bool)
    for _ in range(3):
        solvers.act(seen, reset)
    return [seconds(lambda: solvers.act(seen, reset), device) for _ in range(rounds)]


def report(arguments: Namespace, device: torch.device) -> None:
    """Measure and print."""
    config, steps, columns = AgentConfig.preset(arguments.size), arguments.steps, arguments.batch
    computing = ComputingConfig(arguments.bf16, arguments.compile, arguments.checkpoint)
    chosen = [name for name, on in vars(computing).items() if on] or ["float32"]
    flops, peak = update_flops(config, steps, columns), matrix_peak(device)
    print(f"{torch.cuda.get_device_name(device)}: bfloat16 matrix products {peak / 1e12:,.0f} TFLOP/s")
    print(f"agent {arguments.size}, T = {steps}, B = {columns} played + {columns} recorded, {', '.join(chosen)}")
    print(f"  model FLOPs of an update   {flops / 1e12:,.1f} T")
    step = statistics.median(acting_seconds(config, columns, arguments.rounds, device))
    print(
        f"  acting, {columns} slots at once    {columns / step:,.0f} steps/s ({1e3 * step:.1f} ms a step, in float32)"
    )
    torch.cuda.reset_peak_memory_stats(device)
    try:
        update = warm_update(config, computing, steps, columns, device)
        times = [seconds(update, device) for _ in range(arguments.rounds)]
        busy = busy_in(update)
    except torch.cuda.OutOfMemoryError:
        print("  update                     not measured: it does not fit in this GPU's memory; try a smaller --batch")
        return
    median, best, frames = statistics.median(times), min(times), 2 * columns * (steps + 1)
    print(f"  update                     {1e3 * median:,.0f} ms (fastest {1e3 * best:,.0f}), {len(times)} rounds")
    print(f"  frames a second            {frames / median:,.0f}")
    print(f"  MFU                        {flops / median / peak:.0%} (fastest {flops / best / peak:.0%})")
    print(f"  GPU busy                   {busy:.1%} of the time of updates in a row")
    print(f"  memory at most             {torch.cuda.max_memory_allocated(device) / 2**30:,.1f} GiB")


def main() -> None:
    arguments = options(
        __doc__,
        size=("71m", "of the agent"),
        steps=(50, "T"),
        batch=(192, "B, of each kind of trajectory"),
        rounds=10,
        bf16=True,
        compile=True,
        checkpoint=(True, "activations"),
    )
    if not torch.cuda.is_available():
        print("not measured: no CUDA device")
        return
    report(arguments, torch.device("cuda"))


if __name__ == "__main__":
    main()
