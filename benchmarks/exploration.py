"""Processor time of exploration bonuses in the school, learning included: ``python -m benchmarks.exploration``."""

from __future__ import annotations

import time

import numpy as np
import torch

from experiments.social_ai.exploration.bonuses import NAMES, make_bonus
from worlds.school.environments.sampled import SampledEnv

STEPS = 3000


def main() -> None:
    """Play at random, and print the mean time of every bonus."""
    torch.set_num_threads(1)
    env, rng = SampledEnv("SocialAI-SocialAIParamEnv-v1"), np.random.default_rng(0)
    seen, _ = env.reset(seed=0)
    play = []
    for _ in range(STEPS):
        said = rng.integers(0, (4, 16)).tolist() if rng.random() < 0.2 else [-1, -1]
        action = np.array([rng.integers(0, 4), *said])
        play.append((seen, action))
        seen, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            seen, _ = env.reset()
    for name in NAMES:
        bonus = make_bonus(name, env)
        bonus.begin(play[0][0])
        begun = time.process_time()
        for seen, action in play:
            bonus.step(seen, action, False)
        print(f"{name:>5}: {(time.process_time() - begun) / STEPS * 1e6:,.0f} µs a step")


if __name__ == "__main__":
    main()
