"""Homes: the seven apartments, places of episodes, and homes of others."""

from worlds.household.homes.placing import home, lay, place, spot

__all__ = ["home", "lay", "place", "spot"]
