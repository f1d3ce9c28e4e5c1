"""Collect datasets with Minari's own DataCollector; print what was done in them.

Words: a folder, and the data format.
"""

import json
import os
import sys

os.environ["MINARI_DATASETS_PATH"], FORMAT = sys.argv[1:]

import gymnasium as gym  # noqa: E402
import minari  # noqa: E402
import minigrid  # noqa: E402, F401
import numpy as np  # noqa: E402
from gymnasium import spaces  # noqa: E402
from plain import plain  # noqa: E402


class Pictures(gym.Env):
    """Pictures large enough to be kept as JPEG files, an arm, and an action of several parts."""

    observation_space = spaces.Dict(
        {
            "view": spaces.Box(0, 255, (40, 48, 3), np.uint8),
            "arm": spaces.Tuple([spaces.Box(-1, 1, (2,)), spaces.MultiBinary(3)]),
        }
    )
    action_space = spaces.Dict({"move": spaces.Box(-1, 1, (2,)), "grip": spaces.Discrete(3, start=-1)})

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._seen(), {"success": False}

    def step(self, action):
        self.steps += 1
        over = self.steps == 6
        return self._seen(), 0.5 * self.steps, over, False, {"success": over}

    def _seen(self):
        view = np.full((40, 48, 3), 20 * self.steps, np.uint8)
        return {"view": view, "arm": (np.full(2, 0.1 * self.steps, np.float32), np.array([0, 1, 0], np.int8))}


def collect(env, name, episodes, **settings):
    collector = minari.DataCollector(env, data_format=FORMAT, **settings)
    done = []
    for number in range(episodes):
        seen, _ = collector.reset(seed=number)
        collector.action_space.seed(number)
        columns = {"observations": [], "actions": [], "rewards": [], "ended": [False, False]}
        for _ in range(20):
            action = collector.action_space.sample()
            columns["observations"].append(seen)
            columns["actions"].append(action)
            seen, reward, terminated, truncated, _ = collector.step(action)
            columns["rewards"].append(float(reward))
            columns["ended"] = [bool(terminated), bool(truncated)]
            if terminated or truncated:
                break
        else:
            columns["ended"] = [False, True]  # a reset before the end counts as truncation
        done.append(columns)
    collector.create_dataset(f"{name}-v0")
    return done


babyai = gym.make("BabyAI-GoToLocal-v0")
text = spaces.Text(200, charset="abcdefghijklmnopqrstuvwxyz ,")
worded = spaces.Dict(dict(babyai.observation_space.spaces) | {"mission": text})
found = {
    "cartpole": collect(gym.make("CartPole-v1"), "cartpole", 3),
    "pendulum": collect(gym.make("Pendulum-v1"), "pendulum", 2),
    "babyai": collect(babyai, "babyai", 2, observation_space=worded),
    "pictures": collect(Pictures(), "pictures", 2, record_infos=True),
}
print(json.dumps(plain(found)))
