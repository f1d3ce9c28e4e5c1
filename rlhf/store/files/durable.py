"""Atomic and durable writes of files, and the lock that allows one writer at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worlds.errors import UserError

UNFINISHED = ".part"  # suffix of a file that is still being written
LOCK_FILE = ".lock"
LOCK_WAIT_SEC = 60.0

# Files are written under their own names only: a folder from elsewhere may hold links to the user's other files, and
# pipes, which would be waited for.
_OWN = os.O_NOFOLLOW | os.O_NONBLOCK

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def write_file(path: Path, data: bytes) -> None:
    """Make ``path`` hold ``data``, replacing what was there; on disk when this returns.

    A crash leaves the old file, if there was one, and at most a ``.part`` file beside it.
    """
    unfinished = path.with_name(path.name + UNFINISHED)
    descriptor = open_own(unfinished, os.O_WRONLY | os.O_CREAT)
    try:
        try:
            if os.fstat(descriptor).st_nlink > 1:  # another name of a file that is not ours to empty
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(unfinished))
            os.truncate(descriptor, 0)
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync(path.parent)


class GrowingFile:
    """A file that is written piece by piece under another name, and gets its own name when it is complete.

    Until then its writer holds a lock on it, by which others know an unfinished file that is still needed.

    Args:
      path: of the complete file, at which there is none.

    Raises:
      OSError: from every method, if the system refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._unfinished = path.with_name(path.name + UNFINISHED)
        self._descriptor = os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OWN, 0o666)
        self._open = True
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def write(self, data: bytes | memoryview) -> None:
        """Add ``data`` at the end."""
        write_all(self._descriptor, data)
        self.size += len(data)

    def finish(self) -> None:
        """Put everything that was written on disk."""
        os.fsync(self._descriptor)

    def publish(self) -> None:
        """Give the file its own name; the name is on disk when its folder is synchronised."""
        os.rename(self._unfinished, self.path)
        self._close()

    def discard(self) -> None:
        """Remove the file, whether it was published or not."""
        for path in (self._unfinished, self.path):
            path.unlink(missing_ok=True)
        self._close()

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._descriptor)


def is_growing(path: Path) -> bool:
    """Return whether ``path`` is the unfinished file of a ``GrowingFile`` that a living process writes."""
    try:
        descriptor = open_own(path)
    except OSError:
        return False
    try:
        return not _locked(descriptor, wait_sec=0)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write every byte; a single ``os.write`` may stop half-way, on a disk that is about to be full."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def open_own(path: str | Path, flags: int = os.O_WRONLY) -> int:
    """A descriptor of the file ``path``, to be written; usable as the ``opener`` of :func:`open`.

    Raises:
      OSError: it is a link (ELOOP) or no regular file, or it is missing and ``flags`` have no O_CREAT.
    """
    descriptor = os.open(path, flags | _OWN, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return descriptor


def check_no_links(*paths: Path) -> None:
    """Refuse links under names of files and folders that are about to be written, emptied or removed.

    Raises:
      UserError: naming the first link.
    """
    for path in paths:
        if path.is_symlink():
            raise UserError(f"{path} is a link and is not followed; put a copy in its place, or remove it")


def sqlite_files(path: Path) -> list[Path]:
    """Return the files that SQLite writes for the database ``path``."""
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def sync(path: Path) -> None:
    """Put the contents of the file ``path``, or the list of names of that folder, on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(path: Path) -> None:
    """Put a file, or a folder with all that is in it, on disk; links are not followed. No error if there is none."""
    if path.is_symlink() or not path.exists():
        return
    if path.is_dir():
        for inside in path.iterdir():
            sync_tree(inside)
    elif not path.is_file():
        return
    sync(path)


class Busy(UserError):
    """Another process is writing."""


@contextmanager
def only_writer(folder: Path, wait_sec: float = LOCK_WAIT_SEC, name: str = LOCK_FILE) -> Iterator[None]:
    """While inside, no other thread or process is: the folder's lock is held. The system frees it if its holder dies.

    Args:
      name: of the lock's file; locks of different names know nothing of each other.

    Raises:
      Busy: if another process holds it for longer than ``wait_sec``.
      OSError: if the folder cannot be written.
    """
    descriptor = open_own(folder / name, os.O_RDWR | os.O_CREAT)
    try:
        if not _locked(descriptor, wait_sec):
            raise Busy(f"another process has been writing to {folder} for {wait_sec:.0f} s; wait for it or end it")
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing would not be enough if a fork has copied the descriptor
    finally:
        os.close(descriptor)


def _locked(descriptor: int, wait_sec: float) -> bool:
    until = time.monotonic() + wait_sec
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.002)


@contextmanager
def explained(what: str, folder: Path) -> Iterator[None]:
    """Turn the system's refusal to write ``what`` into ``folder`` into one clear line.

    Raises:
      UserError: for a full disk, a folder that may not be written, or any other error of the file system.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise UserError(
                f"no space is left in {folder} for {what}; free some and run the command again "
                "(what was recorded before is kept)"
            ) from error
        if error.errno in _READ_ONLY:
            raise UserError(
                f"no permission to write {what} to {folder}; change its permissions or name another folder"
            ) from error
        if error.errno == errno.ELOOP:
            raise UserError(
                f"{what} cannot be written to {folder}, where {Path(error.filename).name} is a link; a dataset's files "
                "lie in its own folder: copy it with `cp -rL`, and use the copy"
            ) from error
        raise UserError(f"{what} cannot be written to {folder} ({error.strerror or error}); check its disk") from error
