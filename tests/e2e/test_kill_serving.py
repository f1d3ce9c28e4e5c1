"""``kill -9`` of the server at any moment loses no acknowledged mark. `benchmarks/kill_server.py` does it 50 times."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.kill_server import kill_and_count


@pytest.mark.e2e
def test_no_acknowledged_mark_is_lost(tmp_path: Path) -> None:
    outcome = kill_and_count(tmp_path / "study", kills=4, raters=3)
    assert outcome.lost == 0 and outcome.wrong_in_dataset == 0
    assert outcome.acknowledged >= 4  # at least one before each kill
