"""The alarms of a run of BC+RL, kept beside its metrics: ``alarms.jsonl``, each on disk before the next update.

The first line says from which update on alarms were kept, so that a file without others means that none was raised.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from rlhf.learning.guards import Alarm
from rlhf.run.json_lines import read_rows, truncate_after
from rlhf.store.files.durable import open_own, sync
from worlds.errors import UserError

ALARMS_FILE = "alarms.jsonl"


@dataclass(frozen=True)
class KeptAlarms:
    """The alarms of one run. ``since``: the update from which on they were kept; 0 unless the run is an old one."""

    since: int
    raised: tuple[Alarm, ...]


class AlarmLog:
    """Keeps the alarms of the run in ``folder``.

    Args:
      resume_step: alarms after this update are dropped first, as a resumed run raises them again.

    Raises:
      UserError: if alarms are to be dropped and a line is damaged.
    """

    def __init__(self, folder: Path, resume_step: int = 0) -> None:
        self.path = Path(folder) / ALARMS_FILE
        truncate_after(self.path, resume_step)
        begun = self.path.exists() and bool(read_rows(self.path))
        self._file = open(self.path, "a", encoding="utf-8", opener=open_own)
        if not begun:
            self._write(resume_step, None, "alarms are kept from here on")
            sync(self.path.parent)

    def add(self, alarm: Alarm) -> None:
        """Keep ``alarm``; it is on disk on return."""
        self._write(alarm.update, alarm.kind, alarm.text)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> AlarmLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, step: int, alarm: str | None, text: str) -> None:
        row = {"step": step, "time": round(time.time(), 3), "alarm": alarm, "text": text}
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def read_alarms(folder: Path) -> KeptAlarms | None:
    """The alarms of the run in ``folder``, in the order raised; None if the run kept none, being of an older version.

    Raises:
      UserError: if a line before the last is damaged; the last may have been cut off by a crash.
    """
    path = Path(folder) / ALARMS_FILE
    try:
        rows = read_rows(path)
        raised = tuple(Alarm(row["step"], row["alarm"], row["text"]) for row in rows if row["alarm"] is not None)
    except FileNotFoundError:
        return None
    except KeyError as error:
        raise UserError(f"{path} has a line without {error}, so it holds no alarms: move it away") from None
    return KeptAlarms(rows[0]["step"], raised) if rows else None
