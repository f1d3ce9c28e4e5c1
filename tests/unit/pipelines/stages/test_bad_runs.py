"""Runs that go wrong, through the commands that people type: one clear line, and nothing good is lost."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

import reward_models.learning.training
import rlhf.learning.cloner
from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from pipelines.cli.main import main
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import LOCK_FILE, read_record
from rlhf.run.tracking import read_metrics
from tests.unit.pipelines.stages.small_training import MADE, UPDATES, WORLD, Complaint, typed


def spoil(path: Path, name: str) -> None:
    """Put a nan among the weights in the file ``path`` whose name begins with ``name``."""
    weights = safetensors.torch.load_file(path)
    key = next(key for key in weights if key.startswith(name) and weights[key].is_floating_point())
    weights[key].view(-1)[0] = torch.nan
    safetensors.torch.save_file(weights, path)


# What is not a number


@pytest.mark.parametrize("verb", ["reward", "improve", "record", "evaluate"])
def test_an_agent_that_is_not_finite(verb: str, copied: Path, complaint: Complaint) -> None:
    agent, runs = copied / "clone" / "agent", copied / "runs"
    spoil(agent / "model.safetensors", "trunk")
    message = complaint(*typed(verb, copied, runs))
    assert f"{agent} holds values that are not finite in trunk." in message and "use an earlier checkpoint" in message
    assert not (runs / verb).exists() and not (runs / "out.json").exists()


def test_a_reward_model_that_is_not_finite(copied: Path, complaint: Complaint) -> None:
    model, data = copied / "reward" / "reward_model", copied / "play"
    spoil(model / "model.safetensors", "utility")
    assert main(["record", f"--data={data}", "--episodes=2", "--steps=2", "--workers=1", *WORLD]) == 0
    words = [f"--data={data}", f"--reward-model={model}", "--slots=2", "--wandb=disabled", *WORLD]
    message = complaint(*typed("improve", copied, copied / "runs"), *words)
    assert f"{model} holds values that are not finite in utility" in message
    assert not (copied / "runs" / "improve").exists()


def test_a_tokenizer_with_more_words_than_its_agent(copied: Path, complaint: Complaint) -> None:
    agent = copied / "clone" / "agent"
    Tokenizer.train({"all kinds of words that the agent has never heard of, and then some"}, 400).save(agent)
    message = complaint(*typed("reward", copied, copied / "runs"))
    assert "tokens, of which its agent knows" in message and "put back the tokenizer" in message


def not_finite(state: dict[str, Any]) -> dict[str, Any]:
    state["trained"]["optimizer"]["state"][3]["exp_avg_sq"].view(-1)[0] = torch.inf
    return state


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (not_finite, "holds values that are not finite in state.trained.optimizer.state.3.exp_avg_sq"),
        (lambda _: {}, "is not the state of such a run ("),
        (lambda _: {"stream": {}, "executor": 7, "guards": {}}, "is not the state of such a run ("),
    ],
    ids=["not-finite", "no-keys", "other-keys"],
)
@pytest.mark.parametrize("verb", MADE)
def test_a_damaged_checkpoint_is_named_and_the_one_before_resumed(
    verb: str, change: Callable[..., Any], word: str, copied: Path, complaint: Complaint
) -> None:
    run = copied / verb
    newest = Checkpoints(run).latest()
    model, tokenizer = newest.load_agent(InteractiveAgent if verb == "clone" else InterTemporalRewardModel)
    Checkpoints(run).save(newest.step, model, tokenizer, change(newest.load_state()))
    message = complaint(verb, f"--resume={run}")
    assert f"state.pt {word}" in message
    assert f"remove {newest.folder} to resume from the checkpoint before it" in message
    shutil.rmtree(newest.folder)
    assert main([verb, f"--resume={run}"]) == 0
    assert Checkpoints(run).latest().step == UPDATES


@pytest.mark.parametrize("what", ["loss", "gradient"])
@pytest.mark.parametrize("verb", MADE)
def test_values_that_are_not_finite_end_a_training_and_leave_its_last_checkpoint(
    verb: str, what: str, made: Path, tmp_path: Path, complaint: Complaint, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = rlhf.learning.cloner if verb == "clone" else reward_models.learning.training
    real, calls = module.css_loss, []

    def broken(*given: Any, **named: Any) -> torch.Tensor:
        calls.append(torch.is_grad_enabled())  # held-out play is looked at, too
        value = real(*given, **named)
        if sum(calls) < 4:
            return value
        # sqrt has a slope without bound at 0: the loss is a number, and its gradient is none
        return value * torch.nan if what == "loss" else value + (value - value.detach()).abs().sqrt()

    with monkeypatch.context() as patch:
        patch.setattr(module, "css_loss", broken)
        message = complaint(*typed(verb, made, tmp_path))
    assert "update 3 is not finite" in message and "a lower learning_rate or clip may help" in message
    assert "the last checkpoint is kept" in message
    run = tmp_path / verb
    assert Checkpoints(run).latest().step == 2 and [row["step"] for row in read_metrics(run)][-1] == 3
    assert main([verb, f"--resume={run}"]) == 0  # now that nothing is broken
    ends = [folder / verb / MADE[verb] / "model.safetensors" for folder in (made, tmp_path)]
    assert ends[0].read_bytes() == ends[1].read_bytes()


# Two at once


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The lock ``path`` as another process would hold it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("process 4711 on elsewhere\n")
        file.flush()
        yield


@pytest.mark.parametrize("verb", ["clone", "reward", "improve", "evaluate"])
def test_two_runs_do_not_write_one_folder(
    verb: str, made: Path, copied: Path, tmp_path: Path, complaint: Complaint
) -> None:
    out, run = tmp_path / "out.json", tmp_path / verb
    lock, what = (tmp_path / ".out.json.lock", out) if verb == "evaluate" else (run / LOCK_FILE, run)
    with held(lock):
        message = complaint(*typed(verb, made, tmp_path))
    assert f"{what} is being written by process 4711 on elsewhere; wait for it to end" in message
    assert lock.exists() and not out.exists()  # nothing of the other's was removed
    if verb in MADE:
        with held(copied / verb / LOCK_FILE):
            assert "is being written by process 4711" in complaint(verb, f"--resume={copied / verb}")


# Resuming


@pytest.mark.parametrize(
    ("verb", "setting", "message"),
    [
        ("clone", "--training.batch=3", "training.batch is 2 in the run that is resumed and cannot become 3"),
        ("clone", "--size=mini", "size is 'nano' in the run that is resumed and cannot become 'mini'"),
        ("clone", "--name=other", "name is 'clone' in the run that is resumed"),
        ("reward", "--validation=0.5", "validation is 0.3 in the run that is resumed"),
    ],
)
def test_the_identity_of_a_run_cannot_be_changed_on_resume(
    verb: str, setting: str, message: str, made: Path, complaint: Complaint
) -> None:
    before = read_record(made / verb)
    assert message in complaint(verb, f"--resume={made / verb}", setting)
    assert read_record(made / verb) == before


# Devices

COMMANDS = {
    "record": ["record", "--data", "runs/run", "--solver", "runs/clone/agent"],
    "clone": ["clone", "--name", "run"],
    "reward": ["reward", "--name", "run"],
    "improve": ["improve", "--name", "run"],
    "evaluate": ["evaluate", "--agents", "mine", "runs/clone/agent"],
    "reproduce": ["reproduce", "demo", "--runs", "runs/run"],
    "reproduce a study": ["reproduce", "sizes", "--runs", "runs/run"],
}
CUDA = "no device cuda here: PyTorch finds no CUDA device; use cpu (`rlhf doctor` says more)"
DEVICES = {"gpu": "no device is called 'gpu'; use cpu, cuda or cuda:1", "cuda": CUDA}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_device_that_is_not_there(
    verb: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaint: Complaint
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert complaint(*COMMANDS[verb], "--device", device) == f"error: {DEVICES[device]}"
    assert not (tmp_path / "runs" / "run").exists()
