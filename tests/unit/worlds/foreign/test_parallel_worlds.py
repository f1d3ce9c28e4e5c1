"""Parallel environments of PettingZoo as worlds: agents as players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.foreign.parallel_bridge import cast_agents
from worlds.spaces.observation import Vector

RENDEZVOUS = Path(__file__).parents[3] / "contracts" / "rendezvous.py"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A module that makes the environment as PettingZoo's modules do."""
    source = RENDEZVOUS.read_text() + "\n\ndef parallel_env(**settings):\n    return Rendezvous(**settings)\n"
    (tmp_path / "ring_v0.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    registry._foreign.cache_clear()
    return "pettingzoo:ring_v0"


def test_agents_are_players_and_the_demonstrator_reaches_the_goal(module: str) -> None:
    entry = registry.get(module)
    world = entry.make()
    assert entry.name == module
    assert world.spec(SETTER).observation.vector == Vector(14) and world.spec(SOLVER).observation.vector == Vector(7)
    observations, _ = world.reset(options={"config": {"seed": 3}})
    setter, solver = entry.make_setter(tasks={"mission": 1.0}), entry.make_solver(perfect=True)
    setter.reset(world, 0)
    solver.reset(world, 0)
    while world.agents:
        actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
        observations = world.step(actions)[0]
    assert (
        world.succeeded and setter.task is not None and setter.task.spec.instruction == f"go to place {world.env.goal}"
    )


@pytest.mark.parametrize(
    ("there", "given", "cast"),
    [
        (("walker",), {}, {"solver": "walker"}),
        (("solver", "setter"), {}, {"solver": "solver", "setter": "setter"}),
        (("a", "b"), {"setter": "a"}, {"solver": "b", "setter": "a"}),
        (("a", "b", "c"), {"solver": "a", "setter": "c", "idle": ("b",)}, {"solver": "a", "setter": "c"}),
        (("a", "b"), {"solver": "b", "idle": ("a",)}, {"solver": "b"}),
    ],
)
def test_every_agent_has_a_part(there: tuple[str, ...], given: dict[str, Any], cast: dict[str, str]) -> None:
    assert cast_agents(there, **({"solver": None, "setter": None, "idle": ()} | given)) == cast


@pytest.mark.parametrize(
    ("there", "given", "refusal"),
    [
        (("a", "b"), {}, "has the agents a, b; name the solver with --world.solver-agent"),
        (("a", "b", "c"), {"solver": "a"}, "has the agents a, b, c; name the solver"),
        (("a", "b"), {"solver": "d"}, "has no agent 'd'; it has a, b"),
        (("a", "b"), {"solver": "a", "idle": ("a", "b")}, "agent 'a' is named twice"),
    ],
)
def test_agents_without_a_part_are_named(there: tuple[str, ...], given: dict[str, Any], refusal: str) -> None:
    with pytest.raises(WorldError, match=refusal):
        cast_agents(there, **({"solver": None, "setter": None, "idle": ()} | given))


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        (
            "pettingzoo:no_such_module",
            "is in the package no_such_module, which is not installed; pip",
        ),
        ("pettingzoo:sisl.pursuitt_v4", "pettingzoo.sisl has no module pursuitt_v4; near: pursuit"),
        ("pettingzoo:json", "the module json has no parallel_env"),
    ],
)
def test_modules_that_cannot_be_played_are_named(name: str, refusal: str) -> None:
    with pytest.raises(WorldError) as caught:
        registry.get(name)
    assert refusal in str(caught.value) and "\n" not in str(caught.value)
