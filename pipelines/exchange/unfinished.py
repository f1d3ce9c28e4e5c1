"""Folders written beside the one they will become, and removed if their process dies before that."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rlhf.store.files.durable import Busy, only_writer

_NEW, _LOCK, _CONTENTS = "new.lock", "unfinished.lock", "contents"


@contextmanager
def unfinished(beside: Path) -> Iterator[Path]:
    """Yield an empty folder that the body writes and may rename; what is left of it is removed at the end.

    What killed processes left in the same place is removed first. A process holds a lock in its folder, which the
    system frees when the process ends.
    """
    beside.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(beside.parent)
    folder = Path(tempfile.mkdtemp(prefix=f".{beside.name}-", dir=beside.parent))
    try:
        with only_writer(folder, name=_NEW):
            (folder / _NEW).rename(folder / _LOCK)  # others see the lock only when it is held
            contents = folder / _CONTENTS
            contents.mkdir()
            yield contents
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(parent: Path) -> None:
    """Remove folders of :func:`unfinished` whose lock nobody holds, and nothing that holds anything else."""
    for lock in parent.glob(f".*/{_LOCK}"):
        folder = lock.parent
        if folder.is_symlink() or {path.name for path in folder.iterdir()} - {_LOCK, _CONTENTS}:
            continue
        try:
            with only_writer(folder, wait_sec=0, name=_LOCK):
                shutil.rmtree(folder, ignore_errors=True)
        except (Busy, OSError):
            continue  # another process writes it, or has just removed it
