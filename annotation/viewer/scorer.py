"""Utility traces, computed by a process that has PyTorch, and kept on disk.

The server never waits for one: it gets the trace, or that it is being computed, or why it could not be.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.viewer.indexing import own_modules
from annotation.viewer.models import FoundModel
from rlhf.store.files.durable import explained, write_file
from worlds.errors import UserError

_IDLE_SEC = 300.0  # then the process ends, and its memory is free
_WAITING = 200  # traces at most; further requests are asked to wait


@dataclass(frozen=True)
class TraceRequest:
    """A trace of an episode by a reward model."""

    model: FoundModel
    dataset: Path
    episode_id: str
    fingerprint: str

    @property
    def key(self) -> str:
        """Name of its file."""
        said = "\0".join((self.model.version, str(self.dataset.absolute()), self.episode_id, self.fingerprint))
        return hashlib.sha256(said.encode()).hexdigest()[:40]


class Scorer:
    """Computes traces one after the other.

    Args:
      command: command of the process that answers one request a line, see :mod:`reward_models.scores.tracing`; without
        one, every trace fails with the reason.
      patience_sec: seconds for one trace; then the process is ended.
    """

    def __init__(self, folder: Path, command: Sequence[str] = (), patience_sec: float = 600.0) -> None:
        self._folder, self._command, self._patience_sec = folder, tuple(command), patience_sec
        self._queue: queue.Queue[TraceRequest | None] = queue.Queue()
        self._lock = threading.Lock()
        self._waiting: dict[str, float] = {}  # when each was asked for
        self._failed: dict[str, str] = {}
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, wanted: TraceRequest, again: bool = False) -> dict[str, Any]:
        """Return the trace as ``{"state": "ready", ...}``, or its state: "working" or "failed"."""
        key = wanted.key
        kept = self._kept(key)
        if kept is not None:
            return {"state": "ready", **kept}
        if not self._command:
            return {
                "state": "failed",
                "why": "this server was started without reward models; use `rlhf serve` or `rlhf look`",
            }
        with self._lock:
            if again:
                self._failed.pop(key, None)
            if key in self._failed:
                return {"state": "failed", "why": self._failed[key]}
            if key not in self._waiting:
                if len(self._waiting) >= _WAITING:
                    return {"state": "failed", "why": f"{_WAITING} traces are waiting already; try again later"}
                self._waiting[key] = time.monotonic()
                self._queue.put(wanted)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="score-episodes", daemon=True)
                self._thread.start()
            before = list(self._waiting).index(key)
            return {"state": "working", "seconds": round(time.monotonic() - self._waiting[key]), "before": before}

    def forget(self) -> None:
        """Delete every trace."""
        for path in self._folder.glob("*.json*"):
            path.unlink(missing_ok=True)

    def stop(self) -> None:
        """End the process; a running computation is dropped."""
        self._queue.put(None)
        if self._process is not None:
            self._process.kill()
        if self._thread is not None:
            self._thread.join()

    def _kept(self, key: str) -> dict[str, Any] | None:
        try:
            return json.loads((self._folder / f"{key}.json").read_bytes())
        except (OSError, ValueError):
            return None

    def _work(self) -> None:
        while True:
            try:
                wanted = self._queue.get(timeout=_IDLE_SEC)
            except queue.Empty:
                self._end_process()
                continue
            if wanted is None:
                self._end_process()
                return
            try:
                why = self._compute(wanted)
            except Exception as error:  # the thread must live
                why = f"{type(error).__name__}: {error}"
            with self._lock:
                self._waiting.pop(wanted.key, None)
                if why:
                    self._failed[wanted.key] = why

    def _compute(self, wanted: TraceRequest) -> str:
        """Compute and keep one trace; return why it failed, or ""."""
        asked = {"model": str(wanted.model.folder), "dataset": str(wanted.dataset), "episode_id": wanted.episode_id}
        answer = self._answer(json.dumps(asked).encode() + b"\n")
        if isinstance(answer, str):
            self._end_process()
            return answer
        if "error" in answer:
            return str(answer["error"])
        try:
            with explained("a utility trace", self._folder):
                self._folder.mkdir(parents=True, exist_ok=True)
                write_file(self._folder / f"{wanted.key}.json", json.dumps(answer, separators=(",", ":")).encode())
        except UserError as error:
            return str(error)
        return ""

    def _answer(self, question: bytes) -> dict[str, Any] | str:
        """Return the process's answer, or why there is none."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=own_modules(), bufsize=0,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(question)
            line = _read_line(process.stdout.fileno(), self._patience_sec)
        except BrokenPipeError:
            line = b""
        if line is None:
            return f"it took longer than {self._patience_sec:.0f} s; the scorer was ended"
        if not line:
            return f"the scorer died (status {process.wait()}); if memory was short, free some and try again"
        return json.loads(line)

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()


def _read_line(descriptor: int, patience_sec: float) -> bytes | None:
    """Read a whole line; b"" if the other side has ended, None on timeout."""
    until, read = time.monotonic() + patience_sec, bytearray()
    while not read.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return None
        some = os.read(descriptor, 1 << 16)
        if not some:
            return b""
        read += some
    return bytes(read)
