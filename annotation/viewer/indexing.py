"""A process that updates an index, so that the server answers meanwhile.

python -m annotation.viewer.indexing INDEX.sqlite NAME=FOLDER ...
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotation.viewer.index import Index
from rlhf.run.processes import end_with
from rlhf.run.terminal import guard_process
from rlhf.store import ParquetStore, open_store
from rlhf.store.files.durable import only_writer
from worlds.errors import UserError

AT_ONCE = 40  # episodes that are taken in while a request waits
BEGIN_EVERY_SEC = 2.0
_LOCK_FILE = "look.lock"


class Indexer:
    """Keeps an index up to date."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._begun: dict[str, float] = {}  # when a process was last begun for each dataset

    def missing(self, name: str, store: ParquetStore) -> int:
        """Return how many episodes of a dataset are not in the index yet, and begin to add them."""
        with self._lock:
            missing, gone = self.index.differs(name, store)
            if missing <= AT_ONCE:
                if missing or gone:
                    self.index.update(name, store, AT_ONCE)
                    missing, _ = self.index.differs(name, store)
                return missing
            idle = self._process is None or self._process.poll() is not None
            if idle and time.monotonic() - self._begun.get(name, -BEGIN_EVERY_SEC) >= BEGIN_EVERY_SEC:
                self._begun[name] = time.monotonic()
                command = [sys.executable, "-P", "-m", "annotation.viewer.indexing", str(self.index.file)]
                self._process = subprocess.Popen(
                    [*command, f"{name}={store.folder}"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=own_modules(),
                )  # fmt: skip
            return missing

    def stop(self) -> None:
        """End the process, if one is at work."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()


def own_modules() -> Mapping[str, str]:
    """The environment of a process that is to import what this one imports, on one thread."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "OMP_NUM_THREADS": "1"}


def main(arguments: Sequence[str]) -> int:
    """Index every episode of the named datasets; return the exit status."""
    os.nice(10)
    file, *named = arguments
    try:
        with only_writer(Path(file).parent, wait_sec=0, name=_LOCK_FILE):
            for name, _, folder in (each.partition("=") for each in named):
                Index(Path(file)).update(name, open_store(folder))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    guard_process()
    end_with(os.getppid())
    sys.exit(main(sys.argv[1:]))
