"""A room of 5 x 5 m that a test fills with things, and a solver that it moves by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.house.record import FLOOR, Furniture, House, Room, Start, Thing
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse
from worlds.spaces.action import Discrete

Place = tuple[float, float, float]  # x, y (m), yaw
ROOMS = (Room("room_0", 0.0, 0.0, 5.0, 5.0, "oak"),)


def thing(
    kind: str = "block", x: float = 3.0, y: float = 2.5, z: float = 0.0, size: str = "medium",
    support: str = FLOOR, name: str = "object_0", yaw: float = 0.0, colour: str = "red",
) -> Thing:  # fmt: skip
    return Thing(name, kind, colour, size, "room_0", support, x, y, z, yaw)


def enter(
    *objects: Thing,
    furniture: Sequence[Furniture] = (),
    solver: Place = (2.0, 2.5, 0.0),
    setter: Place = (0.5, 4.5, 0.0),
    height: int = 8,
    width: int = 8,
    **options: Any,
) -> Playhouse:
    """Return a world with these things, in which the solver looks along +x unless placed otherwise."""
    starts = (Start(SETTER, *setter), Start(SOLVER, *solver))
    house = House(ROOMS, (), tuple(furniture), objects, starts)
    world = Playhouse(height=height, width=width, views=options.pop("views", ()), max_steps=10**6, **options)
    world.reset(options={"config": house.to_json()})
    return world


def do(world: Playhouse, **components: Any) -> Any:
    """Return an action that holds the same values in all ticks, e.g. do(world, forward=1, hand=2)."""
    action = world.body.silent()
    for column, part in enumerate(world.body.discrete):
        if part.name in components:
            assert isinstance(part, Discrete)
            action["movement"][:, column] = part.values.index(components.pop(part.name))
    assert not components
    return action


def act(world: Playhouse, steps: int = 1, setter: dict[str, Any] | None = None, **components: Any) -> Any:
    """Let the solver, and perhaps the setter, do the same for some steps; return the solver."""
    for _ in range(steps):
        world.step({SOLVER: do(world, **components)} | ({SETTER: do(world, **setter)} if setter else {}))
    return world.avatar(SOLVER)


def aim(world: Playhouse, what: Any, who: str = SOLVER) -> None:
    """Turn and pitch the head straight at an object or a point: the one thing that a test does by hand."""
    dx, dy, dz = (world.object_position(what) if isinstance(what, str) else np.array(what)) - world.avatar(who).eye
    state = world.state.players[0 if who == SETTER else 1]
    state[avatar.YAW], state[avatar.PITCH] = math.atan2(dy, dx), math.atan2(dz, math.hypot(dx, dy))


def grab(world: Playhouse, name: str = "object_0") -> None:
    aim(world, name)
    assert world.target_under_crosshair(SOLVER) == name
    assert act(world, hand=1).held == name
