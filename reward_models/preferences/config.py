"""Settings of learning from preferences besides marks; see :mod:`reward_models.preferences.examples`.

Imports nothing heavy.
"""

from __future__ import annotations

from typing import Literal

from rlhf.records.preferences import PREFERENCES
from worlds.ranges import Count, Steps, Weight
from worlds.settings import settings

ComparedBy = Literal["return", "end", "mean"]


@settings
class PreferenceConfig:
    """Weights of the kinds of preferences in the loss, and how stretches of play are followed.

    Nothing of this is in the paper, which learns from marks only, as the defaults do.

    Args:
      clip_pairs: weight of the loss on clip pairs; 0 leaves them out.
      verdicts: weight of the loss on verdicts on requests; 0 leaves them out.
      take_overs: weight of the loss on take-overs; 0 leaves them out.
      scores: weight of the loss on scores of stretches; 0 leaves them out.
      compared_by: how two stretches are compared: by the sum of the rewards in each ("return"), by the utility at the
        last step of each ("end"), or by the mean utility of each ("mean"). The last two are used where both stretches
        end under the same request; other pairs are compared by "return".
      batch: examples of each kind in every update.
      context: steps of play before a stretch through which the memory is carried, without a gradient.
      longest: longest stretch that is followed as a whole. Of a longer one, memory and gradient reach the last so many
        steps; its first step is followed by itself.
    """

    clip_pairs: Weight = 0.0
    verdicts: Weight = 0.0
    take_overs: Weight = 0.0
    scores: Weight = 0.0
    compared_by: ComparedBy = "return"
    batch: Count = 8
    context: Steps = 50
    longest: Count = 200

    @property
    def weights(self) -> dict[str, float]:
        """Weight of each kind that is learned from, by the name of its table."""
        weights = {table: float(getattr(self, table)) for table in PREFERENCES}
        return {table: weight for table, weight in weights.items() if weight}


MARKS_ONLY = PreferenceConfig()
