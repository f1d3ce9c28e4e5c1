"""A run in stages: each is done once and noted, so that an interrupted run resumes at the stage it was in.

    open_run(folder, config, "demo")             # a new folder, or that of a run with the same settings
    with locked_run(folder):
        done = run_stages(folder, [Stage("cloning", "the agent", lambda: resume_or_start(clone, config.clone))])

A finished stage is noted in ``stages.json`` with the seconds it took. A stage that was interrupted (by ``kill -9`` too)
is not noted and is done again: it resumes from what it left, or starts from the beginning. The seconds that it took
until then are in ``interrupted.json``, unless it was killed.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from rlhf.records.json_records import differences
from rlhf.run.config import CONFIG_FILE, RunSettings, command_line, load_config, new_run_folder, save_config
from rlhf.run.machine import release_memory
from rlhf.run.progress import announce
from rlhf.store.columns import json_text
from rlhf.store.files.durable import sync_tree, write_file
from worlds.errors import UserError, set_resume_hint

Run = TypeVar("Run", bound=RunSettings)

PROCESSES = ("workers", "threads")  # settings, at any depth, that change the time of a run and not its results
STAGES_FILE = "stages.json"  # the finished stages, in their order
INTERRUPTED_FILE = "interrupted.json"  # the time that interrupted stages took, by name
_LONGEST_VALUE = 40  # characters of a setting's value that fit into a line


@dataclass(frozen=True)
class Stage:
    """A stage to be done.

    Args:
      do: does the stage; called again if it was interrupted, so it resumes from what it left (:func:`resume_or_start`).
      makes: the file or folder that it writes.
      of: inputs of that; stages of equal inputs make the same.
    """

    name: str
    note: str
    do: Callable[[], Any]
    makes: Path = Path()
    of: tuple[Any, ...] = ()


def open_run(folder: Path, config: Any, what: str, free: Collection[str] = (), option: str = "--run") -> None:
    """Create the folder of a new run, or check that the run in it has the same configuration; it may have been moved.

    Args:
      what: name of such a run in messages, e.g. "demo".
      free: settings (dotted, or a whole group) in which two commands for one run may differ, beside ``run``.

    Raises:
      UserError: if the folder holds a run with other settings (the first is named), or anything else.
    """
    if not (folder / CONFIG_FILE).is_file():
        save_config(new_run_folder(folder.parent, folder.name), config)
        return
    saved = load_config(folder, type(config))
    if other := differing_settings(saved, config, free):
        raise UserError(
            f"{folder} holds another {what}: {format_differences(other)}; "
            f"give this one a folder of its own with {option}"
        )
    if any(differences(saved, config)):
        save_config(folder, config)


def differing_settings(one: Any, other: Any, free: Collection[str] = ()) -> list[tuple[str, Any, Any]]:
    """Dotted name and both values, as JSON, of the settings in which two configurations differ and should not.

    Args:
      free: settings (dotted, or a whole group) in which they may, beside numbers of processes that play and ``run``, as
        folders are moved.
    """
    return [
        (setting, mine, theirs)
        for setting, mine, theirs in differences(one, other)
        if setting.rpartition(".")[2] not in PROCESSES
        and not any(setting == name or setting.startswith(f"{name}.") for name in ("run", *free))
    ]


def run_stages(folder: Path, stages: Sequence[Stage], total: int | None = None, title: str = "") -> list[FinishedStage]:
    """Do those of ``stages`` that ``folder`` does not note as finished, in order, and note each.

    Args:
      folder: where ``stages.json`` is; created if it does not exist.
      total: number of stages in messages, e.g. "2 of 8"; None counts ``stages``.

    Returns:
      The finished stages, those of earlier attempts among them.

    Raises:
      UserError: if the note of finished stages cannot be read. An exception of a stage ends the run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    finished = finished_stages(folder)
    done = {stage.name for stage in finished}
    for number, stage in enumerate(stages, start=1):
        heading = f"{title}{number} of {total or len(stages)}: {stage.name}"
        if stage.name in done:
            announce(f"{heading}: there already")
            continue
        announce(heading)
        with _timed(folder, stage.name) as took, _resumed_by_command(folder):
            stage.do()
        if stage.makes != Path():
            sync_tree(stage.makes)  # a note of what a power cut could still take away would never be done again
        release_memory()
        finished.append(FinishedStage(stage.name, took.seconds, stage.note, took.core_seconds))
        save_finished_stages(folder, finished)
        _note_interrupted(folder, stage.name, None)
    return finished


