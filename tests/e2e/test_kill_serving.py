"""``kill -9`` of the server at any moment loses nothing that was acknowledged.

`benchmarks/kill_server.py` and `benchmarks/kill_judging.py` do it 50 times, `benchmarks/judging.py` with a hundred.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import kill_judging, kill_server


@pytest.mark.e2e
def test_no_acknowledged_mark_is_lost(tmp_path: Path) -> None:
    outcome = kill_server.kill_and_count(tmp_path / "study", kills=4, raters=3)
    assert outcome.lost == 0 and outcome.wrong_in_dataset == 0
    assert outcome.acknowledged >= 4  # at least one before each kill


@pytest.mark.e2e
def test_no_acknowledged_verdict_is_lost(tmp_path: Path) -> None:
    outcome = kill_judging.kill_and_count(tmp_path / "study", kills=4, judges=3, continuations=150)
    assert outcome.lost == 0 and outcome.wrong_in_dataset == 0
    assert outcome.acknowledged >= 4
