"""Crash points: a process is killed, or its disk refuses, at every step of a change to a dataset or a checkpoint.

The steps are the calls of the operating system that change something: opening a file to write, writing, synchronising,
cutting, renaming, removing, making a folder. Afterwards a reader must see all of the old state or all of the new one.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.robustness.material import EPISODES, HEIGHT, STEPS, WIDTH, Material
from benchmarks.robustness.process import forked
from benchmarks.robustness.state import Contents, contents
from benchmarks.robustness.trial import Group, Trial
from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import ParquetStore, open_store, rebuild_index
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

CALLS = ("write", "fsync", "rename", "unlink", "ftruncate", "mkdir", "rmdir", "open")
STEP_LIMIT = 400  # more than any change makes


@dataclass(frozen=True)
class Change:
    """A change to a dataset.

    Args:
      prepare: prepares a copy of the dataset for the change.
      partly: True if a reader may see a part of the new state, e.g. some episodes of a merge.
    """

    prepare: Callable[[Path], object]
    do: Callable[[Path], object]
    partly: bool = False


def new_episode(number: int) -> Episode:
    """Return an episode that the dataset does not have."""
    return synthetic_episode(100 + number, STEPS, HEIGHT, WIDTH, episode_id=f"new{number}")


def _nothing(folder: Path) -> None:
    pass


def _pack(folder: Path) -> None:
    open_store(folder).compact()


def _lose_index(folder: Path) -> None:
    (folder / "index.jsonl").unlink()


def _merge(folder: Path) -> None:
    open_store(folder).merge(open_store(folder.parent / "other"))


def _prepare_merge(folder: Path) -> None:
    other = open_store(folder.parent / "other", create=True)
    for number in range(3):
        other.write(new_episode(number))
    other.write_marks([Mark("new1", "ann", 2, 1, False)])


def _store(act: Callable[[ParquetStore], object]) -> Callable[[Path], object]:
    return lambda folder: act(open_store(folder))


MARKS = [Mark(f"e{number}", "dan", 4, -1, False) for number in range(EPISODES)]
CHANGES: dict[str, Change] = {
    "write": Change(_nothing, _store(lambda store: store.write(new_episode(0)))),
    "write-group": Change(_nothing, _store(lambda store: store.write_group([new_episode(0), new_episode(1)]))),
    "marks": Change(_nothing, _store(lambda store: store.write_marks(MARKS))),
    "judgements": Change(_nothing, _store(lambda store: store.write_judgements([Judgement("e2", "d", True, 1, True)]))),
    "drop": Change(_nothing, _store(lambda store: store.drop(["e1", "e4"])), partly=True),
    "drop-packed": Change(_pack, _store(lambda store: store.drop(["e1", "e4"])), partly=True),
    "compact": Change(_nothing, _store(lambda store: store.compact())),
    "forget": Change(_nothing, _store(lambda store: store.forget("ann")), partly=True),
    "merge": Change(_prepare_merge, _merge, partly=True),
    "rebuild": Change(_lose_index, rebuild_index),
}


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Return trials of a kill at every step of every change, and of a full disk at every third."""
    found = []
    for name, change in CHANGES.items():
        steps = _count_steps(material, change)
        for step in range(1, steps + 1):
            found.append(Trial(f"{name}: killed at step {step} of {steps}", _killed(material, name, change, step)))
            if step % 3 == 1:
                found.append(
                    Trial(f"{name}: disk full at step {step} of {steps}", _refused(material, name, change, step))
                )
    for step in range(1, 40, 2):
        found.append(Trial(f"checkpoint: killed at step {step}", _checkpoint(material, step)))
    return found


@cache
def _count_steps(material: Material, change: Change) -> int:
    """Count the calls of the change."""
    with tempfile.TemporaryDirectory(dir=material.folder) as made:
        data = material.copy("data", Path(made))
        change.prepare(data)

        def work() -> int:
            calls = _Calls(STEP_LIMIT, lambda real, arguments, keywords: real(*arguments, **keywords))
            change.do(data)
            Path(made, "steps").write_text(str(calls.made))
            return 0

        ended = forked(work, Path(made))
        if ended.status != 0:
            raise RuntimeError(f"an undisturbed change fails: {ended.err[-500:]}")
        return int(Path(made, "steps").read_text()) - 2  # the file that notes them takes an open and a write


