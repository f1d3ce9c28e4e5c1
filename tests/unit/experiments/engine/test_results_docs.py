"""The pages of experiments know every result, its command, its arms, and every setting with its default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments.engine.declaration import experiments
from experiments.engine.results_docs import (
    README,
    REPOSITORY,
    check_places,
    fill,
    load_published,
    pages_of,
    publish,
    read_tables,
)
from tests.unit.docs.pages import RESULTS
from worlds.errors import UserError

FOLDER = Path("experiments/interactive_agents")
COMMAND = (REPOSITORY / "docs" / "reproduce.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", experiments())
def test_every_result_has_its_place(name: str) -> None:
    texts = [page.read_text(encoding="utf-8") for page in RESULTS]
    (page,) = [text for text in texts if f"<!-- table: {name} -->" in text]
    assert f"rlhf reproduce {name}" in page and f"`{name}`" in COMMAND
    section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0] or page
    declared = experiments()[name]
    for arm in declared.load()().arms if declared.kind == "arms" else ():
        kind, _, size = arm.partition(", ")
        shown = (f"`{kind}, SIZE`", f"`{size}`") if name == "sizes" else (f"`{arm}`",)
        assert all(words in section for words in shown), arm


def test_tables_on_pages_are_those_that_were_published() -> None:
    published = load_published()
    for page in (REPOSITORY / README, *RESULTS):
        text = page.read_text(encoding="utf-8")
        assert text == fill(text, published), "numbers are put there by `rlhf reproduce NAME --docs`, not by hand"
        assert text.count("<!-- results: ") == text.count("<!-- /results -->")
    assert "<!-- results: plateau summary" in (REPOSITORY / README).read_text(encoding="utf-8")


def test_every_published_table_is_on_its_pages() -> None:
    for name, tables in load_published().items():
        text = "".join(pages_of(name).values())
        places = [f"<!-- results: {name} {number} -->" for number in range(len(tables))]
        assert [text.count(place) for place in places] == [1] * len(tables), name


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the pages and of the published results."""
    (tmp_path / FOLDER).mkdir(parents=True)
    for path in (README, *(FOLDER / name for name in ("README.md", "RESULTS.md", "results.json"))):
        (tmp_path / path).write_text((REPOSITORY / path).read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def test_an_experiment_puts_its_tables_on_the_pages(copy: Path) -> None:
    results = copy / FOLDER / "results.json"
    before = json.loads(results.read_text(encoding="utf-8"))
    tables = load_published(copy)["plateau"]
    new = copy / "table.md"
    rows = [
        f"| {' | '.join(row)} |\n" for table in tables for row in (table.head, ("---",) * len(table.head), *table.rows)
    ]
    text = "".join("\n" + row if row.startswith("| agent") or row.startswith("| updates") else row for row in rows)
    new.write_text(text.replace("| BC | 88 (82 to 93) |", "| BC | 99 (98 to 100) |"), encoding="utf-8")
    assert len(read_tables(new.read_text(encoding="utf-8"))) == len(tables)
    publish("plateau", new, copy)
    assert "| Go | 99 | 96 (+6 to +11) |" in (copy / README).read_text(encoding="utf-8")
    assert "| BC | 99 (98 to 100) |" in (copy / FOLDER / "README.md").read_text(encoding="utf-8")
    after = json.loads(results.read_text(encoding="utf-8"))
    assert after != before and after | {"plateau": before["plateau"]} == before
    new.write_text("| agent |\n| --- |\n| BC |\n", encoding="utf-8")
    with pytest.raises(
        UserError, match="table.md has 1 tables and the pages of experiments/interactive_agents have 10"
    ):
        publish("plateau", new, copy)
    check_places("plateau", copy)
    with pytest.raises(UserError, match="no folder of experiments/ has places .* add <!-- results: rooms 0 -->"):
        check_places("rooms", copy)
