"""A house whose state a test sets by hand, and a request that is judged in it step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.house.record import House
from worlds.playhouse.scenarios.tasks import make_task

UNCHANGED = object()


@dataclass
class Pose:
    """A player as checks see it."""

    position: np.ndarray
    yaw: float = 0.0
    held: str | None = None


@dataclass
class Stage:
    """What checks ask of a world; everything is where the test puts it."""

    house: House
    step_index: int = 0

    def __post_init__(self) -> None:
        self.places = {t.id: np.array([t.x, t.y, t.height / 2]) for t in self.house.objects}
        self.players = {s.agent: Pose(np.array([s.x, s.y, 0.0])) for s in self.house.starts}

    def avatar(self, agent: str) -> Pose:
        return self.players[agent]

    def object_position(self, object_id: str) -> np.ndarray:
        return self.places[object_id].copy()

    def object_positions(self) -> dict[str, np.ndarray]:
        return {name: place.copy() for name, place in self.places.items()}

    def room_at(self, xy: Any) -> str | None:
        room = self.house.room_at(float(xy[0]), float(xy[1]))
        return room.id if room else None

    def inside(self, object_id: str, container_id: str) -> bool:
        away = self.places[object_id][:2] - self.places[container_id][:2]
        return bool(np.linalg.norm(away) < self.house.objects_by_id[container_id].radius)


class Trial:
    """One request, judged step by step."""

    def __init__(self, stage: Stage, name: str, arguments: dict[str, Any]) -> None:
        self.stage, self.events, self.success = stage, [], False
        self.task = make_task(TaskSpec(name, "", arguments, 100))
        self.step()  # the step in which it is asked

    def step(
        self, words: str = "", times: int = 1, at: Any = None, yaw: float | None = None,
        held: Any = UNCHANGED, setter: Any = UNCHANGED, **places: Any,
    ) -> Trial:  # fmt: skip
        """Let the world be so at the end of each of ``times`` steps."""
        for _ in range(times):
            self.stage.step_index += 1
            solver = self.stage.players["solver"]
            solver.position = solver.position if at is None else np.array([*at, 0.0])
            solver.yaw = solver.yaw if yaw is None else yaw
            solver.held = solver.held if held is UNCHANGED else held
            if setter is not UNCHANGED:
                self.stage.players["setter"].held = setter
            self.stage.places.update({name: np.array(place, dtype=float) for name, place in places.items()})
            self.success, events = self.task.update(self.stage, words)  # type: ignore[arg-type]
            self.events += events
        return self

    @property
    def signs(self) -> list[int]:
        return [event.sign for event in self.events]

    @property
    def told(self) -> list[tuple[int, str]]:
        return [(event.sign, event.reason) for event in self.events]