class _Calls:
    """Counts the calls of ``CALLS`` in this process from now on, and does ``act`` instead of number ``step``."""

    def __init__(self, step: int, act: Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]) -> None:
        self.made = 0
        self._step, self._act = step, act
        for name in CALLS:
            real = getattr(os, name)
            setattr(os, name, self._counting(name, (lambda descriptor: None) if name == "fsync" else real))

    def _counting(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            if name == "open" and not arguments[1] & (os.O_WRONLY | os.O_RDWR):
                return real(*arguments, **keywords)  # reading changes nothing
            self.made += 1
            return self._act(real, arguments, keywords) if self.made == self._step else real(*arguments, **keywords)

        return call


def _die(real: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Die in the middle of the call: half of the bytes are written."""
    if real is os_write:
        descriptor, data = arguments
        real(descriptor, bytes(data)[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)


def _full(real: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


os_write = os.write


def _killed(material: Material, name: str, change: Change, step: int) -> Callable[[Path], str | None]:
    def run(folder: Path) -> str | None:
        data, old, new = _before_and_after(material, change, folder)

        def work() -> int:
            _Calls(step, _die)
            change.do(data)
            return 0

        ended = forked(work, folder)
        if ended.status != -signal.SIGKILL:
            return f"was not killed, status {ended.status}: {ended.err[-200:]}"
        if name == "rebuild" and not (data / "index.jsonl").exists():
            rebuild_index(data)  # the command is repeated
        return _wrong(data, old, new, change.partly) or _not_usable(data)

    return run


def _refused(material: Material, name: str, change: Change, step: int) -> Callable[[Path], str | None]:
    def run(folder: Path) -> str | None:
        data, old, new = _before_and_after(material, change, folder)

        def work() -> int:
            _Calls(step, _full)
            try:
                change.do(data)
            except UserError as error:
                return 3 if "\n" not in str(error) else 4
            return 0

        ended = forked(work, folder)
        if ended.status not in (0, 3):
            return f"not one line for a full disk: {ended.err.strip().splitlines()[-1:]}"
        if name == "rebuild" and not (data / "index.jsonl").exists():
            rebuild_index(data)
        return _wrong(data, old, new, change.partly) or _not_usable(data)

    return run


def _before_and_after(material: Material, change: Change, folder: Path) -> tuple[Path, Contents, Contents]:
    """A prepared copy of the dataset, what it holds, and what it will hold when the change is made."""
    (folder / "after").mkdir()
    old = contents(material.data)
    for place in (folder, folder / "after"):
        data = material.copy("data", place)
        change.prepare(data)
    change.do(folder / "after" / "data")
    return folder / "data", old, contents(folder / "after" / "data")


def _wrong(data: Path, old: Contents, new: Contents, partly: bool) -> str | None:
    """Describe what is wrong with the dataset as a reader sees it."""
    store = open_store(data)
    if problems := store.verify():
        return f"verify: {problems[0].file}: {problems[0].what}"
    now = contents(data)
    if now in (old, new):
        return None
    if not partly:
        return f"neither old nor new: {now.difference(old)}"
    return now.between(old, new)


def _not_usable(data: Path) -> str | None:
    """Describe why another episode cannot be written; None if it can."""
    store = open_store(data)
    store.write(new_episode(9))
    if "new9" not in open_store(data) or open_store(data).verify():
        return "another episode cannot be recorded"
    return None


def _checkpoint(material: Material, step: int) -> Callable[[Path], str | None]:
    def run(folder: Path) -> str | None:
        from rlhf.run.checkpoint import Checkpoints

        run_folder = material.copy("clone", folder)
        newest = Checkpoints(run_folder).latest()

        def work() -> int:
            agent, tokenizer = newest.load_agent()
            state = newest.load_state()
            _Calls(step, _die)
            Checkpoints(run_folder).save(newest.step + 1, agent, tokenizer, state)
            return 0

        ended = forked(work, folder)
        if ended.status not in (0, -signal.SIGKILL):
            return f"status {ended.status}: {ended.err[-200:]}"

        def read() -> int:
            found = Checkpoints(run_folder).latest()
            agent, tokenizer = found.load_agent()
            state = found.load_state()
            if found.step not in (newest.step, newest.step + 1):
                return 4
            Checkpoints(run_folder).save(newest.step + 2, agent, tokenizer, state)
            return 0 if Checkpoints(run_folder).latest().step == newest.step + 2 else 5

        ended = forked(read, folder)
        return None if ended.status == 0 else f"reading: status {ended.status}: {ended.err[-200:]}"

    return run


GROUP = Group(
    name="crash-points",
    tried=(
        "a process is killed, or gets the error of a full disk, at a step of writing, marking, dropping, packing, "
        "forgetting, merging, rebuilding or saving a checkpoint"
    ),
    expectation="a reader sees all of the old state or all of the new one, and the next writer continues",
    promises=(
        "An episode, a set of marks and a checkpoint are stored completely or not at all, at "
        "whatever call of the operating system their writer is killed.",
        "Dropping, forgetting and merging can be interrupted and repeated: an episode is stored completely or "
        "removed, with its marks.",
        "A full disk is one line of error; earlier recordings stay.",
    ),
    trials=trials,
)
