"""The page of appendix B is that of the code."""

from __future__ import annotations

from docs.appendix_b import PAGE, all_lines, written
from tests.unit.docs.pages import site
from worlds.playhouse.scenarios.appendix_b import COUNT


def test_the_tables_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "run python -m docs.appendix_b"
    assert page.count("<!-- solver -->\n`python -m benchmarks.appendix_b") == 1


def test_the_site_shows_every_line() -> None:
    assert len(all_lines().splitlines()) == 2 + COUNT
    assert all_lines() in site().made_from_code("appendix-b.md", PAGE.read_text(encoding="utf-8"))
