"""Steps of play that an update follows for preferences, whose activations are kept until the gradients are computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import PARTNERS
from rlhf.records.preferences import PREFERENCES, Preference, Stretch, StretchScore, TakeOver


def most_followed(preferences: Sequence[Preference], config: PreferenceConfig, window: int) -> int:
    """Return the most frames whose activations one update keeps for preferences.

    It is the number of an update whose examples have the longest stretches, see
    :func:`reward_models.preferences.losses.differences`: these are followed side by side, ``window`` steps at a time,
    and windows in which no step counts are not kept.

    Args:
      preferences: from which the model learns.
      config: settings; ``batch`` is the number of examples of each kind.
      window: steps through which a gradient flows.
    """
    lengths = np.array(
        [
            length
            for table in config.weights
            for length in _longest([one for one in preferences if isinstance(one, PREFERENCES[table])], config)
        ],
        np.int64,
    )
    starts = np.arange(0, lengths.max(initial=0), window)
    columns = (lengths > starts[:, None]).sum(axis=1)
    rows = np.minimum(window, lengths.max(initial=0) - starts)
    counts = np.isin(np.arange(len(starts)), [0, *((lengths - 1) // window)]) | (config.compared_by == "mean")
    return int((columns * rows * counts).sum())


def _longest(preferences: Sequence[Preference], config: PreferenceConfig) -> list[int]:
    """Return the steps of all that is followed of the longest ``config.batch`` examples of one kind."""
    examples = sorted(
        (
            [steps for stretch in _stretches(one) for steps in _followed(stretch, config.longest)]
            for one in preferences
            for _ in range(PARTNERS if isinstance(one, StretchScore) else 1)
        ),
        key=sum,
        reverse=True,
    )
    return [steps for example in examples[: config.batch] for steps in example]


def _stretches(preference: Preference) -> Sequence[Stretch]:
    """Return the stretches of an example; a take-over and a score are compared with a stretch that is about as long."""
    twice = isinstance(preference, TakeOver | StretchScore)
    return preference.stretches * 2 if twice else preference.stretches


def _followed(stretch: Stretch, longest: int) -> list[int]:
    """Return the steps of a stretch that are followed; of a longer one its last steps, and its first one by itself."""
    steps = stretch.end - stretch.begin
    return [steps] if steps <= longest else [longest, 1]
