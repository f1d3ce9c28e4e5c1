"""Tiers of worlds: how faithfully a world can be returned to, and so what the pipeline can do with it.

Each tier includes those before it. A world declares its tier in its :class:`~worlds.registry.WorldEntry`;
:mod:`worlds.checks.report` finds out which one it reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

RECORDED, SEEDED, EXACT, TICK_WISE = "recorded", "seeded", "exact", "tick-wise"


@dataclass(frozen=True)
class Tier:
    """One tier."""

    name: str
    promise: str
    needs: str
    use: str


TIERS = (
    Tier(
        RECORDED,
        "episodes that were played elsewhere fit its spaces",
        "`World.spec`, or spaces of Gymnasium",
        "marks, preferences, imitation, reward models, diagnosis",
    ),
    Tier(
        SEEDED,
        "a seed leads to the same beginning",
        "`reset` and `step`, places that JSON keeps, chance at the reset from the seed only",
        "`record`, `evaluate`, `improve` by asking again what was asked",
    ),
    Tier(
        EXACT,
        "configuration and actions lead to the same bits, in any process",
        "chance during play from the configuration, too; no clock, no set order, nothing left of earlier play",
        "setter replay from the middle of an episode, the test suite, resuming with the same play",
    ),
    Tier(
        TICK_WISE,
        "a step can be played in parts, with views in between",
        "`play_ticks`, `end_step` and `view` (`worlds.contract.TickWise`)",
        "people play it live, films of any size",
    ),
)
NAMES = tuple(tier.name for tier in TIERS)


def promise_of(name: str) -> str:
    """Return the promise of the tier of this name."""
    return TIERS[NAMES.index(name)].promise


def includes(tier: str, other: str) -> bool:
    """Return True if a world of ``tier`` is of the tier ``other``, too."""
    return NAMES.index(tier) >= NAMES.index(other)
