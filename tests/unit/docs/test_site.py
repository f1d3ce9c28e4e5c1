"""The site shows the pages of experiments, and publishes no program."""

from __future__ import annotations

import re

from tests.unit.docs.pages import ROOT, site

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_every_page_of_an_experiment_is_in_the_menu() -> None:
    folders = [path.parent for path in (ROOT / "experiments").glob("*/README.md")]
    assert len(folders) >= 6 and all(f"experiments/{folder.name}/README.md" in site().OUTSIDE for folder in folders)
    assert [page for page in site().OUTSIDE.values() if f": {page}\n" not in CONFIG] == []


def test_programs_are_left_out() -> None:
    left_out = re.search(r"^exclude_docs: \|\n((?:  .*\n)+)", CONFIG, re.MULTILINE)
    assert left_out is not None and {"*.py", "__pycache__/"} <= set(left_out[1].split())
