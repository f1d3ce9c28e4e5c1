"""Settings of PPO. Imports nothing heavy, and not Ray."""

from __future__ import annotations

from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero, Decay, Positive, Share, Weight
from worlds.settings import settings


@settings
class PPOSettings:
    """Proximal policy optimisation (Schulman et al., 2017) with the settings of the SocialAI school's published code.

    Args:
      envs: N, environments played in lock step; the published code has 64 processes.
      steps: T, frames of each in an update.
      epochs: passes over the frames of an update.
      minibatch: frames of a gradient step.
      recurrence: steps through which a gradient flows back in time.
      learning_rate: of Adam.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      epsilon: of Adam.
      discount: factor by which a reward loses worth with every step.
      lambda_: of generalised advantage estimation.
      ratio: largest relative change of an action's probability that is still rewarded (epsilon of the paper's Eq. 7).
      entropy_weight: weight of the policy's entropy.
      value_weight: weight of the squared error of the value function.
      clip: largest global norm of the gradient.
      largest_reward: rewards, of a bonus as well, are clipped to this size.
      runners: processes that play beside this one; 0 plays and learns in this one, which makes a run reproducible.

    Raises:
      UserError: a number out of its range, or numbers that do not go together.
    """

    envs: Count = 64
    steps: Count = 40
    epochs: Count = 4
    minibatch: Count = 640
    recurrence: Count = 5
    learning_rate: Positive = 1e-4
    beta1: Decay = 0.9
    beta2: Decay = 0.999
    epsilon: Positive = 1e-5
    discount: Share = 0.99
    lambda_: Share = 0.99
    ratio: Positive = 0.2
    entropy_weight: Weight = 1e-5
    value_weight: Weight = 0.5
    clip: Positive = 0.5
    largest_reward: Positive = 1.0
    runners: CountFromZero = 0

    def __post_init__(self) -> None:
        if self.envs % (self.runners or 1):
            raise UserError(f"ppo: {self.envs} envs cannot be shared out evenly among {self.runners} runners")
        if self.minibatch > self.frames:
            raise UserError(f"ppo: minibatch {self.minibatch} is more than the {self.frames} frames of an update")

    @property
    def frames(self) -> int:
        """Frames of an update."""
        return self.envs * self.steps


# For two cores: a quarter of the frames in as many gradient steps, which are larger, as the agents are smaller.
SMALL = PPOSettings(envs=16, minibatch=160, learning_rate=5e-4)
