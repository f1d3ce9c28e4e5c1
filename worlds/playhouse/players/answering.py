"""Deeds of a scripted solver that is asked something: it looks where it must, then says what is so."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.contract import SOLVER, UTTERANCE_MAX_CHARS, silent
from worlds.playhouse.games.questions.seeing import pointed_at
from worlds.playhouse.games.questions.things import is_where, sizes_of
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.players import behaviours, looking
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.requests import answers
from worlds.playhouse.requests.descriptions import Description
from worlds.playhouse.requests.facts import Entity, Facts, facts_of
from worlds.playhouse.requests.lexicon import NUMBERS
from worlds.playhouse.requests.referring import Referrer
from worlds.playhouse.requests.views import sees
from worlds.playhouse.requests.wording import listed, place_in_words, words_for

STEADY = 2  # steps for which the setter looks at one thing before it is believed to point at it
LONGEST_WAIT = 20  # steps until it does
FEW = 3  # things that are named of those in view
MOST = 8  # things that are listed


@deed("is it so")
def is_it_so(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look at what the question is about."""
    yield from looking.look_at(body, arguments["target"])
    yield _yes_or_no(body, arguments["answer"], manner)
    return True


@deed("is there")
def is_there(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look around for it, room by room, until it is seen."""
    wanted = arguments["target"]

    def enough() -> bool:
        return any(_sees(body, i) for i in wanted)

    yield from looking.look_around_rooms(body, arguments["rooms"], enough)
    yield _yes_or_no(body, arguments["answer"], manner)
    return True


@deed("how many or not")
def how_many_or_not(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look around all the rooms that it is about."""
    yield from looking.look_around_rooms(body, arguments["rooms"])
    yield _yes_or_no(body, arguments["answer"], manner)
    return True


@deed("how many")
def how_many(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look around all the rooms that it is about, and count; people who miscount miss by one."""
    yield from looking.look_around_rooms(body, arguments["rooms"])
    number = arguments["answer"]
    others = [_number(n) for n in (number - 1, number + 1) if n >= 0]
    yield manner.say(body, _number(number), others)
    return True


@deed("color of")
def color_of(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look at it."""
    yield from looking.look_at(body, arguments["target"])
    house = body.world.house
    others = sorted({thing.colour for thing in (*house.objects, *house.furniture)})
    yield manner.say(body, arguments["answer"], others)
    return True


@deed("where is")
def where_is(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Find it, and say on, in or beside what it is, and in which room."""
    target = arguments["target"]
    yield from looking.look_at(body, target)
    facts = facts_of(body.world, SOLVER)
    elsewhere = [_whereabouts(e, facts, manner) for e in facts.of("object")[:12] if e.id != target]
    wrong = [words for words in elsewhere if not is_where(words, facts.by_id[target], facts)]
    yield manner.say(body, _whereabouts(facts.by_id[target], facts, manner), wrong)
    return True


@deed("same color")
def same_color(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look at the one, then at the other."""
    for entity_id in arguments["both"]:
        yield from looking.look_at(body, entity_id)
    same = arguments["answer"] == answers.SAME
    if arguments["yes"] is not None:
        yield _yes_or_no(body, answers.YES if same else answers.NO, manner)
    else:
        options = ("the same color", "different colors")
        yield manner.say(body, options[not same], options)
    return True


@deed("compare sizes")
def compare_sizes(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look at the one, then at the other."""
    for entity_id in arguments["both"]:
        yield from looking.look_at(body, entity_id)
    said = {answers.LARGER: "larger", answers.SMALLER: "smaller", answers.SAME: "the same size"}
    facts = facts_of(body.world, SOLVER)
    right = sizes_of(*(facts.by_id[i] for i in arguments["both"]))
    wrong = [words for meaning, words in said.items() if meaning not in right]
    yield manner.say(body, said[arguments["answer"]], wrong)
    return True


@deed("notice")
def notice(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Say what is in view, nearest first; turn on while nothing is."""
    del arguments
    for _ in range(12):
        facts = facts_of(body.world, SOLVER)
        sight = Sight.of(body.world)
        seen = {e.id for e in facts.of("object", "furniture") if sees(body.world, SOLVER, e, sight)}
        if seen:
            break
        yield silent(behaviours.turn_left(body))
    else:
        return False
    unseen = [_a(e) for e in facts.of("object") if e.id not in seen and not _is_like_any(e, seen, facts)]
    order = sorted(seen, key=lambda i: _far(body, facts.by_id[i]))
    yield manner.say(body, f"i see {listed([_a(facts.by_id[i]) for i in order[:FEW]])}", [f"i see {u}" for u in unseen])
    return True


@deed("name objects")
def name_objects(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Look around all the rooms that it is about, then list what is there."""
    yield from looking.look_around_rooms(body, arguments["rooms"])
    facts, among = facts_of(body.world, SOLVER), arguments["among"]
    if not among:
        yield manner.say(body, "nothing")
        return True
    listed_things = [_a(facts.by_id[i]) for i in among[: max(arguments["number"], min(MOST, len(among)))]]
    while len(listed(listed_things)) > UTTERANCE_MAX_CHARS:
        listed_things.pop()
    others = [_a(e) for e in facts.of("object") if e.id not in among and not _is_like_any(e, among, facts)]
    yield manner.say(body, listed(listed_things), others)
    return True


@deed("name what i point at")
def name_what_i_point_at(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Go to the setter, see where it looks, and name what is there."""
    del arguments
    yield from looking.face_what_setter_looks_at(body)
    target, steady = None, 0
    for _ in range(LONGEST_WAIT):
        before, target = target, pointed_at(body.world, facts_of(body.world, SOLVER))
        steady = steady + 1 if target is not None and before == target else 0
        if steady >= STEADY:
            break
        body.stand()
        yield silent()
    if target is None:
        return False
    facts = facts_of(body.world, SOLVER)
    yield from looking.look_at(body, target.id)
    others = [_a(e) for e in facts.of("object") if e.kind != target.kind]
    yield manner.say(body, _a(target), others)
    return True


# -- words ------------------------------------------------------------------------------------------------------------


def _yes_or_no(body: Body, answer: str, manner: Manner):
    return manner.say(body, answer, (answers.YES, answers.NO))


def _number(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def _a(entity: Entity) -> str:
    """E.g. "a red ball"."""
    return words_for(Description(noun=entity.kind, quantifier="a", colour=entity.colour))


def _whereabouts(entity: Entity, facts: Facts, manner: Manner) -> str:
    """E.g. "on the table in the living room", "on the floor next to the bed"."""
    places = Referrer(facts, manner.rng).places_of(entity)
    borne = [p for p in places if p.relation in ("on", "in") and not _names_room(p.anchors[0], facts)]
    rooms = [p for p in places if p.relation == "in" and _names_room(p.anchors[0], facts)]
    beside = [p for p in places if p not in borne and p not in rooms and not _is_about_players(p.anchors)]
    on_floor = not borne or borne[0].anchors[0].noun == "floor"
    chosen = [*borne[:1], *(beside[:1] if on_floor else ()), *rooms[:1]] or places[:1]
    return " ".join(place_in_words(place) for place in chosen) or "here"


def _names_room(description: Description, facts: Facts) -> bool:
    rooms = facts.of("room")
    return any(is_called for is_called in (description.noun in (*r.names, "this room") for r in rooms))


def _is_about_players(anchors: Sequence[Description]) -> bool:
    return any(anchor.noun in ("me", "you") for anchor in anchors)


def _is_like_any(entity: Entity, others: Sequence[str] | set[str], facts: Facts) -> bool:
    """Return True if one of the others is called by the same words."""
    return any(facts.by_id[i].kind == entity.kind for i in others)


def _sees(body: Body, entity_id: str) -> bool:
    if entity_id in body.world.house.objects_by_id:
        return body.sees(entity_id)
    return False


def _far(body: Body, entity: Entity) -> float:
    x, y = entity.middle
    return abs(x - float(body.me.position[0])) + abs(y - float(body.me.position[1]))
