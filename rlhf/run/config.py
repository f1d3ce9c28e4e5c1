"""One run, one folder, one frozen configuration written beside what the run makes.

``config.json`` holds the resolved configuration and what else distinguishes runs: version, commit, command
and machine. It is read back into the same dataclass, or refused with the name of the wrong setting.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rlhf.records.json_records import differences, from_json, to_json
from rlhf.run.machine import describe
from rlhf.run.progress import announce
from rlhf.store.columns import json_text
from rlhf.store.files.durable import UNFINISHED, open_own, write_file
from worlds.errors import UserError, set_resume_hint
from worlds.settings import BadValue

Config = TypeVar("Config")

CONFIG_FILE = "config.json"
LOCK_FILE = "run.lock"
_BEFORE_SETTINGS = (LOCK_FILE, f"{CONFIG_FILE}{UNFINISHED}")
_LONGEST_LOCK = 1000  # characters; a lock says which process holds it
_GROWING = ("metrics.jsonl", "alarms.jsonl")  # what a run adds lines to
_PARTS = {  # of config.json
    "kind": (str, "text"),
    "config": (dict, "an object"),
    "command": (str, "text"),
    "version": (str, "text"),
    "created": (str, "text"),
    "machine": (dict, "an object"),
    "resumed": (list, "a list"),
}
_PROJECT = Path(__file__).resolve().parents[2]


def new_run_folder(root: Path, name: str) -> Path:
    """Make the folder ``root/name`` for a run. Raises UserError if something is in it already, or ``name`` is none.

    A folder with nothing but what a run writes before its settings, which are the first, counts as empty.
    """
    if not name or name in (".", "..") or Path(name).name != name:
        raise UserError(f"a run's name is the name of one folder, not {name!r}")
    folder = Path(root) / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"{folder} is a file, not a folder; choose another name") from None
    if any(path.name not in _BEFORE_SETTINGS for path in folder.iterdir()):
        resume = f"resume it with --resume {folder}, " if newest_checkpoint(folder) is not None else ""
        raise UserError(f"{folder} holds a run already; {resume}choose another name, or move that folder away")
    return folder


@contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Hold the run's folder for this process, so that two runs cannot write into one.

    The operating system frees the lock when its holder dies, so the lock of a dead run does not block the next.

    Raises:
      UserError: if another run holds the lock; the message names it.
    """
    with lock_file(Path(folder) / LOCK_FILE, folder):
        yield


def is_locked(folder: Path) -> bool:
    """Return whether a process holds the lock of the run's folder."""
    try:
        with open(Path(folder) / LOCK_FILE, "rb", opener=open_own) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # it has no lock, or its file system has none
        return False
    return False


@contextmanager
def lock_file(path: Path, what: Path, hint: str = "wait for it to end, or choose another run") -> Iterator[None]:
    """Hold the lock ``path`` of ``what``, a file or folder that one run at a time may write; see :func:`lock_run`.

    Args:
      what: file or folder that is locked, for messages.

    Raises:
      UserError: if another process holds the lock, or the file holds something else, which is left as it is.
      OSError: if the file is a link or cannot be written.
    """
    descriptor = open_own(path, os.O_RDWR | os.O_CREAT)
    with open(descriptor, "r+", encoding="utf-8", errors="replace") as file:
        content = file.read(_LONGEST_LOCK)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{what} is being written by {content.strip() or 'another process'}; {hint}") from None
        except OSError as error:  # some network file systems have no locks
            warnings.warn(
                f"{path}: no lock on this file system ({error.strerror}); start no second run here", stacklevel=3
            )
        if content and not content.startswith("process "):
            raise UserError(f"{path} is not the lock of a run; move it away")
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        yield
        file.seek(0)
        file.truncate()


def save_config(folder: Path, config: Any) -> Path:
    """Write ``config`` (a dataclass) and this process's circumstances to ``config.json``; return its path."""
    return _write(folder, {"kind": type(config).__name__, "config": to_json(config)} | _circumstances())


