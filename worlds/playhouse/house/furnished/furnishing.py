"""Furniture of furnished houses: what belongs in a room, where it leaves a player room to pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worlds.playhouse.house.catalogue import FURNITURE_KINDS, FurnitureKind
from worlds.playhouse.house.chance import Chance
from worlds.playhouse.house.furnished.plan import Plan
from worlds.playhouse.house.plain import GAP, PASSAGE, PLACES_TRIED, NoPlaceError
from worlds.playhouse.house.record import WALL_THICKNESS, WINDOW_SILL, Furniture, Room
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.rules import footprints_overlap
from worlds.playhouse.house.settings import HouseSettings
from worlds.playhouse.house.wanted import Wanted

FLUSH = WALL_THICKNESS / 2 + GAP  # metres from a room's edge to the back of what stands at its wall
SNUG = 0.02  # metres between neighbours at a wall
TRIES = PLACES_TRIED // 2
MOST_REFUSED = 40  # wishes without a place after which the house is full
SECOND_OF_A_KIND = 0.3  # chance that a kind which its room has may come again
# What stands at what: kind, and the most of them. Chairs face it, the others stand beside it at the wall.
COMPANIONS = {
    "dining table": ("chair", 3),
    "round table": ("chair", 2),
    "table": ("chair", 1),
    "desk": ("chair", 1),
    "bed": ("side table", 2),
    "sofa": ("side table", 1),
}
Place = tuple[float, float, int]  # x, y, quarter turns


class Furnishing:
    def __init__(self, chance: Chance, settings: HouseSettings, plan: Plan) -> None:
        self._chance, self._settings, self._plan = chance, settings, plan
        self._keep_out = plan.keep_out
        self._allowed = settings.choices("furniture_kinds")
        self._colours = settings.choices("colours")
        self._pieces: dict[str, list[Furniture]] = {room.id: [] for room in plan.rooms}
        self._order: list[Furniture] = []

    def place(self, include: Sequence[Wanted]) -> tuple[Furniture, ...]:
        """All furniture. Raises NoPlaceError if there is no place for what must be there."""
        for one in include:
            if not one.loose:
                self._place_wanted(one)
        fewest, most = self._settings.furniture
        count = max(self._chance.count((fewest, most)), len(self._order))
        refused = 0  # wishes, one after the other
        for room, kind in self._wishes():
            if len(self._order) >= count or refused == MOST_REFUSED:
                break
            refused += 1
            if self._add(room, kind) is not None:
                self._add_companions(room, self._order[-1], count)
                refused = 0
        if len(self._order) < fewest:
            raise NoPlaceError(f"no place for furniture_{len(self._order)} (setting furniture)")
        return tuple(self._order)

    def _place_wanted(self, one: Wanted) -> None:
        homes = FURNITURE_KINDS[one.kind].rooms
        rooms = [room for room in self._plan.rooms if one.room in (None, room.type)]
        rooms = sorted(self._chance.shuffled(rooms), key=lambda room: room.type not in homes)
        if not any(self._add(room, one.kind, one.colour) for room in rooms for _ in range(3)):
            raise NoPlaceError(f"no place for the {one.kind} (setting include)")

    def _wishes(self) -> Iterator[tuple[Room, str]]:
        """What each room needs, the most important first, and then more that it may have."""
        rooms = self._plan.rooms
        needs = {room.id: self._known(ROOM_TYPES[room.type].needs) for room in rooms}
        for i in range(max(len(need) for need in needs.values())):
            yield from ((room, needs[room.id][i]) for room in rooms if i < len(needs[room.id]))
        sizes = [(room.x1 - room.x0) * (room.y1 - room.y0) for room in rooms]
        for _ in range(6 * self._settings.furniture[1]):
            room = self._chance.weighed(rooms, sizes)
            kind = self._chance.choose(self._known(ROOM_TYPES[room.type].also) or needs[room.id] or self._allowed)
            if not self._has(room, kind) or self._chance.happens(SECOND_OF_A_KIND):
                yield room, kind

    def _known(self, kinds: Sequence[str]) -> list[str]:
        return [kind for kind in kinds if kind in self._allowed]

    def _has(self, room: Room, kind: str) -> bool:
        return any(piece.kind == kind for piece in self._pieces[room.id])

    # -- one piece --------------------------------------------------------------------------------------------

    def _add(self, room: Room, kind: str, colour: str | None = None) -> Furniture | None:
        """A piece of a kind in a room, None if no place was found for it."""
        spec = FURNITURE_KINDS[kind]
        for _ in range(TRIES):
            place = self._somewhere(room, spec)
            if place is not None and (piece := self._put(room, spec, place, colour)) is not None:
                return piece
        return None

    def _put(
        self, room: Room, spec: FurnitureKind, place: Place, colour: str | None = None, beside: Furniture | None = None
    ) -> Furniture | None:
        """A piece at a place if it fits there; ``beside`` is the piece whose companion it is."""
        x, y, turns = place
        colours = [c for c in spec.colours if c in self._colours] or self._colours
        name = f"furniture_{len(self._order)}"
        piece = Furniture(name, spec.name, colour or "", room.id, round(x, 3), round(y, 3), turns % 4)
        if not self._fits(piece, room, beside):
            return None
        if colour is None:
            piece = Furniture(
                name, spec.name, self._chance.choose(colours), room.id, piece.x, piece.y, piece.quarter_turns
            )
        self._pieces[room.id].append(piece)
        self._order.append(piece)
        return piece

    def _somewhere(self, room: Room, spec: FurnitureKind) -> Place | None:
        """A place that suits a kind, free or not."""
        hx, hy = spec.half
        turns = self._chance.count((0, 3))
        if spec.over:
            return self._across(room, spec)
        if spec.against_wall:
            neighbours = [p for p in self._pieces[room.id] if p.spec.against_wall and p.spec.in_the_way]
            if neighbours and spec.in_the_way and self._chance.happens(0.5):
                return self._beside(self._chance.choose(neighbours), spec)
            return self._at_wall(room, spec, turns)
        if turns % 2:
            hx, hy = hy, hx
        margin = WALL_THICKNESS / 2 + (GAP if spec.flat else PASSAGE)
        x0, x1, y0, y1 = room.x0 + margin + hx, room.x1 - margin - hx, room.y0 + margin + hy, room.y1 - margin - hy
        if x0 > x1 or y0 > y1:
            return None
        return self._chance.between(x0, x1), self._chance.between(y0, y1), turns

    def _at_wall(self, room: Room, spec: FurnitureKind, turns: int) -> Place | None:
        """Back to the south, east, north or west wall (0..3 quarter turns), in a corner or clear of both corners."""
        hx, hy = spec.half
        low, high = (room.x0, room.x1) if turns % 2 == 0 else (room.y0, room.y1)
        low, high = low + FLUSH + hx, high - FLUSH - hx
        if low > high:
            return None
        free = 0.0 if not spec.in_the_way else PASSAGE
        if high - low < 2 * free or (spec.in_the_way and self._chance.happens(0.5)):
            along = self._chance.choose((low, high))
        else:
            along = self._chance.between(low + free, high - free)
        back = (room.y0, room.x1, room.y1, room.x0)[turns]
        across = back + (FLUSH + hy) * (1 if turns in (0, 3) else -1)
        return (along, across, turns) if turns % 2 == 0 else (across, along, turns)

    def _beside(self, neighbour: Furniture, spec: FurnitureKind) -> Place:
        """At the same wall, on one side of a neighbour."""
        side = 1 if self._chance.happens(0.5) else -1
        shift = side * (neighbour.spec.half[0] + spec.half[0] + SNUG)
        return (*neighbour.to_house(shift, spec.half[1] - neighbour.spec.half[1]), neighbour.quarter_turns)

    def _across(self, room: Room, spec: FurnitureKind) -> Place | None:
        """Across a piece that it belongs on."""
        below = [p for p in self._pieces[room.id] if p.kind == spec.over]
        if not below:
            return None
        piece = self._chance.choose(below)
        reach = piece.spec.half[0] - spec.half[0] - 0.1
        return (*piece.to_house(self._chance.between(-reach, reach), 0.0), piece.quarter_turns)

    # -- companions -------------------------------------------------------------------------------------------

    def _add_companions(self, room: Room, piece: Furniture, most: int) -> None:
        kind, count = COMPANIONS.get(piece.kind, ("", 0))
        if kind not in self._allowed:
            return
        spec, left = FURNITURE_KINDS[kind], self._chance.count((min(1, count), count))
        colour = self._chance.choose([c for c in spec.colours if c in self._colours] or self._colours)
        places = self._chance.shuffled(list(_around(piece, spec)))
        for place in places:
            if left and len(self._order) < most and self._put(room, spec, place, colour, piece):
                left -= 1

    # -- what is in the way -----------------------------------------------------------------------------------

    def _fits(self, piece: Furniture, room: Room, beside: Furniture | None) -> bool:
        (hx, hy), edge = piece.half, WALL_THICKNESS / 2
        if not (
            room.x0 + edge <= piece.x - hx
            and piece.x + hx <= room.x1 - edge
            and room.y0 + edge <= piece.y - hy
            and piece.y + hy <= room.y1 - edge
        ):
            return False
        spec = piece.spec
        if not spec.flat and any(
            abs(piece.x - x) < hx + w and abs(piece.y - y) < hy + d for x, y, w, d in self._keep_out
        ):
            return False
        if spec.against_wall and spec.height > WINDOW_SILL and self._before_window(piece, room):
            return False
        return all(_apart(piece, other, beside) for other in self._pieces[room.id])

    def _before_window(self, piece: Furniture, room: Room) -> bool:
        along = "x" if piece.quarter_turns % 2 == 0 else "y"
        back = (room.y0, room.x1, room.y1, room.x0)[piece.quarter_turns]
        for window in self._plan.windows:
            if window.room == room.id and window.along == along:
                place, middle, at = (window.y, window.x, piece.x) if along == "x" else (window.x, window.y, piece.y)
                if place == back and abs(middle - at) < window.width / 2 + piece.spec.half[0] + 0.1:
                    return True
        return False


def _around(piece: Furniture, spec: FurnitureKind) -> Iterator[Place]:
    """Places of companions: of chairs in front of all free sides, of others on both sides at the wall."""
    (hx, hy), (wide, deep) = piece.spec.half, spec.half
    if spec.against_wall:
        for side in (-1, 1):
            shift = side * (hx + wide + SNUG)
            yield (*piece.to_house(shift, deep - hy), piece.quarter_turns)
        return
    for shift in (0.0,) if hx < 2 * wide + 0.1 or piece.spec.against_wall else (-0.5 * hx, 0.5 * hx):
        yield (*piece.to_house(shift, hy + deep + SNUG), piece.quarter_turns + 2)
        if not piece.spec.against_wall:
            yield (*piece.to_house(shift, -hy - deep - SNUG), piece.quarter_turns)
    if not piece.spec.against_wall:
        for side in (-1, 1):
            yield (*piece.to_house(side * (hx + deep + SNUG), 0.0), piece.quarter_turns + side)


def _apart(piece: Furniture, other: Furniture, beside: Furniture | None) -> bool:
    """Whether a player can pass between two pieces, or they stand so that nobody need."""
    a, b = piece.spec, other.spec
    if not (a.in_the_way and b.in_the_way):
        return not footprints_overlap(piece, other, 0.04)
    if a.over == other.kind or b.over == piece.kind:
        return not footprints_overlap(piece, other)
    if not _near(piece, other, PASSAGE):
        return True
    companions = beside is not None and (other is beside or other.kind == piece.kind)
    in_line = piece.quarter_turns == other.quarter_turns and a.against_wall and b.against_wall
    if not companions and not in_line:
        return False
    if _near(piece, other, 0.5 * SNUG):
        return False
    return companions or _near(piece, other, 2 * SNUG)


def _near(a: Furniture, b: Furniture, margin: float) -> bool:
    """Whether two footprints come nearer than a margin along both axes, at whatever height."""
    (ax, ay), (bx, by) = a.half, b.half
    return abs(a.x - b.x) < ax + bx + margin and abs(a.y - b.y) < ay + by + margin
