"""Tasks of a household: goals, the places in which they can be reached, and the words that ask for them."""

from worlds.household.tasks.probes import make_task, probe
from worlds.household.tasks.sampling import sample
from worlds.household.tasks.sets import NAMES

__all__ = ["NAMES", "make_task", "probe", "sample"]
