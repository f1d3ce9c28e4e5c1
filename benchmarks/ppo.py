"""Frames a second that V-trace and PPO play and learn, with the same agent: ``python -m benchmarks.ppo``."""

from __future__ import annotations

import time
from collections.abc import Mapping

import gymnasium
import torch

from agents import registry
from agents.agent import InteractiveAgent
from experiments.social_ai.cases import Arm
from experiments.social_ai.learners import RewardLearner, VTraceLearner, make_ppo
from experiments.social_ai.ppo.settings import SMALL
from experiments.social_ai.solver_env import SPEC
from experiments.social_ai.training import SchoolTraining, make_agent, make_env
from rlhf.run.machine import describe
from worlds.spaces.description import to_json

BOX = Arm("SocialAI-AsocialBoxInformationSeekingParamEnv-v1")
SECONDS = 20.0
SIZE = SchoolTraining()


def main() -> None:
    """Learn for some seconds with each, and print how fast."""
    torch.set_num_threads(1)
    print(describe())
    agent, tokenizer = make_agent(SIZE, 0)
    film = registry.make("film_agent/small", spaces=to_json(SPEC), vocab_size=tokenizer.vocab_size)
    agents: Mapping[str, InteractiveAgent] = {"interactive_agent": agent, "film_agent/small": film}
    for name, each in agents.items():
        parameters = sum(part.numel() for part in each.parameters())
        vtrace = VTraceLearner(each, tokenizer, _environment, SIZE.envs, SIZE.steps, SIZE.learner, 0)
        ppo = make_ppo(each, tokenizer, _environment, SMALL, 0, 0)
        for how, learner in (("V-trace", vtrace), ("PPO", ppo)):
            print(f"{name}, {parameters:,} parameters, {how}: {speed(learner):,.0f} frames a second")
            learner.close()


def speed(learner: RewardLearner) -> float:
    """Return frames a second of play and learning, after an update that is not counted."""
    learner.update()
    before, begun = learner.frames, time.perf_counter()
    while time.perf_counter() - begun < SECONDS:
        learner.update()
    return (learner.frames - before) / (time.perf_counter() - begun)


def _environment(number: int) -> gymnasium.Env:
    return make_env(BOX)


if __name__ == "__main__":
    main()
