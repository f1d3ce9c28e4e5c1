"""Why stretches: a utility that can only learn what events are worth, taught by late, missing and mistaken marks.

There is nothing to see or to remember here, so what differs is how pairs are weighed. Run with ``-s`` for the figures.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from reward_models.inter_temporal import ibt_loss
from reward_models.marks.pairs import MINUS, PLUS, Weighting

STEPS, EPISODES, SEEDS = 50, 60, 6
WORTH = np.repeat([1.0, -1.0, 0.0], 10)  # of thirty kinds of events


def marked_events(seed: int) -> tuple[Tensor, Tensor]:
    """What has happened so far, float [T, B, kinds], and marks [T, B, 1, 2] as of a fallible rater.

    One to seven events an episode; in every other one they come within 14 steps. A tenth of them goes unmarked, a
    twentieth is marked wrongly, and marks come up to three steps late.
    """
    rng = np.random.default_rng(seed)
    events = np.zeros((STEPS, EPISODES, len(WORTH)), dtype=np.float32)
    marks = np.zeros((STEPS, EPISODES, 1, 2), dtype=np.uint8)
    for episode in range(EPISODES):
        begin, room = (int(rng.integers(2, STEPS - 18)), 14) if episode % 2 else (2, STEPS - 6)
        for step in begin + rng.choice(room, int(rng.integers(1, 8)), replace=False):
            kind = int(rng.integers(len(WORTH)))
            events[step, episode, kind] = 1
            if WORTH[kind] and rng.random() > 0.1:
                right = (WORTH[kind] > 0) == (rng.random() > 0.05)
                late = min(step + int(np.clip(round(rng.normal(1, 1)), 0, 3)), STEPS - 1)
                marks[late, episode, 0, PLUS if right else MINUS] += 1
    return torch.from_numpy(events.cumsum(0)), torch.from_numpy(marks)


def learned_worth(seed: int, weighting: Weighting) -> np.ndarray:
    """What Eq. 1 makes of each kind of event."""
    happened, marks = marked_events(seed)
    worth = torch.zeros(len(WORTH), requires_grad=True)
    optimizer = torch.optim.LBFGS([worth], max_iter=40, line_search_fn="strong_wolfe")
    resets = torch.zeros(STEPS, EPISODES, dtype=torch.bool)

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = ibt_loss(happened @ worth, marks, resets, weighting) + 1e-3 * worth.square().sum()
        value.backward()
        return value

    optimizer.step(loss)  # type: ignore[arg-type]
    return worth.detach().numpy()


def test_stretches_learn_the_worth_of_events_better_than_pairs() -> None:
    found: dict[Weighting, list[float]] = {"stretches": [], "pairs": []}
    for weighting, correlations in found.items():
        for seed in range(SEEDS):
            correlations.append(float(np.corrcoef(learned_worth(seed, weighting), WORTH)[0, 1]))
    for weighting, correlations in found.items():
        error = np.std(correlations, ddof=1) / len(correlations) ** 0.5
        print(f"{weighting}: correlation of learned and true worth {np.mean(correlations):.3f} +- {error:.3f}")
    assert min(found["stretches"]) > 0.85
    assert np.mean(found["stretches"]) > np.mean(found["pairs"])
