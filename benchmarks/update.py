"""Time of BC+RL's update and of a bare forward, backward and Adam step of the same network at the same batch.

    python -m benchmarks.update

The bare step runs the agent over the same [T+1, 2B] steps, sums the log-probabilities of the same actions and the
values, differentiates, and lets Adam step: no V-trace, no clipping, no checks, no metrics, nothing copied. The two
alternate in one run, so that other load of the machine affects both. Medians are compared, and in brackets the fastest
rounds, which are less noisy on a shared machine. The target is at least 80% of the bare step's speed.

``--bf16`` and ``--compile`` change the update and not the bare step, and ``--operators`` prints what an update spends
its processor time on.

Second measurement: the share of loading in a whole step (loading and update), where loading gathers the next window of
recorded play and moves window and fragment to the device. The target is at most 5%.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from agents.agent import InteractiveAgent
from agents.batch import ActionBatch, ObservationArrays, map_parts
from agents.computing_config import ComputingConfig
from agents.config import AgentConfig
from agents.tokenizer import EOS_ID, PAD_ID
from benchmarks.timing import options
from rlhf.data.memory import MemoryDataset
from rlhf.data.windows import EpisodeStream
from rlhf.learning.learner import Learner, LearnerConfig, RecordedWindow
from rlhf.replay.fragment import Fragment
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP

SPEAKING = 0.03  # share of the steps with an utterance
RECORDED = 400, 60  # episodes and steps of each, of which windows are gathered


def synthetic_fragment(config: AgentConfig, steps: int, slots: int, seed: int) -> Fragment:
    """A fragment of random pictures, words and actions; the time of an update does not depend on their content."""
    rng, shape = np.random.default_rng(seed), (steps + 1, slots)
    utterance = rng.integers(EOS_ID + 1, config.vocab_size, (*shape, config.utterance_length))
    utterance[..., -1] = EOS_ID
    utterance[rng.random(shape) >= SPEAKING] = PAD_ID
    movement = rng.integers(0, MOVEMENT_BINS, (*shape, TICKS_PER_STEP, len(MOVEMENT_BINS))).astype(np.int8)
    memory = np.zeros((slots, config.memory_width), np.float32)
    return Fragment(
        observations=ObservationArrays(
            image=rng.integers(0, 256, (*shape, *config.image_size, 3), np.uint8),
            setter_tokens=rng.integers(0, config.vocab_size, (*shape, config.setter_text_length)),
            solver_tokens=rng.integers(0, config.vocab_size, (*shape, config.solver_text_length)),
            previous_movement=movement,
        ),
        movement=movement,
        utterance=utterance,
        movement_log_prob=np.full(shape, -50.0, np.float32),
        speak_log_prob=np.full(shape, -0.1, np.float32),
        words_log_prob=np.zeros(shape, np.float32),
        reward=rng.normal(size=shape).astype(np.float32),
        resets=np.zeros(shape, np.bool_),
        terminated=np.zeros(shape, np.bool_),
        reference_speak_logit=np.full(shape, -3.0, np.float32),
        hidden=memory,
        cell=memory,
    )


def recorded(fragment: Fragment, device: torch.device) -> RecordedWindow:
    """Convert the fragment to a window of recorded play."""
    tensors = fragment.to_tensors(device)
    return RecordedWindow(tensors.observations, tensors.actions, tensors.resets)


def bare_step(
    agent: InteractiveAgent, fragments: tuple[Fragment, Fragment], device: torch.device
) -> Callable[[], None]:
    """Return a function that does one bare step."""
    one, other = (fragment.to_tensors(device) for fragment in fragments)
    observations = map_parts(lambda *p: torch.cat(p, 1), one.observations, other.observations)
    actions = ActionBatch(*(torch.cat(pair, dim=1) for pair in zip(one.actions, other.actions, strict=True)))
    resets = torch.cat([one.resets, other.resets], dim=1)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-4, betas=(0.0, 0.999), fused=True)
    state = agent.initial_state(resets.shape[1])

    def step() -> None:
        output, _ = agent(observations, state, resets)
        log_probs = agent.log_probs(output, actions)
        loss = output.value.mean() - (log_probs.movement + log_probs.speak + log_probs.words).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


def seconds(step: Callable[[], object], device: torch.device) -> float:
    """Return the seconds of one call, the device's work included."""
    began = time.perf_counter()
    step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began


