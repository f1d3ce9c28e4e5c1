"""Every probe, and the tower: its words are read, requests are unambiguous and true of the house, splits do not mix."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.playhouse.played import play
from worlds.contract import TaskSpec, WorldError
from worlds.playhouse import PLAYHOUSE, Playhouse
from worlds.playhouse.games.asking import is_held_out, make_task, probe, read_request
from worlds.playhouse.games.registry import PROBES, games
from worlds.playhouse.games.tower import STACKABLE
from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS
from worlds.playhouse.players.deeds import deeds
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.probes.probe import Probe, _patterns, understand
from worlds.playhouse.requests.ground_truth import describe_all
from worlds.playhouse.requests.language import NUMBERS, is_meant, resolve

ALL = tuple(name for name, game in games().items() if isinstance(game, Probe))
BLOCKS = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (3, 4), "furniture": (0, 2), "kinds": STACKABLE}
SPLITS = ("train", "held_out", None)


def house(seed: int, **settings: Any) -> Playhouse:
    world = Playhouse(height=6, width=8, views=(), settings={"rooms": (1, 3)} | settings)
    world.reset(seed=seed)
    return world


@cache
def asked(name: str) -> tuple[tuple[Playhouse, int, str | None, TaskSpec], ...]:
    """Requests of a probe in some houses, of every split."""
    seeds, settings = (12, BLOCKS) if name == "tower" else (4, {})
    worlds = [(seed, house(seed, **settings)) for seed in range(seeds)]
    found = ((world, seed, split, probe(name, world, seed, split)) for seed, world in worlds for split in SPLITS)
    return tuple((world, seed, split, spec) for world, seed, split, spec in found if spec is not None)


@pytest.mark.parametrize("name", ALL)
def test_every_template_is_read_as_it_is_meant(name: str) -> None:
    game = games()[name]
    assert isinstance(game, Probe) and name in deeds()
    named = {"x": "the small red ball on the green table", "y": "the mug", "n": "three", "where": " in this room"}
    for template in game.templates:
        opened = {"x": "an orange mug"} if name == "exist" else {"x": "red balls"} if "count" in name else {}
        opened |= {"x": "red balls"} if "{n}" in template else {}
        slots = {slot: words for slot, words in (named | opened).items() if f"{{{slot}}}" in template}
        words = template.format(**slots)
        understood = understand(words)
        assert understood is not None and (understood.name, understood.slots) == (name, slots), words
        assert words not in game.in_other_words(words)
    assert understand("sing a song") is None


@pytest.mark.parametrize("name", ALL)
def test_requests_are_json_repeatable_of_their_split_and_read_back(name: str) -> None:
    assert {split for *_, split, _ in asked(name)} == set(SPLITS)
    for world, seed, split, spec in asked(name):
        assert spec == probe(name, world, seed, split)
        assert json.loads(json.dumps(dict(spec.arguments))) == spec.arguments
        assert split is None or is_held_out(name, spec.arguments) == (split == "held_out")
        heard = read_request(spec.instruction, world)
        assert heard is not None and (heard.name, heard.max_steps) == (name, spec.max_steps)
        assert heard.arguments == spec.arguments
        understood, game = understand(spec.instruction), games()[name]
        assert understood is not None and isinstance(game, Probe)
        if "target" in spec.arguments:
            things = list(describe_all(world).values())
            for slot, role in game.roles.items():
                assert [t.id for t in resolve(understood.slots[slot], things)] == [spec.arguments[role]]


def test_answers_are_true_of_the_house_and_vary() -> None:
    answers: dict[str, set[str]] = {"color": set(), "count": set(), "exist": set()}
    for seed in range(16):
        world = house(seed, rooms=(1, 1), room_size=(6.0, 6.0), furniture=(0, 2), objects=(10, 16))
        for name, seen in answers.items():
            spec = probe(name, world, seed)
            if spec is None:
                continue
            said, number = spec.arguments, sum(is_meant(t, spec.arguments) for t in world.house.objects)
            truth = {"count": NUMBERS[number], "exist": "yes" if number else "no"}
            colour = world.house.objects_by_id[said["target"]].colour if name == "color" else ""
            assert said["answer"] == truth.get(name, colour) and said["answer"] not in spec.instruction.split()
            seen.add(said["answer"])
    assert len(answers["color"]) > 4 and len(answers["count"]) > 2 and answers["exist"] == {"yes", "no"}


@pytest.mark.parametrize("name", ALL)
def test_one_combination_in_five_is_held_out_and_every_word_is_trained(name: str) -> None:
    table = np.array([[is_held_out(name, {"colour": c, "kind": k}) for k in OBJECT_KINDS] for c in COLOURS])
    assert table.mean() == pytest.approx(0.2, abs=0.03)
    assert 0 < table.sum(axis=0).min() and table.sum(axis=0).max() < len(COLOURS) / 2
    assert 0 < table.sum(axis=1).min() and table.sum(axis=1).max() < len(OBJECT_KINDS) / 2
    assert is_held_out(name, {"colour": "martian", "kind": "zog"}) in (True, False)


def test_a_request_for_two_things_is_held_out_if_either_is() -> None:
    train, held = {"colour": "orange", "kind": "ball"}, {"next_to_colour": "red", "next_to_kind": "ball"}
    assert not is_held_out("go", train) and is_held_out("go", train | held)


def test_a_probe_of_ones_own_is_asked_read_checked_and_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one file of worlds/playhouse/probes/ registers is all that there is of it."""
    go = games()["go"]
    assert isinstance(go, Probe) and PROBES == PLAYHOUSE.probes == ALL[:-1]
    own = Probe(
        name="admire", kind="instruction", templates=("admire {x}",), options=go.options, check=go.check, steps=go.steps
    )
    monkeypatch.setitem(games(), "admire", own)  # type: ignore[arg-type]
    monkeypatch.setitem(deeds(), "admire", deeds()["go"])
    _patterns.cache_clear()
    try:
        setter, solver = ScriptedSetter(["admire"], first_request=(0, 0), follow_up=False), ScriptedSolver.perfect()
        played = play(house(0), setter, solver, 0, 60)
        asked_for = setter.requests[0][1].instruction
        assert asked_for.startswith("admire ") and played.success is not None
        assert solver.objection(asked_for) == "" != solver.objection("admire the purple piano")
    finally:
        _patterns.cache_clear()


def test_unknown_names_are_refused() -> None:
    world = house(0)
    with pytest.raises(WorldError, match="no task named 'dance'"):
        probe("dance", world, 0)
    with pytest.raises(WorldError, match="no split named 'test'"):
        probe("go", world, 0, "test")
    with pytest.raises(WorldError, match="dance"):
        make_task(TaskSpec("dance", "dance", {}, 10))
