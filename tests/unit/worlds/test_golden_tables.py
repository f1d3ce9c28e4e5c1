"""The tables of the worlds, and the houses, homes, scenarios and requests made of them, are those of earlier versions.

Whoever adds a kind, a scenario or a word changes a digest here on purpose; whoever moves or rewrites a table does not.
Digests of compiled scenes and of pictures are those of MuJoCo 4.0 on x86-64.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import json
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import mujoco
import numpy as np
import pytest

from worlds.contract import SETTER, SOLVER
from worlds.household import sample
from worlds.household.catalogue.classes import CLASSES
from worlds.household.homes.apartments import APARTMENTS, apartment
from worlds.household.pictures.model import parts_of
from worlds.household.tasks.goals import parse_goal
from worlds.household.tasks.language import nouns as household_nouns
from worlds.household.tasks.language import phrases
from worlds.household.tasks.language.asking import request
from worlds.household.tasks.places import places_of
from worlds.household.tasks.splits import SPLITS, goal_splits
from worlds.playhouse import Playhouse, sample_config
from worlds.playhouse.games.asking import Asker, known
from worlds.playhouse.games.registry import MODULES
from worlds.playhouse.house import catalogue, colours, parts, room_types
from worlds.playhouse.house.record import House
from worlds.playhouse.house.settings import PRESETS
from worlds.playhouse.physics.scene import build
from worlds.playhouse.requests import answers, language, lexicon, remarks, spelling
from worlds.playhouse.requests.phrasing import Phrasing
from worlds.playhouse.scenarios.appendix_b import scenarios
from worlds.playhouse.scenarios.posing import pose

PLACES: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "crowded": {"rooms": (5, 5), "furniture": (10, 14), "objects": (40, 40)},
    **{name: {"preset": name} for name in PRESETS},
    "doors": {"preset": "house", "door_leaves": 0.7, "objects": (20, 30)},
    "wished": {"preset": "flat", "include": ("red drum in the playroom", "bin", "yellow rack")},
}


def catalogues() -> Iterator[Any]:
    """Everything that is written down of houses."""
    yield catalogue.OBJECT_KINDS, catalogue.FURNITURE_KINDS, catalogue.PLAIN_KINDS, catalogue.PLAIN_FURNITURE_KINDS
    yield colours.COLOURS, colours.PLAIN_COLOURS, colours.FLOORS, colours.PLAIN_FLOORS, colours.FLOOR_FINISHES
    yield parts.PAINTS, room_types.ROOM_TYPES, PRESETS


def words() -> Iterator[Any]:
    """Everything that is written down of the Playhouse's language."""
    yield lexicon.nouns(), sorted(lexicon.CLAUSES.items()), lexicon.IN_ROOM, lexicon.NUMBERS, lexicon.vocabulary()
    yield lexicon.colour_words(), lexicon.NEIGHBOURS
    for table in (
        lexicon.RELATION_FORMS,
        lexicon.SIZE_FORMS,
        lexicon.SHAPE_FORMS,
        lexicon.EXTREMES,
        lexicon.QUANTIFIERS,
    ):
        yield [(meaning, forms.said, forms.every) for meaning, forms in table.items()]
    yield remarks.REMARKS, spelling.SPELLINGS, language.TEMPLATES, answers.ANSWER_WORDS


def phrasings() -> Iterator[Any]:
    """Every way to say every request of the language games."""
    for module in MODULES:
        game = vars(importlib.import_module(f"worlds.playhouse.games.{module}"))
        yield sorted((name, each.texts) for name, each in game.items() if isinstance(each, Phrasing))


def looks() -> Iterator[Any]:
    """Parts of which the things of the household are drawn."""
    yield from ((each.name, parts_of(each)) for each in CLASSES)


def houses() -> Iterator[Any]:
    """Houses of some seeds, for all presets."""
    for name, settings in PLACES.items():
        for seed in range(20):
            yield name, seed, sample_config(seed, **settings)


