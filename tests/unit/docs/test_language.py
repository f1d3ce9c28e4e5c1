"""The page on the language of the house has the tables and examples of the code."""

from __future__ import annotations

import contextlib
import io

from docs.language_tables import PAGE, TABLES, modifiers_table, questions_table, written
from tests.unit.docs.pages import blocks
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.prompts import QUESTIONS


def test_the_tables_are_up_to_date() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(page.count(f"<!-- {name} -->\n|") == 1 for name in TABLES)
    assert written(page) == page, "run python -m docs.language_tables"


def test_every_modifier_and_every_question_of_the_paper_has_an_example() -> None:
    rows = modifiers_table().splitlines()[2:]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == list(MODIFIERS)
    assert not any(row.endswith("| - |") for row in rows)
    assert all(prompt in questions_table() for prompt in QUESTIONS)


def test_the_example_runs() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(next(block.text for block in blocks(PAGE) if block.text.startswith("from worlds")), {})
    number, size, count = printed.getvalue().split()
    assert (number, size) == ("2", "small") and int(count) >= 1
