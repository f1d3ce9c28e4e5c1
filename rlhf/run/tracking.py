"""Metrics of a run: always one line of JSON per row, and wandb beside it, offline by default.

The file is what reports read; wandb is a convenience: if it fails, the run continues.
"""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from rlhf.records.json_records import to_json
from rlhf.run.json_lines import Row, read_rows, truncate_after
from rlhf.store.files.durable import open_own
from worlds.errors import UserError
from worlds.foreign_code.trust import asked_online

METRICS_FILE = "metrics.jsonl"
WandbMode = Literal["offline", "online", "disabled"]


class Tracker:
    """Writer of the metrics of one run. Threads may share it.

    Args:
      folder: the run's folder; rows are added to ``metrics.jsonl`` there.
      config: the run's configuration, for wandb to show.
      wandb_mode: "offline" writes beside the run and asks for no account; "online" sends to the user's account.
        "disabled" does not use wandb. The environment variable WANDB_MODE does not override it.
      resume_step: rows after this step are dropped first, as a resumed run measures them again.

    Raises:
      UserError: if rows are to be dropped and a line is damaged.
    """

    def __init__(
        self,
        folder: Path,
        config: Any = None,
        wandb_mode: WandbMode = "offline",
        *,
        project: str = "interactive-rlhf",
        resume_step: int | None = None,
    ) -> None:
        self.path = Path(folder) / METRICS_FILE
        self._lock = threading.Lock()
        truncate_after(self.path, resume_step)
        self._file = open(self.path, "a", encoding="utf-8", opener=open_own)
        self._wandb = None if wandb_mode == "disabled" else _start_wandb(Path(folder), config, wandb_mode, project)

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """Add one row: ``metrics`` (numbers, or arrays of one number) at ``step``. It is in the file on return."""
        numbers = {name: _number(value) for name, value in metrics.items()}
        row = {"step": int(step), "time": round(time.time(), 3), **to_json(numbers)}
        with self._lock:
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()
            if self._wandb is not None:
                try:
                    self._wandb.log(numbers, step=int(step))
                except Exception as error:
                    self._wandb = _give_up(error)

    def close(self) -> None:
        """Close the file and wandb. Closing twice does no harm."""
        with self._lock:
            self._file.close()
            run, self._wandb = self._wandb, None
        if run is not None:
            try:
                run.finish()
            except Exception as error:
                _give_up(error)

    def __enter__(self) -> Tracker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_metrics(folder: Path) -> list[Row]:
    """All rows of the run in ``folder``, in the order written. A last line that was cut off by a crash is left out.

    Raises:
      UserError: if there is no such file, or a line before the last is damaged.
    """
    path = Path(folder) / METRICS_FILE
    try:
        return read_rows(path)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; name the folder of a run that has begun") from None


def column(rows: list[Row], name: str) -> tuple[list[int], list[float]]:
    """Steps and values of the metric ``name`` in those rows that have it."""
    found = [row for row in rows if name in row]
    return [row["step"] for row in found], [row[name] for row in found]


def _number(value: Any) -> float | int:
    """``value`` as a Python number. Raises TypeError, as ``float`` does, for what is no single number."""
    if isinstance(value, (bool, int)):
        return int(value)
    return float(value.item() if hasattr(value, "item") else value)  # arrays and tensors of one number


def _start_wandb(folder: Path, config: Any, mode: str, project: str) -> Any:
    """A quiet wandb run, or None with a warning where wandb does not work."""
    if mode == "online" and not asked_online():
        warnings.warn("the run's folder asks for wandb online; it stays offline without --wandb online", stacklevel=4)
        mode = "offline"
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    os.environ.setdefault("WANDB_DISABLE_WEAVE", "true")  # it takes our package `agents` for another, and says so
    try:
        import wandb

        settings = wandb.Settings(silent=True, console="off", disable_git=True, disable_code=True, x_disable_stats=True)
        with _usable_cache(folder):
            return wandb.init(
                project=project,
                name=folder.name,
                dir=str(folder),
                mode=mode,  # type: ignore[arg-type]
                config=None if config is None else to_json(config),
                settings=settings,
                reinit="create_new",
            )
    except (Exception, SystemExit) as error:
        return _give_up(error)


@contextmanager
def _usable_cache(folder: Path) -> Iterator[None]:
    """While wandb's process starts: a cache in the run's folder where the user has none that can be written.

    It logs to the terminal otherwise.
    """
    home, named = os.environ.get("HOME"), os.environ.get("XDG_CACHE_HOME")
    usual = Path(named) if named else Path(home) / ".cache" if home else None
    if usual is not None and _can_be_made(usual):
        yield
        return
    os.environ["XDG_CACHE_HOME"] = str(folder.absolute() / "wandb" / "cache")
    try:
        yield
    finally:
        os.environ.pop("XDG_CACHE_HOME")
        if named is not None:
            os.environ["XDG_CACHE_HOME"] = named


def _can_be_made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _give_up(error: BaseException) -> None:
    reason = " ".join(str(error).split()) or type(error).__name__
    warnings.warn(f"wandb does not work ({reason}); the run continues, its metrics are in {METRICS_FILE}", stacklevel=4)
