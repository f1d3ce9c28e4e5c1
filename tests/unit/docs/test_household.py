"""Tables and pictures of the page on the household are those of the code: `python -m docs.apartments`."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from PIL import Image

from tests.unit.docs.pages import ROOT, site
from worlds.household.catalogue.classes import CLASSES
from worlds.household.homes import home
from worlds.household.homes.apartments import APARTMENTS


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_apartments", ROOT / "docs" / "apartments.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_up_to_date(drawing: ModuleType) -> None:
    page = drawing.PAGE.read_text(encoding="utf-8")
    for name, text in drawing.sections():
        found = drawing.between(page, name)
        assert found is not None and found[1] == text + "\n", f"{name}: run python -m docs.apartments"


def test_the_site_shows_the_catalogue(drawing: ModuleType) -> None:
    page = site().made_from_code("household.md", drawing.PAGE.read_text(encoding="utf-8"))
    assert all(f"| {each.name} | " in page for each in CLASSES)


@pytest.mark.parametrize("name", APARTMENTS)
def test_pictures_show_the_apartments(drawing: ModuleType, name: str) -> None:
    with Image.open(drawing.figure(name)) as picture:
        assert picture.info[drawing.NOTE] == drawing.fingerprint(*home(name)), "run python -m docs.apartments"
