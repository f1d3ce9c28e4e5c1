"""Position something in relation to something else, and reposition it anywhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.contract import SETTER, TaskSpec
from worlds.playhouse.games import nouns
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.geometry import is_on_floor
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import loose
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.games.whereabouts import (
    AWAY,
    CORNER,
    ELSEWHERE,
    Where,
    is_there,
    is_there_as_asked,
    name_of_room,
    named_places,
    read_room,
    read_where,
    spot_for_thing,
)
from worlds.playhouse.requests.facts import facts_of
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("positioning")
PLACE_BY = Templates(*_WORDS["place by"])
ELSEWHERE_WORDS = Templates(*_WORDS["elsewhere"])
INTO_CORNER = Templates(*_WORDS["into corner"])
INTO_ROOM = Templates(*_WORDS["into room"])
ON_FLOOR = Templates(*_WORDS["on floor"])
BESIDE = ("left of", "right of", "in front of", "behind", "near", "far from", "next to")
BETWEEN = 0.2  # chance of asking for a place between two things
FLOOR_PLACE = Where("on", ("floor",))
WAYS = 4  # of repositioning things


class PlaceBy(Moving):
    """Positioning: the thing rests, let go, on the floor or a surface, in the relation that is asked for."""

    done_reason = "puts it in the right place"

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self.where = Where.of(spec.arguments["place"])

    def begin(self, world: Playhouse) -> None:
        super().begin(world)
        self._asked = facts_of(world)

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        if not self.lies_still(world, object_id):
            return False
        if self.where.relation == AWAY:
            return distance(world.object_position(object_id), self.start[object_id]) >= ELSEWHERE
        if self.where == FLOOR_PLACE:
            return is_on_floor(world.house, object_id, world.object_position(object_id))
        return is_there_as_asked(self.where, object_id, facts_of(world), self._asked, world.house)


def _is_to_do(situation: Situation, things: Choice, where: Where) -> bool:
    """Return True if a thing that is meant can be taken to a place where none of them is, not even possibly."""
    able = [i for i in things.among if situation.can_be_taken(i)]
    if not able or set(things.among) & set(where.anchors):
        return False
    if where == FLOOR_PLACE:
        if any(is_on_floor(situation.house, i, situation.positions[i]) for i in things.among):
            return False
        return all(spot_for_thing(situation, i, Where("in", (situation.room_of(i) or "",))) is not None for i in able)
    if where.relation != AWAY:
        there = (is_there(where, i, situation.facts, situation.house) for i in things.among)
        if any(there):
            return False
    return all(spot_for_thing(situation, i, where) is not None for i in able)


def _propose_place_by(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    words = nouns.referrer(situation, rng, modifier)
    room = situation.room
    fixed = [f.id for f in situation.house.furniture if f.room == room and f.spec.in_the_way]
    lying = [i for i in situation.here if i in situation.free]
    lying = [i for i in lying if is_on_floor(situation.house, i, situation.positions[i])]
    for thing in nouns.singles(situation, rng, modifier):
        relations = ("between",) if rng.random() < BETWEEN else BESIDE
        anchors = [SETTER, *fixed, *rng.permutation(lying)[:3].tolist()]
        for place, _ in zip(named_places(words, relations, anchors), range(4), strict=False):
            if _is_to_do(situation, thing.choice, place.where):
                meant = {"things": thing.choice.to_json(), "place": place.where.to_json()}
                said = {"said": [*thing.said, *place.said]}
                yield Request(PLACE_BY.say(rng, x=thing.words, place=place.words), meant | said)
                break


def _propose_reposition(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """Anywhere else, into a corner, into another room, down to the floor."""
    rooms = [room.id for room in situation.house.rooms]
    words = nouns.referrer(situation, rng, modifier)
    for thing in nouns.singles(situation, rng, modifier):
        way, room = int(rng.integers(WAYS)), rooms[int(rng.integers(len(rooms)))]
        name = name_of_room(words, situation, room) if way in (1, 2) else ""
        if name is None:
            continue
        if way == 0:
            said, where = ELSEWHERE_WORDS.say(rng, x=thing.words), Where(AWAY)
        elif way == 1:
            said, where = INTO_CORNER.say(rng, x=thing.words, y=name), Where(CORNER, (room,))
        elif way == 2:
            said, where = INTO_ROOM.say(rng, x=thing.words, y=name), Where("in", (room,))
        else:
            said, where = ON_FLOOR.say(rng, x=thing.words), FLOOR_PLACE
        if _is_to_do(situation, thing.choice, where):
            yield Request(said, {"things": thing.choice.to_json(), "place": where.to_json(), "said": thing.said})


def _read_place_by(words: str, situation: Situation) -> Arguments | None:
    for slots in PLACE_BY.readings(words):
        things = loose(slots["x"], situation)
        where = read_where(slots["place"], situation) if things is not None and things.number == 1 else None
        if things is not None and where is not None and where.relation in (*BESIDE, "between"):
            return {"things": things.to_json(), "place": where.to_json()}
    return None


def _read_reposition(words: str, situation: Situation) -> Arguments | None:
    for templates, place in ((ELSEWHERE_WORDS, Where(AWAY)), (ON_FLOOR, FLOOR_PLACE)):
        for slots in templates.readings(words):
            things = loose(slots["x"], situation)
            if things is not None and things.number == 1:
                return {"things": things.to_json(), "place": place.to_json()}
    for templates, relation in ((INTO_CORNER, CORNER), (INTO_ROOM, "in")):
        for slots in templates.readings(words):
            things, room = loose(slots["x"], situation), read_room(slots["y"], situation)
            if things is not None and room is not None and things.number == 1:
                return {"things": things.to_json(), "place": Where(relation, (room,)).to_json()}
    return None


register(
    LanguageGame(
        name="place by",
        prompt="Ask the other player to position something relative to something else.",
        propose=_propose_place_by,
        reads=_read_place_by,
        check=PlaceBy,
        steps=steps(150),
    )
)
register(
    LanguageGame(
        name="reposition",
        prompt="Ask the other player to reposition something in the room.",
        propose=_propose_reposition,
        reads=_read_reposition,
        check=PlaceBy,
        steps=steps(150),
    )
)
