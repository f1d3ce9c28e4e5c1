"""Observation of a home: what a person sees, what is near, and the entities, texts and graphs made of it."""

from worlds.household.observing.graph import graph_of
from worlds.household.observing.senses import near, visible

__all__ = ["graph_of", "near", "visible"]
