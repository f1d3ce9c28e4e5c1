"""The oracle on requests: it finds no fault in what is asked, and every kind of fault that is put into a request."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchmarks.oracle as oracle_package
from benchmarks.oracle.judging import Oracle
from benchmarks.oracle.scene import Body
from benchmarks.phrasings import PLACES
from benchmarks.requests import Count, asked, judge
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse
from worlds.playhouse.games.asking import Asker

GAMES = ("do then", "pick up", "put on", "stand by", "reposition", "how many", "same color", "is it so", "is there")


@pytest.fixture(scope="module")
def world() -> Playhouse:
    flat = Playhouse(height=6, width=8, views=(), settings={"preset": "flat"})
    flat.reset(seed=701)
    return flat


@pytest.fixture(scope="module")
def room() -> Playhouse:
    return Playhouse(height=6, width=8, views=(), settings=dict(PLACES["room"]), hands="full")


def request(name: str, words: str, **arguments: Any) -> TaskSpec:
    return TaskSpec(name, words, arguments, 60)


def of(*among: str) -> dict[str, Any]:
    return {"among": list(among), "number": 1}


def alike(oracle: Oracle) -> list[Body]:
    """Two things, or more, of one kind."""
    kinds = [body.kind for body in oracle.scene.loose]
    kind = next(k for k in kinds if kinds.count(k) >= 2)
    return [body for body in oracle.scene.loose if body.kind == kind]


def test_it_shares_no_code_with_those_who_ask() -> None:
    imported = set()
    for path in Path(oracle_package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("worlds"):
                imported.add(node.module)
    house = {f"worlds.playhouse.house.{name}" for name in ("catalogue", "record", "room_types")}
    assert imported <= {"worlds.contract", "worlds.playhouse"} | house


def test_requests_have_no_fault_and_nearly_all_are_judged(room: Playhouse) -> None:
    count = Count()
    for seed in (702, 703):
        judge(room, seed, GAMES, 3, count)
    assert count.wrong == [] and count.judged > 40
    assert sum(count.unjudged.values()) <= 0.05 * count.judged


def test_another_thing_or_another_answer_than_the_words_say_is_found(room: Playhouse) -> None:
    """In right requests, the thing that is meant is exchanged for another one, or the answer for a wrong one."""
    exchanged = 0
    for seed in (702, 703):
        for name, spec in asked(room, seed, GAMES, 2):
            if spec is not None and (wrong := exchange(spec, [t.id for t in room.house.objects])) is not None:
                exchanged += 1
                assert Oracle(room).judge(wrong).faults, (name, spec.instruction, wrong.arguments)
    assert exchanged > 15


def exchange(spec: TaskSpec, things: list[str]) -> TaskSpec | None:
    """The same words for another thing, or with another answer; None where neither is in the arguments."""
    arguments = dict(spec.arguments)
    if "answer" in arguments:
        other = {"yes": "no", "no": "yes", "same": "different", "different": "same"}
        answer = arguments["answer"]
        arguments["answer"] = other[answer] if isinstance(answer, str) else answer + 1
    elif len(arguments.get("things", {}).get("among", ())) == 1:
        (meant,) = arguments["things"]["among"]
        arguments["things"] = of(next(i for i in things if i != meant))
    else:
        return None
    return TaskSpec(spec.name, spec.instruction, arguments, spec.max_steps)


def test_words_that_fit_another_thing_as_well_are_found(world: Playhouse) -> None:
    oracle = Oracle(world)
    first, *others = alike(oracle)
    faults = oracle.judge(request("pick up", f"lift the {first.kind}", things=of(first.id))).faults
    assert any("ambiguous" in fault for fault in faults)
    every = of(first.id, *(body.id for body in others))
    assert oracle.judge(request("pick up", f"lift any {first.kind}", things=every)).faults == []


def test_a_thing_that_cannot_be_reached_is_found(world: Playhouse) -> None:
    oracle = Oracle(world)
    spec = next(s for i in range(9) if (s := Asker(world).ask("bring", np.random.default_rng(i))) is not None)
    assert oracle.judge(spec).faults == []
    oracle.ways.wall_off()
    assert any("out of reach" in fault for fault in oracle.judge(spec).faults)
