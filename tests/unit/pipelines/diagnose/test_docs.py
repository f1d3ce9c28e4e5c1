"""The page on diagnostics knows every setting with its default, every part and every figure that is written."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from experiments.interactive_agents.rater_noise import FIGURE_FILE, RESULTS_FILE, TABLE_FILE, RaterNoiseConfig
from pipelines.diagnose.command import DiagnoseConfig
from pipelines.diagnose.diagnosis import DIAGNOSIS_FILE, PART_WORDS
from pipelines.diagnose.eyes.config import EyesConfig
from pipelines.diagnose.eyes.findings import EYES_FILE
from pipelines.diagnose.eyes.readings import READING_WORDS
from pipelines.diagnose.eyes.report import EYES_PAGE
from pipelines.stages.episodes.division import DIVISION_FILE

DOCS = Path(__file__).parents[4] / "docs"
PAGE = (DOCS / "diagnostics.md").read_text(encoding="utf-8")


def documented(heading: str) -> dict[str, str]:
    """Settings and defaults of the table after ``heading``; several of a row stand between commas."""
    text, found = PAGE[PAGE.index(heading) :], {}
    table = text[text.index("| setting |") :].partition("\n\n")[0]
    for names, defaults in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|", table, re.MULTILINE):
        settings = [name.strip("`") for name in names.split(", ")]
        values = defaults.split(", ") if len(settings) > 1 else [defaults]
        found |= dict(zip(settings, (value.strip(" `") for value in values), strict=True))
    return found


def test_every_setting_of_the_eyes_is_documented_with_its_default() -> None:
    section = PAGE[PAGE.index("## Eyes of an agent") : PAGE.index("## How good raters")]
    table = section[section.index("| setting") :]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", table, re.MULTILINE)
    assert {name: default.strip() for name, default in rows} == {
        setting.name: str(getattr(EyesConfig(), setting.name)) for setting in fields(EyesConfig)
    }
    assert [name for name in READING_WORDS if f"| `{name}` |" not in section] == []
    assert all(f"`{name}`" in section for name in (EYES_FILE, EYES_PAGE, "figures/eyes.png"))


def written(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(
    ("config", "heading"), [(DiagnoseConfig(), "# Diagnosing"), (RaterNoiseConfig(), "## How good raters")]
)
def test_every_setting_is_documented_with_its_default(config: Any, heading: str) -> None:
    table = documented(heading)
    assert set(table) == {setting.name for setting in fields(config)}
    elsewhere = {"usual": "rlhf mark`'s", "training": "rlhf reward`'s", "eyes": "see below"}
    for name, default in table.items():
        assert default == elsewhere.get(name, written(getattr(config, name))), name


def test_every_part_and_file_is_documented() -> None:
    files = (DIAGNOSIS_FILE, DIVISION_FILE, FIGURE_FILE, RESULTS_FILE, TABLE_FILE)
    assert [name for name in (*PART_WORDS, *files) if f"`{name}`" not in PAGE] == []


def test_the_page_on_reward_models_links_here() -> None:
    assert "(diagnostics.md)" in (DOCS / "reward-model.md").read_text(encoding="utf-8")
