"""Rounds in which people teach an agent: those of the demo, and these differ:

* People mark the agent's play, and say of each request whether it was carried out: the reward model learns from both.
* The reward model of another agent than the pretrained one begins as that agent, and also learns from setters' next
  requests in demonstrations (`rlhf mark --from requests`).
* The evaluation is shorter.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import from_scratch
from pipelines.presets.demo import demo
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from reward_models.preferences.config import PreferenceConfig


def loop(pretrained: bool = True, elsewhere: bool = False) -> LoopConfig:
    """The rounds of `rlhf teach`.

    Args:
      pretrained: begin with the pretrained agent and its reward model.
      elsewhere: leave world, players and probes to those of the agent and its demonstrations, as the demo's are of the
        Playhouse.
    """
    base = demo() if pretrained else _of_another_agent(demo())
    base = _without_places(base) if elsewhere else base
    training = replace(base.reward.training, preferences=PreferenceConfig(verdicts=1.0, batch=24))
    return replace(
        base,
        rounds=1,
        marks="people",
        reward=replace(base.reward, training=training),
        evaluate=replace(base.evaluate, episodes=50),
    )


def _of_another_agent(base: LoopConfig) -> LoopConfig:
    reward = replace(from_scratch.demo().reward, likelihood=True)
    return replace(base, agent=None, reward_model=None, marked_demonstrations="requests", reward=reward)


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
