"""A device that is not there is one clear line of every command that has the setting, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pipelines.cli.main import main

COMMANDS = {
    "record": ["record", "--data", "runs/run", "--solver", "runs/clone/agent"],
    "clone": ["clone", "--name", "run"],
    "reward": ["reward", "--name", "run"],
    "improve": ["improve", "--name", "run"],
    "evaluate": ["evaluate", "--agents", "mine", "runs/clone/agent"],
    "reproduce": ["reproduce", "demo", "--runs", "runs/run"],
    "reproduce a study": ["reproduce", "sizes", "--runs", "runs/run"],
}
DEVICES = {"gpu": "error: no device is called 'gpu'; use cpu, cuda or cuda:1", "tpu:0": "error: no device is called"}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_device_that_no_machine_has(
    verb: str, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*COMMANDS[verb], "--device", device]) == 1
    message = capsys.readouterr().err
    assert message.startswith(DEVICES[device]) and len(message.splitlines()) == 1
    assert not (tmp_path / "runs" / "run").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
@pytest.mark.parametrize("verb", COMMANDS)
def test_cuda_is_refused_without_a_gpu(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*COMMANDS[verb], "--device", "cuda"]) == 1
    message = capsys.readouterr().err
    assert message == "error: no device cuda here: PyTorch finds no CUDA device; use cpu (`rlhf doctor` says more)\n"
