"""Gymnasium environments as worlds: what is asked, seen, done and judged; and MiniGrid's and BabyAI's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs import registration
from minigrid.wrappers import RGBImgPartialObsWrapper

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.foreign.gym_bridge import find_env
from worlds.foreign.minigrid import BabyAIBot
from worlds.foreign.pictures import resized
from worlds.foreign_code.trust import permit
from worlds.spaces.action import Continuous, Discrete
from worlds.spaces.observation import Grid, Image, Vector

WALK = '''
import gymnasium
from gymnasium.envs import registration
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
def walk(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "walk.py").write_text(WALK)
    permit([str(tmp_path / "walk.py")])
    registry._foreign.cache_clear()
    yield f"{tmp_path / 'walk.py'}:Walk"
    registry._registry._entries.pop("Walk", None)
    registry._registry._entries.pop("make", None)


def forward(world: Any) -> Any:
    """The solver's last action."""
    action = world.spec(SOLVER).action.silent()
    action["movement"][:] = 2
    return {SOLVER: action}


def episode(entry: registry.WorldEntry, seed: int, solver: Any, **options: Any) -> tuple[Any, Any, list[Any]]:
    """The world, the setter and the events of an episode."""
    world = entry.make(**options)
    observations, _ = world.reset(options={"config": entry.sample_config(seed)})
    setter = entry.make_setter(tasks={"mission": 1.0})
    for player in (setter, solver):
        player.reset(world, seed)
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
    world, setter, events = episode(entry, 3, entry.make_solver(perfect=True))
    assert entry.name == "Walk" and registry.get("Walk") is entry and world.config == {"seed": 3}
    assert setter.task.spec.instruction == "go to place 3" and setter.task.spec.max_steps == 30
    assert setter.task.succeeded and [(event.sign, event.reason) for event in events] == [(1, "success")]
    assert world.spec(SOLVER).observation.vector == Vector(4) and not world.spec(SOLVER).observation.texts
    assert world.spec(SOLVER).action.components == (Discrete("action", ("0", "1", "2")),)


@pytest.mark.parametrize(
    ("settings", "ends"),
    [
        ({"linger": 1}, (True, False)),
        ({"linger": 1, "env": {"length": 200}}, (False, True)),
        ({"linger": 1, "max_steps": 1}, (False, True)),
        ({"linger": 40, "max_steps": 35, "env": {"length": 4}}, (True, False)),  # the limit comes after the end
        ({"linger": 40, "max_steps": 35, "env": {"length": 200}}, (False, True)),
    ],
)
def test_an_end_that_is_a_limit_truncates_and_any_other_terminates(
    walk: str, settings: dict[str, Any], ends: tuple[bool, bool]
) -> None:
    world = registry.get(walk).make(**settings)
    world.reset(seed=0)
    while world.agents:
        _, rewards, terminated, truncated, _ = world.step(forward(world))
    assert (terminated[SOLVER], truncated[SOLVER]) == ends and rewards[SOLVER] == 0.0
    assert settings["linger"] == 1 or world.step_index == 35


def test_success_may_be_a_sum_of_rewards() -> None:
    entry = registry.get("gym:CartPole-v1")
    for wanted in (400, 3):
        assert episode(entry, 0, entry.make_solver(), success_return=wanted)[1].task.succeeded == (wanted == 3)


@pytest.mark.parametrize(("wanted", "succeeded"), [(-50, True), (-49, False)])
@pytest.mark.parametrize("limit", [{"env": {"max_episode_steps": 50}}, {"max_steps": 50}])
def test_a_sum_of_zero_or_below_is_judged_when_the_episode_ends(
    limit: dict[str, Any], wanted: float, succeeded: bool
) -> None:
    world: Any = registry.get("gym:MountainCar-v0").make(success_return=wanted, linger=0, **limit)
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


def test_a_picture_is_observed_where_it_is_asked_for_and_is_that_of_the_play_that_was_returned_to() -> None:
    world: Any = registry.get("gym:FrozenLake-v1").make(picture=32, env={"is_slippery": False})
    before = world.reset(options={"config": {"seed": 1}})[0][SOLVER]
    assert world.spec(SOLVER).observation.image == Image(32, 32) and world.spec(SOLVER).observation.vector == Vector(16)
    here = world.snapshot()
    expected = [world.step(forward(world))[0][SOLVER] for _ in range(3)]
    assert not np.array_equal(before["image"], expected[0]["image"]) and expected[0]["vector"][1] == 1
    world.restore(here)
    found = [world.step(forward(world))[0][SOLVER] for _ in range(3)]
    assert all(np.array_equal(one["image"], other["image"]) for one, other in zip(expected, found, strict=True))
    assert not np.array_equal(found[0]["image"], found[1]["image"]) and world.render().ndim == 3


