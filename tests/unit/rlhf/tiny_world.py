"""A world of one room without walls, small enough to foresee every step, and episodes recorded in it.

Both players stand on a torus of ``SIZE`` x ``SIZE`` squares and move by their first tick's "forward" and "strafe".
The solver sees the setter as a red square, and the column and the row it stands on itself as a green and a blue
stripe. The one task is to stand on a given column.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rlhf.records.columns import episode_columns
from rlhf.records.episode import Episode, Request
from rlhf.records.spaces import playhouse_spaces
from worlds import registry
from worlds.contract import (
    SETTER,
    SOLVER,
    Action,
    Event,
    Observation,
    TaskSpec,
    World,
    action_space,
    neutral_movement,
    observation_space,
    silent,
)

SIZE = 8
WORDS = ("go to column 3", "go to column 5", "stop")


class TinyWorld(World):
    """See the module. It counts the squares that either player has left, so that restoring less than all would show."""

    metadata = {"name": "tiny", "render_modes": []}

    def __init__(self, max_steps: int = 1000) -> None:
        self.max_steps = max_steps
        self.agents: list[str] = []
        self.closed = False
        self._frame = np.zeros((SIZE, SIZE, 3), np.uint8)  # drawn into again and again, as real cameras do

    def observation_space(self, agent: str) -> Any:
        return observation_space(SIZE, SIZE)

    def action_space(self, agent: str) -> Any:
        return action_space()

    @property
    def config(self) -> dict[str, Any]:
        return dict(self._config)

    @property
    def step_index(self) -> int:
        return self._step

    def column(self, agent: str) -> int:
        return int(self._place[agent][1])

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[dict[str, Observation], dict]:
        rng = np.random.default_rng(seed)
        sampled = {"solver": rng.integers(SIZE, size=2).tolist(), "setter": rng.integers(SIZE, size=2).tolist()}
        self._config = (options or {}).get("config", sampled)
        self._place = {agent: np.array(self._config[agent]) for agent in (SETTER, SOLVER)}
        self._text = {SETTER: "", SOLVER: ""}
        self._previous = {SETTER: neutral_movement(), SOLVER: neutral_movement()}
        self._step = self._left = 0
        self.agents = [SETTER, SOLVER]
        return self._observe(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Action]) -> tuple[dict, dict, dict, dict, dict]:
        for agent, action in actions.items():
            move = np.asarray(action["movement"])[0, :2].astype(int) - 1
            self._left += int(np.abs(move).sum())
            self._place[agent] = (self._place[agent] + move) % SIZE
            self._text[agent] = action["utterance"] or self._text[agent]
            self._previous[agent] = np.array(action["movement"], np.int8)
        self._step += 1
        over = self._step >= self.max_steps
        observations = self._observe()
        self.agents = [] if over else self.agents
        return (
            observations,
            {agent: 0.0 for agent in actions},
            {agent: False for agent in actions},
            {agent: over for agent in actions},
            {agent: {} for agent in actions},
        )

    def _observe(self) -> dict[str, Observation]:
        row, column = self._place[SOLVER]
        self._frame[:] = self._left % 256
        self._frame[(*self._place[SETTER], 0)] = 255
        self._frame[:, column, 1] = 255
        self._frame[row, :, 2] = 255
        return {
            agent: {
                "image": self._frame.copy(),
                "setter_text": self._text[SETTER],
                "solver_text": self._text[SOLVER],
                "previous_movement": self._previous[agent],
            }
            for agent in (SETTER, SOLVER)
        }

    def snapshot(self) -> Any:
        return copy.deepcopy(self.__dict__)

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        self.__dict__.update(copy.deepcopy(snapshot))
        return self._observe()

    def close(self) -> None:
        self.closed = True


@dataclass
class StandOnColumn:
    """The tiny world's one task."""

    spec: TaskSpec

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        there = world.column(SOLVER) == self.spec.arguments["column"]
        return there, (Event(world.step_index - 1, 1, "there"),) if there else ()


def register() -> None:
    """Make the world known as "tiny"."""
    if "tiny" not in registry.names():
        registry.register(
            registry.WorldEntry(
                name="tiny",
                make=TinyWorld,
                sample_config=lambda seed, **settings: {},
                make_setter=_no_player,
                make_solver=_no_player,
                make_task=StandOnColumn,
                probe=lambda *asked: None,
                probes=(),
            )
        )


def _no_player(**settings: Any) -> Any:
    raise NotImplementedError("there are no scripted players")


def movement(rng: np.random.Generator) -> np.ndarray:
    """A step in a random direction."""
    move = neutral_movement()
    move[0, :2] = rng.integers(3, size=2)
    return move


def record(seed: int, steps: int, requests: Sequence[tuple[int, int]] = ((1, 3),)) -> Episode:
    """An episode of random play in which the setter asks, at given steps, for given columns."""
    rng, world = np.random.default_rng(seed), TinyWorld()
    observations, _ = world.reset(seed=seed)
    asked, config, rows = dict(requests), world.config, []
    for step in range(steps):
        setter = silent(movement(rng))
        if step in asked:
            setter["utterance"] = f"go to column {asked[step]}"
        solver = silent(movement(rng))
        solver["utterance"] = "stop" if rng.random() < 0.2 else ""
        rows.append((observations[SOLVER], solver, setter))
        observations, *_ = world.step({SETTER: setter, SOLVER: solver})
    return Episode(
        episode_id=f"tiny-{seed}",
        world="tiny",
        config=config,
        setter="scripted",
        solver="scripted",
        requests=tuple(
            Request(step, TaskSpec("stand", f"go to column {column}", {"column": column}, 50))
            for step, column in requests
        ),
        success_step=(None,) * len(requests),
        seed=seed,
        **episode_columns(rows, [0] * steps, playhouse_spaces(SIZE, SIZE)),
    )
