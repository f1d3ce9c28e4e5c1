"""Pictures moved a little, so that places in them are not learned by heart (Yarats et al., 2021, "DrQ", section 4.1).

Not in the paper, and off by default. With few recordings it decides what is learned of words: a room in which
something was asked for is easier to remember than the thing is to find (LOG.md tells how much).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from agents.batch import ObservationBatch


def random_shift(image: Tensor, pixels: int, rng: np.random.Generator) -> Tensor:
    """Every trajectory's pictures moved by up to ``pixels`` each way, all of a window by the same; edges repeat.

    Args:
      image: uint8 [T, B, H, W, 3]. rng: draws one movement, down and to the right, for each of the B trajectories.

    Returns: the same shape; ``image`` itself if ``pixels`` is 0.
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
    """What is seen in a window [T, B], moved by what depends on the seed and the number of the update alone."""
    image = random_shift(observations.image, pixels, np.random.default_rng([seed, 2, update]))
    return observations._replace(image=image)
