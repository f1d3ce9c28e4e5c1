"""An improvement that was interrupted ends in the same bits as one that was not: in the Playhouse, from files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.learning.config import ExecutorConfig
from rlhf.learning.guards import GuardConfig
from rlhf.run.checkpoint import Checkpoints
from tests.unit.pipelines.stages import small_improvement
from tests.unit.pipelines.stages.small_improvement import assert_same_end, measured


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    small_improvement.make(folder)
    return folder


@pytest.fixture
def settings(made: Path, tmp_path: Path) -> ImproveConfig:
    return small_improvement.settings(made, tmp_path, guards=GuardConfig(patience=7))


CASES = {
    "in turns": {},
    "overlap": {"execution": ExecutorConfig(overlap=True)},
    "overlap, reuse, scripted": {
        "execution": ExecutorConfig(overlap=True, reuse=2, recent=2), "scripted_reward": True,
    },
    "reuse, ensemble with drawn marks": {"execution": ExecutorConfig(reuse=3, recent=3), "ensemble": ("ar",)},
    "utility": {"pays": "utility"},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_improvement_in_three_parts_ends_as_one_in_one_part(settings: ImproveConfig, made: Path, case: dict) -> None:
    case = case | {"ensemble": tuple(made / name for name in case.get("ensemble", ()))}
    settings = replace(settings, **case)
    whole = improve(settings).parent
    parts = improve(replace(settings, name="parts", updates=3)).parent
    improve(replace(settings, name="parts", resume=parts, updates=6))
    improve(replace(settings, name="parts", resume=parts, updates=9))
    assert_same_end(parts, whole)
    assert any("train/modelled_return" in row for row in measured(whole))  # its mean reaches over the resumption


def test_a_run_without_its_plays_in_progress_reports_that_it_begins_new_ones(
    settings: ImproveConfig, capfd: pytest.CaptureFixture[str]
) -> None:
    run = improve(replace(settings, updates=3)).parent
    capfd.readouterr()
    improve(replace(settings, resume=run, updates=6, drop_play=True))
    assert "plays in progress at the checkpoint are dropped" in capfd.readouterr().err
    assert json.loads((run / "config.json").read_text())["config"]["drop_play"] is False
    improve(replace(settings, resume=run, updates=9))
    assert "dropped" not in capfd.readouterr().err


def test_play_that_cannot_be_rebuilt_stops_the_resumption_with_its_place(settings: ImproveConfig) -> None:
    run = improve(replace(settings, updates=3)).parent
    checkpoints = Checkpoints(run)
    state, (agent, tokenizer) = checkpoints.latest().load_state(), checkpoints.latest().load_agent()
    state["executor"]["runners"][0]["plays"]["slots"][1]["observation"] = "0" * 64
    checkpoints.save(3, agent, tokenizer, state)
    with pytest.raises(RuntimeError, match=r"slot 1: the \d+ steps of episode .* drop_play"):
        improve(replace(settings, resume=run))
