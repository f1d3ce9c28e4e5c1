"""Where players can go, and whether what is wanted can be done: by filling the floor, and by sizes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from functools import cached_property

from benchmarks.oracle.done import is_at
from benchmarks.oracle.meaning import Meaning
from benchmarks.oracle.scene import FLOOR, Body, Scene
from benchmarks.oracle.wishes import Wish

CELL = 0.15  # metres of the filled floor
KEPT = 0.24  # metres that a player keeps from walls and furniture
ARM = 1.9  # metres from which a thing can be got at, at most
HIGHEST, HIGHEST_TOUCHED = 1.3, 1.9  # metres to the middle of what can be taken, and touched with something
FLAT = ("block", "book", "mug", "plate", "soap", "tissue roll", "tin", "drum", "towel", "bowl")
HIGH_TOWER = 1.25  # metres


class Ways:
    """Ways in one house as it is."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning, self.scene = meaning, meaning.scene
        self._near: dict[str, bool] = {}

    def impossible(self, wish: Wish) -> Iterator[str]:
        """Yield why what is wanted cannot be done."""
        able = [i for i in wish.things.sure if i in self.scene.things and self.can_be_got_at(i)]
        if len(able) < wish.things.number:
            yield "out of reach"
        if not all(self._can_be_gone_to(i) for i in wish.targets.sure):
            yield "target out of reach"
        bodies = [self.scene.bodies[i] for i in able]
        if wish.family == "be" and not self._can_stand(wish):
            yield "nowhere to stand"
        if wish.family == "place" and bodies and not self._can_be_placed(wish, bodies):
            yield "no room for it"
        if wish.family == "build" and not self._can_be_built(wish, bodies):
            yield "cannot be built"
        if wish.family == "push" and any(self.scene.rests.get(i) != FLOOR for i in wish.targets.sure):
            yield "cannot be pushed"

    def can_be_got_at(self, entity: str, highest: float = HIGHEST) -> bool:
        """Return True if there is a place to stand in the same room from which a thing or a piece can be touched."""
        body = self.scene.bodies[entity]
        if entity not in self._near:
            far = ARM + (max(body.half) if entity in self.scene.pieces else 0.0)
            near = (math.hypot(body.x - x, body.y - y) <= far for x, y in self._spots.get(body.room or "", ()))
            self._near[entity] = entity not in self.scene.held and any(near)
        return self._near[entity] and (body.low + body.high) / 2 <= highest

    def _can_be_gone_to(self, entity: str) -> bool:
        if entity in self.scene.rooms:
            return bool(self._spots.get(entity))
        anchor = entity in ("setter", "solver", FLOOR) or self.scene.bodies[entity].sort == "opening"
        return anchor or self.can_be_got_at(entity, HIGHEST_TOUCHED)

    def _can_stand(self, wish: Wish) -> bool:
        targets = sorted(wish.targets.sure)
        me = self.scene.solver
        rooms = [t if t in self.scene.rooms else self.scene.bodies[t].room or "" for t in targets if t != FLOOR]
        spots = self._spots if wish.detail == "far" else {room: self._spots.get(room, []) for room in rooms}
        return any(
            is_at(self.meaning, moved(me, x, y, room), wish.detail, targets)
            for room, found in spots.items()
            for x, y in found
        )

    def _can_be_placed(self, wish: Wish, things: list[Body]) -> bool:
        """Return True if a target has room for the smallest of the things, or there is floor in the relation."""
        small = min(things, key=lambda t: t.volume)
        targets = [self.scene.bodies[t] for t in wish.targets.sure if t in self.scene.bodies]
        if wish.detail == "in" and targets:
            return any(self._goes_in(small, t) for t in targets)
        if wish.detail == "on" and targets:
            return any(self._goes_on(small, t) for t in targets)
        if wish.detail == "under" and targets:
            return any(self._goes_under(small, t) for t in targets)
        return wish.detail in ("away", "far") or FLOOR in wish.targets.sure or self._has_floor(wish, small)

    def _has_floor(self, wish: Wish, thing: Body) -> bool:
        """Return True if there is free floor in the relation, in reach of where the solver can stand."""
        targets = sorted(wish.targets.sure)
        rooms = {t if t in self.scene.rooms else self.scene.bodies[t].room for t in targets}
        return any(
            is_at(self.meaning, moved(thing, x, y, room), wish.detail, targets) and self._is_in_reach(x, y, room)
            for room in rooms
            if room is not None
            for x, y in self._floor(room, min(thing.half))
        )

    def _floor(self, room_id: str, kept: float) -> Iterator[tuple[float, float]]:
        """Points of a room's floor that are free of furniture."""
        room, step = self.scene.rooms[room_id], 0.2
        walls = [self.scene.bodies[p.id] for p in self.scene.house.furniture if p.spec.in_the_way]
        for i in range(1, int((room.x1 - room.x0) / step)):
            for j in range(1, int((room.y1 - room.y0) / step)):
                x, y = room.x0 + i * step, room.y0 + j * step
                if all(wall.to_point(x, y) >= kept for wall in walls if wall.room == room_id):
                    yield x, y

    def _is_in_reach(self, x: float, y: float, room: str) -> bool:
        return any(math.hypot(x - a, y - b) <= ARM for a, b in self._spots.get(room, ()))

    def _goes_in(self, thing: Body, target: Body) -> bool:
        holder = self.scene.things.get(target.id) or self.scene.pieces[target.id]
        scale = self.scene.things[target.id].scale if target.id in self.scene.things else 1.0
        inside = holder.spec.inside
        return inside is not None and min(thing.half) < max(inside.half) * scale

    def _goes_on(self, thing: Body, target: Body) -> bool:
        if target.sort == "object":
            return target.kind in FLAT and thing.kind in FLAT
        surfaces = self.scene.pieces[target.id].spec.surfaces
        return any(s.clearance >= thing.high - thing.low and min(s.half) >= min(thing.half) / 2 for s in surfaces)

    def _goes_under(self, thing: Body, target: Body) -> bool:
        if target.sort == "object":
            return target.kind in FLAT and thing.kind in FLAT
        below = self.scene.pieces[target.id].spec.under
        return below is not None and thing.high - thing.low <= below.clearance

    def _can_be_built(self, wish: Wish, things: list[Body]) -> bool:
        flat = sorted((t for t in things if t.kind in FLAT), key=lambda t: t.high - t.low)
        if wish.detail:
            value = {t.colour if wish.detail == "colour" else t.kind: t for t in reversed(flat)}
            flat = sorted(value.values(), key=lambda t: t.high - t.low)
        chosen = flat[: wish.things.number]
        return len(chosen) == wish.things.number and sum(t.high - t.low for t in chosen) <= HIGH_TOWER

    # -- the floor ------------------------------------------------------------------------------------------------

    @cached_property
    def _spots(self) -> dict[str, list[tuple[float, float]]]:
        """Where the solver can stand, by room."""
        found: dict[str, list[tuple[float, float]]] = {}
        for x, y in _filled(self.scene):
            found.setdefault(self.scene.room_of(x, y) or "", []).append((x, y))
        return found

    def wall_off(self) -> None:
        """Leave the solver nowhere to go, for tests."""
        self._near = {}
        self._spots = {}


