"""The level of chance: evenly drawn, legal, in the declared space, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.unit.agents.example_spaces import SPACES
from worlds.contract.random_solver import RandomSolver
from worlds.spaces.action import ActionSpec, Discrete


def solver_of(action: ActionSpec, seed: int = 0) -> RandomSolver:
    world: Any = SimpleNamespace(spec=lambda player: SimpleNamespace(action=action))
    solver = RandomSolver()
    solver.reset(world, seed)
    return solver


@pytest.mark.parametrize("spec", SPACES.values(), ids=SPACES)
def test_actions_are_of_the_space_and_follow_the_seed(spec) -> None:
    one, same, other = (solver_of(spec.action, seed) for seed in (0, 0, 1))
    differ = 0
    for number in range(30):
        seen = spec.blank()
        if spec.observation.entities is not None:
            rows = number % 4
            seen["entity_values"] = np.zeros((rows, len(spec.observation.entities.real)), np.float32)
        action, again, another = one.act(seen), same.act(seen), other.act(seen)
        spec.action.check(action, len(seen.get("entity_values", ())))
        assert np.array_equal(action["movement"], again["movement"]) and not action["utterance"]
        differ += not np.array_equal(action["movement"], another["movement"])
    assert differ > 0 or not spec.action.discrete


@pytest.mark.parametrize("end", ["done", "finish"])
def test_bins_are_drawn_evenly_but_for_giving_up(end: str) -> None:
    spec = ActionSpec((Discrete("act", ("left", "right", "toggle", end), 3),))
    solver = solver_of(spec)
    counts = Counter(int(solver.act({})["movement"][0, 0]) for _ in range(3000))  # type: ignore[arg-type]
    assert set(counts) == {0, 1, 2} and min(counts.values()) > 900
    two = solver_of(ActionSpec((Discrete("act", ("go", "done")),)))
    assert {int(two.act({})["movement"][0, 0]) for _ in range(50)} == {0, 1}  # type: ignore[arg-type]


def test_illegal_values_are_not_drawn() -> None:
    spec = SPACES["household"]
    solver, drawn = solver_of(spec.action), set()
    seen = spec.blank()
    seen["legal"][[1, 3]] = False
    for _ in range(200):
        verb, pointer = solver.act(seen)["movement"][0].tolist()  # type: ignore[arg-type]
        drawn.add((verb, pointer))
    assert drawn == {(0, 0), (2, 0)}  # nothing is there to point at
