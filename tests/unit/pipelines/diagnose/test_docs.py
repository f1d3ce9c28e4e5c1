"""The page on diagnostics knows every part, every reading and every file that is written."""

from __future__ import annotations

from pathlib import Path

from experiments.interactive_agents.rater_noise import FIGURE_FILE, RESULTS_FILE, TABLE_FILE
from pipelines.diagnose.diagnosis import DIAGNOSIS_FILE, PART_WORDS
from pipelines.diagnose.eyes.findings import EYES_FILE
from pipelines.diagnose.eyes.readings import READING_WORDS
from pipelines.diagnose.eyes.report import EYES_PAGE
from pipelines.stages.episodes.division import DIVISION_FILE

DOCS = Path(__file__).parents[4] / "docs"
PAGE = (DOCS / "diagnostics.md").read_text(encoding="utf-8")


def test_every_part_reading_and_file_is_documented() -> None:
    files = (DIAGNOSIS_FILE, DIVISION_FILE, EYES_FILE, EYES_PAGE, FIGURE_FILE, RESULTS_FILE, TABLE_FILE)
    assert [name for name in (*PART_WORDS, *READING_WORDS, *files) if f"`{name}`" not in PAGE] == []


def test_the_page_on_reward_models_links_here() -> None:
    assert "(diagnostics.md)" in (DOCS / "reward-model.md").read_text(encoding="utf-8")
