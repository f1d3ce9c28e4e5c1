"""Worlds with a list of instructions: what their players do, and what they are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from worlds import registry
from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.instructed_world import AdvisedSolver

SHELF = Path(__file__).parents[3] / "examples" / "own_world" / "shelf.py"
ENTRY = registry.get(str(SHELF))
SPLITS = ("train", "held_out")


def place(*names: str) -> dict[str, Any]:
    """The configuration of a shelf with these things from left to right."""
    colours, kinds = ("red", "green", "blue"), ("cup", "plate", "spoon")
    pairs = [name.split() for name in names]
    rows = [[colours.index(colour), kinds.index(kind)] for colour, kind in pairs]
    return {"names": rows, "x": np.linspace(-1, 1, len(rows)).tolist()}


def play(words: str, solver: AdvisedSolver, config: dict[str, Any], steps: int = 20) -> tuple[bool, list[int], Any]:
    """Give one instruction; return success, the signs of all events and the world."""
    world: Any = ENTRY.make()
    seen = world.reset(options={"config": config})[0]
    solver.reset(world, 0)
    task = ENTRY.make_task(TaskSpec("do", words, {}, 20))
    signs = []
    for step in range(steps):
        asked = world.spec(SETTER).action.silent() | {"utterance": words if step == 0 else ""}
        action = solver.act(seen[SOLVER])
        seen = world.step({SETTER: asked, SOLVER: action})[0]
        signs += [event.sign for event in task.update(world, action["utterance"])[1]]
    return task.update(world, "")[0], signs, world


def test_a_perfect_solver_takes_what_is_meant_and_then_rests() -> None:
    cups = place("red cup", "blue plate", "blue cup", "green cup")
    for words, gone in (("take the left cup", 0), ("take the right cup", 3), ("take the blue cup", 2)):
        done, signs, world = play(words, AdvisedSolver([], perfect=True), cups)
        assert done and signs == [1]
        assert world.state["names"].tolist() == np.delete(cups["names"], gone, axis=0).tolist()


def test_a_solver_that_errs_takes_another_thing() -> None:
    config = place("red cup", "blue plate", "green spoon")
    done, signs, _ = play("take the red cup", AdvisedSolver(["take the blue plate"], wrong=1.0, error=0.0), config)
    assert not done and signs == [-1]


def test_requests_are_possible_of_their_split_and_in_new_words() -> None:
    world: Any = ENTRY.make()
    world.reset(options={"config": place("red cup", "blue plate")})
    specs = [[ENTRY.probe("do", world, seed, split) for seed in range(20)] for split in SPLITS]
    train, held_out = ({spec.instruction for spec in of_split if spec} for of_split in specs)
    assert held_out == {"take the red cup"}
    assert train == {
        f"take the {words}" for words in ("left cup", "right cup", "blue plate", "left plate", "right plate")
    }
    setter = ENTRY.make_setter(tasks={"do": 1.0}, split="train", first_request=(0, 0), pause=(0, 0))
    setter.reset(world, 0)
    said = [setter.act({})["utterance"] for _ in range(1)]  # type: ignore[typeddict-item]
    for _ in range(6):
        setter.task.succeeded = True  # type: ignore[union-attr]
        said.append(setter.act({})["utterance"])  # type: ignore[typeddict-item]
    assert all(one and one != other for one, other in zip(said, said[1:], strict=False))
