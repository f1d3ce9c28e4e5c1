"""Settings of teaching a reward model; see :mod:`reward_models.training`."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.computing_config import ComputingConfig
from agents.descent import check_descent
from reward_models.pairs import Weighting
from reward_models.raters import Raters


@dataclass(frozen=True)
class RewardTrainingConfig:
    """How a reward model is taught. Weights, augmentation, window and optimiser default to the paper's.

    Args:
      updates: gradient steps. max_seconds: stop earlier when this much time has passed; the schedule of the
        learning rate follows whichever ends first.
      steps, batch: window [T, B] of every update. Only pairs inside a window are compared, so T bounds how far
        apart cause and mark may be.
      ibt_weight, ar_weight: of the model's own loss on marks, that of its kind. bc_weight, css_weight: of the terms
        beside it (paper: all equal).
      mark_weight: in the AR model's loss, how much a step with a mark counts beside one without (paper: as much).
      movement_weight, language_weight: of the two parts of BC.
      quiet_weight: of the mean square of what the model pays where raters marked nothing (paper: none).
        quiet_margin: steps on either side of a mark to which that does not apply.
      weighting: how the IBT model's pairs are averaged, see :func:`reward_models.pairs.pair_weights`.
      raters: how the marks of several raters of an episode are used, see :func:`reward_models.raters.use_raters`.
        raters_tolerance: steps between marks that may be of one moment, where raters are compared.
      augmentation: probability with which a marked episode becomes an example of wrong behaviour. rater_delay: a (+)
        at most so many steps after a request may judge what was done before; see there.
      marks_later: steps by which marks are read later than they were given, at most to their episode's end: a utility
        that rises only then pays for what lasts and not for passing by (not in the paper; LOG.md has what it is worth).
      learning_rate, beta1, beta2: of Adam. warmup: updates over which the rate rises.
        decay: the rate falls to this fraction of itself along a cosine.
      clip: largest global norm of the gradient.
      evaluate_every: updates between evaluations on the validation episodes. evaluation_episodes: at most so many.
      patience: stop after this many evaluations without a better one; None trains to the end.
      calibrate: choose the IBT model's ``reward_scale`` so that a (+) mark is worth 1; otherwise it stays 1. The AR
        model pays in marks.
      shift: pixels by which pictures are moved at random, see :mod:`agents.random_shift` (paper: 0).
      log_every: in updates. computing: precision, compilation and memory.
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
