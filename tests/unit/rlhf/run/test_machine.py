"""The description of a machine, and memory that is returned to it."""

from __future__ import annotations

import pytest

from rlhf.run import machine
from rlhf.run.machine import release_memory


def test_unused_memory_is_returned_and_used_memory_kept() -> None:
    kept = [bytes([n % 256]) * 1000 for n in range(10_000)]
    release_memory()
    assert all(each == bytes([n % 256]) * 1000 for n, each in enumerate(kept))


def test_one_process_a_core_plays_but_few_enough_for_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, processes, threads in ((1, 1, 1), (6, 6, 6), (16, 16, 8), (128, 16, 8)):
        monkeypatch.setattr(machine, "usable_cores", lambda cores=cores: cores)
        assert (machine.playing_processes(), machine.playing_threads()) == (processes, threads)
    assert (machine.playing_processes(40), machine.playing_threads(40)) == (40, 40)
