"""Calls of worlds that hang: Python code is interrupted, on any thread; native code ends the process with one line."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from worlds.foreign_code import watchdog
from worlds.foreign_code.watchdog import NoAnswer, call_within


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LOOK_EVERY_SEC", 0.02)


def spin() -> None:
    while True:
        pass


def sleep_again_and_again() -> None:
    while True:
        time.sleep(0.01)


def catch_errors() -> None:
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


@pytest.mark.parametrize(("hang", "in_thread"), [(spin, True), (sleep_again_and_again, False), (catch_errors, True)])
def test_python_code_that_hangs_is_interrupted(hang: Callable[[], None], in_thread: bool) -> None:
    def play() -> str:
        with pytest.raises(NoAnswer) as caught:
            call_within(0.1, "maze", "step 3 of episode play-7", hang)
        return str(caught.value)

    with ThreadPoolExecutor(1) as pool:
        message = pool.submit(play).result() if in_thread else play()
    assert message == "world 'maze' fails at step 3 of episode play-7: no answer within 0.1 s (--step-limit-sec)"
    assert call_within(0.1, "maze", "step 0", lambda: 5) == 5


def test_an_interruption_that_the_code_swallows_counts_all_the_same() -> None:
    def swallow() -> str:
        with contextlib.suppress(BaseException):
            spin()
        return "all is well"

    with pytest.raises(NoAnswer):
        call_within(0.1, "maze", "step 0", swallow)


def test_only_the_call_that_hangs_is_interrupted_and_nothing_after_it() -> None:
    """Calls end at all times around the limit, on many threads; an exception that comes late would be raised."""
    late = []

    def play(number: int) -> bool:
        try:
            call_within(0.05, "maze", "step 0", lambda: time.sleep(0.02 + 0.002 * (number % 30)))
        except NoAnswer:
            ended = True
        else:
            ended = False
        for _ in range(100):
            late.append(number)
        return ended

    with ThreadPoolExecutor(16) as pool:
        ended = list(pool.map(play, range(120)))
    assert 0 < sum(ended) < 120 and len(late) == 120 * 100
    assert not watchdog._calls


def test_errors_and_results_pass() -> None:
    with pytest.raises(KeyError):
        call_within(5.0, "maze", "reset", lambda: {}["door"])
    assert call_within(None, "maze", "reset", threading.get_ident) == threading.get_ident()


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
