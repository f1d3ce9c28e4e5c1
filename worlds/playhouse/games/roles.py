"""Requests with one or two roles: which thing, or how many of which, and with, on or near what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from worlds.playhouse.games import nouns
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.nouns import Named
from worlds.playhouse.games.registry import Arguments, Request
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates

TARGETS_TRIED = 4  # second roles that are looked at for each first


def ask_for_one(templates: Templates, rng: np.random.Generator, things: Iterable[Named]) -> Iterator[Request]:
    for x in things:
        yield Request(templates.say(rng, x=x.words), {"things": x.choice.to_json(), "said": x.said})


def ask_for_two(
    templates: Templates,
    rng: np.random.Generator,
    things: Iterable[Named],
    targets: Callable[[], Iterator[Named]],
    fits: Callable[[Choice, Choice], bool],
) -> Iterator[Request]:
    """Yield a request for each of some things, with the first target that fits it.

    Args:
      templates: with the slots x, of the things, and y, of the target.
      targets: () -> names for the second role, in random order.
      fits: (things, target) -> whether this can be asked for and is not so already.
    """
    for x in things:
        for y, _ in zip(targets(), range(TARGETS_TRIED), strict=False):
            if not set(x.choice.among) & set(y.choice.among) and fits(x.choice, y.choice):
                arguments = {"things": x.choice.to_json(), "target": y.choice.to_json(), "said": [*x.said, *y.said]}
                yield Request(templates.say(rng, x=x.words, y=y.words), arguments)
                break


def read_one(templates: Templates, words: str, situation: Situation, most: int | None = None) -> Arguments | None:
    """Return the arguments of a request with the slot x, for loose things, ``most`` at most; None for other words."""
    for slots in templates.readings(words):
        things = loose(slots["x"], situation)
        if things is not None and (most is None or things.number <= most):
            return {"things": things.to_json()}
    return None


def read_two(
    templates: Templates, words: str, situation: Situation, target: Callable[[str, Situation], Choice | None]
) -> Arguments | None:
    """Return the arguments of a request with slots x, for loose things, and y; None for other words.

    Args:
      target: (words, situation) -> what they mean in slot y.
    """
    for slots in templates.readings(words):
        things = loose(slots["x"], situation)
        place = target(slots["y"], situation) if things is not None else None
        if things is not None and place is not None:
            apart = tuple(i for i in things.among if i not in place.among)
            number = things.number if things.is_open else len(apart)  # "the round things in the (round) bin"
            if 0 < number <= len(apart):
                return {"things": Choice(apart, number).to_json(), "target": place.to_json()}
    return None


def loose(words: str, situation: Situation) -> Choice | None:
    found = nouns.read(words, situation)
    return found if found is not None and set(found.among) <= set(situation.positions) else None


def anything(words: str, situation: Situation) -> Choice | None:
    """Return the one loose thing or piece of furniture that words mean."""
    found = nouns.read(words, situation)
    known = {*situation.positions, *situation.house.furniture_by_id}
    return found if found is not None and found.number == 1 and set(found.among) <= known else None
