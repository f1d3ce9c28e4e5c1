"""Success checks, on stages where things are wherever a row puts them: what is success, what progress and regress."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.unit.worlds.playhouse.staging import Stage, Trial
from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.games.asking import make_task
from worlds.playhouse.games.tower import STABLE_STEPS
from worlds.playhouse.house.record import Furniture, House, Room, Start, Thing
from worlds.playhouse.requests.ground_truth import rests_on, tallest_tower
from worlds.playhouse.requests.success import GO_STEPS, LIFT_HEIGHT, WRONG_STEPS

SIDE = 0.26 * 1.15  # metres, of a medium block
Rows = list[dict[str, Any]]


def thing(name: str, kind: str, colour: str, x: float, y: float) -> Thing:
    return Thing(name, kind, colour, "medium", "r0", "floor", x, y, 0.0, 0.0)


def two_rooms() -> Stage:
    """Two rooms with a red ball at (2, 1) and a blue mug at (2, 3)."""
    rooms = (Room("r0", 0.0, 0.0, 4.0, 4.0, "oak"), Room("r1", 4.0, 0.0, 8.0, 4.0, "oak"))
    things = thing("ball", "ball", "red", 2.0, 1.0), thing("mug", "mug", "blue", 2.0, 3.0)
    made = Stage(House(rooms, (), (), things, (Start(SOLVER, 0.5, 1.0, 0.0), Start(SETTER, 3.5, 3.5, 0.0))))
    made.places |= {"ball": np.array([2.0, 1.0, 0.15]), "mug": np.array([2.0, 3.0, 0.15])}
    return made


def room_with_table() -> Stage:
    """A room with a ball, a mug, three books, a box and a table."""
    kinds = {"ball": "ball", "mug": "mug", "b1": "book", "b2": "book", "b3": "book"}
    things = [thing(name, kind, "red", 1.0 + i, 1.0) for i, (name, kind) in enumerate(kinds.items())]
    things.append(thing("box", "box", "red", 3.0, 5.0))
    table = Furniture("table", "table", "white", "r0", 5.0, 5.0, 0)
    starts = (Start(SETTER, 0.5, 5.0, 0.0), Start(SOLVER, 0.5, 3.0, 0.0))
    return Stage(House((Room("r0", 0.0, 0.0, 6.0, 6.0, "oak"),), (), (table,), tuple(things), starts))


def room_of_blocks() -> Stage:
    """Blocks red, blue and green, and a ball, on the floor of a room."""
    things = [thing(colour, "block", colour, 1.0 + i, 2.0) for i, colour in enumerate(("red", "blue", "green"))]
    things.append(thing("ball", "ball", "red", 1.0, 3.5))
    starts = (Start(SOLVER, 0.5, 1.0, 0.0), Start(SETTER, 4.5, 4.5, 0.0))
    return Stage(House((Room("r0", 0.0, 0.0, 5.0, 5.0, "oak"),), (), (), tuple(things), starts))


def one(*among: str, number: int = 1) -> dict[str, Any]:
    return {"among": list(among), "number": number}


def s(words: str = "", signs: list[int] | None = None, done: bool = False, **step: Any) -> dict[str, Any]:
    """A step of :meth:`Trial.step`, the signs of all events so far, None for any, and whether it is done by then."""
    return {"signs": signs, "done": done, "step": {"words": words, **step}}


BALL, BESIDE = {"target": "ball"}, {"target": "ball", "next_to": "mug"}
ON_TABLE = {"things": one("mug"), "target": one("table")}
TWO_BOOKS = {"things": one("b1", "b2", "b3", number=2), "target": one("table")}
WITH_MUG = {"things": one("mug"), "target": one("ball")}
IS_IT = {"colour": "red", "kind": "ball", "answer": "yes"}
NAMED: dict[str, Any] = {"target": "red", "on": "blue", "height": 2}
ANY: dict[str, Any] = {"colour": None, "kind": None, "height": 2}
ON_BLUE, OVER_BLUE = (2.0, 2.0, 1.5 * SIDE), (2.02, 2.0, 1.5 * SIDE + 0.1)
TOP, FALLEN = (2.0, 2.0, 2.5 * SIDE), (2.6, 2.0, SIDE / 2)
STACKED: Rows = [s(held="red", red=OVER_BLUE), s(held=None, red=ON_BLUE)]
LET_GO: dict[str, Any] = {"held": None, "times": 3, "b3": (3.2, 3.0, 0.05)}
LINED_UP: Rows = [
    s(held="b1"),
    s(held=None, b1=(2.0, 3.0, 0.05), times=3),
    s(held="b2"),
    s(held=None, b2=(2.6, 3.0, 0.05), times=3),
    s(held="b3"),
]
THREE_BOOKS = {"groups": [one("b1", "b2", "b3", number=3)], "shape": "row"}
SAME, DIFFERENT = ({"likeness": {"colour": how}} for how in ("same", "different"))

# Of every task: arguments, and steps one after the other with what has been judged by then.
CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "go: standing before the target": (
        BALL,
        s(at=(1.0, 1.0), yaw=0.0, signs=[]),
        s(times=GO_STEPS, signs=[1], done=True),
        s(at=(0.5, 3.0), times=3, signs=[1], done=True),
    ),
    "go: too far": (BALL, s(at=(0.5, 1.0), yaw=0.0, times=10)),
    "go: looking aside": (BALL, s(at=(1.0, 1.0), yaw=0.8, times=10)),
    "go: looking away": (BALL, s(at=(1.0, 1.0), yaw=math.pi, times=10)),
    "go: a wall between": (
        BALL,
        s(ball=(3.6, 1.0, 0.15)),
        s(at=(4.4, 1.0), yaw=math.pi, times=8),
        s(at=(2.8, 1.0), yaw=0.0, times=4, done=True),
    ),
    "go: before a wrong thing first": (
        BALL,
        s(at=(1.0, 3.0), yaw=0.0, times=WRONG_STEPS, signs=[]),  # the first of these was the walk there
        s(times=20, signs=[-1]),
        s(at=(1.0, 1.0), times=1 + GO_STEPS, signs=[-1, 1], done=True),
    ),
    "go: walking past": (BALL, *(s(at=(1.0, 0.7 + 0.3 * (i % 2)), yaw=0.0) for i in range(12))),
    "go: turning past": (BALL, *(s(at=(1.0, 1.0), yaw=(-0.3, 0.3)[i % 2]) for i in range(12))),
    "go: into the right room and out of it, told once": (
        BALL | {"solver at": (6.0, 2.0)},
        *(s(at=(x, 3.5), yaw=1.5) for x in (5.0, 3.5, 5.0, 3.5)),
        s(at=(5.0, 3.5), signs=[1, -1]),
    ),
    "lift: high enough": (
        BALL,
        s(held="ball", ball=(2.0, 1.0, 0.2), signs=[1]),
        s(ball=(2.0, 1.0, 0.15 + LIFT_HEIGHT - 0.01), signs=[1]),
        s(ball=(2.0, 1.0, 0.15 + LIFT_HEIGHT + 0.01), signs=[1, 1], done=True),
        s(held=None, signs=[1, 1], done=True),  # after success nothing is held against it
    ),
    "lift: a wrong thing": (BALL, s(held="mug", mug=(2, 3, 0.9), signs=[-1])),
    "lift: dropped and taken again": (
        BALL,
        s(held="ball", signs=[1]),
        s(held=None, signs=[1, -1]),
        s(times=3, signs=[1, -1]),
        s(held="ball", ball=(2, 1, 0.9), signs=[1, -1, 1, 1], done=True),
    ),
    "lift: in nobody's hand": (BALL, s(ball=(2.0, 1.0, 2.0), times=3)),
    "lift: idle talk": (BALL, s("the blue mug", signs=[-1]), s("ok", signs=[-1])),
    "position: let go, near and at rest": (
        BESIDE,
        s(held="ball", ball=(2.0, 2.5, 0.3)),
        s(times=3),
        s(held=None, ball=(2.0, 2.5, 0.2)),  # still falling
        s(ball=(2.0, 2.5, 0.15)),
        s(signs=[1, 1], done=True),
    ),
    "position: on top is not beside": (
        BESIDE,
        s(held="ball", signs=[1]),
        s(held=None, ball=(2.05, 3.0, 0.45), times=4, signs=[1, -1]),
    ),
    "position: underneath is not beside": (
        BESIDE,
        s(held="ball"),
        s(mug=(2.0, 3.0, 0.45)),
        s(held=None, ball=(2.05, 3.0, 0.15), times=4),
        s(mug=(2.5, 3.0, 0.15), times=2, done=True),
    ),
    "position: moving the other thing": (
        BESIDE,
        s(held="mug", mug=(2.0, 1.5, 0.2), signs=[-1]),
        s(held=None, signs=[-1]),
        s(times=5, signs=[-1]),
    ),
    "color: right": (BALL | {"answer": "red"}, s("red", signs=[1], done=True)),
    "color: the first answer counts": (BALL | {"answer": "red"}, s("blue", signs=[-1]), s("red", signs=[-1])),
    "exist: no answer, a courtesy, an answer": (
        IS_IT,
        s("three beds", signs=[-1]),
        s("ok", signs=[-1]),
        s("yes there is", signs=[-1, 1], done=True),
    ),
    "put on: let go and at rest": (
        ON_TABLE,
        s(held="mug", mug=(5.0, 5.0, 0.9), signs=[1]),
        s(times=2),
        s(held=None, mug=(5.0, 5.0, 0.8)),
        s(mug=(5.0, 5.0, 0.74)),
        s(times=2, signs=[1, 1], done=True),
    ),
    "put on: what the solver carried, and as many as are meant": (
        TWO_BOOKS,
        s(times=3, b1=(5.0, 5.0, 0.65), signs=[]),
        s(held="b2"),
        s(held=None, b2=(4.8, 5.0, 0.65)),
        s(times=2, signs=[1, 1]),
        s(held="b3"),
        s(held=None, b3=(5.2, 5.0, 0.65)),
        s(times=2, done=True),
    ),
    "put on: left elsewhere, then a wrong thing": (
        ON_TABLE,
        s(held="mug", signs=[1]),
        s(held=None),
        s(times=3, signs=[1, -1]),
        s(held="ball", signs=[1, -1, -1]),
    ),
    "put on: taken away again": (
        {"things": one("b1", "b2", number=2), "target": one("table")},
        s(held="b1"),
        s(held=None, b1=(5.0, 5.0, 0.65)),
        s(times=3, signs=[1, 1]),
        s(held="b1", b1=(4.0, 4.0, 1.0)),
        s(times=2, signs=[1, 1, -1]),
    ),
    "put under: on the floor below its top": (
        ON_TABLE,
        s(held="mug"),
        s(held=None, mug=(5.0, 5.0, 0.74)),
        s(times=3),
        s(held="mug"),
        s(held=None, mug=(5.0, 5.0, 0.14)),
        s(times=2, done=True),
    ),
    "hand over: a setter that helps itself": ({"things": one("mug")}, s(setter="mug"), s(times=3)),
    "touch with: the right thing in hand at the target": (
        WITH_MUG,
        s(held="b1", b1=(1.1, 1.0, 0.2), signs=[-1]),
        s(held="mug", mug=(2.0, 3.0, 0.2)),
        s(mug=(1.3, 1.0, 0.2), done=True),
    ),
    "push with: far enough": (
        WITH_MUG,
        s(held="mug", mug=(0.8, 1.0, 0.2)),
        s(mug=(0.95, 1.0, 0.2), ball=(1.15, 1.0, 0.17)),
        s(mug=(1.2, 1.0, 0.2), ball=(1.4, 1.0, 0.17), done=True),
    ),
    "push with: taking the target": (
        WITH_MUG,
        s(held="ball", ball=(2.0, 2.0, 1.0), signs=[-1, -1]),
        s(held="mug", mug=(2.1, 2.0, 0.9)),
    ),
    "push with: kicked, then tapped": (
        WITH_MUG,
        s(held="mug", mug=(3.0, 3.0, 0.5)),
        s(ball=(1.3, 1.0, 0.17)),
        s(ball=(1.6, 1.0, 0.17)),
        s(times=2),
        s(mug=(1.4, 1.0, 0.2)),
        s(times=3),
        s(mug=(1.7, 1.0, 0.2), ball=(1.95, 1.0, 0.17), done=True),
    ),
    "line up: all three, one of them carried": (
        {"things": one("b1", "b2", "b3", number=3), "shape": "row"},
        s(times=4),  # they lie in a row already, but too far apart and untouched
        *LINED_UP,
        s(**LET_GO, done=True),
    ),
    "scenario: arrange: of one colour": (THREE_BOOKS | SAME, *LINED_UP, s(**LET_GO, done=True)),
    "scenario: arrange: of different colours": (THREE_BOOKS | DIFFERENT, *LINED_UP, s(**LET_GO)),
    "scenario: arrange: on the table": (THREE_BOOKS | {"target": one("table")}, *LINED_UP, s(**LET_GO)),
    "scenario: hand: held before a setter who may not take it": (
        {"things": one("mug")},
        s(held="mug", mug=(1.0, 5.0, 1.0), signs=[1]),
        s(signs=[1, 1], done=True),
    ),
    "scenario: take from room: let go outside": (
        {"things": one("mug"), "rooms": ["r0"]},
        s(held="mug"),
        s(held=None, times=3),
        s(held="mug"),
        s(held=None, mug=(7.0, 3.0, 0.14)),
        s(times=2, done=True),
    ),
    "scenario: push: not while it is carried": (
        {"things": one("ball")},
        s(held="ball", ball=(1.5, 1.0, 0.9), signs=[-1]),
        s(held=None),
        s(ball=(1.9, 1.0, 0.9), done=True),
    ),
    "scenario: put in alike: as many as are meant": (
        {"things": one("b1", "mug", number=2), "target": one("box")},
        s(held="b1"),
        s(held=None, b1=(3.0, 5.0, 0.1)),
        s(times=2),
        s(held="mug"),
        s(held=None, mug=(3.0, 5.0, 0.2)),
        s(times=2, done=True),
    ),
    "scenario: tower: that stands": (
        {"groups": [one("red", "blue", number=2)]},
        *STACKED,
        s(times=STABLE_STEPS - 2),
        s(times=3, done=True),
    ),
    "do then: in order": (
        {
            "first": {"game": "pick up", "arguments": {"things": one("mug")}},
            "second": {"game": "bring", "arguments": {"things": one("ball")}},
        },
        s(held="ball", ball=(1.0, 5.0, 1.0)),
        s(held=None, ball=(1.0, 5.0, 0.17)),
        s(times=3),  # the second alone is not what was asked
        s(held="mug", mug=(2.0, 1.0, 1.0)),
        s(held=None),
        s(held="ball"),
        s(held=None, ball=(1.2, 5.0, 0.17)),
        s(times=2, done=True),
    ),
    "tower: that stands": (
        NAMED,
        s(held="red", red=(1.0, 2.0, 0.4), signs=[1]),
        s(held="red", red=OVER_BLUE, signs=[1, 1]),
        s(held=None, red=ON_BLUE, signs=[1, 1]),
        s(times=STABLE_STEPS - 1, signs=[1, 1]),
        s(signs=[1, 1, 1], done=True),
        s(red=FALLEN, times=9, signs=[1, 1, 1], done=True),  # nothing is held against it afterwards
    ),
    "tower: still held": (NAMED, s(held="red", red=ON_BLUE), s(times=20)),
    "tower: that falls, and is built again": (
        NAMED,
        *STACKED,
        s(times=STABLE_STEPS - 2),
        s(red=FALLEN, times=20, signs=[1, 1, -1]),
        *STACKED,
        s(times=STABLE_STEPS + 1, signs=[1, 1, -1, 1, 1, 1], done=True),
    ),
    "tower: carried past high above": (NAMED, s(held="red", red=(2.0, 2.0, 1.2), signs=[1])),
    "tower: taken apart": (
        ANY | {"height": 3, "before": {"red": ON_BLUE}},
        s(held="red", red=(2.0, 2.0, 1.2), signs=[-1]),
    ),
    "tower: of any things": (
        ANY,
        s(held="green", green=OVER_BLUE),
        s(held=None, green=ON_BLUE),
        s(times=STABLE_STEPS + 1, signs=[1, 1, 1], done=True),
    ),
    "tower: a ball is no help": (ANY, s(held="ball", ball=(1.0, 3.5, 0.5), signs=[-1])),
    "tower: that stood before": (NAMED | {"before": {"red": ON_BLUE}}, s(times=30, signs=[])),
    "tower: of any things, that stood before": (ANY | {"before": {"red": ON_BLUE}}, s(times=30, signs=[])),
    "tower: built by the other": (ANY, s(red=ON_BLUE, times=30, signs=[])),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_judged(case: str) -> None:
    name, (arguments, *rows) = case.rpartition(":")[0], CASES[case]
    made = two_rooms if name in ("go", "lift", "position", "color", "exist") else room_with_table
    stage = room_of_blocks() if name.endswith("tower") else made()
    stage.places |= {i: np.array(place) for i, place in arguments.get("before", {}).items()}
    if "solver at" in arguments:
        stage.players[SOLVER].position = np.array([*arguments["solver at"], 0.0])
    trial = Trial(stage, name, {key: value for key, value in arguments.items() if key not in ("before", "solver at")})
    for row in rows:
        trial.step(**row["step"])
        assert trial.success == row["done"] and row["signs"] in (None, trial.signs), (row, trial.told)
    assert trial.success or "first answer" not in case or trial.task.over


def test_an_event_is_of_the_step_that_shows_it_and_says_why() -> None:
    trial = Trial(two_rooms(), "go", BALL).step(at=(1.0, 1.0), yaw=0.0).step(times=GO_STEPS)
    assert [(e.sign, e.reason, e.step) for e in trial.events] == [(1, "is at the right thing", trial.stage.step_index)]


def test_words_said_before_the_question_was_heard_do_not_answer_it() -> None:
    task = make_task(TaskSpec("exist", "", IS_IT, 45))
    assert task.update(two_rooms(), "yes") == (False, ()) and not task.over  # type: ignore[arg-type]


def test_a_thing_rests_on_another_only_over_it_and_touching() -> None:
    stage = room_of_blocks()
    house, places = stage.house, stage.places
    places["red"] = np.array(ON_BLUE)
    assert rests_on(house, "red", "blue", places) and not rests_on(house, "blue", "red", places)
    for away in ((SIDE / 2 + 0.01, 0.0, 0.0), (0.0, 0.0, 0.04), (0.0, 0.0, -0.04)):
        places["red"] = np.array(ON_BLUE) + away
        assert not rests_on(house, "red", "blue", places)
    places["red"], places["green"] = np.array(ON_BLUE), np.array(TOP)
    assert tallest_tower(house, tuple(places), places) == ("blue", "red", "green")
    assert tallest_tower(house, ("blue", "green"), places) in (("blue",), ("green",))
