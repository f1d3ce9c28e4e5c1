"""The spaces that a world declares: what a player observes, and what it can do."""

from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.observation import Category, Entities, Grid, Image, ObservationSpec, PlayerSpec, Vector

__all__ = [
    "ActionSpec", "Category", "Continuous", "Discrete", "Entities", "FreeText", "Grammar", "Grid", "Image",
    "ObservationSpec", "PlayerSpec", "Pointer", "Vector",
]  # fmt: skip
