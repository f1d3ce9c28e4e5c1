"""Fixtures of the tests of damage: ``folder``, a small dataset."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rlhf.store import open_store
from tests.unit.rlhf.store.upkeep.damage.small_dataset import JUDGEMENT, MARK, small


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronising matters only when the power fails, and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with the episodes e0, e1 and e2, a mark and a judgement."""
    store = open_store(tmp_path / "data", create=True)
    for seed in range(3):
        store.write(small(seed))
    store.write_marks([MARK])
    store.write_judgements([JUDGEMENT])
    return store.folder
