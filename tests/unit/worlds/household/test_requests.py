"""A request in words from the setter to its success, played by the scripted players in the world itself."""

from __future__ import annotations

from typing import Any

import pytest

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.household.tasks import NAMES, make_task, probe, sample
from worlds.household.tasks.language.answers import says_done


@pytest.mark.parametrize("name", NAMES)
def test_a_request_of_every_set_is_heard_done_and_answered(name: str) -> None:
    entry = registry.get("household")
    world: Any = entry.make()
    world.reset(seed=1, options={"config": sample(1, homes=("apartment-3",), tasks=(name,), split="test_1")})
    spec = probe(name, world, 1, "held_out")
    assert spec is not None
    assert spec.arguments["goal"] == world.config["task"]["goal"]
    task, solver = make_task(spec), entry.make_solver(perfect=True)
    solver.reset(world, 1)
    silent = world.spec(SETTER).action.silent()
    asked, events, done, answered = silent | {"utterance": spec.instruction}, [], False, False
    observation = world.step({SETTER: asked, SOLVER: silent})[0][SOLVER]
    task.update(world, "")
    for _ in range(spec.max_steps - 1):
        action = solver.act(observation)
        observation = world.step({SETTER: silent, SOLVER: action})[0][SOLVER]
        done, new = task.update(world, action["utterance"])
        events += new
        answered |= says_done(action["utterance"])
        if done and answered:
            break
    assert done
    assert answered
    assert sum(each.sign for each in events if "of" in each.reason.split()) == sum(spec.arguments["goal"].values())


def test_a_place_whose_task_cannot_be_done_there_is_refused() -> None:
    config = sample(1, homes=("apartment-3",), tasks=("put_fridge",))
    config["task"] = {"name": "own", "goal": {"inside_apple_kitchentable": 1}}
    with pytest.raises(WorldError, match="a kitchentable lacks CONTAINERS, it is no container"):
        registry.get("household").make().reset(seed=1, options={"config": config})
