"""Pairs of moments that a rater's marks order, their weights, and the agreement of a utility with them.

Paper, section 4: a pair (t1, t2) of one episode with t1 < t2 is a comparison if the marks strictly after t1 and up
to t2 are all of one sign. With one or more (+), t2 is better; with one or more (-), it is worse; pairs without marks
between them, or with marks of both signs, are not compared.

Marks are counts ``marks[..., rater, sign]``, sign 0 for (+) and 1 for (-). Their running sums give *all* pairs of a
sequence at once, so none need be sampled. Pairs are formed for each rater separately: two raters who disagree give two
comparisons that disagree, and both count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from rlhf.records.marks import PROGRESS, Mark
from worlds.errors import UserError

PLUS, MINUS = 0, 1  # places in the last axis of marks

Weighting = Literal["stretches", "pairs"]


def count_marks(marks: Iterable[Mark], episode_id: str, steps: int) -> np.ndarray:
    """Count one episode's marks: uint8 [steps, raters, 2], the raters in order of their names.

    Raises:
      UserError: if a mark belongs to another episode or lies beyond the episode's end.
    """
    marks = tuple(marks)
    slot = {rater: index for index, rater in enumerate(raters_of(marks))}
    counts = np.zeros((steps, len(slot), 2), dtype=np.uint8)
    for mark in marks:
        if mark.episode_id != episode_id:
            raise UserError(f"a mark of episode {mark.episode_id} was given for episode {episode_id}; join them by id")
        if mark.step >= steps:
            raise UserError(
                f"{mark.rater} marked step {mark.step} of episode {episode_id}, whose last step is {steps - 1}; "
                "mark the episode as it is stored now"
            )
        counts[mark.step, slot[mark.rater], PLUS if mark.sign == PROGRESS else MINUS] += 1
    return counts


def raters_of(marks: Iterable[Mark]) -> tuple[str, ...]:
    """Names of the raters of ``marks``, sorted."""
    return tuple(sorted({mark.rater for mark in marks}))


def episode_index(resets: Tensor) -> Tensor:
    """Number of the episode that each step of ``resets`` [T, ...] belongs to, counted from the sequence's start."""
    return resets.long().cumsum(0)


def pair_signs(marks: Tensor, episode: Tensor) -> Tensor:
    """Order of every pair of steps: int8 [T, T, B, R], at [t1, t2] +1 (better), -1 (worse) or 0 (not compared).

    Args:
      marks: [T, B, R, 2], counts.
      episode: [T, B], number of the episode; pairs never cross from one episode to another.
    """
    _check(marks, episode)
    so_far = marks.long().cumsum(0)
    between = so_far.unsqueeze(0) > so_far.unsqueeze(1)  # any mark after t1 up to t2: [t1, t2, B, R, 2]
    one_sign = between[..., PLUS].to(torch.int8) - between[..., MINUS].to(torch.int8)
    together = (episode.unsqueeze(0) == episode.unsqueeze(1)).unsqueeze(-1)
    # t2 <= t1 needs no mask: running sums never fall, so no mark lies between.
    return one_sign * together


def stretch_index(marks: Tensor, episode: Tensor) -> Tensor:
    """Number of the stretch of each step, [T, B, R]: a stretch runs from one marked step to before the next.

    A new episode begins a new stretch.
    """
    _check(marks, episode)
    begins = marks.bool().any(-1)
    begins[1:] |= (episode[1:] != episode[:-1]).unsqueeze(-1)
    return begins.long().cumsum(0)


def stretch_lengths(stretch: Tensor) -> Tensor:
    """Steps of the stretch that each step is in, [T, ...] as ``stretch``."""
    flat = stretch.flatten(1)
    lengths = torch.zeros(len(flat) + 1, flat.shape[1], dtype=torch.long, device=flat.device)
    lengths.scatter_add_(0, flat, torch.ones_like(flat))
    return lengths.gather(0, flat).view_as(stretch)


