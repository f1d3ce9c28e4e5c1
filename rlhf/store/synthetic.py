"""Episodes out of nothing: for benchmarks and tests of what handles episodes, when no world is needed.

Nobody plays in them. Their frames are flat shapes such as a simple world draws, so that sizes and speeds of
what compresses them are real.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rlhf.records.episode import AGENT, CO_PILOT, Episode, Request
from rlhf.records.spaces import EpisodeSpaces
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, Event, TaskSpec
from worlds.spaces.action import ActionSpec, FreeText, Pointer
from worlds.spaces.observation import PlayerSpec
from worlds.spaces.steps import ENTITY_COUNTS

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


def synthetic_play(seed: int, spaces: EpisodeSpaces, steps: int = 60, episode_id: str = "") -> Episode:
    """Return an episode of ``spaces``: whatever can be observed and done, at random, the same on every machine.

    Args:
      episode_id: "" makes one of the seed.
    """
    rng = np.random.default_rng(seed)
    image, solver = spaces.solver.observation.image, spaces.solver.action
    seen = _seen(rng, spaces.solver, steps)
    moves, continuous = _play(rng, solver, steps, seen.get(ENTITY_COUNTS))
    if solver.masked and steps > 1:
        _allow(seen["legal"][1:], moves[1:], solver)
    setter_moves, setter_continuous = _play(rng, spaces.setter, steps, None)
    return Episode(
        episode_id=episode_id or f"synthetic-{seed:06d}",
        world="synthetic",
        config={"seed": seed},
        setter="scripted",
        solver="agent:synthetic",
        image=None if image is None else _frames(rng, steps, *image.shape),
        setter_text=tuple(f"fetch the {_THINGS[step % 5]}" for step in range(steps)),
        solver_text=("",) * steps,
        movement=moves,
        utterance=_words(rng, solver, steps),
        setter_movement=setter_moves,
        setter_utterance=_words(rng, spaces.setter, steps),
        controller=(np.arange(steps) >= steps * 0.5).astype(np.uint8),
        seed=seed,
        created="2000-01-01T00:00:00+00:00",
        notes={"synthetic": True},
        spaces=spaces,
        continuous=continuous,
        setter_continuous=setter_continuous,
        seen=seen,
        texts={name: tuple(f"{name} {step % 3}" for step in range(steps)) for name in spaces.solver.observation.texts},
    )


def _seen(rng: np.random.Generator, player: PlayerSpec, steps: int) -> dict[str, np.ndarray]:
    """Arrays of observations, as :class:`Episode` has them."""
    known, seen = player.observation, dict[str, Any]()
    if known.grid is not None:
        seen["grid"] = rng.integers(0, known.grid.categories, (steps, *known.grid.shape)).astype(np.int16)
    if known.entities is not None:
        counts = rng.integers(0, known.entities.most + 1, steps).astype(np.int32)
        rows = int(counts.sum())
        categories = rng.integers(0, known.entities.counts, (rows, len(known.entities.categorical)))
        values = rng.normal(size=(rows, len(known.entities.real)))
        seen[ENTITY_COUNTS] = counts
        seen["entity_categories"], seen["entity_values"] = categories.astype(np.int16), values.astype(np.float32)
    if known.vector is not None:
        seen["vector"] = rng.normal(size=(steps, known.vector.length)).astype(np.float32)
    if player.action.masked:
        legal = rng.random((steps, int(player.action.counts.sum()))) < 0.7
        legal[:, np.cumsum(player.action.counts) - 1] = True  # something of every component
        seen["legal"] = legal
    return seen


def _play(
    rng: np.random.Generator, action: ActionSpec, steps: int, entities: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Movement and continuous values of T steps of one player; pointers point at entities that are there."""
    movement = rng.integers(0, action.counts, (steps, action.ticks, len(action.discrete))).astype(action.dtype)
    for column, component in enumerate(action.discrete):
        if isinstance(component, Pointer) and entities is not None:
            movement[..., column] = np.minimum(movement[..., column], entities[:, None])
    if not action.continuous:
        return movement, None
    low, high = np.array([[part.low, part.high] for part in action.continuous]).T
    values = rng.uniform(low, high, (steps, action.ticks, len(action.continuous)))
    return movement, np.clip(values.astype(np.float32), low.astype(np.float32), high.astype(np.float32))


def _allow(legal: np.ndarray, movement: np.ndarray, action: ActionSpec) -> None:
    """Have ``movement`` [n, ticks, components] legal, in place: bool [n, values of all components]."""
    places = (movement + (np.cumsum(action.counts) - action.counts)).reshape(len(movement), -1)
    np.put_along_axis(legal, places, True, axis=1)


def _words(rng: np.random.Generator, action: ActionSpec, steps: int) -> tuple[str, ...]:
    """An utterance every now and then, of a player who can speak."""
    if action.speech is None:
        return ("",) * steps
    said = ("done", "go") if isinstance(action.speech, FreeText) else tuple(action.speech.sentences())
    return tuple(str(rng.choice(said)) if rng.random() < 0.3 else "" for _ in range(steps))


def _movement(rng: np.random.Generator, steps: int) -> np.ndarray:
    """int8 [T, 8, components]: what is held down stays held down for some steps."""
    choices = rng.integers(0, MOVEMENT_BINS, (steps // 4 + 1, 1, len(MOVEMENT_BINS)))
    return np.repeat(choices, 4, axis=0)[:steps].repeat(TICKS_PER_STEP, axis=1).astype(np.int8)


def _frames(rng: np.random.Generator, steps: int, height: int, width: int, channels: int = 3) -> np.ndarray:
    """uint8 [T, H, W, channels]: walls, floor and boxes that drift across the view."""
    frames = np.empty((steps, height, width, channels), np.uint8)
    horizon = height // 2
    frames[:, :horizon] = rng.integers(120, 250, channels)
    frames[:, horizon:] = rng.integers(40, 200, channels)
    colours = rng.integers(0, 255, (8, channels))
    left, speed = rng.integers(0, width, 8), rng.uniform(-1, 1, 8)
    top, size = rng.integers(0, height, 8), rng.integers(2, max(3, height // 3), 8)
    for step, frame in enumerate(frames):
        for box in range(8):
            x = int(left[box] + speed[box] * step) % width
            frame[top[box] : top[box] + size[box], x : x + size[box]] = colours[box] - colours[box] * (step % 5) // 40
    return frames
