"""Servers that wait for people as long as tests do: on a busy machine a browser needs minutes for seconds' work."""

from __future__ import annotations

import os

from annotation.server import sockets
from annotation.server.services import games
from annotation.session.states import TimeLimits
from pipelines.cli.main import main
from tests.patience import PATIENCE_SEC


def serve(words: list[str]) -> int | None:
    """Do what `rlhf` does with ``words``, but lose nobody, and let no state of a game time out."""
    if not os.environ.get("RLHF_SCREENSHOTS"):  # pages show the limits
        limits = TimeLimits(waiting=PATIENCE_SEC, ready=PATIENCE_SEC, paused=PATIENCE_SEC, judging=PATIENCE_SEC)
        games.LIMITS = limits
    sockets.SILENT_SEC = PATIENCE_SEC
    return main(words)
