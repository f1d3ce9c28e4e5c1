"""The words of every game: many phrasings, none long, each read back to the same meaning; people's words are read."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from worlds import registry as worlds
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.asking import read_request
from worlds.playhouse.games.rewording import rewordings
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.requests.lexicon import nouns
from worlds.playhouse.requests.phrasing import as_typed

DRAWS = {"instruction": 20, "question": 60}  # whether an instruction can be followed takes long to find out
ANEW = {"instruction": 0.9, "question": 0.4}  # share of draws at least that say something else
TURNS = 4  # times that requests are proposed in each flat
GAMES = tuple(registry.language_games())
SHOWN = "name what i point at"  # what the setter does after it has spoken is a part of what this one means
ALSO = {"clear": "take out"}  # "remove everything from the chair" asks for the same as "take the mug off the chair"
HOUSE = {
    "preset": "house",
    "room_types": ("living room", "bedroom", "playroom", "bathroom", "pantry"),
    "include": (
        "tennis ball in the playroom", "pink ball in the living room", "candle in the living room", "green rocket",
        "mug in the living room", "orange duck in the bathroom", "yellow duck", "tissue roll in the pantry",
        "grey pillow in the bedroom", "red lamp in the living room", "purple book in the living room",
        "footrest in the living room",
    ),
}  # fmt: skip


def entered(seed: int, **settings) -> Playhouse:
    world = Playhouse(height=6, width=8, views=(), settings=settings, hands="full")
    world.reset(seed=seed)
    return world


@cache
def situations() -> tuple[Situation, ...]:
    return tuple(Situation(entered(seed, preset="flat")) for seed in (700, 701, 702, 703))


@cache
def house() -> Situation:
    return Situation(entered(0, **HOUSE))


def requests(name: str, draws: int):
    """Yield requests of a game, as they are proposed in a few flats."""
    game, left = registry.language_games()[name], draws
    for turn in range(TURNS):
        for seed, situation in enumerate(situations()):
            proposed = game.propose(situation, np.random.default_rng([seed, turn]), None)
            for request, _ in zip(proposed, range(draws // 8), strict=False):
                yield situation, request
                left -= 1
                if left == 0:
                    return


def meaning(arguments) -> dict:
    """Arguments without the words that were said."""
    return {
        role: meaning(value) if isinstance(value, dict) else ALSO.get(value, value) if role == "game" else value
        for role, value in arguments.items()
        if role != "said"
    }


@cache
def combinations() -> re.Pattern[str]:
    """A colour and right after it the name of a kind."""
    kinds = {form for noun in nouns() if noun.meaning == "kind" for form in (noun.singular, noun.plural)}
    return re.compile(rf"\b({'|'.join(COLOURS)}) ({'|'.join(sorted(kinds, key=len, reverse=True))})\b")


@pytest.mark.parametrize("name", GAMES)
def test_requests_are_in_many_words_and_every_combination_in_them_counts_for_the_split(name: str) -> None:
    """Wherever it is named: "put the mug behind the red ball" is held out where "red ball" is."""
    kind = registry.get(name).kind
    found = [request for _, request in requests(name, DRAWS[kind])]
    kept = [request.words for request in found if registry.is_short(request.words)]
    assert len(set(kept)) >= ANEW[kind] * len(kept) > 0, sorted(set(kept))[:40]
    assert len(kept) >= 0.8 * len(found)
    for request in found if name != SHOWN else ():
        said = {(colour, kind) for colour, kind in request.arguments["said"] if colour}
        for colour, words in combinations().findall(request.words):
            kinds = {k for n in nouns() if words in (n.singular, n.plural) and n.meaning == "kind" for k in n.of}
            assert said & {(colour, kind) for kind in kinds}, (request.words, request.arguments["said"])


@pytest.mark.parametrize("name", [name for name in GAMES if name != SHOWN])
def test_what_is_said_is_what_is_understood(name: str) -> None:
    """Also as people type it: a misspelled request that its game reads is read to the same meaning."""
    rng, game = np.random.default_rng(0), registry.get(name)
    for situation, request in requests(name, 12):
        found = registry.understand(request.words, situation)
        assert found is not None and found[0].name in (name, ALSO.get(name)), request.words
        meant = meaning(request.arguments)
        assert found[0].name != name or meaning(found[1]) == meant, request.words

        def same(text: str) -> bool:
            read = game.read(text, situation)  # noqa: B023 - called at once
            return read is not None and meaning(read) == meant  # noqa: B023

        typed = as_typed(request.words, rng, same)
        assert registry.understand(typed, situation) is not None, typed


@pytest.mark.parametrize(
    "words",
    ["", "the", "hello there", "lift the purple piano", "what color is the unicorn?", "ck red nex walk", "well done!"],
)
def test_other_words_are_no_request(words: str) -> None:
    assert read_request(words, situations()[0].world) is None


@pytest.mark.parametrize("words", ["what color is the {}?", "lift the {}", "go to the {}"])
def test_words_that_fit_two_things_are_no_probe(words: str) -> None:
    world = situations()[0].world
    kinds = [thing.kind for thing in world.house.objects]
    twice = next(kind for kind in kinds if kinds.count(kind) > 1)
    heard: TaskSpec | None = read_request(words.format(twice), world)
    assert heard is None or heard.name not in worlds.get("playhouse").probes


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("put three white objects in a row in the playroom?", "put three white objects in the playroom in a row"),
        ("take 4 books and form a square in living room", "take 4 books in living room and form a square"),
        ("place three pillows in a row on floor", "put three pillows in a row"),
        ("form a triangle shape on bedroom floor by using cushions", "form a triangle with cushions"),
        ("build a tower in the rest room?", "build a tower with two objects in the rest room"),
        ("find white colored robot in this house and go near to it", "go to white colored robot in this house"),
        ("bring a mirror frame for me", "bring me a mirror frame"),
        ("lift the drum and place on the blue pillow?", "put the drum on the blue pillow"),
        ("bring me 2 tissue rolls from pantry to living room", "bring me 2 tissue rolls from pantry"),
        ("put the mug on the table in the kitchen", None),
    ],
)
def test_what_people_write_is_reworded(said: str, read: str | None) -> None:
    assert said not in list(rewordings(said)) and (read is None or read in list(rewordings(said)))


@pytest.mark.parametrize(
    ("question", "game"),
    [
        ("What are you noticing at right now?", "notice"),
        ("Count the number of objects which flys in the sky in the bed room?", "how many"),
        ("Count the pointy objects in the living room", "how many"),
        ("How many white colour objects are there n living room", "how many"),
        ("Tell me the count of candles", "how many"),
        ("Where is the orange duck in the wash room", "where is"),
        ("Where is yellow duck present in house", "where is"),
        ("Where is green color flying object in living room", "where is"),
        ("Is there five green color objects were present in the bed room or not", "how many or not"),
        ("Does there is the red object between the ball and candle in the living room?", "is there"),
        ("Is there a musical instrument in play room", "is there"),
        ("Wether mug exists in living room", "is there"),
        ("What is the color of the footrest in living room?", "color of"),
        ("Tell me the names of playing objects in living room.", "name objects"),
    ],
)
def test_questions_of_people_are_read_as_what_they_are(question: str, game: str) -> None:
    """Verbatim from appendix B: what people asked the paper's agents."""
    found = registry.understand(question, house())
    assert found is not None and found[0].name == game
