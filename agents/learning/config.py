"""Settings of gradient descent. Imports nothing heavy."""

from __future__ import annotations

from worlds.ranges import CountFromZero, Decay, Positive, Share, Weight
from worlds.settings import settings


@settings
class AdamConfig:
    """Adam, the schedule of its learning rate, and clipping. The paper (A.7) has neither schedule nor clipping.

    Args:
      learning_rate: learning rate of Adam, after the warm-up.
      decay: fraction of the learning rate that is left at the end; it falls along a cosine (not in the paper: 1).
      warmup: updates over which the learning rate rises from 0 (not in the paper).
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      clip: largest global norm of the gradient (not in the paper).
    """

    learning_rate: Weight = 1e-4
    decay: Share = 1.0
    warmup: CountFromZero = 0
    beta1: Decay = 0.0
    beta2: Decay = 0.999
    clip: Positive = 10.0
