"""Requests in anybody's words: what scripted setters mean is read in what they say, and nothing in other words."""

from __future__ import annotations

import pytest

from pipelines.presets.demo import WORLD
from worlds import registry
from worlds.contract import TaskSpec, World
from worlds.playhouse.games.asking import known, make_task, probe
from worlds.playhouse.games.hearing import read_request

_SEEN = "name what i point at"  # its words mean what the setter looks at, which it has not turned to yet


@pytest.fixture(scope="module")
def world() -> World:
    (made,) = WORLD.make(1, images=False)
    return made


def at(world: World, seed: int) -> World:
    world.reset(seed=0, options={"config": WORLD.sample_config(seed)})
    return world


def meaning(spec: TaskSpec) -> dict[str, object]:
    return {name: value for name, value in spec.arguments.items() if name != "said"}


def test_what_is_asked_is_read_as_it_was_meant(world: World) -> None:
    names = set()
    for seed in range(6):
        for name in (name for name in known() if name != _SEEN):
            asked = probe(name, at(world, seed), seed)
            if asked is None:
                continue
            heard = read_request(asked.instruction, world)
            assert heard is not None and heard.instruction == asked.instruction
            if heard.name == name:  # "lift the red ball" is a request of two kinds
                assert meaning(heard) == meaning(asked) and heard.max_steps == asked.max_steps
                names.add(name)
            make_task(heard).update(world, "")
    assert set(registry.get("playhouse").probes) <= names and len(names) > 20


@pytest.mark.parametrize(
    "words",
    ["", "the", "hello there", "lift the purple piano", "what color is the unicorn?", "ck red nex walk", "well done!"],
)
def test_other_words_are_no_request(world: World, words: str) -> None:
    assert read_request(words, at(world, 0)) is None


def test_words_that_fit_two_things_are_no_probe(world: World) -> None:
    for seed in range(40):
        kinds = [thing.kind for thing in at(world, seed).house.objects]  # type: ignore[attr-defined]
        twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
        if twice is not None:
            break
    assert twice is not None
    for words in (f"what color is the {twice}?", f"lift the {twice}", f"go to the {twice}"):
        heard = read_request(words, world)
        assert heard is None or heard.name not in registry.get("playhouse").probes
