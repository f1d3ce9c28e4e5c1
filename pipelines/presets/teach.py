"""Rounds in which people teach an agent: those of the demo, and these differ:

* People mark the agent's play, and say of each request whether it was carried out: the reward model learns from both.
* Nobody marks the demonstrations: it learns from setters' next requests in them (`rlhf mark --from requests`).
* The evaluation is shorter.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets.demo import demo
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from reward_models.preferences.config import PreferenceConfig


def loop(elsewhere: bool = False) -> LoopConfig:
    """The rounds of `rlhf teach`.

    Args:
      elsewhere: leave world, players and probes to those of the agent and its demonstrations, as the demo's are of the
        Playhouse.
    """
    base = _without_places(demo()) if elsewhere else demo()
    training = replace(base.reward.training, preferences=PreferenceConfig(verdicts=1.0))
    return replace(
        base,
        rounds=1,
        marks="people",
        reward=replace(base.reward, training=training),
        evaluate=replace(base.evaluate, episodes=50),
    )


def _without_places(base: LoopConfig) -> LoopConfig:
    """Return the rounds without what only fits the Playhouse, or agents that see pictures."""
    world, players = WorldConfig(), PlayersConfig()
    return replace(
        base,
        world=world,
        demonstrations=replace(base.demonstrations, world=world, players=players),
        play=replace(base.play, world=world, players=players),
        reward=replace(base.reward, training=replace(base.reward.training, frozen_vision=False, shift=0)),
        improve=replace(base.improve, world=world),
        evaluate=replace(base.evaluate, world=world, players=players, probes=()),
    )
