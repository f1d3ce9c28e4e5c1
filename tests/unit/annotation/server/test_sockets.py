"""A player's connection to a browser that takes nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from annotation.server import sockets
from annotation.session.states import Role
from tests.patience import PATIENCE_SEC


class Gone:
    """A connection whose other end has vanished: nothing can be sent, nothing comes."""

    async def send_bytes(self, data: bytes) -> None:
        await asyncio.Event().wait()

    send_text = send_bytes

    async def receive(self) -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self, code: int, reason: str) -> None:
        """It is gone anyway."""


class Game:
    """A game, its player's screen, and the only view on it, in one part."""

    @property
    def game(self) -> Game:
        return self

    def screen(self, role: Role) -> Game:
        return self

    async def views(self) -> AsyncIterator[Game]:
        yield self
        await asyncio.Event().wait()

    def parts(self, before: object) -> list[Game]:
        return [self]

    def message(self, before: object) -> bytes:
        return b"view"

    def connect(self, role: Role, replaced: object) -> int:
        return 1

    def disconnect(self, role: Role, connection: int) -> None:
        """Nobody else plays."""


def test_a_browser_to_which_nothing_can_be_sent_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "SILENT_SEC", 0.2)

    async def served() -> sockets.End:
        player = sockets.PlayerSocket(cast("Any", Gone()), cast("Any", Game()), Role.SOLVER, lambda: None)
        return await asyncio.wait_for(player.serve(), PATIENCE_SEC)

    assert asyncio.run(served()) == sockets.SILENT
