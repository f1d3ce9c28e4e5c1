"""Fixtures of the tests of damage: ``folder``, a small dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlhf.store import open_store
from tests.unit.rlhf.store.upkeep.damage.small_dataset import JUDGEMENT, MARK, small


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with the episodes e0, e1 and e2, a mark and a judgement."""
    store = open_store(tmp_path / "data", create=True)
    for seed in range(3):
        store.write(small(seed))
    store.write_marks([MARK])
    store.write_judgements([JUDGEMENT])
    return store.folder
