"""The page on reward models knows every setting, its default, and every metric."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

from agents.agent import InteractiveAgent
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.evaluation import SIGNAL, Evaluator
from reward_models.learning.training import RewardTrainingConfig
from reward_models.preferences.config import PreferenceConfig

PAGE = (Path(__file__).parents[3] / "docs" / "reward-model.md").read_text(encoding="utf-8")


def documented() -> dict[str, str]:
    """Settings and defaults of the page's table."""
    found: dict[str, str] = {}
    for names, defaults in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|", PAGE, re.MULTILINE):
        for name, default in zip(names.split(", "), defaults.split(", "), strict=False):
            found[name.strip("`")] = default.strip(" `")
    return found


def test_every_setting_is_documented_with_its_default() -> None:
    table, defaults = documented(), RewardTrainingConfig()
    for setting in fields(RewardTrainingConfig):
        written, default = table[setting.name], getattr(defaults, setting.name)
        if isinstance(default, float):
            assert float(written) == default, setting.name
        elif isinstance(default, PreferenceConfig):
            assert written == "marks only" and not default.weights
        elif is_dataclass(default):
            assert written == "all off" and not any(vars(default).values()), setting.name
        else:
            assert written == {"None": "none", "False": "false"}.get(str(default), str(default)), setting.name


def test_every_setting_of_preferences_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `preferences\.(\w+)` \| `?(\w+)`? \|", PAGE, re.MULTILINE))
    defaults = vars(PreferenceConfig())
    assert rows == {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in defaults.items()}


def test_every_metric_is_documented(lamp_play, agent: InteractiveAgent) -> None:
    metrics = Evaluator.of(lamp_play(range(12)), most=12).evaluate(InterTemporalRewardModel.from_agent(agent))
    assert len(metrics) == 6
    assert [name for name in (*metrics, SIGNAL) if f"`{name}`" not in PAGE] == []  # too short here for a quiet window
