"""Progress of long loops: a bar on a terminal, a line now and then in a log, always on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

from rlhf.run import stopping
from rlhf.run.terminal import console

Item = TypeVar("Item")

LINE_EVERY_SEC = 15.0
LONGEST_PAUSE_SEC = 300.0
_LINES = 40  # pauses grow to this part of the time gone: a log of a day has hundreds of lines, not thousands


class Bar:
    """Counts what is done of ``total``. Made by :func:`bar`.

    Args:
      total: how much there is to be done; None if that is not known.
      show: called with (done, share, note) whenever one of them changes; the share is from 0 to 1, or None.
      share: how far that was, where the share is not ``done / total``.
    """

    def __init__(
        self,
        total: int | None,
        show: Callable[[int, float | None, str], None],
        done: int = 0,
        share: float | None = None,
    ) -> None:
        self.total, self.done, self.note = total, done, ""
        self.share = share if share is not None else _share(done, total)
        self._show = show

    def advance(self, count: int = 1, note: str = "") -> None:
        """``count`` more are done; ``note`` is a few words about the last, e.g. "loss 0.31"."""
        self.update(self.done + count, note)

    def update(self, done: int, note: str = "", share: float | None = None) -> None:
        """Note how much is done.

        Args:
          note: a few words about the last; "" leaves the note of before.
          share: how far that is, from 0 to 1, where something else than the total ends the loop, e.g. its time.
        """
        stopping.check()
        self.done, self.note = done, note or self.note
        self.share = min(1.0, share) if share is not None else _share(done, self.total)
        self._show(done, self.share, self.note)


def _share(done: int, total: int | None) -> float | None:
    return None if total is None else min(1.0, done / total) if total else 1.0


def progress(items: Iterable[Item], total: int | None = None, title: str = "", unit: str = "") -> Iterator[Item]:
    """``items`` one by one, with a :func:`bar` of what has been gone through."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with bar(title, total, unit) as shown:
        for item in items:
            yield item
            shown.advance()


@contextmanager
def bar(
    title: str,
    total: int | None = None,
    unit: str = "",
    *,
    done: int = 0,
    share: float | None = None,
    file: TextIO | None = None,
) -> Iterator[Bar]:
    """Show how far a loop has come, and how long the rest will take, while the block runs.

    Where ``file`` is no terminal: a line every 15 seconds, less often in long loops (every 5 minutes at least), and
    one at the end.

    Args:
      title: what is done, e.g. "recording play".
      total: how much there is to be done; without it what is done is counted.
      unit: of what is counted, e.g. "updates".
      share: how far that was, from 0 to 1, where something else than the total ends the loop.
      file: where to show it; standard error if not given.
    """
    out = file or sys.stderr
    begun = Bar(total, lambda done, share, note: None, done, share)
    with (_drawn if out.isatty() else _written)(title, begun, unit, out) as shown:
        yield shown


def announce(text: str) -> None:
    """A line that says what begins, e.g. "2 of 6: cloning"."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def _drawn(title: str, begun: Bar, unit: str, file: TextIO) -> Iterator[Bar]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[count]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", style="dim", markup=False),
    )

    def fields(done: int, share: float | None, note: str) -> dict[str, Any]:
        return {"completed": share or 0.0, "count": _count(done, begun.total, unit), "note": note}

    with Progress(*columns, console=console(file)) as bars:
        whole = None if begun.total is None else 1.0
        task = bars.add_task(title, total=whole, **fields(begun.done, begun.share, ""))
        yield Bar(
            begun.total,
            lambda done, share, note: bars.update(task, **fields(done, share, note)),
            begun.done,
            begun.share,
        )


@contextmanager
def _written(title: str, begun: Bar, unit: str, file: TextIO) -> Iterator[Bar]:
    start = last = time.monotonic()

    def show(done: int, share: float | None, note: str) -> None:
        nonlocal last
        now = time.monotonic()
        gone = now - start
        if now - last >= min(LONGEST_PAUSE_SEC, max(LINE_EVERY_SEC, gone / _LINES)):
            last = now
            parts = [_how_far(done, begun.total, unit, share), duration(gone), _left(gone, begun.share, share), note]
            print(f"{title}: {', '.join(filter(None, parts))}", file=file, flush=True)

    shown = Bar(begun.total, show, begun.done, begun.share)
    yield shown
    ended = "done" if shown.share is None or shown.share >= 1.0 else "ended early"
    parts = (_count(shown.done, begun.total, unit), duration(time.monotonic() - start), ended)
    print(f"{title}: {', '.join(parts)}", file=file, flush=True)


def _count(done: int, total: int | None, unit: str) -> str:
    """For example "1,200/10,000 updates"."""
    return (f"{done:,}" if total is None else f"{done:,}/{total:,}") + (f" {unit}" if unit else "")


def _how_far(done: int, total: int | None, unit: str, share: float | None) -> str:
    """For example "1,200/10,000 updates (12%)"."""
    return _count(done, total, unit) + ("" if share is None else f" ({100 * share:.0f}%)")


def _left(gone: float, first: float | None, share: float | None) -> str:
    """For example "about 4 min 10 s left", by the pace since the loop began here; "" where that is not known.

    Args:
      gone: seconds since then.
    """
    if share is None or share >= 1.0 or share <= (first or 0.0):
        return ""
    seconds = gone * (1.0 - share) / (share - (first or 0.0))
    return f"about {duration(seconds) if seconds >= 59.5 else f'{max(1.0, seconds):.0f} s'} left"


def duration(seconds: float) -> str:
    """``seconds`` for people: "8.4 s", "3 min 20 s", "1 h 02 min"."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
