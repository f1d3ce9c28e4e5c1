"""The page of the school's parameters is that of the code."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from docs.school_tree import FIGURE, PAGE, ROWS, expand, table
from tests.unit.docs.pages import blocks, site
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import ids
from worlds.school.parameters.text import format_tree


def test_the_picture_shows_the_tree_of_the_code() -> None:
    picture = Image.open(FIGURE)
    assert picture.text["Description"] == format_tree(FULL, paper=True)  # type: ignore[attr-defined]
    assert picture.width > 1000


def test_the_site_shows_the_table() -> None:
    assert table() in site().made_from_code("school-tree.md", PAGE.read_text(encoding="utf-8"))


def test_the_table_names_every_id_once() -> None:
    named = [each for pattern, _, _ in ROWS for each in expand(pattern)]
    assert sorted(named) == sorted(ids())


def test_patterns_are_expanded_as_in_a_shell() -> None:
    assert list(expand("x{1,2}y{,3}")) == ["x1y", "x1y3", "x2y", "x2y3"]


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    examples = [block.text for block in blocks(PAGE) if block.language == "python"]
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(examples) == 5 and printed[0] == "148" and printed[-3:] == ["1", "Meta", "B: Help please "]
    assert Image.open("pointing.png").width > 500
