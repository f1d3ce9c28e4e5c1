"""Homes: the seven apartments, places of episodes, and homes of others."""

from worlds.household.homes.placing import home, place, spot

__all__ = ["home", "place", "spot"]
