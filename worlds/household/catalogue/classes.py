"""Classes of things by name and by number, read from the table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from worlds.household.catalogue.table import TABLE
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Condition, Property


def _read(line: str) -> ThingClass:
    name, category, depth, width, height, colour, *properties = line.split()
    red, green, blue = bytes.fromhex(colour)
    wanted = Property(0)
    for each in properties:
        wanted |= Property[each]
    return ThingClass(name, category, wanted, (float(depth), float(width), float(height)), (red, green, blue))


CLASSES: tuple[ThingClass, ...] = tuple(_read(line) for line in TABLE.splitlines() if line)
CLASS_OF: Mapping[str, ThingClass] = MappingProxyType({each.name: each for each in CLASSES})
NUMBER_OF: Mapping[str, int] = MappingProxyType({each.name: number for number, each in enumerate(CLASSES)})


def class_number(number: int) -> int:
    """Return a class's number in observations: its line in the table, or ``len(CLASSES)`` if it is not in the table.

    Args:
      number: index of the class in the classes of a home, which begin with those of the table.
    """
    return min(number, len(CLASSES))


def first_conditions(properties: Property) -> Condition:
    """Return the conditions of a thing of which nothing else is known: closed, off, clean, plugged in, as far as it
    has such conditions.

    Args:
      properties: of the thing's class.
    """
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
