"""Gymnasium environments as worlds: what is asked, seen, done and judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.foreign_code.trust import permit
from worlds.spaces.action import Continuous, Discrete
from worlds.spaces.observation import Image, Vector

WALK = '''
import gymnasium
import numpy as np
from gymnasium import spaces


class Walk(gymnasium.Env):
    """A line of places; the goal is at its end."""

    metadata = {"render_modes": []}
    max_steps = 30

    def __init__(self, length=4):
        self.length = length
        self.observation_space = spaces.Dict(place=spaces.Discrete(length), goal=spaces.Text(30))
        self.action_space = spaces.Discrete(3, start=-1)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = int(self.np_random.integers(self.length - 1)), 0
        return self.seen(), {}

    def step(self, action):
        self.place, self.steps = int(np.clip(self.place + action, 0, self.length - 1)), self.steps + 1
        there = self.place == self.length - 1
        return self.seen(), float(there), there, self.steps >= self.max_steps, {}

    def seen(self):
        return {"place": self.place, "goal": f"go to place {self.length - 1}"}

    def demonstrate(self):
        return 1


def make(length=5):
    return Walk(length)


NUMBER = 3
'''


@pytest.fixture
def walk(tmp_path: Path) -> str:
    (tmp_path / "walk.py").write_text(WALK)
    permit([str(tmp_path / "walk.py")])
    registry._foreign.cache_clear()
    yield f"{tmp_path / 'walk.py'}:Walk"  # type: ignore[misc]
    registry._registry._entries.pop("Walk", None)
    registry._registry._entries.pop("make", None)


def played(entry: registry.WorldEntry, seed: int, perfect: bool = True, **options: Any) -> tuple[Any, Any, list[Any]]:
    """The world, the setter and the events of a scripted episode."""
    world = entry.make(**options)
    observations, _ = world.reset(options={"config": entry.sample_config(seed)})
    setter, solver = entry.make_setter(tasks={"mission": 1.0}), entry.make_solver(perfect=perfect)
    setter.reset(world, seed)
    solver.reset(world, seed + 1)
    events: list[Any] = []
    said = []
    while world.agents:
        actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
        said.append(actions[SETTER]["utterance"])
        observations = world.step(actions)[0]
        assert setter.task is not None
        events += setter.task.update(world, "")[1]
    assert said[0] and not any(said[1:]), "the mission is said at the first step, and nothing after it"
    return world, setter, events


def test_an_environment_of_a_file_is_played_asked_and_judged(walk: str) -> None:
    entry = registry.get(walk)
    world, setter, events = played(entry, 3)
    assert entry.name == "Walk" and setter.task.spec.instruction == "go to place 3"
    assert setter.task.spec.max_steps == 30
    assert setter.task.succeeded and [(event.sign, event.reason) for event in events] == [(1, "success")]
    assert world.config == {"seed": 3}
    assert world.spec(SOLVER).observation.vector == Vector(4) and not world.spec(SOLVER).observation.texts
    assert world.spec(SOLVER).action.components == (Discrete("action", ("0", "1", "2")),)
    assert registry.get("Walk") is entry


def test_an_end_that_is_a_limit_truncates_and_any_other_terminates(walk: str) -> None:
    entry = registry.get(walk)
    for settings, seen in (
        ({}, (True, False)),
        ({"env": {"length": 200}}, (False, True)),
        ({"max_steps": 1}, (False, True)),
    ):
        world = entry.make(linger=1, **settings)
        world.reset(seed=0)
        forward = world.spec(SOLVER).action.silent()
        forward["movement"][:] = 2
        while world.agents:
            _, rewards, terminated, truncated, _ = world.step({SOLVER: forward})
        assert (terminated[SOLVER], truncated[SOLVER]) == seen and rewards[SOLVER] == 0.0


@pytest.mark.parametrize(("length", "ends"), [(4, (True, False)), (200, (False, True))])
def test_a_limit_after_the_end_leaves_the_end_as_it_was(walk: str, length: int, ends: tuple[bool, bool]) -> None:
    world = registry.get(walk).make(linger=40, max_steps=35, env={"length": length})
    world.reset(seed=0)
    forward = world.spec(SOLVER).action.silent()
    forward["movement"][:] = 2
    while world.agents:
        _, _, terminated, truncated, _ = world.step({SOLVER: forward})
    assert world.step_index == 35 and (terminated[SOLVER], truncated[SOLVER]) == ends


def test_success_may_be_a_sum_of_rewards() -> None:
    entry = registry.get("gym:CartPole-v1")
    assert not played(entry, 0, success_return=400)[1].task.succeeded
    assert played(entry, 0, success_return=3)[1].task.succeeded


@pytest.mark.parametrize(("wanted", "succeeded"), [(-50, True), (-49, False)])
@pytest.mark.parametrize("limit", [{"env": {"max_episode_steps": 50}}, {"max_steps": 50}])
def test_a_sum_of_zero_or_below_is_judged_when_the_episode_ends(
    limit: dict[str, Any], wanted: float, succeeded: bool
) -> None:
    world = registry.get("gym:MountainCar-v0").make(success_return=wanted, linger=0, **limit)
    world.reset(seed=0)
    for _ in range(49):
        world.step({})
    assert world.agents and not world.succeeded
    world.step({})
    assert not world.agents and world.total == -50 and world.succeeded == succeeded


def test_continuous_actions_reach_the_environment_and_are_observed() -> None:
    world = registry.get("gym:Pendulum-v1").make()
    (torque,) = world.spec(SOLVER).action.components
    assert torque == Continuous("action", -2.0, 2.0)
    ends = []
    for value in (-2.0, 2.0):
        world.reset(options={"config": {"seed": 1}})
        action = world.spec(SOLVER).action.silent() | {"continuous": np.full((1, 1), value, np.float32)}
        seen = world.step({SOLVER: action})[0][SOLVER]
        assert seen["previous_continuous"] == value and seen["previous_movement"].shape == (1, 0)
        ends.append(seen["vector"])
    assert not np.array_equal(*ends)
    action["continuous"] = np.full((1, 1), 3.0, np.float32)
    with pytest.raises(WorldError, match="^action of the solver: action is 3.0 at tick 0, not -2.0 to 2.0$"):
        world.step({SOLVER: action})


def test_a_picture_of_the_environment_is_observed_where_it_is_asked_for() -> None:
    world = registry.get("gym:FrozenLake-v1").make(picture=32, env={"is_slippery": False})
    before = world.reset(options={"config": {"seed": 1}})[0][SOLVER]
    assert world.spec(SOLVER).observation.image == Image(32, 32) and world.spec(SOLVER).observation.vector == Vector(16)
    right = world.spec(SOLVER).action.silent()
    right["movement"][:] = 2
    after = world.step({SOLVER: right})[0][SOLVER]
    assert not np.array_equal(before["image"], after["image"]) and after["vector"][1] == 1
    assert world.render().ndim == 3


def test_the_picture_is_that_of_the_play_that_was_returned_to() -> None:
    world = registry.get("gym:FrozenLake-v1").make(picture=32, env={"is_slippery": False})
    world.reset(options={"config": {"seed": 1}})
    right = world.spec(SOLVER).action.silent()
    right["movement"][:] = 2
    here = world.snapshot()
    expected = [world.step({SOLVER: right})[0][SOLVER]["image"] for _ in range(3)]
    world.restore(here)
    found = [world.step({SOLVER: right})[0][SOLVER]["image"] for _ in range(3)]
    assert np.array_equal(expected, found) and not np.array_equal(found[0], found[1])


@pytest.mark.parametrize(
    ("name", "options", "refusal"),
    [
        ("gym:CartPol-v1", {}, "Gymnasium has no environment 'CartPol-v1'; near: gym:CartPole-v1"),
        ("gym:zzz", {}, "Gymnasium has no environment 'zzz'; name its package too: gym:PACKAGE:ID"),
        ("gym:no_such_package:Room-v0", {}, "is in the package no_such_package, which is not installed; pip install"),
        ("gym:CartPole-v1", {"env": {"length": 2}}, "gym:CartPole-v1 cannot be made: TypeError"),
        ("gym:CartPole-v1", {"picture": 3}, "setting picture: 3 is no side in pixels"),
        ("gym:CartPole-v1", {"linger": -1}, "setting linger: -1 is no whole number from 0"),
        ("gym:CartPole-v1", {"success_at": "once"}, "setting success_at: 'once' is neither 'any' nor 'end'"),
    ],
)
def test_what_cannot_be_made_is_named_in_one_line(name: str, options: dict[str, Any], refusal: str) -> None:
    permit([name])
    with pytest.raises(WorldError) as caught:
        registry.get(name).make(**options)
    assert refusal in str(caught.value) and "\n" not in str(caught.value)


def test_a_name_in_a_file_is_a_class_or_a_function_of_an_environment(walk: str) -> None:
    path = walk.rpartition(":")[0]
    assert registry.get(f"{path}:make").make().spec(SOLVER).observation.vector == Vector(5)
    for name in ("Run", "NUMBER", "spaces.Box"):
        with pytest.raises(WorldError, match=f"has no class or function '{name}'"):
            registry.get(f"{path}:{name}")
    with pytest.raises(WorldError, match="no world file"):
        registry.get("/nowhere/at/all.py:Walk")


def test_one_file_is_one_world_however_its_path_is_spelled(walk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(walk.rpartition(":")[0]).parent
    (folder / "inner").mkdir()
    (folder / "link").symlink_to(folder)
    monkeypatch.chdir(folder / "inner")
    for name in ("../walk.py:Walk", f"{folder}/link/walk.py:Walk", f"{folder}/inner/../walk.py:Walk"):
        assert registry.absolute_name(name) == walk
        assert registry.get(name) is registry.get(walk)
    assert registry.absolute_name("../walk.py") == f"{folder}/walk.py"


def test_paths_are_absolute_and_ids_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert registry.absolute_name("walk.py:Walk") == f"{tmp_path}/walk.py:Walk"
    assert registry.absolute_name("walk.py") == f"{tmp_path}/walk.py"
    for name in ("gym:ale_py:ALE/Pong-v5", "pettingzoo:sisl.pursuit_v4", "playhouse"):
        assert registry.absolute_name(name) == name
