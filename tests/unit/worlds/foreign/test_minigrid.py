"""MiniGrid and BabyAI: symbols, the agent's view, and BabyAI's bot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from worlds import registry
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.spaces.observation import Grid, Image

pytest.importorskip("minigrid")


def test_symbols_are_a_grid_and_actions_have_names() -> None:
    spec = registry.get("gym:BabyAI-GoToObj-v0").make().spec(SOLVER)
    assert spec.observation.grid == Grid(7, 7, (11, 6, 4)) and spec.observation.image is None
    (action,) = spec.action.discrete
    assert action.bins == ("left", "right", "forward", "pickup", "drop", "toggle", "done") and action.neutral == 6


@pytest.mark.parametrize("env_id", ["BabyAI-PutNextLocal-v0", "MiniGrid-LavaGapS5-v0", "MiniGrid-DoorKey-5x5-v0"])
def test_the_picture_is_that_of_minigrids_own_wrapper(env_id: str) -> None:
    import gymnasium
    from minigrid.wrappers import RGBImgPartialObsWrapper

    world = registry.get(f"gym:{env_id}").make(picture=56)
    bare = RGBImgPartialObsWrapper(gymnasium.make(env_id), tile_size=8)
    rng = np.random.default_rng(0)
    for seed in range(3):
        expected, _ = bare.reset(seed=seed)
        seen = world.reset(options={"config": {"seed": seed}})[0][SOLVER]
        for _ in range(60):
            assert np.array_equal(seen["image"], expected["image"])
            action = world.spec(SOLVER).action.silent()
            action["movement"][:] = rng.integers(6)
            expected, _, terminated, truncated, _ = bare.step(int(action["movement"][0, 0]))
            seen = world.step({SOLVER: action})[0][SOLVER]
            if terminated or truncated:
                break
    assert world.spec(SOLVER).observation.image == Image(56, 56)


def test_a_picture_shows_whole_cells() -> None:
    with pytest.raises(WorldError, match="^setting picture: 64 pixels do not show 7 cells evenly; use e.g. 63$"):
        registry.get("gym:BabyAI-GoToObj-v0").make(picture=64)


def test_the_bot_follows_its_plan_but_for_its_imperfections() -> None:
    entry = registry.get("gym:BabyAI-GoToLocal-v0")
    world, steps, solved = entry.make(), [], []
    for settings in ({"perfect": True}, {"error": 0.5}):
        lengths = []
        for seed in range(10):
            observations, _ = world.reset(options={"config": entry.sample_config(seed)})
            setter, solver = entry.make_setter(tasks={"mission": 1.0}), entry.make_solver(**settings)
            setter.reset(world, seed)
            solver.reset(world, seed)
            while world.agents:
                actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
                observations = world.step(actions)[0]
            lengths.append(world.step_index)
            solved.append(world.succeeded)
        steps.append(sum(lengths))
    assert all(solved[:10]) and steps[1] > 1.2 * steps[0], "it corrects its mistakes, which takes time"


def test_the_bot_looks_for_itself_where_a_wrapper_may_have_changed_the_view() -> None:
    import gymnasium

    from worlds.foreign.minigrid import BabyAIBot

    class Dark(gymnasium.ObservationWrapper):
        def observation(self, observation: Any) -> Any:
            return observation | {"image": np.zeros_like(observation["image"])}

    env = Dark(gymnasium.make("BabyAI-GoToObj-v0"))
    seen, _ = env.reset(seed=0)
    bot = BabyAIBot(env, lambda: seen)
    assert bot.advise() is not None and bot._bot.vis_mask.any()


def test_the_package_that_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    import gymnasium

    from worlds.foreign.gym_bridge import find_env

    monkeypatch.setattr(gymnasium.envs.registration, "registry", {}, raising=False)
    monkeypatch.setattr(gymnasium, "registry", {})
    monkeypatch.setitem(sys.modules, "minigrid", None)
    with pytest.raises(WorldError, match="^gym:BabyAI-GoToObj-v0 is in the package minigrid, which is not installed"):
        find_env("BabyAI-GoToObj-v0")
