"""Checkpoints: whole or not there, exact when read, one clear line when damaged."""

import errno
import hashlib
import json
import os
import signal
from pathlib import Path

import pytest
import torch

from rlhf.run import checkpoint as module
from rlhf.run.checkpoint import Checkpoints
from tests.forked import forked
from tests.unit.rlhf import tiny_agent
from tests.unit.rlhf.store.small_datasets import one_line
from worlds.errors import UserError

TOKENIZER = tiny_agent.tokenizer()
STATE = {"rng": 2**100, "nested": [1, 2.5, None, "word", True, (torch.arange(3),)]}


def save(run: Path, *steps: int, keep: int = 3, scores: dict[int, float] | None = None) -> Checkpoints:
    checkpoints = Checkpoints(run, keep)
    for step in steps:
        checkpoints.save(step, tiny_agent.agent(seed=step), TOKENIZER, STATE | {"step": step}, (scores or {}).get(step))
    return checkpoints


def test_a_loaded_checkpoint_equals_the_saved_one(tmp_path):
    save(tmp_path, 7)
    checkpoint = Checkpoints(tmp_path).latest()
    agent, tokenizer = checkpoint.load_agent()
    expected = tiny_agent.agent(seed=7).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in agent.state_dict().items())
    assert tokenizer.ids("go to column 3") == TOKENIZER.ids("go to column 3")
    state = checkpoint.load_state()
    assert state["rng"] == 2**100 and state["step"] == checkpoint.step == 7
    assert torch.equal(state["nested"][5][0], torch.arange(3))
    other = tiny_agent.agent(seed=0)
    checkpoint.load_weights_into(other)
    assert all(torch.equal(value, expected[name]) for name, value in other.state_dict().items())


def test_the_newest_and_the_best_are_kept(tmp_path):
    checkpoints = save(tmp_path, 1, 2, 3, 4, 5, 6, keep=2, scores={1: 0.1, 2: 0.9, 3: 0.9, 4: 0.2, 5: 0.3, 6: 0.4})
    assert [checkpoint.step for checkpoint in checkpoints.all()] == [3, 5, 6]
    best = checkpoints.best()
    assert best is not None and (best.step, best.score) == (3, 0.9)
    assert checkpoints.latest().step == 6
    assert save(tmp_path / "unscored", 1).best() is None
    with pytest.raises(UserError, match="nothing has no checkpoint to resume from"):
        Checkpoints(tmp_path / "nothing").latest()


@pytest.mark.parametrize("name", ["agent/model.safetensors", "agent/tokenizer.json", "state.pt"])
@pytest.mark.parametrize("damage", ["cut", "flip", "remove"])
def test_a_damaged_file_is_named_and_the_one_before_can_be_had(tmp_path, name, damage):
    checkpoints = save(tmp_path, 1, 2)
    newest = checkpoints.latest()
    path = newest.folder / name
    data = bytearray(path.read_bytes())
    if damage == "remove":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    read = newest.load_state if name == "state.pt" else newest.load_agent
    with pytest.raises(UserError, match="is missing" if damage == "remove" else "is damaged") as error:
        read()
    assert name in one_line(error) and f"remove {newest.folder}" in one_line(error)
    module.shutil.rmtree(newest.folder)
    assert checkpoints.latest().step == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "checkpoint.json.* damaged or missing") for text in ("", "{", "[]", '{"schema_version": 1}')),
        ('{"schema_version": 1, "step": "x"}', "checkpoint.json.* damaged or missing"),
        ('{"schema_version": 99}', "version 99, this program reads version 1"),
    ],
)
def test_a_record_that_is_damaged_or_of_another_version(tmp_path, text, message):
    checkpoints = save(tmp_path, 1)
    path = checkpoints.folder / "step-000000001" / "checkpoint.json"
    values = json.loads(path.read_text()) if "99" in text else {}
    path.write_text(json.dumps(values | json.loads(text)) if values else text)
    with pytest.raises(UserError, match=message) as error:
        checkpoints.latest()
    one_line(error)


def test_states_that_cannot_be_read_back_are_refused_before_writing(tmp_path):
    with pytest.raises(TypeError, match=r"state\.players\[1\] is a Path|state\.players\[1\] is a PosixPath"):
        Checkpoints(tmp_path).save(1, tiny_agent.agent(), TOKENIZER, {"players": [1, Path("x")]})
    assert not (tmp_path / "checkpoints").exists()


def test_a_full_disk_costs_nothing_but_the_new_checkpoint(tmp_path, monkeypatch):
    checkpoints = save(tmp_path, 1)

    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_file", full)
        with pytest.raises(UserError, match="no space is left") as error:
            save(tmp_path, 2)
    one_line(error)
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == ["latest", "step-000000001"]
    assert checkpoints.latest().load_state()["step"] == 1


def test_a_process_killed_while_saving_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    """Even when all of a checkpoint's files have been written, it is none before it has its name."""
    checkpoints = save(tmp_path, 1)
    original = module.write_file

    def die(path: Path, data: bytes) -> None:
        original(path, data)
        if path.name == "checkpoint.json":
            os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_file", die)
        assert forked(lambda: save(tmp_path, 2)) == -signal.SIGKILL
    assert any(path.name.startswith(".unfinished") for path in checkpoints.folder.iterdir())
    assert checkpoints.latest().load_state()["step"] == 1
    checkpoints.latest().load_agent()
    save(tmp_path, 3)
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == ["latest", "step-000000001", "step-000000003"]


def test_a_checkpoint_that_latest_does_not_name_yet_is_one(tmp_path):
    checkpoints = save(tmp_path, 1, 2)
    (checkpoints.folder / "latest").write_text("step-000000009\n")
    assert checkpoints.latest().step == 2
    (checkpoints.folder / "latest").unlink()
    assert checkpoints.latest().step == 2


class Hostile:
    """What runs a command where it is loaded without care."""

    def __reduce__(self):
        return os.system, ("echo hostile",)


def test_a_state_that_could_run_code_is_refused_without_advice_to_load_it(tmp_path):
    save(tmp_path, 7)
    folder = Checkpoints(tmp_path).latest().folder
    torch.save({"step": Hostile()}, folder / "state.pt")
    record = json.loads((folder / "checkpoint.json").read_text())
    record["checksums"]["state.pt"] = hashlib.sha256((folder / "state.pt").read_bytes()).hexdigest()
    (folder / "checkpoint.json").write_text(json.dumps(record))
    with pytest.raises(UserError, match="state.pt is not loaded: .* could run code; remove") as caught:
        Checkpoints(tmp_path).latest().load_state()
    message = one_line(caught)
    assert "weights_only" not in message and "torch" not in message.replace(str(tmp_path), "")
