"""Sharp pictures of recorded episodes: drawn by processes of their own when a page asks for them, and kept on disk."""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from annotation.viewer.drawing import DrawingOrder, chunk_file, draw_episodes
from rlhf.run.processes import Worker
from worlds.errors import UserError

MOST_BYTES = 2 * 1024**3  # of pictures on disk; the episodes that were used least recently go
_VERSION = 1  # of the pictures; those of another version are drawn again
_IDLE_SEC = 60.0  # then a process ends, and its memory is free
_MOST_FAILURES = 1000
_log = logging.getLogger("rlhf.serve")


@dataclass(frozen=True)
class PictureRequest:
    """An episode of which pictures are wanted."""

    dataset: Path
    episode_id: str
    fingerprint: str
    film: bool = False

    @property
    def key(self) -> str:
        """Name of the folder with its pictures."""
        parts = [str(_VERSION), str(self.dataset.absolute()), self.episode_id, self.fingerprint]
        parts += ["film"] if self.film else []
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


class Pictures:
    """Draws pictures of episodes in the background and keeps them. Safe for threads.

    Args:
      workers: processes that draw at the same time; 0 takes a quarter of the machine's processors.
      most_bytes: bytes of pictures that are kept at most.
    """

    def __init__(self, folder: Path, workers: int = 0, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._workers = workers or max(1, (os.cpu_count() or 1) // 4)
        self._queue: queue.Queue[PictureRequest | None] = queue.Queue()
        self._lock = threading.Lock()
        self._waiting: set[str] = set()
        self._failed: dict[str, str] = {}
        self._threads: list[threading.Thread] = []
        self._processes: dict[int, Worker] = {}  # by thread
        self._stopping = False

    def chunk(self, request: PictureRequest, number: int) -> bytes | None:
        """Return the pictures of the steps from ``number * CHUNK_STEPS`` on as one file; None while they are drawn.

        Args:
          number: number of the chunk, from 0.

        Raises UserError if they cannot be drawn.
        """
        folder = self._folder / request.key
        with suppress(FileNotFoundError):
            file = chunk_file(folder, number).read_bytes()
            with suppress(OSError):
                os.utime(folder)
            return file
        with self._lock:
            if request.key in self._failed:
                raise UserError(self._failed[request.key])
            if request.key not in self._waiting and not self._stopping:
                self._waiting.add(request.key)
                self._queue.put(request)
                if len(self._threads) < self._workers:
                    name = f"draw-episodes {len(self._threads)}"
                    self._threads.append(threading.Thread(target=self._work, name=name, daemon=True))
                    self._threads[-1].start()
        return None

    def forget(self) -> None:
        """Remove every picture; what is being drawn is given up."""
        with self._lock:
            for process in self._processes.values():
                process.kill()
            self._failed.clear()
            shutil.rmtree(self._folder, ignore_errors=True)

    def stop(self) -> None:
        """End the processes; what is being drawn is given up."""
        with self._lock:
            self._stopping = True
            threads = list(self._threads)
            for process in self._processes.values():
                process.kill()
        for _ in threads:
            self._queue.put(None)
        for thread in threads:
            thread.join()

    def _work(self) -> None:
        own = threading.get_ident()
        try:
            while not self._stopping:
                try:
                    request = self._queue.get(timeout=_IDLE_SEC)
                except queue.Empty:
                    self._end_process(own)
                    continue
                if request is None:
                    return
                why = self._draw(own, request)
                with self._lock:
                    self._waiting.discard(request.key)
                    if why:
                        self._failed[request.key] = why
                        while len(self._failed) > _MOST_FAILURES:
                            self._failed.pop(next(iter(self._failed)))
                self._evict(request.key)
        finally:
            self._end_process(own)

    def _draw(self, own: int, request: PictureRequest) -> str:
        """Draw an episode; return why it could not be drawn to its end, or ""."""
        with self._lock:
            if self._stopping:
                return "the server is stopping"
            process = self._processes.get(own)
            if process is None:
                process = self._processes[own] = Worker(draw_episodes)
        folder = self._folder / request.key
        try:
            process.connection.send(DrawingOrder(str(request.dataset), request.episode_id, str(folder), request.film))
            why = process.connection.recv()
        except (EOFError, OSError):
            self._end_process(own)
            return "" if not folder.exists() else "the process that draws has died"  # "" after forget()
        if why:
            _log.warning("episode %s is not drawn: %s", request.episode_id, why)
        return why

    def _end_process(self, own: int) -> None:
        with self._lock:
            process = self._processes.pop(own, None)
        if process is not None:
            process.close()

    def _evict(self, keep: str) -> None:
        """Remove the episodes that were used least recently until the others are small enough."""
        with suppress(OSError):
            folders = sorted((p for p in self._folder.iterdir() if p.is_dir()), key=lambda path: path.stat().st_mtime)
            sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for path in folders}
            total = sum(sizes.values())
            for path in folders:
                if total <= self._most_bytes:
                    return
                if path.name != keep:
                    shutil.rmtree(path, ignore_errors=True)
                    total -= sizes[path]
