"""Settings of the training of a reward model; see :mod:`reward_models.training`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from agents.computing_config import ComputingConfig
from agents.ranges import (
    LARGEST,
    Count,
    CountFromZero,
    Decay,
    Pixels,
    Positive,
    Range,
    Seed,
    Share,
    Steps,
    Weight,
    check_ranges,
)
from reward_models.pairs import Weighting
from reward_models.raters import Raters


@dataclass(frozen=True)
class RewardTrainingConfig:
    """Settings of training a reward model.

    Window, batch, weights of the losses, augmentation and Adam with its learning rate default to the paper's (section 4
    and A.7). The paper names no warm-up, no decay of the learning rate, no clipping and no number of updates, and uses
    the plain mean over pairs: the defaults of these, and of ``weighting``, are ours.

    Args:
      updates: number of gradient steps.
      max_seconds: stop earlier when this many seconds have passed; None has no limit. The schedule of the learning rate
        follows whichever ends first.
      steps: consecutive steps T of play in every trajectory of a batch, at least 2. Only pairs of moments inside these
        are compared, so T bounds the distance between cause and mark.
      batch: trajectories B in every update.
      ibt_weight: weight of the inter-temporal Bradley-Terry loss on marks (for an IBT model).
      ar_weight: weight of the loss of predicted marks (for an AR model).
      mark_weight: weight of a step with a mark in the AR model's loss, relative to one without (paper: 1).
      bc_weight: weight of imitation (BC) beside the loss on marks.
      css_weight: weight of the contrastive loss (CSS) beside the loss on marks.
      movement_weight: weight of movements inside the imitation loss.
      language_weight: weight of utterances inside the imitation loss.
      unmarked_drift_weight: weight of the mean square of the rewards where raters watched and marked nothing (paper:
        0).
      unmarked_margin: steps on either side of a mark in which unmarked_drift_weight does not apply.
      weighting: how the IBT model's pairs of moments are averaged (paper: "pairs"); docs/reward-model.md describes each
        way.
      raters: how the marks of several raters of an episode are used; docs/reward-model.md describes each way.
      raters_tolerance: steps between two raters' marks that may still be of one moment.
      augmentation: probability from 0 to 1 that a marked episode is turned into an example of wrong behaviour.
      rater_delay: a (+) at most this many steps after a request may be about what was done before the request.
      marks_later: steps by which marks are read later than they were given, at most to the end of their episode (paper:
        0). A utility that rises only then rewards what lasts and not what passes.
      learning_rate: learning rate of Adam, after the warm-up.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      warmup: updates over which the learning rate rises from 0 (not in the paper).
      decay: fraction of the learning rate that is left at the end; it falls along a cosine (not in the paper: 1).
      clip: largest global norm of the gradient.
      evaluate_every: updates between evaluations on the validation episodes.
      evaluation_episodes: validation episodes that are evaluated, at most.
      patience: stop after this many evaluations without a better one; None trains to the end.
      calibrate: scale an IBT model's reward so that a (+) mark is worth 1. An AR model's rewards are marks already.
      shift: most pixels by which pictures are moved at random in training (paper: 0).
      log_every: updates between entries in the metrics.
      seed: seed of the order of episodes, of the augmentation and of all other draws.
      computing: precision, compilation and memory.
    """

    EARLIER_NAMES: ClassVar[Mapping[str, str]] = {
        "quiet_weight": "unmarked_drift_weight",
        "quiet_margin": "unmarked_margin",
    }

    updates: Count = 20_000
    max_seconds: Positive | None = None
    steps: Annotated[int, Range(least=2, most=LARGEST, why="a shorter window has no pairs")] = 50
    batch: Count = 96
    ibt_weight: Weight = 1.0
    ar_weight: Weight = 1.0
    mark_weight: Weight = 1.0
    bc_weight: Weight = 1.0
    css_weight: Weight = 1.0
    movement_weight: Weight = 1.0
    language_weight: Weight = 5.0
    unmarked_drift_weight: Weight = 0.0
    unmarked_margin: Steps = 8
    weighting: Weighting = "stretches"
    raters: Raters = "each"
    raters_tolerance: Steps = 4
    augmentation: Share = 0.33
    rater_delay: Steps = 1
    marks_later: Steps = 0
    learning_rate: Weight = 1e-4
    beta1: Decay = 0.0
    beta2: Decay = 0.999
    warmup: CountFromZero = 100
    decay: Weight = 0.1
    clip: Positive = 10.0
    evaluate_every: Count = 500
    evaluation_episodes: Count = 200
    patience: Count | None = None
    calibrate: bool = False
    shift: Pixels = 0
    log_every: Count = 20
    seed: Seed = 0
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        check_ranges(self)
