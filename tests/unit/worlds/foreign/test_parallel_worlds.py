"""Parallel environments of PettingZoo as worlds: agents as players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.foreign.entries import class_entry
from worlds.foreign.parallel_bridge import cast_agents
from worlds.foreign_code.trust import permit
from worlds.spaces.action import InvalidSpace
from worlds.spaces.observation import Vector

RENDEZVOUS = Path(__file__).parents[3] / "contracts" / "rendezvous.py"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A module that makes the environment as PettingZoo's modules do."""
    source = RENDEZVOUS.read_text() + "\n\ndef parallel_env(**settings):\n    return Rendezvous(**settings)\n"
    (tmp_path / "ring_v0.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    permit(["pettingzoo:ring_v0"])
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
    assert world.succeeded and setter.task.spec.instruction == f"go to place {world.env.goal}"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("there", "given", "cast"),
    [
        (("walker",), {}, {"solver": "walker"}),
        (("solver", "setter"), {}, {"solver": "solver", "setter": "setter"}),
        (("a", "b"), {"setter": "a"}, {"solver": "b", "setter": "a"}),
        (("a", "b", "c"), {"solver": "a", "setter": "c", "idle": ("b",)}, {"solver": "a", "setter": "c"}),
        (("a", "b"), {"solver": "b", "idle": ("a",)}, {"solver": "b"}),
        (("a", "b"), {}, "has the agents a, b; name the solver with --world.solver-agent"),
        (("a", "b", "c"), {"solver": "a"}, "has the agents a, b, c; name the solver"),
        (("a", "b"), {"solver": "d"}, "has no agent 'd'; it has a, b"),
        (("a", "b"), {"solver": "a", "idle": ("a", "b")}, "agent 'a' is named twice"),
    ],
)
def test_every_agent_has_a_part_or_is_named(there: tuple[str, ...], given: dict[str, Any], cast: Any) -> None:
    parts: dict[str, Any] = {"solver": None, "setter": None, "idle": ()} | given
    if isinstance(cast, dict):
        assert cast_agents(there, **parts) == cast
    else:
        with pytest.raises(WorldError, match=cast):
            cast_agents(there, **parts)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("pettingzoo:no_such_module", "is in the package no_such_module, which is not installed; pip"),
        ("pettingzoo:sisl.pursuitt_v4", "pettingzoo.sisl has no module pursuitt_v4; near: pursuit"),
        ("pettingzoo:json", "the module json has no parallel_env"),
    ],
)
def test_modules_that_cannot_be_played_are_named(name: str, refusal: str) -> None:
    permit([name])
    with pytest.raises(WorldError) as caught:
        registry.get(name)
    assert refusal in str(caught.value) and "\n" not in str(caught.value)


class Three(ParallelEnv):
    """Three agents with other actions each; the solver reaches its goal in the step of the time limit."""

    metadata = {"name": "three", "render_modes": []}
    possible_agents = ["solver", "setter", "bystander"]

    def observation_space(self, agent: str) -> Any:
        return spaces.Box(0, 1, (2,), np.float32)

    def action_space(self, agent: str) -> Any:
        pushes = {"bystander": spaces.Dict(push=spaces.Discrete(3)), "setter": spaces.Discrete(3)}
        return pushes.get(agent, spaces.Box(1, 2, (2,), np.float32))

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.given = list(self.possible_agents), {}
        return {agent: np.zeros(2, np.float32) for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(self, actions: Any) -> Any:
        self.given, agents, self.agents = actions, self.agents, []
        seen = {agent: np.zeros(2, np.float32) for agent in agents}
        ends = {agent: agent == "solver" for agent in agents}
        return seen, dict.fromkeys(agents, 1.0), ends, dict.fromkeys(agents, True), {agent: {} for agent in agents}


def three(solver: str = "solver", idle: str = "bystander", **options: Any) -> Any:
    made = {"solver_agent": solver, "setter_agent": "setter", "idle_agents": (idle,), "linger": 0} | options
    world = class_entry("Three", Three).make(**made)
    world.reset(seed=0)
    return world


@pytest.mark.parametrize(("solver", "idle"), [("solver", "bystander"), ("bystander", "solver")])
def test_a_goal_that_is_reached_at_the_time_limit_is_reached_by_who_reaches_it(solver: str, idle: str) -> None:
    world = three(solver, idle)
    _, _, terminated, truncated, _ = world.step({})
    assert world.succeeded == terminated[SOLVER] == (not truncated[SOLVER]) == (solver == "solver")


def test_each_agent_rests_by_the_names_that_it_has() -> None:
    world = three(neutral={"action.0": 1.5, "action": 2, "push": 1})
    world.step({})
    given = world.env.given
    assert given["solver"].tolist() == [1.5, 1.0] and given["setter"] == 2 and given["bystander"] == {"push": 1}
    with pytest.raises(InvalidSpace, match="^neutral names 'jump'; components: action.0, action.1, action, push$"):
        three(neutral={"action": 2, "jump": 1})
