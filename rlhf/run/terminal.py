"""What reaches a terminal: text for people, in which control characters are visible.

Names, requests and errors come from datasets and from other people's code. Their escape sequences could move the
cursor, hide a line or forge one. :func:`guard_process` is called once in every process, so that all lines, tables and
tracebacks pass it. Rich's own sequences go around it, see :func:`console`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

from worlds.errors import visible

if TYPE_CHECKING:
    from rich.console import Console

_GUARDED = "_writes_raw"


def guard(*streams: TextIO) -> None:
    """Have control characters made visible in all text that is written to ``streams`` from now on."""
    for stream in streams:
        if not hasattr(stream, _GUARDED):
            write = stream.write
            setattr(stream, _GUARDED, write)
            stream.write = lambda text, write=write: _written(write, text)  # type: ignore[method-assign]


def guard_process() -> None:
    """Guard standard output and standard error, and escape what their encoding lacks instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
            guard(stream)


class Unguarded:
    """A guarded stream, written to as it was before."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.write = getattr(stream, _GUARDED, stream.write)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def console(file: TextIO | None = None, **settings: Any) -> Console:
    """Return a console for tables and bars on ``file``, standard output if not given. It knows no markup."""
    from rich.console import Console, RenderableType
    from rich.segment import Segment

    class Visible(Console):
        def render(self, renderable: RenderableType, options: Any = None) -> Iterable[Segment]:
            for part in super().render(renderable, options):
                yield part if part.control else Segment(visible(part.text), part.style)

    raw: Any = Unguarded(file or sys.stdout)
    return Visible(file=raw, markup=False, emoji=False, highlight=False, **settings)


def _written(write: Any, text: str) -> int:
    write(visible(text))
    return len(text)
