"""Write the settings in which studies differ from the paper's into ``docs/results.md``, between markers.

python -m docs.differences

``<!-- differences: NAME -->`` and ``<!-- /differences -->`` are the place of the study in ``pipelines/runs/NAME.py``.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from pipelines.runs import paper
from pipelines.studies.differences import differing_settings
from pipelines.studies.results_docs import format_table

PAGE = Path(__file__).parent / "results.md"
_BLOCK = re.compile(r"<!-- differences: ([\w-]+) -->\n.*?<!-- /differences -->", re.DOTALL)


def written(page: str) -> str:
    """Return the page with the tables that follow from the settings."""
    return _BLOCK.sub(lambda block: f"<!-- differences: {block[1]} -->\n{_table(block[1])}<!-- /differences -->", page)


def _table(name: str) -> str:
    study = importlib.import_module(f"pipelines.runs.{name.replace('-', '_')}").study()
    return format_table(differing_settings(name, study, paper.iterate()))


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
