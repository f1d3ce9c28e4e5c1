"""Stand somewhere in relation to me, and go somewhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.games import nouns
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Doing, Stance
from worlds.playhouse.games.nouns import referrer
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.games.whereabouts import (
    CORNER,
    Where,
    is_there,
    name_of_room,
    named_places,
    read_room,
    read_where,
    spot_for_player,
)
from worlds.playhouse.requests.facts import facts_of
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.requests.referring import Referrer
from worlds.playhouse.requests.success import GO_STEPS, WRONG_STEPS
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("standing")
STAND = Templates(*_WORDS["stand"])
GO = Templates(*_WORDS["go"])
GO_TO = Templates(*_WORDS["go to"])
GO_INTO = Templates(*_WORDS["go into"])
CORNERS = Templates(*_WORDS["corners"])
RELATIVE = ("near", "next to", "far from", "left of", "right of", "in front of", "behind")
NOT_THERE_YET = 0.8  # metres that the solver has to walk at least


class Standing(Doing):
    """Being at a place: the solver stands there for ``GO_STEPS`` steps; walking by is not enough.

    Taking things is regress, and so is standing still in a wrong place after having walked.
    """

    def begin(self, world: Playhouse) -> None:
        self.where = Where.of(self.spec.arguments["place"])
        self._there = self._elsewhere = 0
        self._stance = Stance(world)
        self._first = self._stance.pose
        self._told = False

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        if self.taken is not None:
            yield -1, "takes a thing when asked to go"
        stands = self._stance.is_kept(world)
        there = stands and is_there(self.where, SOLVER, facts_of(world), world.house)
        self._there = self._there + 1 if there else 0
        went = distance(self._stance.pose, self._first) > NOT_THERE_YET / 2
        self._elsewhere = self._elsewhere + 1 if stands and went and not there else 0
        if self._there >= GO_STEPS:
            yield self._succeed("stands in the right place")
        elif self._elsewhere >= WRONG_STEPS and not self._told:
            self._told = True
            yield -1, "stands in a wrong place"


def _is_to_do(situation: Situation, where: Where) -> bool:
    """Return True if the solver is not at a place, not even possibly, and can get there."""
    if is_there(where, SOLVER, situation.facts, situation.house):
        return False
    return spot_for_player(situation, where) is not None


def _propose_stand(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    words = referrer(situation, rng, modifier)
    beside_me = named_places(words, RELATIVE, [SETTER])
    room = situation.room_at(situation.setter.position)
    fixed = [f.id for f in situation.house.furniture if f.room == room and f.spec.in_the_way]
    between = named_places(words, ("between",), [SETTER, *fixed])
    while True:
        first, second = (between, beside_me) if rng.random() < BETWEEN else (beside_me, between)
        found = next(first, None) or next(second, None)
        if found is None:
            return
        if _is_to_do(situation, found.where):
            meant = {"place": found.where.to_json(), "said": found.said}
            yield Request(STAND.say(rng, place=found.words), meant)


def _propose_go(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """To rooms, to their corners, and near furniture and things."""
    words = referrer(situation, rng, modifier)
    house = situation.house
    entities = [*(r.id for r in house.rooms), *(f.id for f in house.furniture if f.spec.in_the_way), *situation.free]
    for i in rng.permutation(len(entities)).tolist():
        entity = entities[i]
        yield from _corner(situation, words, rng) if rng.random() < IN_A_CORNER else ()
        if entity in house.rooms_by_id:
            name, where, said = name_of_room(words, situation, entity), Where("in", (entity,)), []
            templates = GO_INTO
        else:
            found, where, templates = words.the(entity), Where("near", (entity,)), GO_TO
            name, said = (None, []) if found is None else (found.words, nouns.pairs(found.description))
        if name is not None and _is_to_do(situation, where):
            yield Request(templates.say(rng, x=name), {"place": where.to_json(), "said": said})


def _corner(situation: Situation, words: Referrer, rng: np.random.Generator) -> Iterator[Request]:
    room = situation.room_at(situation.setter.position)
    name = None if room is None else name_of_room(words, situation, room)
    if room is not None and name is not None and _is_to_do(situation, Where(CORNER, (room,))):
        yield Request(CORNERS.say(rng, x=name), {"place": Where(CORNER, (room,)).to_json(), "said": []})


def _read_stand(words: str, situation: Situation) -> Arguments | None:
    for slots in STAND.readings(words):
        where = None if "corner" in slots["place"].split() else read_where(slots["place"], situation)
        if where is not None:
            return {"place": where.to_json()}
    return None


def _read_go(words: str, situation: Situation) -> Arguments | None:
    for slots in CORNERS.readings(words):
        room = read_room(slots["x"], situation)
        if room is not None:
            return {"place": Where(CORNER, (room,)).to_json()}
    for slots in (slots for templates in (GO_TO, GO_INTO, GO) for slots in templates.readings(words)):
        where = read_where(slots["place"] if "place" in slots else f"near {slots['x']}", situation)
        if where is not None and where.anchors[0] in situation.house.rooms_by_id:
            where = Where("in", where.anchors)
        if where is not None:
            return {"place": where.to_json()}
    return None


BETWEEN = 0.25  # chance of asking for a place between two things rather than beside oneself
IN_A_CORNER = 0.15  # chance of asking for a corner of the room

register(
    LanguageGame(
        name="stand by",
        prompt="Ask the other player to stand in some position relative to you.",
        propose=_propose_stand,
        reads=_read_stand,
        check=Standing,
        steps=steps(75),
    )
)
register(
    LanguageGame(
        name="go somewhere",
        prompt="Ask the other player to go somewhere.",
        propose=_propose_go,
        reads=_read_go,
        check=Standing,
        steps=steps(75),
    )
)
