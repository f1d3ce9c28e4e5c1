"""Who and what is in a furnished house: the players, and things on furniture, in containers, on and under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, hypot, pi, sin

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.house.catalogue import OBJECT_KINDS, SIZES, Surface
from worlds.playhouse.house.chance import Chance
from worlds.playhouse.house.furnished.plan import Plan
from worlds.playhouse.house.furnished.walkable import WalkableFloor
from worlds.playhouse.house.plain import GAP, PLACES_TRIED, NoPlaceError
from worlds.playhouse.house.record import AVATAR_RADIUS, FLOOR, WALL_THICKNESS, Furniture, Room, Start, Thing
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.rules import leaves_free, objects_overlap
from worlds.playhouse.house.settings import HouseSettings
from worlds.playhouse.house.wanted import Wanted

UNDER = 0.08  # chance that a thing is put under furniture, where it fits under any
KINDS_TRIED = 12  # for one object
TRIES = 12  # places of one object in one room
ROUNDING = 0.002  # metres by which coordinates are rounded, at most
Spot = tuple[str, float, float, float]  # support, x, y, z


@dataclass
class _Contents:
    """What one room holds.

    Args:
      surfaces: on which things can stand.
      beneath: floor under furniture.
      floor: where players can walk.
    """

    room: Room
    pieces: list[Furniture]
    surfaces: list[tuple[Furniture, Surface]]
    beneath: list[tuple[Furniture, Surface]]
    floor: WalkableFloor
    things: list[Thing] = field(default_factory=list)


class Contents:
    def __init__(self, chance: Chance, settings: HouseSettings, plan: Plan, furniture: Sequence[Furniture]) -> None:
        self._chance, self._settings = chance, settings
        self._keep_out = plan.keep_out
        self._kinds, self._colours = settings.choices("kinds"), settings.choices("colours")
        self._rooms = [_contents_of(room, furniture, plan) for room in plan.rooms]
        divided = next((home.room for home in self._rooms if home.floor.divided), None)
        if divided is not None:
            raise NoPlaceError(f"no way through the {divided.type} (setting furniture)")
        self._shares = [ROOM_TYPES[r.type].share * (r.x1 - r.x0) * (r.y1 - r.y0) for r in plan.rooms]
        self._belonging = {r.type: self._belonging_in(r.type) for r in plan.rooms}
        self._starts: list[Start] = []
        self._things: list[Thing] = []

    def _belonging_in(self, room_type: str) -> list[str]:
        homes = ((kind, OBJECT_KINDS[kind].rooms) for kind in self._kinds)
        return [kind for kind, rooms in homes if not rooms or room_type in rooms]

    # -- players ------------------------------------------------------------------------------------------------

    def place_starts(self) -> tuple[Start, ...]:
        """The first poses of both players. Raises NoPlaceError if there is no floor for them."""
        for agent in (SETTER, SOLVER):
            for _ in range(5 * PLACES_TRIED):
                home = self._chance.choose(self._rooms)
                spot = self._place_to_stand(home)
                if spot and all(hypot(spot[0] - s.x, spot[1] - s.y) > 4 * AVATAR_RADIUS for s in self._starts):
                    self._starts.append(Start(agent, *spot, self._chance.between(-pi, pi)))
                    break
            else:
                raise NoPlaceError(f"no place for the {agent} to start")
        return tuple(self._starts)

    def _place_to_stand(self, home: _Contents) -> tuple[float, float] | None:
        """A place for a player that is not before a doorway; None if the one tried is."""
        cells = home.floor.cells
        if not len(cells):
            return None
        x, y = cells[self._chance.count((0, len(cells) - 1))].tolist()
        before = any(abs(x - dx) < w and abs(y - dy) < d for dx, dy, w, d in self._keep_out)
        return None if before else (round(x, 3), round(y, 3))

    # -- things -------------------------------------------------------------------------------------------------

    def place_objects(self, include: Sequence[Wanted]) -> tuple[Thing, ...]:
        """All loose things. Raises NoPlaceError if there is no place for one."""
        asked = [one for one in include if one.loose]
        for one in asked:
            rooms = [home for home in self._rooms if one.room in (None, home.room.type)]
            homes = OBJECT_KINDS[one.kind].rooms
            rooms = sorted(self._chance.shuffled(rooms), key=lambda home: home.room.type not in homes)
            if not any(self._add(home, one.kind, one.colour) for home in rooms for _ in range(3)):
                raise NoPlaceError(f"no place for the {one.kind} (setting include)")
        count = max(self._chance.count(self._settings.objects), len(asked))
        self._add_holders(count)
        while len(self._things) < count:
            if not any(self._add_any() for _ in range(KINDS_TRIED)):
                raise NoPlaceError(f"no place for object_{len(self._things)} (setting objects)")
        return tuple(self._things)

    def _add_holders(self, most: int) -> None:
        """A container in some of the rooms where one belongs, so that things can lie in it."""
        for home in self._rooms:
            kinds = [kind for kind in self._belonging[home.room.type] if OBJECT_KINDS[kind].inside]
            if kinds and len(self._things) < most and self._chance.happens(2.5 * self._settings.in_containers):
                self._add(home, self._chance.choose(kinds), None)

    def _add_any(self) -> Thing | None:
        """One more thing: one that belongs in its room, a stray, or another of what is there in another colour."""
        if self._things and self._chance.happens(self._settings.repeats):
            model = self._chance.choose(self._things)
            used = {thing.colour for thing in self._things if thing.kind == model.kind}
            others = [colour for colour in self._colours_of(model.kind) if colour not in used]
            same_room = next(home for home in self._rooms if home.room.id == model.room)
            home = same_room if self._chance.happens(0.6) else self._any_room()
            return self._add(home, model.kind, self._chance.choose(others)) if others else None
        home = self._any_room()
        belonging = self._belonging[home.room.type]
        stray = not belonging or self._chance.happens(self._settings.strays)
        return self._add(home, self._chance.choose(self._kinds if stray else belonging), None)

    def _any_room(self) -> _Contents:
        return self._chance.weighed(self._rooms, self._shares)

    def _colours_of(self, kind: str) -> Sequence[str]:
        return [colour for colour in OBJECT_KINDS[kind].colours if colour in self._colours] or self._colours

    def _add(self, home: _Contents, kind: str, colour: str | None) -> Thing | None:
        """A thing of a kind in a room, None if no place was found for it."""
        spec, chosen = OBJECT_KINDS[kind], self._settings.choices("sizes")
        size = self._chance.choose([s for s in spec.sizes if s in chosen] or chosen)
        colour = colour or self._chance.choose(self._colours_of(kind))
        radius, height = spec.radius(SIZES[size]), spec.height(SIZES[size])
        name, yaw = f"object_{len(self._things)}", self._chance.between(-pi, pi)
        for _ in range(TRIES):
            spot = self._spot(home, radius, height)
            if spot is None:
                continue
            thing = Thing(name, kind, colour, size, home.room.id, *spot, yaw)
            free = not any(objects_overlap(thing, other) for other in home.things)
            if free and home.floor.within_reach(thing.x, thing.y):
                home.things.append(thing)
                self._things.append(thing)
                return thing
        return None

    def _spot(self, home: _Contents, radius: float, height: float) -> Spot | None:
        """A place for a thing that may be taken by another thing; None if the one tried does not do."""
        chance, settings = self._chance, self._settings
        holders = [thing for thing in home.things if thing.spec.inside and thing.support == FLOOR]
        if holders and chance.happens(settings.in_containers):
            return self._inside(chance.choose(holders), radius, height)
        if home.surfaces and chance.happens(settings.on_furniture):
            return self._on(home, *chance.choose(home.surfaces), radius, height)
        if home.beneath and chance.happens(UNDER):
            return self._on(home, *chance.choose(home.beneath), radius, height, FLOOR)
        spot = self._free_floor(home, radius, height)
        if spot is None or any(hypot(spot[0] - s.x, spot[1] - s.y) < radius + 2 * AVATAR_RADIUS for s in self._starts):
            return None
        return FLOOR, *spot, 0.0

    def _free_floor(self, home: _Contents, radius: float, height: float) -> tuple[float, float] | None:
        """A place on a floor for an upright cylinder, None if the one tried is not free."""
        room, margin = home.room, WALL_THICKNESS / 2 + radius + GAP
        x0, x1, y0, y1 = room.x0 + margin, room.x1 - margin, room.y0 + margin, room.y1 - margin
        if x0 > x1 or y0 > y1:
            return None
        x, y = self._chance.between(x0, x1), self._chance.between(y0, y1)
        if any(abs(x - dx) < w and abs(y - dy) < d for dx, dy, w, d in self._keep_out):
            return None
        for piece in home.pieces:
            spec = piece.spec
            if not spec.flat and spec.bottom < height + GAP and piece.gap_to(x, y) < radius + GAP:
                return None
        return x, y

    def _on(
        self, home: _Contents, piece: Furniture, surface: Surface, radius: float, height: float, support: str = ""
    ) -> Spot | None:
        """A place on a surface of furniture, or on the floor under it."""
        hx, hy = surface.half[0] - radius - ROUNDING, surface.half[1] - radius - ROUNDING
        if hx < 0 or hy < 0 or height > surface.clearance - GAP:
            return None
        dx, dy = self._chance.between(-hx, hx), self._chance.between(-hy, hy)
        x, y = piece.to_house(surface.at[0] + dx, surface.at[1] + dy)
        x, y, z = round(x, 3), round(y, 3), surface.at[2]
        others = (other for other in home.pieces if other is not piece)
        if not all(leaves_free(other, x, y, radius, z, z + height) for other in others):
            return None
        return support or piece.id, x, y, z

    def _inside(self, holder: Thing, radius: float, height: float) -> Spot | None:
        """A place on the bottom of a container."""
        inside, scale = holder.spec.inside, holder.scale
        if inside is None:
            return None
        hx, hy = (scale * half - radius - ROUNDING for half in inside.half)
        if hx < 0 or hy < 0 or height > scale * inside.clearance:
            return None
        dx = scale * inside.at[0] + self._chance.between(-hx, hx)
        dy = scale * inside.at[1] + self._chance.between(-hy, hy)
        c, s = cos(holder.yaw), sin(holder.yaw)
        x, y = holder.x + c * dx - s * dy, holder.y + s * dx + c * dy
        return holder.id, round(x, 3), round(y, 3), holder.z + scale * inside.at[2]


def _contents_of(room: Room, furniture: Sequence[Furniture], plan: Plan) -> _Contents:
    pieces = [piece for piece in furniture if piece.room == room.id]
    surfaces = [(piece, surface) for piece in pieces for surface in piece.spec.surfaces]
    beneath = [(piece, piece.spec.under) for piece in pieces if piece.spec.under]
    return _Contents(room, pieces, surfaces, beneath, WalkableFloor(room, pieces, plan.doorways))
