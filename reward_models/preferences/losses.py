"""Loss of the Bradley-Terry model on pairs of stretches of play (Christiano et al. 2017, Eq. 1).

"Deep reinforcement learning from human preferences", section 2.2.3: the probability that stretch a is better than b is
sigmoid(m(a) - m(b)), with a measure m of each, and the loss is the cross-entropy with the probability p that the rater
gave it:

    -p log sigmoid(m(a) - m(b)) - (1 - p) log sigmoid(m(b) - m(a)).

Measures of the steps t0 to t1 (``PreferenceConfig.compared_by``):

- "return": the sum of the rewards in the stretch, which is U[t1] - U[t0] (Eq. 2 of this project's paper). The reward
  that arrives with t0 is the consequence of what came before.
- "end": U[t1].
- "mean": the mean of U[t0] to U[t1]: Christiano et al.'s sum, with the utility as the reward, per step.

Utilities of different requests are not comparable, so "end" and "mean" are used within one request only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from reward_models.contract import RewardModel, State
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import END, MEAN, RETURN, PreferenceExamples
from rlhf.data.memory import MemoryDataset


def preference_loss(difference: Tensor, better: Tensor) -> Tensor:
    """Mean of the cross-entropy of the Bradley-Terry model over examples, a scalar; 0 without any.

    Args:
      difference: float [K], measure of the first stretch less that of the second.
      better: float [K], probability that the first is better.

    Raises:
      ValueError: if the two have different shapes.
    """
    if difference.shape != better.shape:
        raise ValueError(f"difference {tuple(difference.shape)} and better {tuple(better.shape)} are not both [K]")
    loss = better * F.softplus(-difference) + (1.0 - better) * F.softplus(difference)
    return loss.sum() / max(len(loss), 1)


def log_loss(difference: np.ndarray, better: np.ndarray) -> float:
    """Value of :func:`preference_loss`, of arrays; nan without examples."""
    losses = better * np.logaddexp(0.0, -difference) + (1.0 - better) * np.logaddexp(0.0, difference)
    return float(losses.mean()) if len(losses) else float("nan")


def right_order(difference: np.ndarray, better: np.ndarray) -> np.ndarray:
    """Return 1 for every example that ``difference`` [K] orders as the rater did, 0 for others, 1/2 for ties, [K]."""
    return 0.5 * (1.0 + np.sign(difference) * np.sign(better - 0.5))


def measured_difference(utility: np.ndarray, examples: PreferenceExamples) -> np.ndarray:
    """Measure of the first stretch less that of the second, float64 [K].

    Args:
      utility: [N], of all rows of the play; rows outside the stretches may have any finite value.
      examples: K examples.
    """
    utility = np.asarray(utility, dtype=np.float64)
    so_far = np.concatenate([[0.0], np.cumsum(utility)])
    begin, end = examples.begin, examples.end
    last = utility[np.maximum(end - 1, 0)]
    measures = np.empty((3, *begin.shape))
    measures[RETURN], measures[END] = last - utility[begin], last
    measures[MEAN] = (so_far[end] - so_far[begin]) / np.maximum(end - begin, 1)
    chosen = np.take_along_axis(measures, examples.measure.astype(np.int64)[None, :, None], axis=0)[0]
    chosen[end == begin] = 0.0
    return chosen[:, 0] - chosen[:, 1]


class _Pieces(NamedTuple):
    """P consecutive runs of rows, the longest first, and what their utilities count in the measures of stretches."""

    owner: np.ndarray  # int64 [P], number of the stretch
    begin: np.ndarray  # int64 [P], its first row
    length: np.ndarray  # int64 [P], steps
    weight: np.ndarray  # float32 [L, P], factor of each step's utility; L is the length of the longest


def differences(
    model: RewardModel, play: MemoryDataset, examples: PreferenceExamples, config: PreferenceConfig, window: int
) -> Tensor:
    """Measure of the first stretch of every example less that of the second, with a gradient: float [K].

    The memory is carried through ``config.context`` steps before a stretch without a gradient, and then through the
    stretch, ``window`` steps at a time: the gradient reaches back to the beginning of the window that a step is in, as
    it does for marks. The rest of the stretch enters through the memory.

    Args:
      model: of a kind with ``learns_preferences``.
      play: the play that the rows of ``examples`` are of.
      examples: K examples.
      window: steps through which a gradient flows, as many as in the windows of marks.
    """
    measures = _measures(model, play, examples, config, window)
    return measures[: len(examples)] - measures[len(examples) :]


def _measures(
    model: RewardModel, play: MemoryDataset, examples: PreferenceExamples, config: PreferenceConfig, window: int
) -> Tensor:
    """Measures [2 K]: of all first stretches, then of all second ones."""
    pieces = _pieces(examples, config.longest)
    found = torch.zeros(2 * len(examples), device=model.device)
    if not len(pieces.owner):
        return found
    state = _remembered(model, play, pieces.begin, config.context, window)
    for start in range(0, int(pieces.length[0]), window):
        going = int((pieces.length > start).sum())
        steps = np.arange(start, min(start + window, int(pieces.length[0])))[:, None]
        rows = pieces.begin[:going] + np.minimum(steps, pieces.length[:going] - 1)
        weight = pieces.weight[steps[:, 0], :going]
        state = type(state)(*(part[:going].detach() for part in state))
        with torch.set_grad_enabled(bool(weight.any())):
            utility, state = _utilities(model, play, rows, np.zeros(rows.shape, dtype=bool), state)
        total = (utility.float() * torch.from_numpy(weight).to(model.device)).sum(0)
        found = found.index_add(0, torch.from_numpy(pieces.owner[:going]).to(model.device), total)
    return found


def _pieces(examples: PreferenceExamples, longest: int) -> _Pieces:
    """Cut the stretches of ``examples`` into pieces of at most ``longest`` steps, which are followed side by side."""
    pieces: list[tuple[int, int, np.ndarray]] = []
    begins, ends = examples.begin.T.reshape(-1).tolist(), examples.end.T.reshape(-1).tolist()
    for owner, (begin, end, measure) in enumerate(zip(begins, ends, np.tile(examples.measure, 2), strict=True)):
        if end == begin:
            continue
        kept = min(end - begin, longest)
        weight = np.zeros(kept, dtype=np.float32)
        weight[-1] = 1.0
        if measure == MEAN:
            weight[:] = 1.0 / kept
        elif measure == RETURN and kept == end - begin:
            weight[0] -= 1.0
        elif measure == RETURN:
            pieces.append((owner, begin, np.array([-1.0], dtype=np.float32)))
        pieces.append((owner, end - kept, weight))
    pieces.sort(key=lambda piece: -len(piece[2]))
    weights = np.zeros((max((len(piece[2]) for piece in pieces), default=0), len(pieces)), dtype=np.float32)
    for place, (_, _, weight) in enumerate(pieces):
        weights[: len(weight), place] = weight
    owner, begin = (np.array([piece[part] for piece in pieces], dtype=np.int64) for part in (0, 1))
    return _Pieces(owner, begin, np.array([len(piece[2]) for piece in pieces], dtype=np.int64), weights)


@torch.no_grad()
def _remembered(model: RewardModel, play: MemoryDataset, begin: np.ndarray, context: int, window: int) -> State:
    """Memory before the rows ``begin`` [P], after up to ``context`` steps of the same episodes."""
    state: State = model.initial_state(len(begin))
    first = play.starts[np.searchsorted(play.starts, begin, side="right") - 1]
    before = np.minimum(begin - first, context)  # steps before each piece that are followed
    most = int(before.max())
    for start in range(-most, 0, window):
        steps = np.arange(start, min(start + window, 0))[:, None]
        # Columns with fewer steps repeat their first one until it is their turn; a reset then empties their memory.
        _, state = _utilities(model, play, begin + np.maximum(steps, -before), steps == -before, state)
    kept = torch.from_numpy(before > 0).to(model.device)
    empty: State = model.initial_state(len(begin))
    by_piece = ((kept.view(-1, *[1] * (part.ndim - 1)), part, none) for part, none in zip(state, empty, strict=True))
    return type(state)(*(torch.where(*one) for one in by_piece))


def _utilities(
    model: RewardModel, play: MemoryDataset, rows: np.ndarray, resets: np.ndarray, state: State
) -> tuple[Tensor, State]:
    """Utility [T, P] of ``rows`` [T, P] and the memory after them."""
    observations, _ = play.gather(rows, model.device)
    return model.utilities(observations, state, torch.from_numpy(resets).to(model.device))
