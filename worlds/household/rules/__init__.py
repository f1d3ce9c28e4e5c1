"""Rules of a home: what each verb needs, what it changes, and who acts where both persons touch the same thing."""

from worlds.household.rules.joint import WAITING, Act, apply, why_not

__all__ = ["WAITING", "Act", "apply", "why_not"]
