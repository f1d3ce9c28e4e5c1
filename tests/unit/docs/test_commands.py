"""The page of commands, which is made from the code, explains every setting."""

from __future__ import annotations

import re

from tests.unit.docs.pages import site


def test_every_setting_has_an_explanation() -> None:
    rows = re.findall(r"^\| `--([^`]+)` \| ([^|]+) \| (.*) \|$", site().commands_page(), re.MULTILINE)
    assert len(rows) > 500
    assert [name for name, _, words in rows if not words.strip()] == []