@contextmanager
def _timed(folder: Path, name: str) -> Iterator[_Took]:
    """Measure the block, a stage of ``folder``; if interrupted, note its time, which counts when it is resumed."""
    took, began, computed = _interrupted(folder).get(name, _Took()), time.monotonic(), processor_seconds()
    try:
        yield took
    finally:
        took.seconds += time.monotonic() - began
        took.core_seconds += processor_seconds() - computed
        with suppress(OSError):  # of a full disk, the error of the stage is what is reported
            _note_interrupted(folder, name, took)


def _interrupted(folder: Path) -> dict[str, _Took]:
    """Return the time of interrupted attempts, by stage; none where the note of them is missing or damaged."""
    try:
        noted = json_text.from_json((folder / INTERRUPTED_FILE).read_text(encoding="utf-8"))
        return {name: _Took(float(one["seconds"]), float(one["core_seconds"])) for name, one in noted.items()}
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _note_interrupted(folder: Path, name: str, took: _Took | None) -> None:
    """Note the time of a stage's interrupted attempts; None forgets it."""
    path, others = folder / INTERRUPTED_FILE, {one: time for one, time in _interrupted(folder).items() if one != name}
    noted = others | ({} if took is None else {name: took})
    if noted:
        write_file(path, json.dumps({one: asdict(time) for one, time in noted.items()}).encode())
    else:
        path.unlink(missing_ok=True)


@dataclass
class _Took:
    seconds: float = 0.0
    core_seconds: float = 0.0


@contextmanager
def _resumed_by_command(folder: Path) -> Iterator[None]:
    """Note on an exception of the block that the same command resumes the run in ``folder``."""
    try:
        yield
    except BaseException as error:
        hint = f"every finished stage is kept in {folder}; the same command resumes: {command_line()}"
        set_resume_hint(error, hint)
        raise


def save_finished_stages(folder: Path, stages: Sequence[FinishedStage]) -> None:
    """Write the finished stages of the run in ``folder``."""
    write_file(folder / STAGES_FILE, json.dumps([asdict(stage) for stage in stages], indent=2).encode())


def resume_or_start(train: Callable[[Run], Path], config: Run) -> Path:
    """Run a training, from the last checkpoint of an interrupted attempt in its folder if there is one.

    Files of an attempt without a checkpoint are removed.

    Args:
      config: its settings, which include ``runs``, ``name`` and ``resume``.
    """
    folder = config.runs / config.name
    if (folder / "checkpoints" / "latest").exists():
        return train(replace(config, resume=folder))  # type: ignore[type-var]
    shutil.rmtree(folder, ignore_errors=True)
    return train(config)


def finished_stages(folder: Path) -> list[FinishedStage]:
    """Return the finished stages of the run in ``folder``. Raises UserError if their file is damaged."""
    path = folder / STAGES_FILE
    try:
        return [FinishedStage(**stage) for stage in json_text.from_json(path.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}); remove it to do the stages of {folder} again") from None


def format_differences(differing: Sequence[tuple[str, Any, Any]]) -> str:
    """Format the first of some differences (setting, there, here), and the number of others.

    For example "clone.training.updates is 30 there and 40 here (and 2 more)"; long values are left out.
    """
    more = f" (and {len(differing) - 1} more)" if len(differing) > 1 else ""
    return _difference(*differing[0]) + more


def _difference(name: str, there: Any, here: Any) -> str:
    values = [json.dumps(value, ensure_ascii=False) for value in (there, here)]
    if max(map(len, values)) > _LONGEST_VALUE:
        return f"{name} differs"
    return f"{name} is {values[0]} there and {values[1]} here"


@dataclass(frozen=True)
class FinishedStage:
    """A finished stage of a run.

    Args:
      seconds: duration in seconds, with that of attempts that were interrupted, but for those that were killed.
      core_seconds: processor time of the process and its children, in seconds; None if it was not measured.
    """

    name: str
    seconds: float
    note: str = ""
    core_seconds: float | None = None


def processor_seconds() -> float:
    """Return the processor time of this process and of its ended children so far, on all cores."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
