"""A training that a signal ends saves a checkpoint and names the command that resumes it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pipelines.cli.main import main
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.processes import Forked, rlhf

UPDATES = 80
SMALL = ["--wandb=disabled", f"--training.updates={UPDATES}", "--training.steps=3", "--training.batch=2"]
SMALL += ["--training.log-every=1", "--training.evaluate-every=20", "--checkpoint-every=100000"]
ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
WORLD = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}"]
MADE = {"clone": "agent", "reward": "reward_model", "refine": "agent", "improve": "agent"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a marked dataset ``data``, recorded play ``play`` and the runs ``clone`` and ``reward``."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("made")
    store = open_store(here / "data", create=True)
    for number in range(8):
        played = synthetic_episode(number, 6, 12, 16)
        store.write(replace(played, solver="scripted", controller=np.zeros(6, np.uint8)))
    store.write_marks(Mark(name, "ann", 3, 1 - 2 * (n % 2), True) for n, name in enumerate(store.ids()))
    assert main(["record", f"--data={here / 'play'}", "--episodes=2", "--steps=4", "--workers=1", *WORLD]) == 0
    assert main(["clone", *words(here, "clone", here)]) == 0
    assert main(["reward", *words(here, "reward", here)]) == 0
    return here


def words(made: Path, verb: str, runs: Path) -> list[str]:
    """Settings of a training on what is in ``made``."""
    agent = [f"--runs={runs}", *([f"--agent={made / 'clone' / 'agent'}"] if verb != "clone" else [])]
    if verb == "improve":
        model = [f"--data={made / 'play'}", f"--reward-model={made / 'reward' / 'reward_model'}", *WORLD]
        return [*agent, *model, "--slots=2", "--steps=3", "--updates=100000", "--wandb=disabled", "--threads=1"]
    own = {"reward": ["--validation=0.3"], "refine": [f"--reward-model={made / 'reward' / 'reward_model'}"]}
    return [*agent, f"--data={made / 'data'}", *SMALL, *own.get(verb, [])]


def await_update(process: Forked, run: Path, update: int) -> None:
    """Wait until the run has made so many updates."""
    while not (run / "metrics.jsonl").exists() or not any(row["step"] >= update for row in read_metrics(run)):
        assert process.status() is None, process.errors()
        time.sleep(0.005)


@pytest.mark.parametrize(("verb", "number"), [("clone", signal.SIGTERM), ("reward", signal.SIGINT)])
def test_a_stopped_training_is_resumed_by_the_command_it_names_to_the_very_same_end(
    verb: str, number: int, made: Path, tmp_path: Path
) -> None:
    run = tmp_path / verb
    process = rlhf(tmp_path, verb, *words(made, verb, tmp_path))
    await_update(process, run, 3)
    status, printed = process.kill(number), process.errors()
    assert status == 128 + number, printed
    newest = Checkpoints(run).latest()
    assert f"checkpoint of update {newest.step}: {newest.folder}" in printed and 3 <= newest.step < UPDATES
    named = re.search(r"resume with: rlhf (.*)", printed)
    assert named is not None and printed.rstrip().endswith(named.group())
    assert main(shlex.split(named.group(1))) == 0
    ends = [folder / verb / MADE[verb] / "model.safetensors" for folder in (made, tmp_path)]
    assert ends[0].read_bytes() == ends[1].read_bytes()


def test_a_stopped_improvement_is_resumed(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "improve"
    process = rlhf(tmp_path, "improve", *words(made, "improve", tmp_path))
    await_update(process, run, 2)
    status, printed = process.kill(signal.SIGTERM), process.errors()
    assert status == 143, printed
    step = Checkpoints(run).latest().step
    assert f"checkpoint of update {step}" in printed and f"resume with: rlhf improve --resume {run}" in printed
    assert main(["improve", f"--resume={run}", f"--updates={step + 1}"]) == 0
    assert Checkpoints(run).latest().step == step + 1 and (run / "agent").is_dir()
    capsys.readouterr()
    assert main(["improve", f"--resume={run}"]) == 0
    reported = capsys.readouterr().err
    assert f"{run} is finished: {step + 1} updates were made; its agent: {run / 'agent'}" in reported
    assert "updates, " not in reported  # no bar


@pytest.mark.parametrize("verb", ["clone", "reward"])
def test_resuming_a_finished_run_reports_that_it_is_finished(
    verb: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Path(shutil.copytree(made / verb, tmp_path / verb))
    capsys.readouterr()
    assert main([verb, f"--resume={run}"]) == 0
    reported = capsys.readouterr().err
    assert f"{run} is finished: {UPDATES} updates were made" in reported and str(run / MADE[verb]) in reported
    assert "0/100" not in reported


@pytest.mark.parametrize("way", ["resume", "again"])
@pytest.mark.parametrize("verb", ["clone", "reward", "refine", "improve"])
def test_a_run_that_ended_before_its_first_checkpoint_starts_again(
    verb: str, way: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, typed = tmp_path / verb, [verb, *words(made, verb, tmp_path)]
    typed.append("--updates=2" if verb == "improve" else "--training.updates=2")
    assert main(typed) == 0
    rows = [row["step"] for row in read_metrics(run)]
    model = (run / MADE[verb] / "model.safetensors").read_bytes()
    shutil.rmtree(run / "checkpoints")  # as if it had been stopped before
    shutil.rmtree(run / MADE[verb])
    if way == "again":
        capsys.readouterr()
        assert main([*typed, "--checkpoint-every=7"]) == 1
        printed = capsys.readouterr().err
        assert "was interrupted" in printed and "checkpoint_every is" in printed and "7 here" in printed
        assert len(printed.splitlines()) == 1
    assert main([verb, f"--resume={run}"] if way == "resume" else typed) == 0
    assert [row["step"] for row in read_metrics(run)] == rows
    assert (run / MADE[verb] / "model.safetensors").read_bytes() == model
