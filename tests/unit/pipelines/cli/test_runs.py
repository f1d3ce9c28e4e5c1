"""`rlhf runs list|compare` on runs that were really made."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import pipelines as rl
from pipelines.cli.main import main
from rlhf.store.synthetic import synthetic_episode


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the finished runs "small" and "large", and "killed", whose agent is missing."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("runs")
    store = rl.open_dataset(here / "data", create=True)
    for number in range(4):
        played = synthetic_episode(number, 8, 12, 16)
        store.write(replace(played, solver="scripted", controller=np.zeros(8, np.uint8)))
    training = rl.CloningConfig(log_every=1, evaluate_every=1)
    config = rl.CloneConfig(wandb="disabled", vocabulary=300, checkpoint_every=1, held_out=0.25, training=training)
    for name, updates in (("small", 1), ("large", 2)):
        rl.clone(store.folder, runs=here / "runs", name=name, updates=updates, batch=2, steps=3, config=config)
    shutil.copytree(here / "runs" / "small", here / "runs" / "more" / "killed")
    shutil.rmtree(here / "runs" / "more" / "killed" / "agent")
    return here / "runs"


def test_list_has_stage_state_updates_and_headline(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list", str(runs)]) == 0
    message = capsys.readouterr().out
    lines = {Path(line.split()[0]).name: line.split()[1:4] for line in message.splitlines()[1:4]}
    assert lines == {
        "small": ["clone", "finished", "1/1"],
        "large": ["clone", "finished", "2/2"],
        "killed": ["clone", "resumable", "1/1"],
    }
    assert f"{runs / 'large'}: The loss of a step's movement on" in message
    assert main(["runs", "list", str(runs), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {Path(row["folder"]).name for row in rows} == lines.keys() and all(row["created"] for row in rows)


def test_compare_shows_only_differences(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "compare", str(runs / "small"), str(runs / "large"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"] == {"name": ["small", "large"], "training.updates": [1, 2]}
    assert "loss of movement on validation play" in found["results"]
    assert main(["runs", "compare", str(runs / "small"), str(runs / "large")]) == 0
    assert "training.updates" in capsys.readouterr().out
    assert main(["runs", "compare", str(runs / "small"), str(runs / "more" / "killed")]) == 0
    assert "all settings are the same" in capsys.readouterr().out


def test_a_folder_without_a_run_is_refused_in_one_line(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list", str(runs / "nothing")]) == 1
    assert main(["runs", "compare", str(runs / "small")]) == 1
    assert main(["runs", "compare", str(runs / "small"), str(runs / "small" / "agent")]) == 1
    message = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in message] == ["error"] * 3 and "two runs or more" in message[1]
