"""Rules of a home: what each verb needs, what it changes, and who acts where both persons touch the same thing."""

from worlds.household.rules.joint import apply, why_not

__all__ = ["apply", "why_not"]
