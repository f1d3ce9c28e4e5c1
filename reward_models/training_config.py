"""Settings of teaching a reward model; see :mod:`reward_models.training`."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.computing_config import ComputingConfig
from agents.descent import check_descent
from reward_models.pairs import Weighting
from reward_models.raters import Raters


@dataclass(frozen=True)
class RewardTrainingConfig:
    """How a reward model is trained. Weights, augmentation, window and optimiser default to the paper's.

    Args:
      updates: number of gradient steps.
      max_seconds: stop earlier when this many seconds have passed; None has no limit. The schedule of the learning rate
        follows whichever ends first.
      steps: consecutive steps T of play in every trajectory of a batch, at least 2. Only pairs of moments inside these
        are compared, so T bounds how far apart cause and mark may be.
      batch: trajectories B in every update.
      ibt_weight: weight of the inter-temporal Bradley-Terry loss on marks (for an IBT model).
      ar_weight: weight of the loss of predicted marks (for an AR model).
      mark_weight: how much a step with a mark counts in the AR model's loss beside one without (paper: 1).
      bc_weight: weight of imitation (BC) beside the loss on marks.
      css_weight: weight of the contrastive loss (CSS) beside the loss on marks.
      movement_weight: weight of movements inside the imitation loss.
      language_weight: weight of what was said inside the imitation loss.
      quiet_weight: weight of the mean square of what the model pays where raters marked nothing (paper: 0).
      quiet_margin: steps on either side of a mark in which quiet_weight does not apply.
      weighting: how the IBT model's pairs of moments are averaged; docs/reward-model.md describes each way.
      raters: how the marks of several raters of an episode are used; docs/reward-model.md describes each way.
      raters_tolerance: steps between two raters' marks that may still be of one moment.
      augmentation: probability from 0 to 1 that a marked episode is turned into an example of wrong behaviour.
      rater_delay: a (+) at most this many steps after a request may be about what was done before the request.
      marks_later: steps by which marks are read later than they were given, at most to the end of their episode (paper:
        0). A utility that rises only then pays for what lasts and not for passing by.
      learning_rate: learning rate of Adam, after the warm-up.
      beta1: decay of Adam's mean of gradients, from 0 to less than 1.
      beta2: decay of Adam's mean of squared gradients, from 0 to less than 1.
      warmup: updates over which the learning rate rises from 0.
      decay: fraction of the learning rate that is left at the end; it falls along a cosine.
      clip: largest global norm of the gradient.
      evaluate_every: updates between evaluations on the validation episodes.
      evaluation_episodes: validation episodes that are evaluated, at most.
      patience: stop after this many evaluations without a better one; None trains to the end.
      calibrate: scale an IBT model's reward so that a (+) mark is worth 1. An AR model pays in marks by itself.
      shift: most pixels by which pictures are moved at random in training (paper: 0).
      log_every: updates between entries in the metrics.
      seed: seed of the order of episodes, of the augmentation and of all other draws.
      computing: precision, compilation and memory.
    """

    updates: int = 20_000
    max_seconds: float | None = None
    steps: int = 50
    batch: int = 96
    ibt_weight: float = 1.0
    ar_weight: float = 1.0
    mark_weight: float = 1.0
    bc_weight: float = 1.0
    css_weight: float = 1.0
    movement_weight: float = 1.0
    language_weight: float = 5.0
    quiet_weight: float = 0.0
    quiet_margin: int = 8
    weighting: Weighting = "stretches"
    raters: Raters = "each"
    raters_tolerance: int = 4
    augmentation: float = 0.33
    rater_delay: int = 1
    marks_later: int = 0
    learning_rate: float = 1e-4
    beta1: float = 0.0
    beta2: float = 0.999
    warmup: int = 100
    decay: float = 0.1
    clip: float = 10.0
    evaluate_every: int = 500
    evaluation_episodes: int = 200
    patience: int | None = None
    calibrate: bool = False
    shift: int = 0
    log_every: int = 20
    seed: int = 0
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        for name in ("updates", "batch", "log_every", "evaluate_every", "evaluation_episodes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, not {getattr(self, name)}")
        for name in ("raters_tolerance", "rater_delay", "marks_later"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is a number of steps from 0 on, not {getattr(self, name)}")
        if self.steps < 2:
            raise ValueError(f"steps is {self.steps}: a window of less than 2 steps has no pairs")
        if not 0.0 <= self.augmentation <= 1.0:
            raise ValueError(f"augmentation is a share from 0 to 1, not {self.augmentation}")
        if self.shift < 0:
            raise ValueError(f"shift is a number of pixels from 0 on, not {self.shift}")
        check_descent(self)
