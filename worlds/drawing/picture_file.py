"""Files of pictures and films, which have their names only when they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path of a file beside ``path``, with the same ending, that takes its place when the body has ended.

    If the body fails, e.g. as the disk is full, what was in ``path`` is still there.
    """
    unfinished = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
