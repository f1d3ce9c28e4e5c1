"""Code of a world that ends the process is named, however it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from worlds import registry
from worlds.contract import WorldError
from worlds.foreign_code import watchdog
from worlds.foreign_code.trust import permit

CALL = """
import ctypes, os, signal, sys, threading
from worlds.foreign_code import witness
from worlds.foreign_code.faults import named_failure
witness.attend()
with named_failure("maze", "making the world"):
    with named_failure("maze", "the first reset"):
        pass
    {0}
{1}
"""
CRASHES = {
    "a segmentation fault": ("ctypes.string_at(0)", -11),
    "abort": ("os.abort()", -6),
    "a kill": ("os.kill(os.getpid(), signal.SIGKILL)", -9),
    "the exit of the C library": ("ctypes.CDLL(None)._exit(3)", 3),
    "another thread": ("t = threading.Thread(target=os._exit, args=(4,)); t.start(); t.join()", 4),
}


def run(*code: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", CALL.format(*code)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("crash", CRASHES)
def test_the_call_in_which_a_process_ends_is_named(crash: str) -> None:
    code, status = CRASHES[crash]
    ended, (line,) = (found := run(code, ""))[0], found[1].splitlines()
    assert ended == status
    assert line.startswith("error: ") and "making the world of world 'maze'" in line and "reset" not in line


@pytest.mark.parametrize("code", ["os._exit(0)", "raise SystemExit"])
def test_an_exit_is_an_error_that_names_the_call(code: str) -> None:
    status, printed = run(code, "")
    assert status == 1 and "EndsProcess: world 'maze' fails at making the world" in printed


@pytest.mark.parametrize("end", ["os._exit(5)", "os.kill(os.getpid(), signal.SIGTERM)", ""])
def test_other_ends_are_not_reported(end: str) -> None:
    """Also of a process that a world has forked."""
    fork = "child = os.fork()\n    if child == 0: os._exit(0)\n    assert os.waitpid(child, 0)[1] == 0"
    status, printed = run(fork, end)
    assert not printed and status == {"os._exit(5)": 5, "": 0}.get(end, -15)


@pytest.mark.parametrize("code", ["os._exit(0)", "raise SystemExit('bye')"])
def test_a_file_that_ends_the_program_fails_to_import(code: str, tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text(f"import os, sys\n{code}\n")
    permit([str(path)])
    for name in (str(path), f"{path}:Room"):
        with pytest.raises(WorldError, match="room.py fails to import: SystemExit"):
            registry.get(name)


@pytest.mark.parametrize("code", ["while True: pass", "import time\nwhile True: time.sleep(0.01)"])
def test_a_file_whose_import_never_ends_is_interrupted(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "LOAD_LIMIT_SEC", 0.3)
    path = tmp_path / "room.py"
    path.write_text(code)
    permit([str(path)])
    with pytest.raises(WorldError, match="room.py' fails at its import: no answer within 0.3 s"):
        registry.get(str(path))