def pair_weights(marks: Tensor, episode: Tensor, weighting: Weighting = "stretches") -> Tensor:
    """Signed weight of every pair: float [T, T, B, R], at [t1, t2] the pair's sign times its weight.

    Args:
      marks: [T, B, R, 2], counts.
      episode: [T, B], number of the episode.
      weighting: ``"pairs"`` counts every pair alike, so that a mark in the middle of a long silence (up to T * T / 4
        pairs) outweighs a dozen marks that follow each other closely. ``"stretches"`` gives every *pair of
        stretches* the weight 1, shared among its pairs: a comparison counts once, however long the stretches before
        and after it.
    """
    signs = pair_signs(marks, episode).float()
    if weighting == "pairs":
        return signs
    share = 1.0 / stretch_lengths(stretch_index(marks, episode))
    return signs * share.unsqueeze(1) * share.unsqueeze(0)


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of a utility with the order of pairs by marks. Sums of weights of pairs, so that episodes add up.

    Args:
      right_plus: of the pairs that got better, those that the utility orders so.
      right_minus: of the pairs that got worse, those that the utility orders so.
    """

    right_plus: float = 0.0
    plus: float = 0.0
    right_minus: float = 0.0
    minus: float = 0.0

    def __add__(self, other: PairAgreement) -> PairAgreement:
        return PairAgreement(
            self.right_plus + other.right_plus,
            self.plus + other.plus,
            self.right_minus + other.right_minus,
            self.minus + other.minus,
        )

    @property
    def accuracy(self) -> float:
        """Share of pairs ordered correctly; nan without pairs."""
        return _share(self.right_plus + self.right_minus, self.plus + self.minus)

    @property
    def accuracy_plus(self) -> float:
        """Share of the improving pairs ordered correctly; nan without any."""
        return _share(self.right_plus, self.plus)

    @property
    def accuracy_minus(self) -> float:
        """Share of the worsening pairs ordered correctly; nan without any."""
        return _share(self.right_minus, self.minus)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the shares of the two signs (or the share of the only one): 0.5 if utility depends on time only."""
        shares = [a for a in (self.accuracy_plus, self.accuracy_minus) if a == a]
        return sum(shares) / len(shares) if shares else float("nan")

    @property
    def majority(self) -> float:
        """Accuracy of the better of 'it always gets better' and 'it always gets worse'."""
        return _share(max(self.plus, self.minus), self.plus + self.minus)


def pair_agreement(
    utility: np.ndarray, marks: np.ndarray, weighting: Weighting = "pairs", known: np.ndarray | None = None
) -> PairAgreement:
    """Agreement of a utility with the marks of one episode; a tie is half correct.

    Args:
      utility: [T].
      marks: [T, R, 2], counts.
      weighting: weights of pairs (:func:`pair_weights`).
      known: other marks [T, R, 2] of the episode; pairs that they order the same way are left out.
    """
    counts = torch.from_numpy(np.asarray(marks)).unsqueeze(1)
    episode = torch.zeros(counts.shape[:2], dtype=torch.long)
    weights = pair_weights(counts, episode, weighting)[:, :, 0]
    if known is not None:
        same = pair_signs(torch.from_numpy(np.asarray(known)).unsqueeze(1), episode)[:, :, 0] == weights.sign()
        weights = weights.masked_fill(same, 0.0)
    u = torch.from_numpy(np.asarray(utility, dtype=np.float64))
    direction = torch.sign(u.unsqueeze(0) - u.unsqueeze(1)).unsqueeze(-1)
    right = weights.abs() * 0.5 * (1.0 + direction * weights.sign())
    plus, minus = weights > 0, weights < 0

    def total(values: Tensor, keep: Tensor) -> float:
        return float(values[keep].double().sum())

    return PairAgreement(
        total(right, plus), total(weights.abs(), plus), total(right, minus), total(weights.abs(), minus)
    )


def has_pairs(marks: np.ndarray) -> bool:
    """Return true if ``marks`` [T, R, 2] of one episode order any pair.

    They do if and only if a rater marked a step after the first with one sign only: that step and the one before it
    are then a pair, and every longer pair contains such a step.
    """
    return bool(((marks[1:] > 0).sum(-1) == 1).any())


def near_marks(marked: np.ndarray, steps: int) -> np.ndarray:
    """Mask bool [T] of the steps at most ``steps`` steps from one that is ``marked`` (bool [T])."""
    return np.convolve(marked, np.ones(2 * steps + 1), mode="full")[steps : steps + len(marked)] > 0.5


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _check(marks: Tensor, episode: Tensor) -> None:
    if marks.ndim != 4 or marks.shape[-1] != 2 or marks.shape[:2] != episode.shape:
        raise ValueError(f"marks {tuple(marks.shape)} are not [T, B, raters, 2] of the steps {tuple(episode.shape)}")
