"""Metrics: every row on disk when it is logged, read back as it was, wandb or not."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rlhf.run import progress as progress_module
from rlhf.run.progress import bar
from rlhf.run.tracking import METRICS_FILE, Tracker, column, read_metrics
from worlds.errors import UserError


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    with Tracker(tmp_path, wandb_mode="disabled") as tracker:
        tracker.log({"loss": 0.1 + 0.2, "count": 3}, step=0)
        assert column(read_metrics(tmp_path), "count") == ([0], [3])  # on disk as soon as it is logged
        tracker.log({"loss": np.float32(0.5), "won": True}, step=10)
        tracker.log({"loss": np.array([1.5])}, step=20)
    tracker.close()
    rows = read_metrics(tmp_path)
    assert [row["step"] for row in rows] == [0, 10, 20]
    assert column(rows, "loss") == ([0, 10, 20], [0.1 + 0.2, 0.5, 1.5])
    assert column(rows, "won") == ([10], [1])
    assert all(1.6e9 < row["time"] for row in rows)


def test_numbers_that_json_lacks_are_kept_and_the_file_stays_strict(tmp_path: Path) -> None:
    with Tracker(tmp_path, wandb_mode="disabled") as tracker:
        tracker.log({"a": math.inf, "b": -math.inf, "c": math.nan}, step=0)

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is not JSON")

    json.loads((tmp_path / METRICS_FILE).read_text(), parse_constant=refuse)
    (row,) = read_metrics(tmp_path)
    assert row["a"] == math.inf and row["b"] == -math.inf and math.isnan(row["c"])


def test_a_row_cut_off_by_a_crash_is_skipped_and_then_replaced(tmp_path: Path) -> None:
    path = tmp_path / METRICS_FILE
    path.write_text('{"step": 1, "a": 1}\n{"step": 2, "a"')
    assert [row["step"] for row in read_metrics(tmp_path)] == [1]
    with Tracker(tmp_path, wandb_mode="disabled") as tracker:
        tracker.log({"a": 3}, step=3)
    assert [row["step"] for row in read_metrics(tmp_path)] == [1, 3]


def test_a_resumed_run_measures_what_came_after_its_checkpoint_again(tmp_path: Path) -> None:
    with Tracker(tmp_path, wandb_mode="disabled") as tracker:
        for step in range(5):
            tracker.log({"a": step}, step=step)
    with Tracker(tmp_path, wandb_mode="disabled", resume_step=2) as tracker:
        tracker.log({"a": 30}, step=3)
    assert column(read_metrics(tmp_path), "a") == ([0, 1, 2, 3], [0, 1, 2, 30])


@pytest.mark.parametrize("line", ["rubbish", "[1]", '{"a": 1}', '{"step": "3"}', "\udcff"])
def test_a_damaged_line_stops_a_resumed_run_and_a_report(tmp_path: Path, line: str) -> None:
    path = tmp_path / METRICS_FILE
    path.write_bytes(f'{{"step": 1}}\n{line}\n{{"step": 3}}\n'.encode(errors="surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(UserError, match="line 2, is damaged .*; remove that line") as read:
        read_metrics(tmp_path)
    with pytest.raises(UserError) as resumed:
        Tracker(tmp_path, wandb_mode="disabled", resume_step=2)
    assert str(resumed.value) == str(read.value) and "\n" not in str(read.value)
    assert path.read_bytes() == before


def test_wandb_offline_is_quiet_and_writes_beside_the_run(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from rlhf.run.tracking import Tracker\n"
        "with Tracker(Path(sys.argv[1]), {'a': 1}) as tracker: tracker.log({'loss': 1.0}, step=0)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))
    assert column(read_metrics(tmp_path), "loss") == ([0], [1.0])


class Broken:
    """A wandb run that fails whenever it is used."""

    def log(self, *_: object, **__: object) -> None:
        raise ConnectionError("the service has gone")

    finish = log


@pytest.mark.parametrize("installed", [True, False])
def test_the_run_continues_when_wandb_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    if installed:
        monkeypatch.setattr("rlhf.run.tracking._start_wandb", lambda *_: Broken())
    else:
        monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.warns(UserWarning, match="wandb does not work") as warned:
        tracker = Tracker(tmp_path)
        tracker.log({"a": 1}, step=0)
        tracker.log({"a": 2}, step=1)
        tracker.close()
    assert len(warned) == 1 and column(read_metrics(tmp_path), "a") == ([0, 1], [1, 2])


def test_the_time_left_of_a_resumed_loop_is_that_of_its_own_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 20.0, 25.0])
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: next(clock))
    file = io.StringIO()
    with bar("learning", 10_000, "updates", done=8_000, file=file) as shown:
        shown.update(8_400, "loss 0.31")
        shown.update(8_500)  # the note stays
    assert file.getvalue().splitlines() == [
        "learning: 8,500/10,000 updates (85%), 20.0 s, about 1 min 00 s left, loss 0.31",
        "learning: 8,500/10,000 updates, 25.0 s, ended early",
    ]
