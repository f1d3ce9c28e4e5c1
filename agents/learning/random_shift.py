"""Augmentation by small shifts of pictures, against overfitting (Yarats et al., 2021, "DrQ", section 4.1).

Not in the paper, and off by default. With few recordings it decides how well words are learned: a room in which
something was asked for is easier to remember than the thing is to find (LOG.md has how much).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from agents.batch import ObservationBatch


def random_shift(image: Tensor, pixels: int, rng: np.random.Generator) -> Tensor:
    """Shift pictures; those of one trajectory all by the same, and edges repeat.

    Args:
      image: uint8 [T, B, H, W, 3].
      pixels: largest shift in each direction.
      rng: draws one shift, down and to the right, for each of the B trajectories.

    Returns:
      Pictures of the same shape; ``image`` itself if ``pixels`` is 0.
    """
    if pixels == 0:
        return image
    batch, height, width = image.shape[1:4]
    down, right = torch.from_numpy(rng.integers(-pixels, pixels + 1, size=(2, batch))).to(image.device)
    rows = (torch.arange(height, device=image.device) - down[:, None]).clamp(0, height - 1)
    columns = (torch.arange(width, device=image.device) - right[:, None]).clamp(0, width - 1)
    trajectory = torch.arange(batch, device=image.device)[:, None, None]
    return image[:, trajectory, rows[:, :, None], columns[:, None, :]]


def shifted(observations: ObservationBatch, pixels: int, seed: int, update: int) -> ObservationBatch:
    """Return the observations [T, B] with shifted pictures; the shifts depend on seed and number of the update only."""
    if observations.image is None:
        return observations
    image = random_shift(observations.image, pixels, np.random.default_rng([seed, 2, update]))
    return observations._replace(image=image)
