"""Runs that go wrong, through the commands that people type: one clear line, and nothing good is lost."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

import reward_models.learning.training
import rlhf.learning.cloner
from pipelines.cli.main import main
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from reward_models.registry import load_reward_model
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import LOCK_FILE, read_record
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

UPDATES = 4
QUICK = ["--wandb=disabled", f"--training.updates={UPDATES}", "--training.steps=3", "--training.batch=2"]
KEPT = [*QUICK, "--training.log-every=1", "--training.evaluate-every=2", "--checkpoint-every=2"]
ROOM = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
WORLD = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}"]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # which ``main`` sets


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a marked dataset ``data`` and the runs ``clone`` and ``reward``."""
    here = tmp_path_factory.mktemp("made")
    store = open_store(here / "data", create=True)
    for number in range(8):
        played = synthetic_episode(number, 6, 12, 16)
        store.write(replace(played, solver="scripted", controller=np.zeros(6, np.uint8)))
    store.write_marks(Mark(name, "ann", 3, 1 - 2 * (n % 2), True) for n, name in enumerate(store.ids()))
    assert main(["clone", *trains(here, "clone", here)]) == 0
    assert main(["reward", *trains(here, "reward", here)]) == 0
    return here


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """A copy of all that, to be damaged."""
    return Path(shutil.copytree(made, tmp_path / "copied"))


def trains(made: Path, verb: str, runs: Path) -> list[str]:
    """Settings of `rlhf clone` or `rlhf reward` on what is in ``made``."""
    more = ["--validation=0.3", f"--agent={made / 'clone' / 'agent'}"] if verb == "reward" else []
    return [f"--data={made / 'data'}", f"--runs={runs}", *KEPT, *more]


