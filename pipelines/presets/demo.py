"""The demo: one round of improvement of the pretrained agent, in minutes on two cores.

World, players and training are those of :mod:`pipelines.presets.from_scratch`, and these differ:

* The agent and the reward model that rounds begin with are the pretrained ones (:mod:`agents.pretrained`).
* Its demonstrations are recorded, to go on imitating them. Nobody marks them: the reward model learns from setters'
  next requests in them (`rlhf mark --from requests`), and from raters' marks of the agent's play.
"""

from __future__ import annotations

from dataclasses import replace

import agents.pretrained
import reward_models.pretrained
from pipelines.loops.rounds import LoopConfig
from pipelines.presets import from_scratch, small
from pipelines.presets.small import WORLD
from pipelines.stages.refine import RefineConfig
from rlhf.learning.refining_config import RefiningConfig

__all__ = ["WORLD", "demo", "refine"]


def demo() -> LoopConfig:
    """`rlhf demo`."""
    base = from_scratch.demo()
    return replace(
        base,
        agent=agents.pretrained.PLAYHOUSE,
        reward_model=reward_models.pretrained.PLAYHOUSE,
        marked_demonstrations="requests",
    )


def refine() -> RefineConfig:
    """`rlhf refine`: as many updates of as many steps as the demo's improvement has."""
    return small.refining(RefiningConfig(), demo().improve)
