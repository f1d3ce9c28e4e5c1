"""Settings of refining a cloned agent on marked play. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from agents.ranges import LARGEST, Count, Positive, Range, Weight
from rlhf.learning.config import TrainingConfig

Method = Literal["weighted"]
USES_REWARD_MODEL: tuple[Method, ...] = ("weighted",)
LargestWeight = Annotated[float, Range(least=1, most=LARGEST, why="a step of mean advantage has the weight 1")]


@dataclass(frozen=True)
class RefiningConfig(TrainingConfig):
    """Settings of refining a cloned agent on marked play, with those of every training.

    Args:
      method: what is learned from the marks. "weighted" imitates every recorded step, the agent's own among them, the
        more the higher its advantage by the reward model.
      window: steps n after an action in which what follows is ascribed to it.
      bc_weight: weight of imitation, beside css_weight and what a method adds.
      temperature: advantage, in standard deviations, by which the weight of a step grows e-fold ("weighted").
      largest_weight: largest weight of a step, in units of that of a step of mean advantage ("weighted").
      own_play: weight of the agent's own steps, times that of their advantage, relative to demonstrated ones
        ("weighted").
    """

    updates: Count = 2_000
    method: Method = "weighted"
    window: Count = 12
    bc_weight: Weight = 1.0
    temperature: Positive = 1.0
    largest_weight: LargestWeight = 20.0
    own_play: Weight = 1.0
