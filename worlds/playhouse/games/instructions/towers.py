"""Build a tower of what is asked for: so many of a group, things of different colours or kinds, or specific things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from worlds.playhouse.games import nouns
from worlds.playhouse.games.choices import Choice, whole
from worlds.playhouse.games.instructions.arranging import read_list
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.prompts import ACTIVITY
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import loose
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.games.tower import FLAT, Tower, can_be_base, can_be_stacked
from worlds.playhouse.requests.lexicon import NUMBERS
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("towers")
BUILD = Templates(*_WORDS["build"])
COLOURS_DIFFER = Templates(*_WORDS["colours differ"])
KINDS_DIFFER = Templates(*_WORDS["kinds differ"])
LISTED = Templates(*_WORDS["listed"])
HEIGHTS = (2, 3)  # things in a tower that is asked for
HIGHEST = 1.1  # metres of a tower
STEPS, STEPS_EACH = 130, 60


class TowerOf(Tower):
    """Building a tower of things that are meant: ``height`` of them rest on each other, let go.

    ``different`` names what all of them have to differ in: "colour", "kind", or nothing.
    """

    def things_meant(self, world: Playhouse) -> list[str]:
        return list(Choice.of(self.spec.arguments).among)

    def tower(self, world: Playhouse) -> tuple[str, ...]:
        tower = super().tower(world)
        return tower[: len(differing(world, tower, self.spec.arguments.get("different")))]


def differing(world: Playhouse, things: Sequence[str], what: str | None) -> list[str]:
    """Return those of some things, from the first on, before one is like another in ``what`` has to differ."""
    chosen: list[str] = []
    for thing in things:
        others = {_value(world, i, what) for i in chosen}
        if what is not None and _value(world, thing, what) in others:
            break
        chosen.append(thing)
    return chosen


def pieces_for(situation: Situation, things: Choice, different: str | None) -> list[str] | None:
    """Return what the solver can build a tower of, the base first, the large before the small; None if it cannot."""
    world, records = situation.world, situation.house.objects_by_id
    able = [i for i in things.among if can_be_stacked(world, i) and situation.can_be_taken(i)]
    able.sort(key=lambda i: (situation.room_of(i) != situation.room, -records[i].radius))
    largest = max((records[i].radius for i in able), default=0.0)
    base = next((i for i in able if can_be_base(world, i, largest) and situation.can_be_built_on(i)), None)
    if base is None:
        return None
    chosen = [base]
    for piece in able:
        taken = {_value(situation.world, i, different) for i in chosen}
        if piece not in chosen and (different is None or _value(situation.world, piece, different) not in taken):
            chosen.append(piece)
    return chosen if len(chosen) >= things.number else None


def _value(world: Playhouse, thing: str, what: str | None) -> str:
    return thing if what is None else getattr(world.house.objects_by_id[thing], what)


def _can_be_built(situation: Situation, things: Choice, different: str | None = None) -> bool:
    """Return True if there are pieces for a tower, which is not too high, and they are not stacked yet."""
    pieces = pieces_for(situation, things, different)
    if pieces is None or any(not can_be_stacked(situation.world, i) for i in things.among if _is_flat(situation, i)):
        return False
    return sum(situation.house.objects_by_id[i].height for i in pieces[: things.number]) <= HIGHEST


def _is_flat(situation: Situation, thing: str) -> bool:
    return situation.house.objects_by_id[thing].kind in FLAT


def _arguments(things: Choice, said: Sequence, different: str | None = None) -> Arguments:
    arguments: Arguments = {"things": things.to_json(), "height": things.number, "said": list(said)}
    return arguments if different is None else arguments | {"different": different}


def _propose(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    free = situation.free
    flat = [i for i in situation.here if i in free and _is_flat(situation, i)]
    groups = nouns.several(situation, rng, HEIGHTS, modifier)
    for _ in range(TRIES):
        way = int(rng.integers(4))
        if way == 0:
            number = int(rng.integers(HEIGHTS[0], HEIGHTS[-1] + 1))
            named = nouns.named_things(situation, rng, flat, modifier)
            found = [n for n, _ in zip(named, range(number), strict=False)]
            things = whole([n.choice.among[0] for n in found])
            if len(found) == number and _can_be_built(situation, things):
                words = [n.words for n in found]
                listed = f"{', '.join(words[:-1])} and {words[-1]}"
                yield Request(LISTED.say(rng, list=listed), _arguments(things, [p for n in found for p in n.said]))
        elif way == 1:
            number = int(rng.integers(HEIGHTS[0], HEIGHTS[-1] + 1))
            things = Choice(free, number)
            if number <= len(free) and _can_be_built(situation, things, "kind"):
                words = KINDS_DIFFER.say(rng, n=NUMBERS[number])
                yield Request(words, _arguments(things, [], "kind"))
        else:
            group = next(groups, None)
            if group is None:
                continue
            different = "colour" if way == 2 and group.said[0][0] is None else None
            if _can_be_built(situation, group.choice, different):
                templates = BUILD if different is None else COLOURS_DIFFER
                words = templates.say(rng, x=group.words)
                yield Request(words, _arguments(group.choice, group.said, different))


def _read(words: str, situation: Situation) -> Arguments | None:
    for slots in KINDS_DIFFER.readings(words):
        if slots["n"] in NUMBERS:
            return _arguments(Choice(situation.free, NUMBERS.index(slots["n"])), [], "kind")
    for templates, different in ((COLOURS_DIFFER, "colour"), (BUILD, None)):
        for slots in templates.readings(words):
            things = loose(slots["x"], situation)
            if things is not None and len(things.among) >= 2:
                return _arguments(things if things.number > 1 else Choice(things.among, 2), [], different)
    for slots in LISTED.readings(words):
        ids = read_list(slots["list"], situation)
        if ids is not None and len(ids) >= 2:
            return _arguments(whole(ids), [])
    return None


TRIES = 60

register(
    LanguageGame(
        name="build",
        prompt=ACTIVITY,
        propose=_propose,
        reads=_read,
        check=TowerOf,
        steps=steps(STEPS, each=STEPS_EACH),
    )
)
