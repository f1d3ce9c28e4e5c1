"""Code of a world that hangs is interrupted, and code that ends the process is named, however it does."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from worlds import registry
from worlds.contract import WorldError
from worlds.foreign_code import watchdog
from worlds.foreign_code.trust import permit
from worlds.foreign_code.watchdog import NoAnswer, call_within


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)


def hangs(swallows: bool = False, sleeps: bool = True) -> None:
    while True:
        with contextlib.suppress(*([Exception] if swallows else [])):
            time.sleep(0.01 if sleeps else 0)


@pytest.mark.parametrize(
    ("hang", "in_thread"),
    [(lambda: hangs(sleeps=False), True), (hangs, False), (lambda: hangs(swallows=True), True)],
)
def test_python_code_that_hangs_is_interrupted(hang: Callable[[], None], in_thread: bool) -> None:
    def play() -> str:
        with pytest.raises(NoAnswer) as caught:
            call_within(0.1, "maze", "step 3 of episode play-7", hang)
        return str(caught.value)

    with ThreadPoolExecutor(1) as pool:
        message = pool.submit(play).result() if in_thread else play()
    assert message == "world 'maze' fails at step 3 of episode play-7: no answer within 0.1 s (--step-limit-sec)"
    assert call_within(0.1, "maze", "step 0", lambda: 5) == 5
    with pytest.raises(KeyError):
        call_within(5.0, "maze", "reset", lambda: {}["door"])


def test_an_interruption_that_the_code_swallows_counts_all_the_same() -> None:
    def swallow() -> str:
        with contextlib.suppress(BaseException):
            hangs()
        return "all is well"

    with pytest.raises(NoAnswer):
        call_within(0.1, "maze", "step 0", swallow)


def test_only_the_call_that_hangs_is_interrupted_and_nothing_after_it() -> None:
    """Calls end at all times around the limit, on many threads; an exception that comes late would be raised."""
    late = []

    def play(number: int) -> bool:
        try:
            call_within(0.05, "maze", "step 0", lambda: time.sleep(0.02 + 0.002 * (number % 30)))
            ended = False
        except NoAnswer:
            ended = True
        for _ in range(100):
            late.append(number)
        return ended

    with ThreadPoolExecutor(16) as pool:
        ended = list(pool.map(play, range(120)))
    assert 0 < sum(ended) < 120 and len(late) == 120 * 100
    assert not watchdog._calls


NATIVE = """
import threading, time
from worlds.foreign_code import watchdog
watchdog.LOOK_EVERY_SEC = watchdog.GRACE_SEC = 0.05
call = lambda: watchdog.call_within(0.1, "maze", "step 3 of episode play-7", lambda: time.sleep(1e6))
thread = threading.Thread(target=call)
thread.start()
thread.join()
"""


def test_native_code_that_hangs_ends_the_process_with_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", NATIVE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and not done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: world 'maze' fails at step 3 of episode play-7: no answer within 0.1 s")
    assert "cannot be interrupted" in line and "give that call a time limit of its own" in line


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


def run(*code: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", CALL.format(*code)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("ctypes.string_at(0)", -11),
        ("os.abort()", -6),
        ("os.kill(os.getpid(), signal.SIGKILL)", -9),
        ("ctypes.CDLL(None)._exit(3)", 3),
        ("t = threading.Thread(target=os._exit, args=(4,)); t.start(); t.join()", 4),
    ],
)
def test_the_call_in_which_a_process_ends_is_named(code: str, ended: int) -> None:
    status, printed = run(code, "")
    (line,) = printed.splitlines()
    assert status == ended
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


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("os._exit(0)", "room.py fails to import: SystemExit"),
        ("raise SystemExit('bye')", "room.py fails to import: SystemExit"),
        ("while True: pass", "room.py' fails at its import: no answer within 0.3 s"),
    ],
)
def test_a_file_that_ends_the_program_or_never_ends_fails_to_import(
    code: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "LOAD_LIMIT_SEC", 0.3 if "while" in code else watchdog.LOAD_LIMIT_SEC)
    path = tmp_path / "room.py"
    path.write_text(f"import os\n{code}\n")
    permit([str(path)])
    for name in (str(path), f"{path}:Room"):
        with pytest.raises(WorldError, match=complaint):
            registry.get(name)
