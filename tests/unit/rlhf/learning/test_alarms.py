"""Alarms: on disk before the next update, once each whatever dies, and never silently unknown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rlhf.learning.alarms import ALARMS_FILE, AlarmLog, KeptAlarms, read_alarms
from rlhf.learning.guards import Alarm
from worlds.errors import UserError

EARLY = Alarm(3, "gradient", "the gradient's norm is 90")
MIDDLE = Alarm(10, "entropy", "it hardly tries anything else")
LATE = Alarm(14, "over_optimisation", "the modelled return rose, “true” success fell")


def test_an_alarm_is_on_disk_when_it_has_been_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    log = AlarmLog(tmp_path)
    assert read_alarms(tmp_path) == KeptAlarms(0, ())
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(os.fstat(file).st_ino), real(file))[1])
    log.add(EARLY)
    assert synced == [log.path.stat().st_ino]
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY,))  # though nobody has closed the file
    log.add(LATE)
    log.close()
    log.close()
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY, LATE))


def test_a_resumed_run_has_every_alarm_once(tmp_path: Path) -> None:
    with AlarmLog(tmp_path) as log:
        for alarm in (EARLY, MIDDLE, LATE):
            log.add(alarm)
    with AlarmLog(tmp_path, resume_step=10) as log:  # whose guards remember what they raised up to there
        log.add(LATE)
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY, MIDDLE, LATE))
    with AlarmLog(tmp_path, resume_step=20):
        pass
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY, MIDDLE, LATE))


@pytest.mark.parametrize("length", [0, 1, 30])
def test_a_line_cut_off_by_a_crash_is_skipped_and_then_replaced(tmp_path: Path, length: int) -> None:
    with AlarmLog(tmp_path) as log:
        log.add(EARLY)
    path = tmp_path / ALARMS_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:length])
    assert read_alarms(tmp_path) == KeptAlarms(0, ())
    with AlarmLog(tmp_path, resume_step=2) as log:
        log.add(EARLY)
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY,))
    path.write_bytes(lines[0][:length])  # a run that died as it began knows nothing of alarms
    assert read_alarms(tmp_path) is None


@pytest.mark.parametrize(("line", "message"), [("rubbish", "line 1, is damaged"), ('{"step": 1}', "without 'alarm'")])
def test_a_damaged_file_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / ALARMS_FILE).write_text(f'{line}\n{{"step": 2, "alarm": "gradient", "text": "x"}}\n')
    with pytest.raises(UserError, match=message) as caught:
        read_alarms(tmp_path)
    assert "\n" not in str(caught.value)
