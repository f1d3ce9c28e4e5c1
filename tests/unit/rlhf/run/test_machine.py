"""The description of a machine, and memory that is returned to it."""

from __future__ import annotations

import subprocess
import sys

from rlhf.run.machine import describe, release_memory


def test_unused_memory_is_returned_and_used_memory_kept() -> None:
    kept = [bytes([n % 256]) * 1000 for n in range(10_000)]
    release_memory()
    assert all(each == bytes([n % 256]) * 1000 for n, each in enumerate(kept))


def test_the_module_describes_the_machine_when_run() -> None:
    done = subprocess.run([sys.executable, "-m", "rlhf.run.machine"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{describe()}\n" and done.stderr == ""
