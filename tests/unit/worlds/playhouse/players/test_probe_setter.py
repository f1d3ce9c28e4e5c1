"""The setter of a probe does its own part in the request, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from rlhf.replay.play import ProbeSetter as StandingSetter
from worlds.contract import SETTER, SOLVER, Setter, TaskSpec, silent
from worlds.playhouse import PLAYHOUSE, Playhouse, sample_config
from worlds.playhouse.players.probe_setter import ProbeSetter
from worlds.playhouse.players.solver import ScriptedSolver

POINT, HAND_OVER = "name what i point at", "hand over"


def begun(world: Playhouse, name: str) -> tuple[int, TaskSpec]:
    """Begin the first house in which a request of a game is feasible; return its seed and the request."""
    for seed in range(40):
        world.reset(seed=seed, options={"config": sample_config(seed, preset="room", style="furnished")})
        spec = PLAYHOUSE.probe(name, world, seed, "train")
        if spec is not None:
            return seed, spec
    raise AssertionError(f"{name} is feasible nowhere")


def fulfilled(name: str, standing: bool, hands: str = "full") -> bool:
    """Whether a perfect solver fulfils a request of a game."""
    world = Playhouse(height=8, width=8, hands=hands)
    seed, spec = begun(world, name)
    observations, _ = world.reset(seed=seed, options={"config": world.config})
    setter: Setter = StandingSetter(spec, PLAYHOUSE.make_task(spec)) if standing else ProbeSetter(spec)
    solver, task = ScriptedSolver.perfect(), PLAYHOUSE.make_task(spec)
    setter.reset(world, seed)
    solver.reset(world, seed)
    for _ in range(spec.max_steps):
        actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
        observations, *_ = world.step(actions)
        setter.task.update(world, actions[SOLVER]["utterance"])
        if task.update(world, actions[SOLVER]["utterance"])[0]:
            return True
    return False


@pytest.mark.parametrize("name", (POINT, HAND_OVER))
def test_requests_that_need_the_setter_can_be_fulfilled(name: str) -> None:
    assert fulfilled(name, standing=False)
    assert not fulfilled(name, standing=True)


@pytest.mark.parametrize("hands", ("simple", "full"))
def test_it_stands_still_where_it_has_no_part(hands: str) -> None:
    world = Playhouse(height=8, width=8, hands=hands)
    seed, spec = begun(world, "pick up")
    setter = ProbeSetter(spec)
    setter.reset(world, seed)
    first, second = setter.act({}), setter.act({})
    assert (first["utterance"], second["utterance"]) == (spec.instruction, "")
    components = world.body.silent()["movement"]
    assert np.array_equal(first["movement"], components) and np.array_equal(second["movement"], components)
    assert components.shape[1] >= silent()["movement"].shape[1]
