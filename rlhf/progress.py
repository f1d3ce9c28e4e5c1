"""How far a long loop has come: a bar on a terminal, a line now and then in a log, always on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TextIO, TypeVar

Item = TypeVar("Item")

LINE_EVERY_SEC = 15.0


class Bar:
    """Counts what is done of ``total``. Made by :func:`bar`.

    Args:
      show: called with (done, note) whenever that changes.
    """

    def __init__(self, total: int | None, show: Callable[[int, str], None]) -> None:
        self.total = total
        self.done = 0
        self._show = show

    def advance(self, count: int = 1, note: str = "") -> None:
        """``count`` more are done; ``note`` is a few words about the last, e.g. "loss 0.31"."""
        self.update(self.done + count, note)

    def update(self, done: int, note: str = "") -> None:
        """``done`` in all are done."""
        self.done = done
        self._show(done, note)


def progress(items: Iterable[Item], total: int | None = None, title: str = "", unit: str = "") -> Iterator[Item]:
    """``items`` one by one, with a :func:`bar` of what has been gone through."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with bar(title, total, unit) as shown:
        for item in items:
            yield item
            shown.advance()


@contextmanager
def bar(title: str, total: int | None = None, unit: str = "", *, file: TextIO | None = None) -> Iterator[Bar]:
    """Show how far ``title`` ("recording play") has come while the block runs; without ``total`` it counts.

    Where ``file`` (standard error if not given) is no terminal: a line every 15 seconds, and one at the end.
    """
    out = file or sys.stderr
    with (_drawn if out.isatty() else _written)(title, total, unit, out) as shown:
        yield shown


def announce(text: str) -> None:
    """A line that says what begins, e.g. "2 of 6: cloning"."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def _drawn(title: str, total: int | None, unit: str, file: TextIO) -> Iterator[Bar]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", style="dim"),
    )
    with Progress(*columns, console=Console(file=file)) as bars:
        task = bars.add_task(title, total=total, note="")
        yield Bar(total, lambda done, note: bars.update(task, completed=done, note=note))


@contextmanager
def _written(title: str, total: int | None, unit: str, file: TextIO) -> Iterator[Bar]:
    start = last = time.monotonic()

    def show(done: int, note: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= LINE_EVERY_SEC:
            last = now
            print(_line(title, done, total, unit, now - start, note), file=file, flush=True)

    shown = Bar(total, show)
    yield shown
    print(_line(title, shown.done, total, unit, time.monotonic() - start, "done"), file=file, flush=True)


def _line(title: str, done: int, total: int | None, unit: str, seconds: float, note: str) -> str:
    count = f"{done}" if total is None else f"{done}/{total}"
    return f"{title}: {count}{' ' + unit if unit else ''}, {duration(seconds)}" + (f", {note}" if note else "")


def duration(seconds: float) -> str:
    """``seconds`` for people: "8.4 s", "3 min 20 s", "1 h 02 min"."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
