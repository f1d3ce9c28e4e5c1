"""Write the settings in which experiments differ from the paper's into their page, between markers.

python -m docs.differences

``<!-- differences: NAME -->`` and ``<!-- /differences -->`` are the place of the experiment NAME.
"""

from __future__ import annotations

import re
from pathlib import Path

from experiments.engine.declaration import experiment_named
from experiments.engine.differences import differing_settings
from pipelines.presets import paper

PAGE = Path(__file__).parents[1] / "experiments" / "interactive_agents" / "RESULTS.md"
_BLOCK = re.compile(r"<!-- differences: ([\w-]+) -->\n.*?<!-- /differences -->", re.DOTALL)


def written(page: str) -> str:
    """Return the page with the tables that follow from the settings."""
    return _BLOCK.sub(lambda block: f"<!-- differences: {block[1]} -->\n{_table(block[1])}<!-- /differences -->", page)


def _table(name: str) -> str:
    return differing_settings(name, experiment_named(name).load()(), paper.iterate()).markdown()


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
