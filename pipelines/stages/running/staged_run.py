"""A long journey in stages: each is done once and noted, so an interrupted run goes on where it was.

    open_run(folder, config, "demo")             # a new folder, or that of a run with the same settings
    with locked_run(folder):
        done = run_stages(folder, [Stage("cloning", "the agent", lambda: resume_or_start(clone, config.clone))])

What has come to its end stands in ``stages.json`` with the seconds it took. A stage that was interrupted, however (a
``kill -9`` too), is not in there and is done again: it goes on from what it left, or begins anew.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from rlhf.records.json_records import differences
from rlhf.run.config import CONFIG_FILE, RunSettings, command_line, load_config, new_run_folder, save_config
from rlhf.run.machine import release_memory
from rlhf.run.progress import announce
from rlhf.store import json_text
from rlhf.store.durable import UNFINISHED, write_file
from worlds.errors import UserError, set_resume_hint

Run = TypeVar("Run", bound=RunSettings)

STAGES_FILE = "stages.json"  # the stages that came to their end, in that order
_LONGEST_VALUE = 40  # characters of a setting's value that fit into a line


@dataclass(frozen=True)
class Stage:
    """A stage to be done.

    Args:
      name: unique among the stages of one folder. note: what it makes, for the report.
      do: the work; called again if it was interrupted, so it goes on from what is there (see :func:`go_on` for runs).
      makes: the file or folder that it writes. of: what that is made of; works that are of the same make the same.
    """

    name: str
    note: str
    do: Callable[[], Any]
    makes: Path = Path()
    of: tuple[Any, ...] = ()


def open_run(folder: Path, config: Any, what: str, free: Collection[str] = ()) -> None:
    """Make the folder of a new run, or see that the run in it is this one; its configuration is in it afterwards.

    Args:
      config: a frozen dataclass. what: how messages call such a run.
      free: settings (dotted, or a whole group) in which two commands for one run may differ.

    Raises:
      UserError: if the folder holds a run with other settings (the first is named), or anything else.
    """
    if not (folder / CONFIG_FILE).is_file():
        (folder / f"{CONFIG_FILE}{UNFINISHED}").unlink(missing_ok=True)  # killed while writing it
        save_config(new_run_folder(folder.parent, folder.name), config)
        return
    saved = load_config(folder, type(config), older=True)
    if other := differing_settings(saved, config, free):
        raise UserError(
            f"{folder} holds a {what} with other settings: {format_differences(other)}; "
            "give this one a folder of its own with --run"
        )
    if differing_settings(saved, config):
        save_config(folder, config)


def differing_settings(one: Any, other: Any, free: Collection[str] = ()) -> list[tuple[str, Any, Any]]:
    """Dotted name and both values, as JSON, of the settings in which two configurations differ and should not.

    Args:
      free: settings (dotted, or a whole group) in which they may.
    """
    return [
        (setting, mine, theirs)
        for setting, mine, theirs in differences(one, other)
        if not any(setting == name or setting.startswith(f"{name}.") for name in free)
    ]


def run_stages(folder: Path, works: Sequence[Stage], total: int | None = None, title: str = "") -> list[FinishedStage]:
    """Do those of ``works`` that ``folder`` does not note as done, in order, and note each.

    Args:
      folder: where ``stages.json`` is; it is made if it is not there.
      total: of how many stages "2 of 8" speaks; None means ``works`` are all. title: said before that.

    Returns: the stages that are done now, those of earlier attempts among them.

    Raises:
      UserError: if what was noted cannot be read. Whatever a stage raises ends the journey there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stages = finished_stages(folder)
    done = {stage.name for stage in stages}
    for number, work in enumerate(works, start=1):
        said = f"{title}{number} of {total or len(works)}: {work.name}"
        if work.name in done:
            announce(f"{said}: there already")
            continue
        announce(said)
        began = time.monotonic()
        with _resumed_by_command(folder):
            work.do()
        release_memory()
        stages.append(FinishedStage(work.name, time.monotonic() - began, work.note))
        save_finished_stages(folder, stages)
    return stages


@contextmanager
def _resumed_by_command(folder: Path) -> Iterator[None]:
    """Note on what ends the block that the command which began the journey in ``folder`` resumes it."""
    try:
        yield
    except BaseException as error:
        hint = f"every finished stage is kept in {folder}; the same command resumes: {command_line()}"
        set_resume_hint(error, hint)
        raise


def save_finished_stages(folder: Path, stages: Sequence[FinishedStage]) -> None:
    """Write down which stages came to their end in ``folder``."""
    write_file(folder / STAGES_FILE, json.dumps([asdict(stage) for stage in stages], indent=2).encode())


def resume_or_start(work: Callable[[Run], Path], config: Run) -> Path:
    """Train as ``work(config)`` does, from the last checkpoint of an interrupted attempt in its folder if there is one.

    What an attempt without a checkpoint has left is removed.

    Args:
      work: of those that take ``runs``, ``name`` and ``resume``.
    """
    folder = config.runs / config.name
    if (folder / "checkpoints" / "latest").exists():
        return work(replace(config, resume=folder))  # type: ignore[type-var]
    shutil.rmtree(folder, ignore_errors=True)
    return work(config)


def finished_stages(folder: Path) -> list[FinishedStage]:
    """The stages that came to their end in ``folder``. Raises UserError if the file that says so is damaged."""
    path = folder / STAGES_FILE
    try:
        return [FinishedStage(**stage) for stage in json_text.from_json(path.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}); remove it to do the stages of {folder} again") from None


def format_differences(differing: Sequence[tuple[str, Any, Any]]) -> str:
    """The first of some (setting, there, here) in words, and how many more there are.

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
    """One part of the run and how long it took; ``note`` says what it made."""

    name: str
    seconds: float
    note: str = ""