@pytest.mark.parametrize(
    ("name", "options", "refusal"),
    [
        ("gym:CartPol-v1", {}, "Gymnasium has no environment 'CartPol-v1'; near: gym:CartPole-v1"),
        ("gym:zzz", {}, "Gymnasium has no environment 'zzz'; name its package too: gym:PACKAGE:ID"),
        ("gym:no_such_package:Room-v0", {}, "is in the package no_such_package, which is not installed; pip install"),
        ("gym:CartPole-v1", {"env": {"length": 2}}, "gym:CartPole-v1 cannot be made: TypeError"),
        ("gym:CartPole-v1", {"picture": 3}, "setting picture: 3 is no side in pixels"),
        ("gym:BabyAI-GoToObj-v0", {"picture": 64}, "picture: 64 pixels do not show 7 cells evenly; use e.g. 63"),
        ("gym:CartPole-v1", {"linger": -1}, "setting linger: -1 is no whole number from 0"),
        ("gym:CartPole-v1", {"success_at": "once"}, "setting success_at: 'once' is neither 'any' nor 'end'"),
        ("{file}:Run", {}, "has no class or function 'Run'"),
        ("{file}:NUMBER", {}, "has no class or function 'NUMBER'"),
        ("{file}:spaces.Box", {}, "has no class or function 'spaces.Box'"),
        ("/nowhere/at/all.py:Walk", {}, "no world file"),
    ],
)
def test_what_cannot_be_made_is_named_in_one_line(walk: str, name: str, options: dict[str, Any], refusal: str) -> None:
    name = name.replace("{file}", walk.rpartition(":")[0])
    permit([name])
    with pytest.raises(WorldError) as caught:
        registry.get(name).make(**options)
    assert refusal in str(caught.value) and "\n" not in str(caught.value)


def test_one_file_is_one_world_however_its_path_is_spelled(walk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(walk.rpartition(":")[0]).parent
    (folder / "inner").mkdir()
    (folder / "link").symlink_to(folder)
    monkeypatch.chdir(folder / "inner")
    for name in ("../walk.py:Walk", f"{folder}/link/walk.py:Walk", f"{folder}/inner/../walk.py:Walk"):
        assert registry.absolute_name(name) == walk
        assert registry.get(name) is registry.get(walk)
    assert registry.absolute_name("../walk.py") == f"{folder}/walk.py"
    assert registry.get(f"{folder}/walk.py:make").make().spec(SOLVER).observation.vector == Vector(5)
    for name in ("gym:ale_py:ALE/Pong-v5", "pettingzoo:sisl.pursuit_v4", "playhouse"):
        assert registry.absolute_name(name) == name


def test_symbols_are_a_grid_and_actions_have_names() -> None:
    spec = registry.get("gym:BabyAI-GoToObj-v0").make().spec(SOLVER)
    assert spec.observation.grid == Grid(7, 7, (11, 6, 4)) and spec.observation.image is None
    action: Any = spec.action.discrete[0]
    assert action.bins == ("left", "right", "forward", "pickup", "drop", "toggle", "done") and action.neutral == 6


@pytest.mark.parametrize("env_id", ["BabyAI-PutNextLocal-v0", "MiniGrid-LavaGapS5-v0"])
def test_the_picture_is_that_of_minigrids_own_wrapper(env_id: str) -> None:
    world = registry.get(f"gym:{env_id}").make(picture=56)
    bare = RGBImgPartialObsWrapper(gymnasium.make(env_id), tile_size=8)
    rng, ended = np.random.default_rng(0), False
    expected, _ = bare.reset(seed=0)
    seen = world.reset(options={"config": {"seed": 0}})[0][SOLVER]
    for _ in range(60):
        assert ended or np.array_equal(seen["image"], expected["image"])
        action = world.spec(SOLVER).action.silent()
        action["movement"][:] = rng.integers(6)
        expected, _, *ends, _ = bare.step(int(action["movement"][0, 0]))
        ended = ended or any(ends)
        seen = world.step({SOLVER: action})[0][SOLVER] if world.agents else seen
    assert world.spec(SOLVER).observation.image == Image(56, 56)


def test_the_bot_follows_its_plan_but_for_its_imperfections() -> None:
    entry = registry.get("gym:BabyAI-GoToLocal-v0")
    perfect, errs = (
        [episode(entry, seed, entry.make_solver(**settings))[0] for seed in range(10)]
        for settings in ({"perfect": True}, {"error": 0.5})
    )
    assert all(world.succeeded for world in perfect)
    steps = [sum(world.step_index for world in worlds) for worlds in (perfect, errs)]
    assert steps[1] > 1.2 * steps[0], "it corrects its mistakes, which takes time"


def test_the_bot_looks_for_itself_where_a_wrapper_may_have_changed_the_view() -> None:
    dark = gymnasium.wrappers.TransformObservation(
        gymnasium.make("BabyAI-GoToObj-v0"), lambda seen: seen | {"image": np.zeros_like(seen["image"])}, None
    )
    seen, _ = dark.reset(seed=0)
    bot = BabyAIBot(dark, lambda: seen)
    assert bot.advise() is not None and bot._bot.vis_mask.any()


def test_the_package_that_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "registry", {}, raising=False)
    monkeypatch.setattr(gymnasium, "registry", {})
    monkeypatch.setitem(sys.modules, "minigrid", None)
    with pytest.raises(WorldError, match="^gym:BabyAI-GoToObj-v0 is in the package minigrid, which is not installed"):
        find_env("BabyAI-GoToObj-v0")


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_every_channel_is_the_mean_of_what_it_covers(channels: int) -> None:
    picture = np.random.default_rng(0).integers(256, size=(84, 84, channels), dtype=np.uint8)
    picture[..., -1] = 0  # of four channels, the last is no opacity
    found = resized(picture, 42)
    means = picture.reshape(42, 2, 42, 2, channels).mean(axis=(1, 3))
    assert found.shape == (42, 42, channels) and found.dtype == np.uint8
    assert np.abs(found - means).max() <= 1  # rows and columns are rounded in turn
