"""Places that words name, for a player or a thing to be at: in a room, in its corner, or in relation to something.

A place in the arguments of a request is JSON: ``{"relation": "behind", "anchors": ["setter"]}``. Relations are those of
:mod:`worlds.playhouse.requests.relations`, with ids of things, furniture, rooms and players as anchors, and two more:
"corner of" a room, and "away", which is anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.games import places
from worlds.playhouse.games.geometry import CLEAR_CORNER, FAR_CORNER, corners, is_in_corner
from worlds.playhouse.games.nouns import Pair, pairs
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.record import House
from worlds.playhouse.requests.descriptions import Description, Place, meant
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.reading import places as read_places
from worlds.playhouse.requests.reading import words_of
from worlds.playhouse.requests.referring import Referrer
from worlds.playhouse.requests.relations import holds
from worlds.playhouse.requests.wording import place_in_words

CORNER, AWAY = "corner of", "away"
INSIDE_ROOM = 0.4  # metres from its edges at least, of one who is asked to be in a room
ELSEWHERE = 1.0  # metres from where it was at least, of what is to be somewhere else
SPOTS = 0.3  # metres between the spots that are looked at for a player
CANDIDATES = 0.25  # metres between those for a thing
TRIED = 25  # places that are looked at for a way there
SIDES = ("left of", "right of", "in front of", "behind")


@dataclass(frozen=True)
class Where:
    """A place.

    Args:
      relation: one of RELATIONS, :data:`CORNER` or :data:`AWAY`.
    """

    relation: str
    anchors: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As in the arguments of a request."""
        return {"relation": self.relation, "anchors": list(self.anchors)}

    @classmethod
    def of(cls, place: dict[str, Any]) -> Where:
        """Return the place that arguments of a request name."""
        return cls(place["relation"], tuple(place["anchors"]))


def is_there(where: Where, entity_id: str, facts: Facts, house: House, clearly: bool = False) -> bool:
    """Return True if a player or a thing is at a place.

    Args:
      where: the place; not :data:`AWAY`, which is relative to where a thing was.
      clearly: whether nobody would contradict it.
    """
    return _holds(where, facts.by_id[entity_id], facts, house, clearly)


def is_there_as_asked(where: Where, entity_id: str, now: Facts, asked: Facts, house: House) -> bool:
    """Return True if a player or a thing is at a place, as the players see it now or saw it when it was asked for.

    Left and right of what has no front, before it and behind it hang on where the players are, and they walk about.
    """
    if is_there(where, entity_id, now, house):
        return True
    return where.relation in SIDES and is_there(where, entity_id, now.with_players_of(asked), house)


def _holds(where: Where, entity: Entity, facts: Facts, house: House, clearly: bool) -> bool:
    if where.relation == CORNER:
        room = house.rooms_by_id[where.anchors[0]]
        return entity.room == room.id and is_in_corner(
            room, np.array(entity.middle), CLEAR_CORNER if clearly else FAR_CORNER
        )
    anchors = tuple(facts.by_id[anchor] for anchor in where.anchors)
    if any(anchor.id == entity.id for anchor in anchors):
        return False
    if where.relation == "in" and anchors[0].what == "room":
        if entity.what != "player":
            return entity.room == where.anchors[0]  # close to the wall as well
        room = house.rooms_by_id[where.anchors[0]]
        return room.contains(*entity.middle, INSIDE_ROOM / (1 if clearly else 2))
    return holds(where.relation, entity, anchors, facts, clearly)


# -- words -------------------------------------------------------------------------------------------------------------


def read_where(words: str, situation: Situation) -> Where | None:
    """Return the place that words such as "behind me", "in the kitchen" or "in a corner" name; None for others."""
    text = words_of(words)
    for end, place in read_places(text, 0):
        if end == len(text) and not place.negated:
            where = _meant(place, situation)
            if where is not None:
                return where
    return None


def read_room(words: str, situation: Situation) -> str | None:
    """Return the id of the room that words name; "this room" is the setter's, who speaks."""
    if words.removeprefix("the ") in ("this room", "room", "here"):
        return situation.room_at(situation.setter.position)
    where = read_where(f"in {words}", situation)
    return where.anchors[0] if where is not None and where.anchors[0] in situation.house.rooms_by_id else None


def name_of_room(words: Referrer, situation: Situation, room: str) -> str | None:
    """Return words for a room; None if it has no name that tells it from others."""
    if len(situation.house.rooms) == 1:
        return "this room"
    described = words.room_description(room)
    named = None if described is None else words.expression(described)
    if named is not None:
        return named.words
    both_here = {room} == {situation.room_at(player.position) for player in (situation.setter, situation.solver)}
    return "this room" if both_here else None


def _meant(place: Place, situation: Situation) -> Where | None:
    found = [meant(anchor, situation.facts) for anchor in place.anchors]
    if not all(found):
        return None
    if place.relation == "between" and len(found) == 1:
        both = found[0]
        return Where("between", (both[0].id, both[1].id)) if len(both) == 2 else None
    return Where(place.relation, tuple(entities[0].id for entities in found))


@dataclass(frozen=True)
class NamedPlace:
    """Words for a place, and what they mean.

    Args:
      words: e.g. "behind the red ball".
      said: colours and kinds that the words name.
    """

    words: str
    where: Where
    said: list[Pair]


