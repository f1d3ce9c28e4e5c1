"""The part "language-models" of the school: chance, the demonstrator and a small model play the same episodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.language_models.calls import read_calls
from experiments.social_ai.language import section, stages
from pipelines.stages.evaluate import load_results
from rlhf.run.statistics import wilson_interval
from tests.unit.agents.language_models.tiny_model import make_model
from worlds.errors import UserError


def play(run: Path, model: Path) -> None:
    """Do all stages, also those that were done with another model."""
    for stage in stages(run, 0, model, episodes=4):
        stage.do()


def test_players_play_the_same_episodes_and_the_table_has_their_costs(tmp_path: Path) -> None:
    model = make_model(tmp_path / "model", [("Act:", " forward")], rounds=30)
    play(tmp_path / "run", model)
    folder = tmp_path / "run" / "language-models"
    results = {r.agent: r for r in load_results(folder / "colour-boxes-seed-0.json")}
    assert results["perfect"].rate == 1.0 and len({r.seeds for r in results.values()}) == 1
    calls = read_calls(folder / "colour-boxes-seed-0.language model.calls.jsonl")
    assert 4 <= len(calls) <= 4 * 15 and all("New episode." in call["prompt"] for call in calls)
    page = section(tmp_path / "run").markdown()
    tokens = sum(c["prompt_tokens"] + c["answer_tokens"] for c in calls) / len(calls)
    assert f" | {tokens:.0f} | " in page
    share = wilson_interval(4, 4)
    assert f"perfect | 4 | 100% ({100 * share.low:.0f} to 100)" in page
    examples = json.loads((folder / "model-colour-boxes-of-others" / "examples.json").read_text())
    assert examples and all(each["success"] for each in examples)

    other = make_model(tmp_path / "other", rounds=1)
    with pytest.raises(UserError, match="is another model than"):
        play(tmp_path / "run", other)
    with pytest.raises(UserError, match="name the folder of the model itself"):
        play(tmp_path / "run", folder / "model-colour-boxes")
