"""The oracle on requests finds every kind of fault that is put into a request."""

from __future__ import annotations

import pytest

from benchmarks.requests import Oracle, judge
from worlds.contract import TaskSpec
from worlds.playhouse import PLAYHOUSE, Playhouse

SEED = 701


@pytest.fixture(scope="module")
def world() -> Playhouse:
    flat = Playhouse(height=6, width=8, views=(), settings={"preset": "flat"})
    flat.reset(seed=SEED)
    return flat


def test_requests_of_a_few_games_have_no_fault(world: Playhouse) -> None:
    counts, wrong = judge(range(702, 704), ("pick up", "put on", "bring", "go somewhere"), 2, world)
    assert wrong == [] and counts["pick up: right"] >= 2
    world.reset(seed=SEED)


def test_a_thing_that_does_not_exist_or_cannot_be_reached_is_found(world: Playhouse) -> None:
    oracle = Oracle(world)
    ghost = TaskSpec("pick up", "lift the ghost", {"things": {"among": ["ghost"], "number": 1}}, 60)
    assert any("unknown" in fault for fault in oracle.faults(ghost))
    spec = PLAYHOUSE.probe("bring", world, 0, "train")
    assert spec is not None and list(oracle.faults(spec)) == []
    oracle.floor = set()  # the solver can get nowhere
    assert any("out of reach" in fault for fault in oracle.faults(spec))


def test_what_is_so_already_is_found(world: Playhouse) -> None:
    oracle = Oracle(world)
    thing = next(t for t in world.house.objects if t.support in world.house.furniture_by_id)
    arguments = {"things": {"among": [thing.id], "number": 1}, "target": {"among": [thing.support], "number": 1}}
    assert oracle.is_done(TaskSpec("put on", "", arguments, 60))
    assert not oracle.is_done(TaskSpec("take out", "", arguments, 60))


def test_words_that_fit_another_thing_as_well_are_found(world: Playhouse) -> None:
    oracle = Oracle(world)
    kinds = [t.kind for t in world.house.objects]
    kind = next(k for k in kinds if kinds.count(k) > 1)
    thing = next(t for t in world.house.objects if t.kind == kind)
    spec = TaskSpec("pick up", f"lift the {kind}", {"things": {"among": [thing.id], "number": 1}}, 60)
    assert any("ambiguous" in fault for fault in oracle.faults(spec))