def _circumstances() -> dict[str, Any]:
    """Return version, commit, command, time and machine of this process."""
    return {
        "version": project_version(),
        "git_commit": git_commit(),
        "command": command_line(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": asdict(describe()),
    }


def _write(folder: Path, record: dict[str, Any]) -> Path:
    path = Path(folder) / CONFIG_FILE
    write_file(path, (json.dumps(record, indent=2) + "\n").encode())
    return path


class NamedRun(Protocol):
    """Settings of a run that has a folder of its own, ``runs/name``."""

    @property
    def runs(self) -> Path: ...
    @property
    def name(self) -> str: ...


class RunSettings(NamedRun, Protocol):
    """Settings of a run that can be resumed by ``resume``."""

    @property
    def resume(self) -> Path | None: ...


@contextmanager
def locked_run(config: RunSettings, fixed: Collection[str], command: str) -> Iterator[Path]:
    """Hold the folder of the run that ``config`` describes: a new one, or the one to be resumed.

    The settings are what a new run writes first, so that it can be repeated whenever it is killed: a run that was
    interrupted before its first checkpoint starts from its beginning, by ``--resume`` as well as by the command that
    began it. A new folder in which the run fails before its first row of metrics is removed. Another error that ends
    the run is given the command that resumes it (:func:`worlds.errors.set_resume_hint`).

    Args:
      fixed: settings (dotted, or a whole group) that decide what a run is and cannot be changed when it is resumed.
      command: that resumes such a run, without its settings, e.g. "rlhf clone".

    Raises:
      UserError: if the folder is taken, another run writes into it, or a fixed setting is changed.
    """
    folder = config.resume or config.runs / config.name
    new = config.resume is None and not _ended_early(folder)
    if new:
        new_run_folder(config.runs, config.name)
    with lock_run(folder):
        try:
            if config.resume is not None:
                # A run that was moved with its folder is resumed by the folder's new name: that is no other run.
                same = (config.runs / config.name).absolute() == folder.absolute()
                _check_fixed(folder, config, set(fixed) - {"runs", "name"} if same else fixed)
            elif new:
                save_config(folder, config)
            else:
                _check_same(folder, config)
            if not new and _ended_early(folder):
                _begin_again(folder)
            elif config.resume is not None and newest_checkpoint(folder) is None:
                raise UserError(f"{folder} has no checkpoint to resume from; start the run again")
            yield folder
        except BaseException as error:
            if new and not any((folder / name).exists() for name in _GROWING):
                shutil.rmtree(folder, ignore_errors=True)
            elif (folder / CONFIG_FILE).exists():
                set_resume_hint(error, _resume_hint(folder, command))
            raise


@contextmanager
def whole_run(config: NamedRun, last: str) -> Iterator[Path]:
    """Hold the folder of a run that is repeated where it was interrupted: a new one, or that of such a run.

    A new folder is removed if the run fails.

    Raises:
      UserError: if the folder is taken, by a run of other settings too, or another run writes into it.
    """
    folder = config.runs / config.name
    new = (folder / last).exists() or not (folder / CONFIG_FILE).is_file()
    if new:
        new_run_folder(config.runs, config.name)
    with lock_run(folder):
        try:
            if not new:
                _check_same(folder, config)
            save_config(folder, config)
            yield folder
        except BaseException:
            if new:
                shutil.rmtree(folder, ignore_errors=True)
            raise


def newest_checkpoint(folder: Path) -> str | None:
    """Name of the newest checkpoint of the run in ``folder``, e.g. "step-000000500"; None if there is none yet."""
    return max((path.name for path in (folder / "checkpoints").glob("step-*")), default=None)


def _check_same(folder: Path, config: Any) -> None:
    """Raises UserError if the run in ``folder`` was begun with other settings than ``config``."""
    saved = load_config(folder, type(config))
    for name, before, now in differences(saved, config):
        if name == "resume":
            continue
        raise UserError(
            f"{folder} holds a run already, which was interrupted and has other settings: "
            f"{name} is {before!r} there and {now!r} here; choose another name, or remove that folder"
        )


def _ended_early(folder: Path) -> bool:
    """Return whether the run in ``folder`` has settings, but neither a checkpoint nor a model."""
    begun = (folder / CONFIG_FILE).is_file()
    return begun and newest_checkpoint(folder) is None and not any(folder.glob("*/model.safetensors"))


def _begin_again(folder: Path) -> None:
    """Remove from ``folder`` what a run wrote before it ended without a checkpoint."""
    announce(f"{folder} has no checkpoint yet: the run starts from its beginning")
    for name in _GROWING:
        (folder / name).unlink(missing_ok=True)


def _resume_hint(folder: Path, command: str) -> str:
    newest = newest_checkpoint(folder)
    kept = "there is no checkpoint yet" if newest is None else f"the last checkpoint is kept, {newest}"
    return f"{kept}; resume with: {command} --resume {shlex.quote(str(folder))}"


def save_settings(folder: Path, config: RunSettings) -> Path:
    """Write the settings with which the run in ``folder`` begins, or is resumed; return the file's path."""
    return save_config(folder, config) if config.resume is None else save_resumed(folder, config)


def save_resumed(folder: Path, config: Any) -> Path:
    """Write the settings with which the run in ``folder`` is resumed to ``config.json``; return its path.

    What the run was begun with (command, version, machine) stays; each resumption adds an entry to ``resumed`` with
    its own, and with the settings that it changed: from what, to what.
    """
    record = read_record(folder)
    settings = to_json(replace(config, resume=None))
    before = to_json(load_config(folder, type(config)))
    changed = {name: (then, now) for name, then, now in differences(before, settings)}
    resumed = [*record.get("resumed", []), _circumstances() | {"changed": changed}]
    return _write(folder, record | {"config": settings, "resumed": resumed})


def _check_fixed(folder: Path, config: Any, fixed: Collection[str]) -> None:
    saved = load_config(folder, type(config))
    for name, before, now in differences(saved, replace(config, resume=saved.resume)):
        if any(name == one or name.startswith(f"{one}.") for one in fixed):
            raise UserError(
                f"{name} is {before!r} in the run that is resumed and cannot become {now!r}; leave it out, or start a "
                "new run"
            )


def load_config(folder: Path, kind: type[Config]) -> Config:
    """The configuration of the run in ``folder``, equal to the one that was saved.

    Raises:
      UserError: if it is missing, damaged, of another kind of run, or its settings are not those of ``kind``.
    """
    record = read_record(folder)
    path = Path(folder) / CONFIG_FILE
    if record["kind"] != kind.__name__:
        raise UserError(f"{path} is the configuration of another kind of run ({record['kind']}, not {kind.__name__})")
    try:
        return from_json(kind, record["config"])
    except BadValue as error:
        written = f"it was written by version {record.get('version')}, this is {project_version()}"
        raise UserError(f"{path}: {error}; {written}") from None


def read_record(folder: Path) -> dict[str, Any]:
    """Everything that ``config.json`` in ``folder`` says. Raises UserError if it is missing or damaged."""
    path = Path(folder) / CONFIG_FILE
    try:
        record = json_text.from_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{folder} is not a run's folder: it has no {CONFIG_FILE}") from None
    except ValueError as error:
        raise UserError(f"{path} is damaged ({error}); take it from a copy, or start a new run") from None
    if not isinstance(record, dict) or not {"kind", "config"} <= record.keys():
        raise UserError(f"{path} is not a run's configuration; name the folder of a run")
    for name, (kind, words) in _PARTS.items():
        if not isinstance(record.get(name, kind()), kind):
            raise UserError(f"{path} is damaged ({name} is not {words}); take it from a copy, or start a new run")
    return record


def project_version() -> str:
    """The installed version of the project; "unknown" when it is run from a copy that was never installed."""
    try:
        return version("interactive-rlhf")
    except PackageNotFoundError:
        return "unknown"


def git_commit() -> str | None:
    """The commit that the project's code is at, with "+" if files differ from it; None outside a repository."""
    head = _git("rev-parse", "HEAD")
    if head is None or not (_PROJECT / ".git").exists():  # installed inside another repository
        return None
    return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")


def command_line() -> str:
    """Return the command that started this process, as it is typed."""
    module = getattr(sys.modules["__main__"], "__spec__", None)  # where Python was started with -m
    program = (Path(sys.argv[0]).name,) if module is None else ("python", "-m", module.name.removesuffix(".__main__"))
    return shlex.join([*program, *sys.argv[1:]])


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(_PROJECT), *words], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
