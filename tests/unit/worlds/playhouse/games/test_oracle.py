"""The oracle on requests finds every kind of fault that is put into a request, and reads words in all their ways."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchmarks.oracle as oracle_package
from benchmarks.oracle.judging import Oracle
from benchmarks.oracle.meaning import Meaning
from benchmarks.oracle.phrases import Reader
from benchmarks.oracle.scene import Body
from benchmarks.oracle.sentences import bare, instructions
from benchmarks.phrasings import PLACES
from benchmarks.requests import Count, asked, judge
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse
from worlds.playhouse.games.asking import Asker

SEED = 701
SOME_GAMES = (
    "do then",
    "pick up",
    "put on",
    "stand by",
    "reposition",
    "how many",
    "same color",
    "is it so",
    "is there",
)


@pytest.fixture(scope="module")
def world() -> Playhouse:
    flat = Playhouse(height=6, width=8, views=(), settings={"preset": "flat"})
    flat.reset(seed=SEED)
    return flat


@pytest.fixture(scope="module")
def oracle(world: Playhouse) -> Oracle:
    return Oracle(world)


def request(name: str, words: str, **arguments: Any) -> TaskSpec:
    return TaskSpec(name, words, arguments, 60)


def of(*among: str, number: int = 1) -> Mapping[str, Any]:
    return {"among": list(among), "number": number}


def alike(oracle: Oracle, number: int = 2) -> list[Body]:
    """So many things, or more, of one kind."""
    kinds = [body.kind for body in oracle.scene.loose]
    kind = next(k for k in kinds if kinds.count(k) >= number)
    return [body for body in oracle.scene.loose if body.kind == kind]


def single(oracle: Oracle) -> Body:
    """A thing that is the only one of its kind, in reach of the solver."""
    kinds = [body.kind for body in oracle.scene.loose]
    return next(b for b in oracle.scene.loose if kinds.count(b.kind) == 1 and oracle.ways.can_be_got_at(b.id))


def test_requests_have_no_fault_and_nearly_all_are_judged() -> None:
    count = Count()
    room = Playhouse(height=6, width=8, views=(), settings=dict(PLACES["room"]), hands="full")
    for seed in (702, 703):
        judge(room, seed, SOME_GAMES, 3, count)
    assert count.wrong == [] and count.judged > 40
    assert sum(count.unjudged.values()) <= 0.05 * count.judged


def test_another_thing_or_another_answer_than_the_words_say_is_found() -> None:
    """In right requests, the thing that is meant is exchanged for another one, or the answer for a wrong one."""
    room = Playhouse(height=6, width=8, views=(), settings=dict(PLACES["room"]), hands="full")
    exchanged = 0
    for seed in (702, 703):
        for name, spec in asked(room, seed, SOME_GAMES, 2):
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


def test_it_shares_no_code_with_those_who_ask() -> None:
    imported = set()
    for path in Path(oracle_package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("worlds"):
                imported.add(node.module)
    assert imported <= {"worlds.contract", "worlds.playhouse"} | {
        f"worlds.playhouse.house.{name}" for name in ("catalogue", "record", "room_types")
    }


def test_words_that_fit_another_thing_as_well_are_found(oracle: Oracle) -> None:
    first, second, *_ = alike(oracle)
    planted = request("pick up", f"lift the {first.kind}", things=of(first.id))
    assert any("ambiguous" in fault for fault in oracle.judge(planted).faults)
    any_of_them = [body.id for body in alike(oracle)]
    assert oracle.judge(request("pick up", f"lift any {first.kind}", things=of(*any_of_them))).faults == []
    touch = request("touch with", f"touch the {first.kind} with the {single(oracle).kind}", target=of(first.id),
                    things=of(single(oracle).id))  # fmt: skip
    assert any("ambiguous" in fault for fault in oracle.judge(touch).faults)


def test_words_that_can_mean_two_things_are_found(oracle: Oracle) -> None:
    """ "put the X on the Y near the Z": the X near the Z, or the X on the Y put near the Z."""
    scene, meaning = oracle.scene, oracle.meaning
    kinds = [body.kind for body in scene.bodies.values()]
    once = [b for b in scene.loose if kinds.count(b.kind) == 1 and scene.rests[b.id] in scene.pieces]
    pieces = [scene.bodies[i] for i in scene.pieces if kinds.count(scene.bodies[i].kind) == 1]
    near = [(b, c) for b in pieces for c in pieces if b.id != c.id and meaning.holds("near", b, (c.id,)) is False]
    thing, (piece, other) = once[0], near[0]
    words = f"put the {thing.kind} on the {piece.kind} near the {other.kind}"
    relations = {(r.place.relation, len(r.phrases["x"][0].places)) for r in instructions(words) if r.place is not None}
    assert relations == {("on", 0), ("near", 1)}
    spec = request("put on", words, things=of(thing.id), target=of(piece.id))
    assert any("ambiguous" in fault for fault in oracle.judge(spec).faults), "no piece is near the other"


def test_a_thing_that_does_not_exist_or_cannot_be_reached_is_found(world: Playhouse) -> None:
    oracle = Oracle(world)
    ghost = request("pick up", "lift the ghost", things=of("ghost"))
    assert any("unknown" in fault for fault in oracle.judge(ghost).faults)
    spec = next(s for i in range(9) if (s := Asker(world).ask("bring", np.random.default_rng(i))) is not None)
    assert oracle.judge(spec).faults == []
    oracle.ways.wall_off()
    assert any("out of reach" in fault for fault in oracle.judge(spec).faults)


def test_what_is_so_already_is_found(oracle: Oracle) -> None:
    thing = next(b for b in oracle.scene.loose if oracle.scene.rests[b.id] in oracle.scene.pieces)
    piece = oracle.scene.rests[thing.id]
    both = {"things": of(thing.id), "target": of(piece)}
    assert "done already" in oracle.judge(request("put on", f"put the {thing.kind} on it", **both)).faults
    assert "done already" not in oracle.judge(request("take out", f"take the {thing.kind} off it", **both)).faults
    part = {"first": {"game": "put on", "arguments": both}, "second": {"game": "pick up", "arguments": both}}
    chain = TaskSpec("do then", f"put the {thing.kind} on it and then lift the {thing.kind}", part, 60)
    assert "done already" in oracle.judge(chain).faults


def test_a_wrong_answer_and_one_of_two_answers_are_found(oracle: Oracle) -> None:
    group = alike(oracle)
    plural = next(thing.spec.plural for thing in oracle.scene.house.objects if thing.id == group[0].id)
    count = len(oracle.meaning.surely(next(p for end, p in Reader(plural.split()).phrases(0) if p.plural)))
    words = f"how many {plural} are there?"
    assert oracle.judge(request("how many", words, answer=count)).faults == []
    assert any("wrong answer" in f for f in oracle.judge(request("how many", words, answer=count + 1)).faults)
    thing = single(oracle)
    words, colour = f"what color is the {thing.kind}?", thing.colour
    assert oracle.judge(request("color of", words, target=thing.id, answer=colour)).faults == []
    assert any(
        "wrong answer" in f for f in oracle.judge(request("color of", words, target=thing.id, answer="x")).faults
    )
    two = request("color of", f"what color is the {group[0].kind}?", target=group[0].id, answer=group[0].colour)
    assert any("wrong answer" in fault for fault in oracle.judge(two).faults)


@pytest.mark.parametrize(
    ("words", "family"),
    [
        ("could you please lift the red ball?", "lift"),
        ("hey, use the mug to tap the blue car", "touch"),
        ("go and stand to the left of me now", "be"),
        ("put two books that are not on the bed in the box near the door", "place"),
        ("take everything out of the bathtub", "clear"),
        ("line up the mug, the red ball that is not on the floor and the candle", "arrange"),
    ],
)
def test_requests_are_read(words: str, family: str) -> None:
    assert family in {reading.family for reading in instructions(bare(words))}


def body(name: str, x: float, y: float, half: tuple[float, float], turn: float = 0.0, disc: bool = False) -> Body:
    none = frozenset[str]()
    return Body(name, "object", "box", "", "", none, none, "r", x, y, 0.0, 0.3, half, turn, disc)


def test_gaps_are_between_edges() -> None:
    flat, turned = body("a", 0.0, 0.0, (0.5, 0.1)), body("b", 2.0, 0.0, (0.5, 0.1), math.pi / 2)
    assert flat.gap(turned) == pytest.approx(2.0 - 0.5 - 0.1)
    assert flat.gap(body("c", 0.0, 1.0, (0.3, 0.3), disc=True)) == pytest.approx(1.0 - 0.1 - 0.3)
    assert flat.gap(body("d", 0.4, 0.0, (0.5, 0.1))) == 0.0


def test_sides_are_seen_from_the_front_or_by_the_one_who_looks(world: Playhouse) -> None:
    meaning = Meaning(Oracle(world).scene)
    me = meaning.scene.setter
    left = body("x", me.x - math.sin(me.turn), me.y + math.cos(me.turn), (0.1, 0.1))
    left = Body(**{**left.__dict__, "room": me.room})
    meaning.scene.bodies["x"] = left
    assert meaning.holds("left", left, ("setter",)) is True
    assert meaning.holds("right", left, ("setter",)) is False
