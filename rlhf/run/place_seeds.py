"""Seeds of places: training, validation and probes draw from ranges that never meet.

So no agent is evaluated in a place in which it was trained. Whatever samples places takes its seeds from here.
"""

from __future__ import annotations

SEEDS_APART = 1_000_000  # places of a recording's seed; those of the next seed follow
LARGEST_SEED = 500  # of recordings; one less is the last
TRAINING_SEEDS = range(LARGEST_SEED * SEEDS_APART)
HELD_OUT_SEEDS = range(TRAINING_SEEDS.stop, 2 * TRAINING_SEEDS.stop)
FIRST_PROBE_SEED = HELD_OUT_SEEDS.stop


def place_seed(seed: int, number: int, held_out: bool) -> int:
    """Return the seed of the place in which an episode is recorded.

    Args:
      seed: of the recording, from 0 to ``LARGEST_SEED`` - 1.
      number: of the episode in the recording, below ``SEEDS_APART``.
    """
    return (HELD_OUT_SEEDS if held_out else TRAINING_SEEDS)[seed * SEEDS_APART + number]


def probe_seed(seed: int) -> int:
    """Return the first seed of the places in which an evaluation of ``seed`` looks for its probes."""
    return FIRST_PROBE_SEED + seed * SEEDS_APART
