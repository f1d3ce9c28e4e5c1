"""Episodes out of nothing: for benchmarks and tests of what handles episodes, when no world is needed.

Nobody plays in them. Their frames are flat shapes such as a simple world draws, so that sizes and speeds of
what compresses them are real.
"""

from __future__ import annotations

import numpy as np

from rlhf.records.episode import AGENT, CO_PILOT, Episode, Request
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, Event, TaskSpec

_THINGS = ("ball", "duck", "chair", "mug", "robot")


def synthetic_episode(seed: int, steps: int = 60, height: int = 36, width: int = 48, episode_id: str = "") -> Episode:
    """The episode that ``seed`` stands for, the same on every machine: T ``steps`` of ``height`` x ``width`` pixels.

    It has one request with a success step, a few events of truth, a house-like configuration, and a co-pilot
    who takes over towards its end.
    """
    rng = np.random.default_rng(seed)
    thing = str(rng.choice(_THINGS))
    words = f"please lift the {thing}"
    asked = int(rng.integers(0, max(1, steps // 10)))
    succeeded = int(rng.integers(asked, steps))
    return Episode(
        episode_id=episode_id or f"synthetic-{seed:06d}",
        world="synthetic",
        config={"objects": {f"object_{i}": {"kind": thing, "position": rng.random(3).tolist()} for i in range(20)}},
        setter="scripted",
        solver="agent:synthetic",
        image=_frames(rng, steps, height, width),
        setter_text=tuple(words if step > asked else "" for step in range(steps)),
        solver_text=("",) * steps,
        movement=_movement(rng, steps),
        utterance=tuple("done" if step == succeeded else "" for step in range(steps)),
        setter_movement=_movement(rng, steps),
        setter_utterance=tuple(words if step == asked else "" for step in range(steps)),
        controller=np.where(np.arange(steps) < steps * 0.8, AGENT, CO_PILOT).astype(np.uint8),
        requests=(Request(asked, TaskSpec("lift", words, {"object": thing}, 60)),),
        truth=tuple(Event(step, sign, "approach") for step, sign in ((asked, -1), (succeeded, 1))),
        success_step=(succeeded,),
        seed=seed,
        created="2000-01-01T00:00:00+00:00",
        notes={"synthetic": True},
    )


def _movement(rng: np.random.Generator, steps: int) -> np.ndarray:
    """int8 [T, 8, components]: what is held down stays held down for some steps."""
    choices = rng.integers(0, MOVEMENT_BINS, (steps // 4 + 1, 1, len(MOVEMENT_BINS)))
    return np.repeat(choices, 4, axis=0)[:steps].repeat(TICKS_PER_STEP, axis=1).astype(np.int8)


def _frames(rng: np.random.Generator, steps: int, height: int, width: int) -> np.ndarray:
    """uint8 [T, H, W, 3]: walls, floor and boxes that drift across the view."""
    frames = np.empty((steps, height, width, 3), np.uint8)
    horizon = height // 2
    frames[:, :horizon] = rng.integers(120, 250, 3)
    frames[:, horizon:] = rng.integers(40, 200, 3)
    colours = rng.integers(0, 255, (8, 3))
    left, speed = rng.integers(0, width, 8), rng.uniform(-1, 1, 8)
    top, size = rng.integers(0, height, 8), rng.integers(2, max(3, height // 3), 8)
    for step, frame in enumerate(frames):
        for box in range(8):
            x = int(left[box] + speed[box] * step) % width
            frame[top[box] : top[box] + size[box], x : x + size[box]] = colours[box] - colours[box] * (step % 5) // 40
    return frames
