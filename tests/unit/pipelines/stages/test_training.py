"""A training that a signal ends is resumed by the command it names; one of more than an hour is announced."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import time
from pathlib import Path

import pytest
import torch

from pipelines.cli.main import main
from pipelines.stages.training import DurationCheck
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.tracking import read_metrics
from tests.processes import Forked, rlhf
from tests.unit.pipelines.stages.small_training import SMALL, WORLD, Complaint, in_turns, recorded

UPDATES = 80
LONG = [*SMALL, f"--training.updates={UPDATES}", "--training.evaluate-every=20", "--checkpoint-every=100000"]
MADE = {"clone": "agent", "reward": "reward_model", "refine": "agent", "improve": "agent"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a marked dataset ``data``, recorded play ``play`` and the runs ``clone`` and ``reward``."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("made")
    recorded(here / "data", in_turns())
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
    return [*agent, f"--data={made / 'data'}", *LONG, *own.get(verb, [])]


def await_update(process: Forked, run: Path, update: int) -> None:
    """Wait until the run has made so many updates."""
    while not (run / "metrics.jsonl").exists() or not any(row["step"] >= update for row in read_metrics(run)):
        assert process.status() is None, process.errors()
        time.sleep(0.005)


@pytest.mark.parametrize(("verb", "number"), [("clone", signal.SIGTERM), ("reward", signal.SIGINT)])
def test_a_stopped_training_is_resumed_by_the_command_it_names_to_the_very_same_end(
    verb: str, number: int, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    capsys.readouterr()
    assert main([verb, f"--resume={run}"]) == 0
    reported = capsys.readouterr().err
    assert f"{run} is finished: {UPDATES} updates were made" in reported and str(run / MADE[verb]) in reported
    assert "0/100" not in reported


def test_a_stopped_improvement_is_resumed(made: Path, tmp_path: Path) -> None:
    run = tmp_path / "improve"
    process = rlhf(tmp_path, "improve", *words(made, "improve", tmp_path))
    await_update(process, run, 2)
    status, printed = process.kill(signal.SIGTERM), process.errors()
    assert status == 143, printed
    step = Checkpoints(run).latest().step
    assert f"checkpoint of update {step}" in printed and f"resume with: rlhf improve --resume {run}" in printed
    assert main(["improve", f"--resume={run}", f"--updates={step + 1}"]) == 0
    assert Checkpoints(run).latest().step == step + 1 and (run / "agent").is_dir()


@pytest.mark.parametrize(
    ("verb", "way"),
    [("clone", "resume"), ("clone", "again"), ("reward", "again"), ("refine", "resume"), ("improve", "again")],
)
def test_a_run_that_ended_before_its_first_checkpoint_starts_again(
    verb: str, way: str, made: Path, tmp_path: Path, complaint: Complaint
) -> None:
    run, typed = tmp_path / verb, [verb, *words(made, verb, tmp_path)]
    typed.append("--updates=2" if verb == "improve" else "--training.updates=2")
    assert main(typed) == 0
    rows = [row["step"] for row in read_metrics(run)]
    model = (run / MADE[verb] / "model.safetensors").read_bytes()
    shutil.rmtree(run / "checkpoints")  # as if it had been stopped before
    shutil.rmtree(run / MADE[verb])
    if way == "again":
        message = complaint(*typed, "--checkpoint-every=7")
        assert "was interrupted" in message and "checkpoint_every is" in message and "7 here" in message
    assert main([verb, f"--resume={run}"] if way == "resume" else typed) == 0
    assert [row["step"] for row in read_metrics(run)] == rows
    assert (run / MADE[verb] / "model.safetensors").read_bytes() == model


@pytest.mark.parametrize(
    ("seconds", "done", "told"), [(7.0, 0, "--training.updates 510"), (0.17, 0, ""), (7.0, 19_900, "")]
)
def test_a_training_of_more_than_an_hour_is_announced_once_with_what_fits(
    seconds: float, done: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    now, updates = [0.0], 20_000
    check = DurationCheck("--training.updates", done, done / updates, clock=lambda: now[0])
    for update in range(done + 1, done + 9):
        now[0] += seconds if update > done + 1 else 100 * seconds  # the first one is slow and does not count
        check.update(update, update / updates)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == bool(told) and all(told in line and "38 h 52 min" in line for line in lines)
