"""Put things into something, take them out again, clear a piece of furniture, tidy things away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from worlds.playhouse.games import containing, nouns
from worlds.playhouse.games.choices import Choice, whole
from worlds.playhouse.games.instructions.stacking import is_on
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.prompts import ACTIVITY
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import anything, ask_for_two, loose, read_two
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.requests.relations import holders
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("containers")
PUT_IN = Templates(*_WORDS["put in"])
ALSO_HEARD_IN = Templates(*_WORDS["also heard in"])  # people say it
TIDY = Templates(*_WORDS["tidy"])
TAKE_FROM = Templates(*_WORDS["take from"])
TAKE_OFF = Templates(*_WORDS["take off"])
TAKE_OUT = Templates(*_WORDS["take out"])
CLEAR = Templates(*_WORDS["clear"])
CLEAR_OFF = Templates(*_WORDS["clear off"])
CLEAR_OUT = Templates(*_WORDS["clear out"])
MOST_CLEARED = 4  # things on or in what is to be cleared


class PutIn(Moving):
    """Putting in: so many of the things are, let go, in the container."""

    done_reason = "puts it into the right thing"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        targets = Choice.of(self.spec.arguments, "target").among
        return self.lies_still(world, object_id) and any(is_in(world, object_id, target) for target in targets)


class TakeOut(Moving):
    """Taking out or off: so many of the things rest, let go, neither in nor on the target."""

    done_reason = "takes it out and puts it down elsewhere"

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        targets = Choice.of(self.spec.arguments, "target").among
        return self.lies_still(world, object_id) and not any(is_at(world, object_id, target) for target in targets)


def is_in(world: Playhouse, object_id: str, target: str) -> bool:
    return object_id != target and is_container(world, target) and world.inside(object_id, target)


def is_at(world: Playhouse, object_id: str, target: str) -> bool:
    """Return True if a thing is in or on another, or a piece of furniture."""
    return is_in(world, object_id, target) or is_on(world, object_id, target)


def is_container(world: Playhouse, entity: str) -> bool:
    """Return True if things can be put into a loose thing or a piece of furniture."""
    house = world.house
    record = house.objects_by_id.get(entity) or house.furniture_by_id[entity]
    return record.spec.inside is not None


def _containers(situation: Situation) -> list[str]:
    house = situation.house
    entities = [*situation.free, *(f.id for f in house.furniture)]
    return [i for i in entities if is_container(situation.world, i)]


def _fit(situation: Situation, things: Choice, target: Choice) -> bool:
    """Return True if enough of the things can be taken and go into the container, and none is in it."""
    (container,) = target.among
    able = [i for i in things.among if situation.can_be_taken(i)]
    if len(able) < things.number or any(is_in(situation.world, i, container) for i in things.among):
        return False
    if not containing.go_in(situation, container, able, things.number):
        return False
    return all(containing.into_container(situation, i, container) is not None for i in able)


def _propose_in(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    containers = _containers(situation)
    if containers:
        things = nouns.one_or_more(situation, rng, (2,), modifier)
        targets = lambda: nouns.named_things(situation, rng, containers, modifier)  # noqa: E731
        fits = lambda x, y: _fit(situation, x, y)  # noqa: E731
        yield from agreeing(ask_for_two(PUT_IN, rng, things, targets, fits))


def _propose_tidy(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """All of a group."""
    containers = _containers(situation)
    if containers:
        things = (x for x in nouns.several(situation, rng, (2, 3), modifier) if not x.choice.is_open)
        targets = lambda: nouns.named_things(situation, rng, containers, modifier)  # noqa: E731
        fits = lambda x, y: _fit(situation, x, y)  # noqa: E731
        yield from agreeing(ask_for_two(TIDY, rng, things, targets, fits))


def agreeing(requests: Iterator[Request]) -> Iterator[Request]:
    """Yield those requests whose pronoun agrees with the number of things."""
    for request in requests:
        many = request.arguments["things"]["number"] > 1
        words = request.words.split()
        if not ("it" in words if many else "them" in words):
            yield request


def _load(situation: Situation, target: str) -> list[str]:
    """Ids of the things in or on something that can be taken from it."""
    found = [i for i in situation.free if i != target and is_at(situation.world, i, target)]
    return [i for i in found if situation.can_be_taken(i)]


def _loaded(situation: Situation) -> list[str]:
    entities = [*_containers(situation), *(f.id for f in situation.house.furniture if f.spec.surfaces)]
    facts = situation.facts

    def bears(target: str) -> bool:
        """Whether all that is over something is on it or in it, rather than on a plank across it."""
        return all(target in holders(facts.by_id[i], facts) for i in _all_at(situation, target))

    return [i for i in dict.fromkeys(entities) if _load(situation, i) and bears(i)]


def _propose_out(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """One thing by name, or all of them."""
    for target in nouns.named_things(situation, rng, _loaded(situation), modifier):
        load = _load(situation, target.choice.among[0])
        one = next(nouns.named_things(situation, rng, load, modifier), None)
        complete = len(load) == len(_all_at(situation, target.choice.among[0])) <= MOST_CLEARED
        if complete and rng.random() < ALL:
            choice, words, said = whole(load), ("all objects", "all the things")[int(rng.integers(2))], []
        elif one is not None:
            choice, words, said = one.choice, one.words, one.said
        else:
            continue
        arguments = {"things": choice.to_json(), "target": target.choice.to_json(), "said": [*said, *target.said]}
        templates = _fitting((TAKE_FROM, TAKE_OFF, TAKE_OUT), situation, choice.among, target.choice.among[0], rng)
        request = Request(templates.say(rng, x=words, y=target.words), arguments)
        yield from agreeing(iter((request,)))


def _propose_clear(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    for target in nouns.named_things(situation, rng, _loaded(situation), modifier):
        load = _load(situation, target.choice.among[0])
        if len(load) == len(_all_at(situation, target.choice.among[0])) <= MOST_CLEARED:
            arguments = {"things": whole(load).to_json(), "target": target.choice.to_json(), "said": target.said}
            templates = _fitting((CLEAR, CLEAR_OFF, CLEAR_OUT), situation, load, target.choice.among[0], rng)
            yield Request(templates.say(rng, y=target.words), arguments)


def _fitting(
    templates: tuple[Templates, Templates, Templates],
    situation: Situation,
    things: Sequence[str],
    target: str,
    rng: np.random.Generator,
) -> Templates:
    """Of words of any sense, for what is on and for what is in something, some that fit where things are."""
    either, on, inside = templates
    among = [is_in(situation.world, i, target) for i in things]
    if rng.random() < NEUTRAL or (any(among) and not all(among)):
        return either
    return inside if all(among) else on


def _all_at(situation: Situation, target: str) -> list[str]:
    return [i for i in situation.positions if i != target and is_at(situation.world, i, target)]


def _read_in(words: str, situation: Situation) -> Arguments | None:
    read = (read_two(templates, words, situation, _container_meant) for templates in (PUT_IN, ALSO_HEARD_IN))
    return next((found for found in read if found is not None), None)


def _read_out(words: str, situation: Situation) -> Arguments | None:
    for slots in (slots for templates in (TAKE_OUT, TAKE_OFF, TAKE_FROM) for slots in templates.readings(words)):
        if slots["x"] == "everything":  # a request to clear it
            return None
        things, target = loose(slots["x"], situation), anything(slots["y"], situation)
        if things is not None and target is not None:
            at = [i for i in things.among if any(is_at(situation.world, i, t) for t in target.among)]
            number = min(len(at), things.number)
            if at:
                return {"things": Choice(tuple(at), number).to_json(), "target": target.to_json()}
    return None


def _read_clear(words: str, situation: Situation) -> Arguments | None:
    for slots in (slots for templates in (CLEAR_OFF, CLEAR_OUT, CLEAR) for slots in templates.readings(words)):
        target = anything(slots["y"], situation)
        load = [] if target is None else _all_at(situation, target.among[0])
        if target is not None and load:
            return {"things": whole(load).to_json(), "target": target.to_json()}
    return None


def _container_meant(words: str, situation: Situation) -> Choice | None:
    """The container that words mean, as where things are put: "the bin", not "the room"."""
    found = anything(words, situation)
    return found if found is not None and all(is_container(situation.world, i) for i in found.among) else None


NEUTRAL = 0.4  # chance of words such as "from", whether things are on or in something
ALL = 0.5  # chance of asking for all things rather than one of them

register(
    LanguageGame(
        name="put in",
        prompt=ACTIVITY,
        propose=_propose_in,
        reads=_read_in,
        check=PutIn,
        steps=steps(150, each=80),
    )
)
register(
    LanguageGame(
        name="tidy",
        prompt=ACTIVITY,
        propose=_propose_tidy,
        reads=lambda words, situation: read_two(TIDY, words, situation, _container_meant),
        check=PutIn,
        steps=steps(150, each=80),
    )
)
register(
    LanguageGame(
        name="take out",
        prompt=ACTIVITY,
        propose=_propose_out,
        reads=_read_out,
        check=TakeOut,
        steps=steps(130, each=70),
    )
)
register(
    LanguageGame(
        name="clear",
        prompt=ACTIVITY,
        propose=_propose_clear,
        reads=_read_clear,
        check=TakeOut,
        steps=steps(130, each=70),
    )
)
