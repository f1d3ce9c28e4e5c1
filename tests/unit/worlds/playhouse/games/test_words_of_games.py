"""The words of every game: many phrasings, none long, each read back by its game to the same meaning."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.instructions import (
    arranging,
    bringing,
    chains,
    containers,
    lifting,
    positioning,
    stacking,
    standing,
    throwing,
    touching,
    towers,
)
from worlds.playhouse.games.questions import seeing, things, truth
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.requests.lexicon import nouns
from worlds.playhouse.requests.phrasing import QUESTION_FRAMES, Phrasing, as_typed, bare

DRAWS = {"instruction": 60, "question": 200}  # whether an instruction can be followed takes long to find out
ANEW = {"instruction": 0.9, "question": 0.4}  # share of draws at least that say something else
WORDINGS, WORDING_DRAWS = 30, 200  # in how many ways a game is worded, whatever it names, in so many draws
LINKS = 20  # between the two requests of a chain, each of which has words of its own
TURNS = 4  # times that requests are proposed in each flat
GAMES = tuple(registry.games())
# What the setter does after it has spoken is a part of what this one means.
SHOWN = ("name what i point at",)
ALSO = {"clear": "take out"}  # "remove everything from the chair" asks for the same as "take the mug off the chair"


@cache
def situations() -> tuple[Situation, ...]:
    made = []
    for seed in (700, 701, 702, 703):
        world = Playhouse(height=6, width=8, views=(), settings={"preset": "flat"}, hands="full")
        world.reset(seed=seed)
        made.append(Situation(world))
    return tuple(made)


def requests(name: str, draws: int):
    """Yield requests of a game, as they are proposed in a few flats."""
    game, left = registry.get(name), draws
    for turn in range(TURNS):
        for seed, situation in enumerate(situations()):
            rng = np.random.default_rng([seed, turn])
            for request, _ in zip(game.propose(situation, rng, None), range(draws // 8), strict=False):
                yield situation, request
                left -= 1
                if left == 0:
                    return


# The words that each game is asked in, as often each as they are said, about.
WORDS: dict[str, tuple[Phrasing, ...]] = {
    "do then": (chains.THEN,),
    "pick up": (lifting.PICK_UP,),
    "touch with": (touching.TOUCH_WITH,),
    "hit with": (touching.HIT_WITH,),
    "push with": (touching.PUSH_WITH,),
    "bring": (bringing.BRING,),
    "hand over": (bringing.HAND_OVER,),
    "stand by": (standing.STAND,),
    "go somewhere": (standing.GO_TO, standing.GO_TO, standing.GO_INTO, standing.CORNERS),
    "place by": (positioning.PLACE_BY,),
    "reposition": (
        positioning.ELSEWHERE_WORDS,
        positioning.INTO_CORNER,
        positioning.INTO_ROOM,
        positioning.ON_FLOOR,
    ),
    "arrange": tuple(arranging.ARRANGE.values()),
    "line up": (arranging.LINE_UP,),
    "put on": (stacking.PUT_ON,),
    "put under": (stacking.PUT_UNDER,),
    "put in": (containers.PUT_IN,),
    "tidy": (containers.TIDY,),
    "take out": (containers.TAKE_FROM, containers.TAKE_OFF),
    "clear": (containers.CLEAR, containers.CLEAR_OFF),
    "build": (towers.BUILD, towers.COLOURS_DIFFER, towers.KINDS_DIFFER, towers.LISTED),
    "throw": (throwing.THROW,),
    "notice": (seeing.NOTICE,),
    "name objects": (seeing.NAMES, seeing.NAMES, seeing.SOME_NAMES, seeing.WHAT_IS),
    "name what i point at": (seeing.POINTED,),
    "where is": (things.WHERE,),
    "how many": (things.COUNT,),
    "color of": (things.COLOUR,),
    "same color": (things.SAME_COLOUR, things.SAME_OR_DIFFERENT),
    "compare sizes": (things.SIZE,),
    "is it so": (truth.CLAIM,),
    "how many or not": (truth.MORE_OF, *truth.COMPARISONS.values()),
    "is there": (truth.EXISTENCE,),
}


@cache
def combinations() -> re.Pattern[str]:
    """A colour and right after it the name of a kind."""
    kinds = {form: noun for noun in nouns() if noun.meaning == "kind" for form in (noun.singular, noun.plural)}
    return re.compile(rf"\b({'|'.join(COLOURS)}) ({'|'.join(sorted(kinds, key=len, reverse=True))})\b")


@pytest.mark.parametrize("name", [name for name in GAMES if name != "name what i point at"])
def test_every_combination_in_the_words_counts_for_the_split(name: str) -> None:
    """Wherever it is named: "put the mug behind the red ball" is held out where "red ball" is."""
    for _, request in requests(name, DRAWS[registry.get(name).kind]):
        said = {(colour, kind) for colour, kind in request.arguments["said"] if colour}
        for colour, words in combinations().findall(request.words):
            kinds = {k for n in nouns() if words in (n.singular, n.plural) and n.meaning == "kind" for k in n.of}
            assert said & {(colour, kind) for kind in kinds}, (request.words, request.arguments["said"])


@pytest.mark.parametrize("name", GAMES)
def test_there_are_many_wordings_whatever_is_named(name: str) -> None:
    """Slots, shapes, pronouns and words of politeness do not count."""
    rng, found = np.random.default_rng(0), set()
    for _ in range(WORDING_DRAWS):
        phrasing = WORDS[name][int(rng.integers(len(WORDS[name])))]
        ways = sorted({tuple(sorted(set(re.findall(r"{(\w+)}", text)))) for text in phrasing.texts})
        slots = ways[int(rng.integers(len(ways)))]
        said = phrasing.say(rng, **{slot: f"<{slot}>" for slot in slots})
        question = registry.get(name).kind == "question"
        said = bare(said.rstrip("?"), QUESTION_FRAMES) if question else bare(said)
        found.add(re.sub("row|circle|triangle|square", "shape", said))
    assert len(found) >= (LINKS if name == "do then" else WORDINGS), sorted(found)


@pytest.mark.parametrize("name", GAMES)
def test_requests_are_in_many_words_and_none_is_long(name: str) -> None:
    kind = registry.get(name).kind
    texts = [request.words for _, request in requests(name, DRAWS[kind])]
    kept = [text for text in texts if registry.is_short(text)]
    assert len(set(kept)) >= ANEW[kind] * len(kept) > 0, sorted(set(texts))[:40]
    assert len(kept) >= 0.8 * len(texts)


@pytest.mark.parametrize("name", [name for name in GAMES if name not in SHOWN])
def test_what_is_said_is_what_is_understood(name: str) -> None:
    """Also as people type it: a misspelled request that its game reads is read to the same meaning."""
    rng, game = np.random.default_rng(0), registry.get(name)
    for situation, request in requests(name, 12):
        found = registry.understand(request.words, situation)
        assert found is not None and found[0].name in (name, ALSO.get(name)), request.words
        meant = _meaning(request.arguments)
        if found[0].name == name:
            assert _meaning(found[1]) == meant, request.words

        def same(text: str) -> bool:
            read = game.read(text, situation)  # noqa: B023 - called at once
            return read is not None and _meaning(read) == meant  # noqa: B023

        typed = as_typed(request.words, rng, same)
        understood = registry.understand(typed, situation)
        assert understood is not None, typed


def _meaning(arguments: dict) -> dict:
    """Arguments without the words that were said."""
    return {
        role: _meaning(value) if isinstance(value, dict) else ALSO.get(value, value) if role == "game" else value
        for role, value in arguments.items()
        if role != "said"
    }
