"""Settings of the training of a reward model; see :mod:`reward_models.learning.training`."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field

from reward_models.marks.pairs import Weighting
from reward_models.marks.raters import Raters
from reward_models.preferences.config import PreferenceConfig
from rlhf.learning.config import TrainingConfig
from worlds.ranges import LARGEST, Count, Share, Steps, Weight
from worlds.settings import settings

CUT, BETWEEN = "cut", "between"  # kinds of pairs of requests


@settings
class RewardTrainingConfig(TrainingConfig):
    """Settings of training a reward model, with those of every training.

    Weights and augmentation default to the paper's (section 4). The paper uses the plain mean over pairs: the default
    of ``weighting`` is ours.

    Args:
      steps: consecutive steps T of play in every trajectory of a batch, at least 2. Only pairs of moments inside these
        are compared, so T bounds the distance between cause and mark.
      ibt_weight: weight of the inter-temporal Bradley-Terry loss on marks (for an IBT model).
      ar_weight: weight of the loss of predicted marks (for an AR model).
      mark_weight: weight of a step with a mark in the AR model's loss, relative to one without (paper: 1).
      bc_weight: weight of imitation (BC) beside the loss on marks.
      unmarked_drift_weight: weight of the mean square of the rewards where raters watched and marked nothing (paper:
        0).
      unmarked_margin: steps on either side of a mark in which unmarked_drift_weight does not apply.
      weighting: how the IBT model's pairs of moments are averaged (paper: "pairs"); docs/reward-model.md describes each
        way.
      raters: how the marks of several raters of an episode are used; docs/reward-model.md describes each way.
      raters_tolerance: steps between two raters' marks that may still be of one moment.
      augmentation: probability from 0 to 1 that a marked episode is turned into an example of wrong behaviour.
      rewind: probability from 0 to 1 that a marked episode is turned into one in which progress is played backwards
        (paper: 0; with augmentation at most 1 together).
      hard_answers: probability from 0 to 1 that an exchanged answer is one that is plausible and wrong, such as another
        color (paper: 0).
      cut_weight: weight of the loss of requests that were carried out against others cut before (paper: 0).
      between_weight: weight of the loss of requests that were carried out against the same ones that failed, in other
        episodes (paper: 0).
      rater_delay: a (+) at most this many steps after a request may be about what was done before the request.
      marks_later: steps by which marks are read later than they were given, at most to the end of their episode (paper:
        0). A utility that rises only then rewards what lasts and not what passes.
      evaluation_episodes: validation episodes that are evaluated, at most.
      calibrate: scale an IBT model's reward so that a (+) mark is worth 1. An AR model's rewards are marks already.
      preferences: learning from clip pairs, verdicts, take-overs and scores beside marks (for an IBT model).
    """

    steps: Annotated[int, Field(ge=2, le=LARGEST)] = 50
    ibt_weight: Weight = 1.0
    ar_weight: Weight = 1.0
    mark_weight: Weight = 1.0
    bc_weight: Weight = 1.0
    unmarked_drift_weight: Weight = 0.0
    unmarked_margin: Steps = 8
    weighting: Weighting = "stretches"
    raters: Raters = "each"
    raters_tolerance: Steps = 4
    augmentation: Share = 0.33
    rater_delay: Steps = 1
    rewind: Share = 0.0
    hard_answers: Share = 0.0
    cut_weight: Weight = 0.0
    between_weight: Weight = 0.0
    marks_later: Steps = 0
    evaluation_episodes: Count = 200
    keep: Literal["last", "best"] = "best"
    calibrate: bool = False
    preferences: PreferenceConfig = field(default_factory=PreferenceConfig)

    def __post_init__(self) -> None:
        if self.augmentation + self.rewind > 1.0:
            raise ValueError(f"augmentation and rewind are at most 1 together, not {self.augmentation} + {self.rewind}")

    @property
    def delay(self) -> int:
        """Steps after what it is about at which a mark is read, at most."""
        return self.rater_delay + self.marks_later

    @property
    def request_weights(self) -> dict[str, float]:
        """Weight of each kind of pairs of requests that is learned from, by its name."""
        weights = {CUT: self.cut_weight, BETWEEN: self.between_weight}
        return {kind: weight for kind, weight in weights.items() if weight}