def complaint(capsys: pytest.CaptureFixture[str], *words: object, status: int = 1) -> str:
    """The one line with which the command fails."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == status
    lines = [
        line
        for line in capsys.readouterr().err.splitlines()
        if not line.startswith(("cloning", "learning", "training", "words"))
    ]
    assert len(lines) == 1 and lines[0].startswith("error: "), lines
    return lines[0]


def spoil(path: Path, name: str) -> None:
    """Put a nan among the weights in the file ``path`` whose name begins with ``name``."""
    weights = safetensors.torch.load_file(path)
    key = next(key for key in weights if key.startswith(name) and weights[key].is_floating_point())
    weights[key].view(-1)[0] = torch.nan
    safetensors.torch.save_file(weights, path)


# What is not a number


@pytest.mark.parametrize("verb", ["reward", "improve", "record", "evaluate"])
def test_an_agent_that_is_not_finite(verb: str, copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent = copied / "clone" / "agent"
    spoil(agent / "model.safetensors", "trunk")
    words: dict[str, list[Any]] = {
        "reward": ["reward", *trains(copied, "reward", copied / "runs")],
        "improve": ["improve", f"--data={copied / 'data'}", f"--agent={agent}", f"--runs={copied / 'runs'}"],
        "record": ["record", f"--data={copied / 'new'}", f"--solver={agent}", "--episodes=1", *WORLD],
        "evaluate": ["evaluate", "--agents", "bc", agent, f"--out={copied / 'out.json'}", *WORLD],
    }
    message = complaint(capsys, *words[verb])
    assert f"{agent} holds values that are not finite in trunk." in message and "use an earlier checkpoint" in message
    assert not (copied / "runs" / verb).exists() and not (copied / "out.json").exists()


def test_a_reward_model_that_is_not_finite(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = copied / "reward" / "reward_model"
    spoil(model / "model.safetensors", "utility")
    store = open_store(copied / "play", create=True)
    assert main(["record", f"--data={store.folder}", "--episodes=2", "--steps=2", "--workers=1", *WORLD]) == 0
    words = [f"--data={store.folder}", f"--agent={copied / 'clone' / 'agent'}", f"--reward-model={model}", *WORLD]
    message = complaint(capsys, "improve", *words, f"--runs={copied / 'runs'}", "--slots=2", "--wandb=disabled")
    assert f"{model} holds values that are not finite in utility" in message
    assert not (copied / "runs" / "improve").exists()


@pytest.mark.parametrize("verb", ["clone", "reward"])
def test_a_checkpoint_that_is_not_finite(verb: str, copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = copied / verb
    newest = Checkpoints(run).latest()
    agent, tokenizer = newest.load_agent(load_kind(verb))
    state = newest.load_state()
    state["optimizer"]["state"][3]["exp_avg_sq"].view(-1)[0] = torch.inf
    Checkpoints(run).save(newest.step, agent, tokenizer, state)
    message = complaint(capsys, verb, f"--resume={run}")
    assert "state.pt holds values that are not finite in state.optimizer.state.3.exp_avg_sq" in message
    assert f"remove {newest.folder} to resume from the checkpoint before it" in message
    shutil.rmtree(newest.folder)
    assert main([verb, f"--resume={run}"]) == 0
    assert Checkpoints(run).latest().step == UPDATES


@pytest.mark.parametrize(
    "state", [{}, {"stream": {}, "executor": 7, "guards": {}}, ["x"]], ids=["no-keys", "others", "a-list"]
)
@pytest.mark.parametrize("verb", ["clone", "reward"])
def test_a_checkpoint_with_another_state(
    verb: str, state: Any, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = Checkpoints(copied / verb).latest()
    torch.save(state, newest.folder / "state.pt")
    path = newest.folder / "checkpoint.json"
    record = json.loads(path.read_text())
    record["checksums"]["state.pt"] = hashlib.sha256((newest.folder / "state.pt").read_bytes()).hexdigest()
    path.write_text(json.dumps(record))
    message = complaint(capsys, verb, f"--resume={copied / verb}")
    assert "state.pt is not the state of such a run (" in message
    assert f"remove {newest.folder} to resume from the checkpoint before it" in message


@pytest.mark.parametrize(("name", "value"), [("reward_scale", [1]), ("reward_scale", "x"), ("layers", 10**400)])
def test_a_reward_model_of_impossible_sizes(
    name: str, value: Any, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied / "reward" / "reward_model" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(UserError, match=f"is damaged .*{name}"):
        load_reward_model(path.parent)


def load_kind(verb: str) -> Any:
    from agents.agent import InteractiveAgent
    from reward_models.inter_temporal import InterTemporalRewardModel

    return InteractiveAgent if verb == "clone" else InterTemporalRewardModel


@pytest.mark.parametrize("what", ["loss", "gradient"])
@pytest.mark.parametrize("verb", ["clone", "reward"])
def test_values_that_are_not_finite_end_a_training_and_leave_its_last_checkpoint(
    verb: str,
    what: str,
    made: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
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

    words = [verb, *trains(made, verb, tmp_path)]
    with monkeypatch.context() as patch:
        patch.setattr(module, "css_loss", broken)
        message = complaint(capsys, *words)
    assert "update 3 is not finite" in message and "a lower learning_rate or clip may help" in message
    assert "the last checkpoint is kept" in message
    run = tmp_path / verb
    assert Checkpoints(run).latest().step == 2 and [row["step"] for row in read_metrics(run)][-1] == 3
    assert main([verb, f"--resume={run}"]) == 0  # now that nothing is broken
    made_there = "agent" if verb == "clone" else "reward_model"
    same = (made / verb / made_there / "model.safetensors").read_bytes()
    assert (run / made_there / "model.safetensors").read_bytes() == same


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
    verb: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, run = tmp_path / "out.json", tmp_path / verb
    agent = made / "clone" / "agent"
    words: dict[str, list[Any]] = {
        "clone": trains(made, "clone", tmp_path),
        "reward": trains(made, "reward", tmp_path),
        "improve": [f"--data={made / 'data'}", f"--agent={agent}", f"--runs={tmp_path}"],
        "evaluate": ["--agents", "bc", agent, f"--out={out}", *WORLD],
    }
    lock, what = (tmp_path / ".out.json.lock", out) if verb == "evaluate" else (run / LOCK_FILE, run)
    with held(lock):
        message = complaint(capsys, verb, *words[verb])
    assert f"{what} is being written by process 4711 on elsewhere; wait for it to end" in message
    assert lock.exists() and not out.exists()  # nothing of the other's was removed


@pytest.mark.parametrize("verb", ["clone", "reward"])
def test_a_run_that_is_at_work_is_not_resumed(verb: str, copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with held(copied / verb / LOCK_FILE):
        assert "is being written by process 4711" in complaint(capsys, verb, f"--resume={copied / verb}")


def test_the_lock_of_a_dead_process_is_replaced(made: Path, tmp_path: Path) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / LOCK_FILE).write_text("process 4711 on elsewhere\n")  # it never began, and nobody holds it
    assert main(["clone", *trains(made, "clone", tmp_path)]) == 0


def test_two_record_the_same_and_each_episode_is_there_once(tmp_path: Path) -> None:
    world = WorldConfig(height=12, width=16, settings=ROOM)
    config = RecordConfig(data=tmp_path / "data", episodes=6, steps=3, workers=1, world=world)
    recorded: list[list[str]] = []
    threads = [threading.Thread(target=lambda: recorded.append(record(config))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = open_store(tmp_path / "data")
    assert recorded == [sorted(store.ids())] * 2 and len(set(store.ids())) == 6 and store.verify() == []


# Settings


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["clone", "--training.updates=many"], "--training.updates is a whole number, not 'many'"),
        (["clone", "--training.updates=1.5"], "--training.updates is a whole number, not '1.5'"),
        (["reward", "--training.clip", "tight"], "--training.clip is a number, not 'tight'"),
        (["improve", "--slots", "some"], "--slots is a whole number, not 'some'"),
        (["evaluate", "--episodes", "x"], "--episodes is a whole number, not 'x'"),
        (["evaluate", "--greedy=perhaps"], "--greedy is [true|false], not perhaps"),
        (["evaluate", "--agents", "alone"], "--agents"),
        (["clone", "--wandb=maybe"], "--wandb is {offline,online,disabled}, not maybe"),
        (["clone", "--training.learning-rate=nan"], "learning-rate is at least 0, not nan"),
        (["clone", "--training.clip=-1"], "clip is above 0, not -1.0"),
        (["reward", "--training.augmentation=2"], "augmentation is a share from 0 to 1, not 2.0"),
        (["reward", "--training.beta2=1"], "beta2 is from 0 to less than 1, not 1.0"),
        (["clone", "--training.max-seconds=0"], "max-seconds is above 0, not 0.0"),
        (["clone", "--training.css-weight=-1"], "css-weight is at least 0, not -1.0"),
        (["clone", "--preset=demo", "--resume=x"], "leave out --preset"),
        (["clone", "--checkpoint-every=0"], "--checkpoint-every is at least 1, not 0"),
        (["clone", "--vocabulary=0"], "--vocabulary is at least 1, not 0"),
        (["reward", "--checkpoint-every=0"], "--checkpoint-every is at least 1, not 0"),
        (["improve", "--batch=0"], "--batch is at least 1, not 0"),
    ],
)
def test_settings_of_the_wrong_kind(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in complaint(capsys, *words, status=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["clone", "--size=huge"], "no agent size 'huge'; known: nano"),
        (["improve", "--device=tpu"], "no device is called 'tpu'; use cpu, cuda or cuda:1"),
        (["clone", "--resume=nowhere"], "nowhere is not a run's folder"),
    ],
)
def test_settings_that_cannot_be(
    words: list[str], message: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [] if "--resume=nowhere" in words else [f"--data={made / 'data'}"]
    more += [f"--agent={made / 'clone' / 'agent'}"] if words[0] != "clone" else []
    more += [] if "--resume=nowhere" in words else [f"--runs={tmp_path}"]
    assert message in complaint(capsys, *words, *more)
    assert not any(tmp_path.iterdir())


# Going on


@pytest.mark.parametrize(
    ("verb", "setting", "message"),
    [
        ("clone", "--training.batch=3", "training.batch is 2 in the run that is resumed and cannot become 3"),
        ("clone", "--size=mini", "size is 'nano' in the run that is resumed and cannot become 'mini'"),
        ("clone", "--name=other", "name is 'clone' in the run that is resumed"),
        ("reward", "--training.seed=1", "training.seed is 0 in the run that is resumed and cannot become 1"),
        ("reward", "--validation=0.5", "validation is 0.3 in the run that is resumed"),
    ],
)
def test_the_identity_of_a_run_cannot_be_changed_on_resume(
    verb: str, setting: str, message: str, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = read_record(made / verb)
    assert message in complaint(capsys, verb, f"--resume={made / verb}", setting)
    assert read_record(made / verb) == before


def test_a_tokenizer_with_more_words_than_its_agent(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from agents.tokenizer import Tokenizer

    agent = copied / "clone" / "agent"
    Tokenizer.train({"all kinds of words that the agent has never heard of, and then some"}, 400).save(agent)
    known = json.loads((agent / "config.json").read_text())["vocab_size"]
    message = complaint(capsys, "reward", *trains(copied, "reward", copied / "runs"))
    assert f"tokens, of which its agent knows {known}: put back the tokenizer" in message
