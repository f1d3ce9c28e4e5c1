"""Settings of refining a cloned agent on marked play. Imports nothing heavy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rlhf.learning.config import TrainingConfig
from worlds.ranges import LARGEST, AtLeastTwo, Count, Positive, Share, Steps, Weight
from worlds.settings import settings

Method = Literal["weighted", "conditioned", "kto", "apo", "cpl"]
LargestWeight = Annotated[float, Field(ge=1, le=LARGEST)]


@settings
class RefiningConfig(TrainingConfig):
    """Settings of refining a cloned agent on marked play, with those of every training.

    Args:
      method: what is learned from the marks. "weighted" imitates every recorded step, the agent's own among them, the
        more the higher its advantage by the reward model. "conditioned" imitates every recorded step, given whether it
        is good, and acts as if it were. The others use no reward model: they imitate demonstrations, and make actions
        in windows of play before (+) more probable than before (-): "kto" and "apo" by windows, "cpl" by pairs of
        windows under one request.
      window: steps after an action in which what follows is ascribed to it.
      bc_weight: weight of imitation, beside css_weight and what a method adds.
      temperature: advantage, in standard deviations, by which the weight of a step grows e-fold ("weighted").
      largest_weight: largest weight of a step, in units of that of a step of mean advantage ("weighted").
      own_play: weight of the agent's own steps, times that of their advantage, relative to demonstrated ones
        ("weighted").
      indicated_by: what says whether a step of the agent's own is good: its "advantage" by the reward model, or the
        "marks" that follow within the window ("conditioned"). Demonstrated steps always are.
      good_share: share of the agent's own steps that is good by their advantage ("conditioned").
      dropped: share of the steps of every window at which the indicator is left out ("conditioned").
      preference_weight: weight of the loss on windows ("kto", "apo", "cpl").
      beta: by which log-probabilities are multiplied; with a large one the policy stays near the reference ("kto",
        "apo"), or follows few pairs closely ("cpl").
      windows: windows in every update ("kto", "apo", "cpl"; "cpl" makes half as many pairs of them).
      context: steps of play before a window through which the memory is carried ("kto", "apo", "cpl").
      rater_delay: a mark at most this many steps after a request is about what was done before it.
      desirable_weight: weight of windows before (+) ("kto", "apo").
      undesirable_weight: weight of windows before (-) ("kto", "apo").
      discount: factor from 0 to 1 from one step of a window to the next ("cpl").
      bias: factor from 0 to 1 of the worse window's log-probabilities ("cpl"); below 1 the policy stays near the play.
      against_reference: count log-probabilities relative to the cloned agent's ("cpl"; "kto" and "apo" always do).
    """

    updates: Count = 2_000
    method: Method = "weighted"
    window: Count = 12
    bc_weight: Weight = 1.0
    temperature: Positive = 1.0
    largest_weight: LargestWeight = 20.0
    own_play: Weight = 1.0
    indicated_by: Literal["advantage", "marks"] = "advantage"
    good_share: Share = 0.3
    dropped: Share = 0.3
    preference_weight: Weight = 1.0
    beta: Positive = 0.1
    windows: AtLeastTwo = 32
    context: Steps = 12
    rater_delay: Steps = 1
    desirable_weight: Weight = 1.0
    undesirable_weight: Weight = 1.0
    discount: Share = 1.0
    bias: Share = 0.5
    against_reference: bool = False

    @property
    def uses_reward_model(self) -> bool:
        """True if the method needs a reward model."""
        return self.method == "weighted" or (self.method == "conditioned" and self.indicated_by == "advantage")

    @property
    def on_windows(self) -> bool:
        """True if the method learns from windows of play before marks."""
        return self.method in ("kto", "apo", "cpl")
