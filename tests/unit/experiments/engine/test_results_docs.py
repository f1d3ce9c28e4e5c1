"""The page on results knows every result, its command, its arms, and every setting with its default."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from experiments.engine.declaration import ReproduceConfig, experiments
from experiments.engine.results_docs import (
    PAGE as RESULTS_PAGE,
)
from experiments.engine.results_docs import (
    README,
    REPOSITORY,
    RESULTS,
    check_places,
    fill,
    format_results,
    load_published,
    publish,
    read_tables,
)
from worlds.errors import UserError

PAGE = (Path(__file__).parents[4] / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", experiments())
def test_every_result_has_its_section(name: str) -> None:
    _, found, section = PAGE.partition(f"\n## {name}\n")
    section = section.partition("\n## ")[0]
    assert found and f"`rlhf reproduce {name}`" in section and f"<!-- table: {name} -->" in section
    assert f"[`{name}`](#{name})" in PAGE
    declared = experiments()[name]
    for arm in declared.load()().arms if declared.kind == "arms" else ():
        kind, _, size = arm.partition(", ")
        shown = (f"`{kind}, SIZE`", f"`{size}`") if name == "sizes" else (f"`{arm}`",)
        assert all(words in section for words in shown), arm


def test_every_setting_is_there() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    defaults = ReproduceConfig()
    for field in fields(ReproduceConfig):
        value = getattr(defaults, field.name)
        shown = {
            "arms": "all",
            "device": "the preset's (`cpu`)",
            "seeds": "0 1 2",
            "docs": "no",
            "source": "none",
            "parts": "all",
        }.get(field.name, str(value))
        assert table[field.name].strip("`") == shown.strip("`"), field.name


def test_every_file_that_is_linked_is_there() -> None:
    docs = Path(__file__).parents[4] / "docs"
    for link in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", PAGE):
        assert (docs / link).is_file(), link


@pytest.mark.parametrize("page", [README, RESULTS_PAGE])
def test_tables_on_pages_are_those_that_were_published(page: Path) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    assert text == fill(text, load_published()), "numbers are put there by `rlhf reproduce NAME --docs`, not by hand"
    assert "<!-- results: plateau" in text
    assert text.count("<!-- results: ") == text.count("<!-- /results -->")


def test_every_published_table_is_on_the_page() -> None:
    text = (REPOSITORY / RESULTS_PAGE).read_text(encoding="utf-8")
    for name, tables in load_published().items():
        places = [f"<!-- results: {name} {number} -->" for number in range(len(tables))]
        assert [text.count(place) for place in places] == [1] * len(tables), name


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the pages and of the published results."""
    (tmp_path / "docs").mkdir()
    for path in (README, RESULTS, RESULTS_PAGE):
        (tmp_path / path).write_text((REPOSITORY / path).read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_a_number_edited_by_hand_is_found(copy: Path) -> None:
    page = (copy / README).read_text(encoding="utf-8")
    edited = page.replace("| Go | 88 |", "| Go | 89 |")
    assert edited != page and fill(edited, load_published(copy)) == page


def test_a_study_puts_its_tables_on_the_pages(copy: Path) -> None:
    tables = load_published(copy)["plateau"]
    page = (copy / RESULTS_PAGE).read_text(encoding="utf-8")
    section = page.partition("\n## plateau\n")[2].partition("\n## ")[0]
    new = copy / "table.md"
    new.write_text(section.replace("| BC | 88 (82 to 93) |", "| BC | 99 (98 to 100) |"), encoding="utf-8")
    arms, *made = read_tables(new.read_text(encoding="utf-8"))  # the first lists the arms
    assert arms.head[0] == "arm" and len(made) == len(tables)
    new.write_text(new.read_text(encoding="utf-8").partition("<!-- table: plateau -->")[2], encoding="utf-8")
    publish("plateau", new, copy)
    assert "| Go | 99 | 96 (+6 to +11) |" in (copy / README).read_text(encoding="utf-8")
    assert "| BC | 99 (98 to 100) |" in (copy / RESULTS_PAGE).read_text(encoding="utf-8")
    assert (copy / RESULTS).read_text(encoding="utf-8") == format_results(load_published(copy))
    new.write_text("| agent |\n| --- |\n| BC |\n", encoding="utf-8")
    with pytest.raises(UserError, match="table.md has 1 tables and docs/results.md has 10 places"):
        publish("plateau", new, copy)
    check_places("plateau", copy)
    with pytest.raises(
        UserError, match="docs/results.md has no place for tables of rooms; add <!-- results: rooms 0 -->"
    ):
        check_places("rooms", copy)