def moved(body: Body, x: float, y: float, room: str) -> Body:
    """A body as it would be elsewhere on the floor."""
    return Body(
        body.id, body.sort, body.kind, body.colour, body.size, body.shapes, body.categories, room, x, y, 0.0,
        body.high - body.low, body.half, body.turn, body.round, body.front,
    )  # fmt: skip


def _filled(scene: Scene) -> Iterator[tuple[float, float]]:
    """Spots that the solver can get to, those next to each other at a time."""
    walls = [p for p in scene.house.furniture if p.spec.in_the_way]

    def free(x: float, y: float) -> bool:
        kept = 0.05 + KEPT
        rooms = any(r.x0 + kept <= x <= r.x1 - kept and r.y0 + kept <= y <= r.y1 - kept for r in scene.house.rooms)
        if not rooms:
            doors = (
                (abs(x - d.x), abs(y - d.y), d.width) if d.along == "x" else (abs(y - d.y), abs(x - d.x), d.width)
                for d in scene.house.doorways
            )
            if not any(aside < max(width / 2 - KEPT, 0.1) and through < 0.5 for aside, through, width in doors):
                return False
        return all(scene.bodies[p.id].to_point(x, y) >= KEPT for p in walls)

    first = (round(scene.solver.x / CELL), round(scene.solver.y / CELL))
    seen, queue = {first}, deque([first])
    while queue:
        cell = queue.popleft()
        yield cell[0] * CELL, cell[1] * CELL
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            other = (cell[0] + dx, cell[1] + dy)
            if other not in seen and free(other[0] * CELL, other[1] * CELL):
                seen.add(other)
                queue.append(other)
