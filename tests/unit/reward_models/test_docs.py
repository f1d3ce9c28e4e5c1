"""The pages on reward models know every metric, and every setting of preferences with its default."""

from __future__ import annotations

import re
from pathlib import Path

from agents.agent import InteractiveAgent
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.evaluation import SIGNAL, Evaluator
from reward_models.preferences.config import PreferenceConfig

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reward-model.md").read_text(encoding="utf-8")


def test_every_setting_of_preferences_is_documented_with_its_default() -> None:
    page = (DOCS / "preferences.md").read_text(encoding="utf-8")
    table = page[page.index("| setting `--training.preferences.` |") :].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| (`[^|]+`) \| (\w+) \|", table, re.MULTILINE))
    found = {
        name.replace("-", "_"): default for names, default in rows.items() for name in re.findall(r"`([\w-]+)`", names)
    }
    defaults = {name: f"{value:g}" for name, value in vars(PreferenceConfig()).items() if not isinstance(value, str)}
    assert found == defaults and f"| `{PreferenceConfig().compared_by}` (default) |" in page


def test_every_metric_is_documented(lamp_play, agent: InteractiveAgent) -> None:
    metrics = Evaluator.of(lamp_play(range(12)), most=12).evaluate(InterTemporalRewardModel.from_agent(agent))
    assert len(metrics) == 6
    assert [name for name in (*metrics, SIGNAL) if f"`{name}`" not in PAGE] == []  # too short here for a quiet window