def named_places(words: Referrer, relations: tuple[str, ...], anchors: list[str]) -> Iterator[NamedPlace]:
    """Yield places in relation to anchors with unique names, in random order.

    Args:
      anchors: ids; :data:`worlds.contract.SETTER` is "me".
    """
    options = [(r, a) for r in relations for a in anchors]
    for i in words.rng.permutation(len(options)).tolist():
        relation, anchor = options[i]
        ids = (anchor,)
        if relation == "between":
            others = [a for a in anchors if a != anchor]
            if not others:
                continue
            ids = (anchor, others[int(words.rng.integers(len(others)))])
        described = [d for d in (_described(words, one) for one in ids) if d is not None]
        if len(described) == len(ids):
            said = [pair for description in described for pair in pairs(description)]
            place = place_in_words(Place(relation, tuple(described)), words.rng)
            yield NamedPlace(place, Where(relation, ids), said)


def _described(words: Referrer, anchor: str) -> Description | None:
    if anchor == SETTER:
        return Description(noun="me")
    found = words.the(anchor)
    return None if found is None else found.description


# -- where one can be --------------------------------------------------------------------------------------------------


def spot_for_player(
    situation: Situation, where: Where, room: str | None = None, avoid: Sequence[np.ndarray] = ()
) -> np.ndarray | None:
    """Return a spot at a place where the solver can stand and to which it can walk: float64 [2], the nearest; or None.

    Args:
      room: id of the room in which the spot has to be; None for any.
    """
    me, facts, house, here = situation.facts.by_id[SOLVER], situation.facts, situation.house, situation.solver.position
    discs = situation.discs()
    spots = [s for s in _thinned(situation.plan.free_spots(), SPOTS) if room in (None, situation.room_at(s))]
    spots.sort(key=lambda s: float(np.hypot(*(s - here[:2]))))
    tried = 0
    for spot in spots:
        if places.is_near_any(spot, avoid):
            continue
        if not _holds(where, _moved(me, spot, 0.0, situation), facts, house, clearly=True):
            continue
        if situation.plan.straight(spot, spot, discs) and situation.can_be_walked_to(*spot, within=0.15):
            return spot
        tried += 1
        if tried > TRIED:
            break
    return None


def spot_for_thing(
    situation: Situation,
    thing: str,
    where: Where,
    asked: Situation | None = None,
    avoid: Sequence[np.ndarray] = (),
) -> np.ndarray | None:
    """Return a free spot on the floor at a place, to which the solver can put a thing: float64 [3]; or None.

    Args:
      asked: the house when it was asked for; None if that is now.
    """
    house, entity, start = situation.house, situation.facts.by_id[thing], (asked or situation).positions[thing]
    facts = situation.facts if asked is None else situation.facts.with_players_of(asked.facts)
    tried = 0
    for at in _floor_near(situation, where):
        if not places.is_clear(situation, thing, at) or places.is_near_any(at, avoid):
            continue
        if where.relation == AWAY:
            fits = float(np.hypot(*(at - start)[:2])) >= ELSEWHERE + 0.3
        else:
            fits = _holds(where, _moved(entity, at, entity.height, situation), facts, house, clearly=True)
        if fits:
            if places.place_to_put_from(situation, thing, at) is not None:
                return at
            tried += 1
            if tried > TRIED:
                break
    return None


def _floor_near(situation: Situation, where: Where) -> list[np.ndarray]:
    """Places on the floor of the rooms that a place can be in, those nearest to its anchor first."""
    anchors = [situation.facts.by_id[a] for a in where.anchors]
    rooms = {a.id if a.what == "room" else a.room for a in anchors} if anchors else {situation.room}
    if where.relation == CORNER:
        points = [c for room in rooms if room for c in corners(situation.house.rooms_by_id[room])]
    else:
        points = [a.middle for a in anchors if a.what != "room"]
    points = points or [(float(situation.solver.position[0]), float(situation.solver.position[1]))]
    found = []
    for name in rooms:
        if name is not None:
            room = situation.house.rooms_by_id[name]
            xs, ys = (np.arange(a + 0.3, b - 0.25, CANDIDATES) for a, b in ((room.x0, room.x1), (room.y0, room.y1)))
            found += [np.array([x, y, 0.0]) for x in xs for y in ys]
    return sorted(found, key=lambda at: min(float(np.hypot(at[0] - p[0], at[1] - p[1])) for p in points))


def _thinned(spots: np.ndarray, apart: float) -> list[np.ndarray]:
    """About one spot [2] in every square of ``apart`` metres."""
    cells = np.round(spots / apart).astype(int)
    _, first = np.unique(cells, axis=0, return_index=True)
    return [spots[i] for i in np.sort(first)]


def _moved(entity: Entity, at: np.ndarray, height: float, situation: Situation) -> Entity:
    """The entity as it would be on the floor at a place [2+]."""
    x, y, r = float(at[0]), float(at[1]), entity.disc
    room = situation.house.room_at(x, y)
    high = entity.height if height == 0.0 else height
    return replace(
        entity,
        room=room.id if room else None,
        holder="floor",
        inside=False,
        low=(x - r, y - r, 0.0),
        high=(x + r, y + r, high),
    )