def scenes() -> Iterator[Any]:
    """Compiled houses, and what both players see when an episode begins."""
    for name, settings in PLACES.items():
        scene = build(House.from_json(sample_config(7, **settings)))
        model, picture = scene.model, scene.picture
        for each in (model, picture):
            yield name, each.geom_pos, each.geom_size, each.geom_rgba, each.geom_type
        yield model.geom_quat, model.body_mass, model.body_inertia, model.body_pos, model.geom_contype, scene.finish
        world = Playhouse(72, 96, views=(SETTER, SOLVER), settings=dict(settings))
        observations, _ = world.reset(seed=7)
        yield [np.asarray(observations[player]["image"]) for player in (SETTER, SOLVER)]
        world.close()


def lines() -> Iterator[Any]:
    """Scenarios, each with the house of a seed."""
    for number, line in scenarios().items():
        yield number, line, pose(line, 3)


def homes() -> Iterator[Any]:
    """Classes, apartments, goals, places, and configurations of episodes of the household."""
    yield CLASSES, goal_splits(), [(each.name, places_of(each.name)) for each in CLASSES]
    yield {name: value for name, value in vars(phrases).items() if name.isupper() and name[0] != "_"}
    yield [household_nouns.singulars(each.name) for each in CLASSES]
    for name in APARTMENTS:
        home, state = apartment(name)
        yield name, home.ids, home.kind, home.size, home.yaw, home.between, home.persons
        yield state.held, state.parent, state.room, state.conditions, state.centre, state.facing
        for seed in range(3):
            for split in SPLITS:
                config = sample(seed, homes=(name,), split=split)
                goal = parse_goal(config["task"]["goal"], home.classes)
                yield config, [request(goal, np.random.default_rng(i), own=bool(i % 2)) for i in range(6)]


def requests() -> Iterator[Any]:
    """Requests of every task and game in a few houses."""
    for name, seeds in (("plain", 3), ("flat", 3), ("house", 1)):
        world = Playhouse(6, 8, views=(), settings=dict(PLACES[name]), hands="full")
        world.reset(seed=5)
        asker = Asker(world)
        for task in known():
            for seed in range(seeds):
                yield name, task, asker.ask(task, np.random.default_rng(seed))
        world.close()


GOLDEN: Mapping[Callable[[], Iterator[Any]], str] = {
    catalogues: "d571a36d66811221fbf03fdebb1a6d7d",
    words: "f7f94684e6d96d5c9d9762278d570007",
    phrasings: "3284f7991bbc84484d694d2d75dd1402",
    looks: "b37bb008ab72a7ba60c0a018be55099e",
    houses: "25f038237a1652c888b76b5393aaf90a",
    scenes: "3bad6b02e2cbee7aff14a0d2217d75fe",
    lines: "c6f287e3bbb3b124b8ea661b3ca14a81",
    homes: "c29434d5769559a9cb70958076823e63",
    requests: "33112fb4738931ee1c6a4bd35b15bff4",
}


def plain(value: Any) -> Any:
    """Return a value as JSON: numbers as floats, mappings in their order, sets sorted, arrays by their bytes."""
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, [[f.name, plain(getattr(value, f.name))] for f in fields(value)]]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if isinstance(value, enum.Enum):
        return int(value.value)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | np.number):
        return float(value)
    if isinstance(value, Mapping):
        return [[plain(key), plain(item)] for key, item in value.items()]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=json.dumps)
    return [plain(item) for item in value]


@pytest.mark.parametrize("made", GOLDEN, ids=lambda made: made.__name__)
def test_what_is_made_of_the_tables_is_that_of_earlier_versions(made: Callable[[], Iterator[Any]]) -> None:
    if made is scenes and (platform.machine() != "x86_64" or not mujoco.__version__.startswith("4.0.")):
        pytest.skip("digests of MuJoCo 4.0, x86-64")
    found = hashlib.sha256()
    for each in made():
        found.update(json.dumps(plain(each)).encode())
    assert found.hexdigest()[:32] == GOLDEN[made]
