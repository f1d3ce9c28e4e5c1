"""Classes of things by name and by number, read from the table in ``data/classes.json``.

The front of a thing looks along its depth. Names, categories and properties are those of VirtualHome where it has
them. Sizes, which are depth, width and height in metres, are those of ordinary things of the name; colours, RGB in
hexadecimal digits, are for pictures.

The number of an entry is the class's number in observations, so agents that have learned depend on it: add new entries
at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from worlds.data_files import read_entries
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Condition, Property

CLASSES: tuple[ThingClass, ...] = tuple(
    read_entries(Path(__file__).parent / "data" / "classes.json", ThingClass).values()
)
CLASS_OF: Mapping[str, ThingClass] = MappingProxyType({each.name: each for each in CLASSES})
NUMBER_OF: Mapping[str, int] = MappingProxyType({each.name: number for number, each in enumerate(CLASSES)})


def first_conditions(properties: Property) -> Condition:
    """Return the conditions of an otherwise unknown thing: closed, off, clean and plugged in, as far as it can be."""
    found = Condition(0)
    for wanted, condition in (
        (Property.CAN_OPEN, Condition.CLOSED),
        (Property.HAS_SWITCH, Condition.OFF),
        (Property.HAS_PLUG, Condition.PLUGGED_IN),
        (Property.RECIPIENT, Condition.CLEAN),
        (Property.CLOTHES, Condition.CLEAN),
    ):
        if properties & wanted:
            found |= condition
    return found