def compare(
    config: AgentConfig,
    steps: int,
    batch: int,
    rounds: int,
    device: torch.device,
    computing: ComputingConfig,
    operators: bool,
) -> None:
    """Print the speed of both, for fragments [steps, batch] and as much recorded play."""
    torch.manual_seed(0)
    fragments = (synthetic_fragment(config, steps, batch, 0), synthetic_fragment(config, steps, batch, 1))
    learner = Learner(InteractiveAgent(config), LearnerConfig(computing=computing), device)
    bare = bare_step(InteractiveAgent(config).to(device), fragments, device)  # type: ignore[arg-type]
    window = recorded(fragments[1], device)
    for _ in range(3):  # caches, kernels, the optimiser's memory
        bare()
        learner.update(fragments[0], window)
    pairs = [
        (seconds(bare, device), seconds(lambda: learner.update(fragments[0], window), device)) for _ in range(rounds)
    ]
    (bare_sec, update_sec), (bare_best, update_best) = (
        [reduce(times) for times in zip(*pairs, strict=True)] for reduce in (statistics.median, min)
    )
    frames = 2 * batch * (steps + 1)
    print(
        f"agent of {learner.agent.num_parameters():,} parameters, T = {steps}, B = {batch} + {batch}, {rounds} rounds"
    )
    for name, median, best in (("bare step", bare_sec, bare_best), ("update", update_sec, update_best)):
        speeds = f"{frames / median:,.0f} steps/s ({frames / best:,.0f})"
        print(f"  {name:9} {1e3 * median:8.1f} ms ({1e3 * best:.1f}), {speeds}")
    print(f"  the update has {bare_sec / update_sec:.0%} ({bare_best / update_best:.0%}) of the bare step's speed")
    load(learner, fragments[0], rounds)
    if operators:
        with profile(activities=[ProfilerActivity.CPU]) as profiled:
            for _ in range(rounds):
                learner.update(fragments[0], window)
        shares(profiled)


def shares(profiled: profile) -> None:
    """Print the share of the processor time that each of the ten dearest operators takes by itself."""
    rows = sorted(profiled.key_averages(), key=lambda row: -row.self_cpu_time_total)
    total = sum(row.self_cpu_time_total for row in rows)
    for row in rows[:10]:
        print(f"  {row.self_cpu_time_total / total:6.1%}  {row.key}")


def recordings(config: AgentConfig, episodes: int, steps: int) -> MemoryDataset:
    """Create synthetic recorded play, larger than a processor's caches."""
    rows = synthetic_fragment(config, episodes * steps - 1, 1, 2)
    first = np.zeros(episodes * steps, np.bool_)
    first[::steps] = True
    return MemoryDataset(
        observations=rows.observations.map(lambda part: part[:, 0]),
        movement=rows.movement[:, 0],
        utterance=rows.utterance[:, 0],
        first=first,
        demonstrated=np.ones_like(first),
        starts=np.arange(episodes + 1) * steps,
        values=int(MOVEMENT_BINS.max()),
    )


def load(learner: Learner, fragment: Fragment, rounds: int) -> None:
    """Print the share of a step that loading takes, of ``fragment`` and of as much recorded play."""
    device = learner.device
    play = recordings(learner.agent.config, *RECORDED)  # type: ignore[arg-type]
    stream = EpisodeStream(play, fragment.steps + 1, fragment.columns, seed=0)
    times = []
    for _ in range(rounds):
        gather = seconds(lambda: stream.next(device), device)
        move = seconds(lambda: fragment.to_tensors(device), device)
        window = stream.next(device)
        update = seconds(lambda w=window: learner.update(fragment, w), device)  # makes the fragment's tensors itself
        times.append((gather, move, (gather + move) / (gather + update)))
    gather, move, share = (statistics.median(column) for column in zip(*times, strict=True))
    print(
        f"  loading takes {share:.1%} of a step ({min(times, key=lambda row: row[2])[2]:.1%}): "
        f"{1e3 * gather:.2f} ms for the window, {1e3 * move:.2f} ms for the fragment"
    )


def main() -> None:
    arguments = options(
        __doc__,
        size=("nano", "of the agent"),
        steps=(32, "T"),
        batch=(16, "B, of each kind of trajectory"),
        rounds=20,
        device="cuda" if torch.cuda.is_available() else "cpu",
        image_size=(None, "default: the size's own", {"nargs": 2, "metavar": ("HEIGHT", "WIDTH"), "type": int}),
        bf16=(False, "of the update; the bare step stays in float32"),
        compile=(False, "the update; the bare step is never compiled"),
        operators=(False, "print what an update spends its time on"),
    )
    device = torch.device(arguments.device)
    config = AgentConfig.preset(arguments.size)
    if arguments.image_size:
        config = AgentConfig.preset(arguments.size, image_size=tuple(arguments.image_size))
    computing = ComputingConfig(bf16=arguments.bf16, compile=arguments.compile)
    compare(config, arguments.steps, arguments.batch, arguments.rounds, device, computing, arguments.operators)


if __name__ == "__main__":
    main()
