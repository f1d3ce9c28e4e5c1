"""The doctor: verdicts, hints, and an exit status for scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipelines.cli import doctor as module
from pipelines.cli.doctor import Check, DoctorConfig, check_disk, check_memory, check_packages, check_python, doctor
from rlhf.run import machine
from tests.patience import PATIENCE_SEC
from worlds.checks import parts as examination

GIB = 2**30


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        (check_python((3, 10, 4)), "fail"),
        (check_python((3, 11, 0)), "ok"),
        (module.check_processor("x", 1), "warn"),
        (module.check_processor("x", 2), "ok"),
        (check_memory(GIB), "fail"),
        (check_memory(3 * GIB), "warn"),
        (check_memory(4 * GIB), "ok"),
        (check_packages(("numpy", "no-such-package")), "fail"),
    ],
)
def test_verdicts(check: Check, verdict: str) -> None:
    assert check.verdict == verdict
    assert bool(check.hint) == (verdict != "ok")
    assert str(check).startswith(verdict)


@pytest.mark.parametrize(("free", "verdict"), [(GIB // 4, "fail"), (GIB, "warn"), (9 * GIB, "ok")])
def test_disk_is_that_of_the_folder_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, verdict: str
) -> None:
    monkeypatch.setattr(module.shutil, "disk_usage", {tmp_path.resolve(): SimpleNamespace(free=free)}.__getitem__)
    assert check_disk(tmp_path / "not" / "yet").verdict == verdict


@pytest.mark.parametrize(("load", "verdict"), [(0.5, "fail"), (1000.0, "warn")])
def test_a_world_that_does_not_answer_on_a_busy_machine_is_not_called_broken(
    monkeypatch: pytest.MonkeyPatch, load: float, verdict: str
) -> None:
    monkeypatch.setattr(examination, "PART_SEC", 0.001)
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (load, load, load))
    found = list(module.check_playhouse(seconds=0.1))
    assert [one.verdict for one in found] == [verdict]
    assert ("idle" in found[0].hint) == (verdict == "warn")


@pytest.mark.parametrize(
    ("second", "status", "words"),
    [
        (Check("warn", "b", "so-so", "do this"), 0, ("ready; 1 warning",)),
        (Check("fail", "b", "broken", "do that"), 1, ("1 of 2 checks failed", "-> do that")),
    ],
)
def test_status_is_failure_only_if_something_failed(
    second: Check,
    status: int,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, "checks", lambda config: iter((Check("ok", "a", "fine"), second)))
    assert doctor(DoctorConfig()) == status
    message = capsys.readouterr().out
    assert all(word in message for word in words)


def test_a_check_that_breaks_is_a_failed_check() -> None:
    def broken() -> Check:
        raise OSError("libfoo.so is missing")

    check = module._caught("torch", "install it", broken)
    assert (check.verdict, check.hint) == ("fail", "install it") and "libfoo.so is missing" in check.found


def test_the_whole_examination_runs_here() -> None:
    words = [sys.executable, "-m", "pipelines.cli.main", "doctor", "--seconds=0.2"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_SEC)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("Python", "memory", "disk", "torch", "playhouse:", "steps a second", "OpenGL", "wandb", "Ray"):
        assert part in done.stdout
