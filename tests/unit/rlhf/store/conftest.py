"""Fixtures of all tests of the store: ``folder`` and ``store``, a small dataset on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rlhf.store import ParquetStore, open_store
from tests.unit.rlhf.store.small_datasets import make_dataset


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronising matters only when the power fails, and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with the episodes e0, e1 and e2, a mark and a judgement of e1."""
    return make_dataset(tmp_path / "data")


@pytest.fixture
def store(folder: Path) -> ParquetStore:
    """The same, opened."""
    return open_store(folder)
