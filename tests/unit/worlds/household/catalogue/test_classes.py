"""The table of classes is complete and consistent."""

from __future__ import annotations

import re

from worlds.household.catalogue.classes import CLASS_OF, CLASSES, class_number
from worlds.household.state.vocabulary import Property

# Classes of the published goals, and of the furniture among which things are placed and sought.
PUBLISHED = """plate waterglass wineglass cutleryfork cupcake juice pancake poundcake wine pudding apple coffeepot book
kitchentable coffeetable dishwasher fridge kitchencabinet cabinet bathroomcabinet microwave stove sofa bench nightstand
remotecontrol cutleryknife character door bathroom bedroom kitchen livingroom""".split()
CONTAINERS = "kitchencabinet cabinet bathroomcabinet fridge microwave stove dishwasher".split()


def test_names_are_single_words_that_occur_once() -> None:
    names = [each.name for each in CLASSES]
    assert len(set(names)) == len(names) >= 130
    assert [name for name in names if not re.fullmatch("[a-z]+", name)] == []


def test_published_classes_are_there() -> None:
    assert [name for name in PUBLISHED if name not in CLASS_OF] == []
    assert all(CLASS_OF[name].properties & Property.CAN_OPEN for name in CONTAINERS)
    assert all(CLASS_OF[name].properties & Property.CONTAINERS for name in CONTAINERS)


def test_what_is_grabbed_fits_a_hand_and_what_holds_things_has_room_for_a_plate() -> None:
    for each in CLASSES:
        assert all(0.01 <= length <= 5 for length in each.size), each
        if Property.GRABBABLE in each.properties:
            assert max(each.size) < 1.0, each
        elif each.properties & (Property.SURFACES | Property.CONTAINERS) and each.category == "Furniture":
            assert each.size[1] > 0.24, each


def test_a_class_of_an_imported_home_has_the_number_of_the_unknown() -> None:
    assert [class_number(number) for number in (0, len(CLASSES) - 1, len(CLASSES), len(CLASSES) + 7)] == [
        0, len(CLASSES) - 1, len(CLASSES), len(CLASSES),
    ]  # fmt: skip
