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

from worlds.data_files import Misfit, read_entries
from worlds.household.state.home import ThingClass
from worlds.household.state.vocabulary import Condition, Property


def _properties(names: list[str]) -> Property:
    wanted = Property(0)
    for name in names:
        if name not in Property.__members__:
            raise Misfit(f"{name!r} is unknown; known: {', '.join(Property.__members__)}")
        wanted |= Property[name]
    return wanted


def _colour(digits: str) -> tuple[int, int, int]:
    try:
        red, green, blue = bytes.fromhex(digits)
    except (TypeError, ValueError):
        raise Misfit(f"{digits!r} is not RGB in six hexadecimal digits") from None
    return red, green, blue


CLASSES: tuple[ThingClass, ...] = tuple(
    read_entries(
        Path(__file__).parent / "data" / "classes.json", ThingClass, {"properties": _properties, "colour": _colour}
    ).values()
)
CLASS_OF: Mapping[str, ThingClass] = MappingProxyType({each.name: each for each in CLASSES})
NUMBER_OF: Mapping[str, int] = MappingProxyType({each.name: number for number, each in enumerate(CLASSES)})


def class_number(number: int) -> int:
    """Return a class's number in observations: its place in the table, or ``len(CLASSES)`` if it is not in the table.

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
