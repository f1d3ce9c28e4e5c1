"""A server with its own port, and people who play at it: each has a browser, and a thread that reads their socket."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from annotation.server.app import create_app
from annotation.server.clock import now
from annotation.server.security.visitors import Role
from annotation.server.serve import KEEP_ALIVE_SEC
from annotation.server.services import people
from annotation.server.study import Study
from tests.patience import PATIENCE_SEC, until
from tests.unit.annotation.server.conftest import Browser, Enter


@contextmanager
def listening(app: FastAPI) -> Iterator[Callable[[], Browser]]:
    """Serve ``app`` until the end of the block; makes browsers of strangers."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", timeout_keep_alive=KEEP_ALIVE_SEC, timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until(lambda: server.started, "the server")
    clients: list[httpx.Client] = []

    def stranger() -> Browser:
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"Host": "localhost"}, timeout=PATIENCE_SEC)
        clients.append(client)
        return Browser(client)  # type: ignore[arg-type]

    try:
        yield stranger
    finally:
        server.should_exit = True
        thread.join(PATIENCE_SEC)
        for client in clients:
            client.close()
        assert not thread.is_alive()


@contextmanager
def entering(study: Study) -> Iterator[Enter]:
    """Serve ``study`` until the end of the block; makes browsers of new people: ``enter(Role.SETTER, "ann")``."""
    with listening(create_app(study)) as stranger:

        def signed_in(role: Role, name: str) -> Browser:
            with study.database.writing() as session:
                token = people.invite(session, role, now())[1]
            return stranger().join(token, name)

        yield signed_in


class Denied(Exception):
    """A socket that was not opened. ``status`` says why."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Player:
    """A person's connection to a game, as a browser holds it; with ``reads`` it notes views as seen, as browsers do."""

    def __init__(self, browser: Browser, game_id: str, reads: bool = True, **headers: str) -> None:
        self.game_id = game_id
        url = str(browser.client.base_url).replace("http", "ws") + f"/api/play/games/{game_id}/socket"
        cookies = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
        own = {"Origin": str(browser.client.base_url), "Cookie": cookies}
        try:
            self._socket = connect(
                url, additional_headers=own | headers, max_size=None, proxy=None, open_timeout=PATIENCE_SEC
            )
        except InvalidStatus as denied:
            raise Denied(denied.response.status_code) from None
        self.view: dict[str, Any] = {}
        self.picture, self.views = b"", 0
        self.boards_with_picture = 0
        self.end: tuple[int, str] | None = None
        self.notices: list[dict[str, Any]] = []
        self._reads = reads
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for message in self._socket:
                self._take(message)
        except ConnectionClosed:
            pass
        self.end = (self._socket.close_code or 0, self._socket.close_reason or "")

    def _take(self, message: str | bytes) -> None:
        if isinstance(message, str):
            self.notices.append(json.loads(message))
            return
        (length,) = struct.unpack(">I", message[:4])
        view, picture = json.loads(message[4 : 4 + length]), message[4 + length :]
        self.picture = picture or self.picture
        if view["board"] not in (None, "same"):
            self.boards_with_picture += bool(picture)
        view["dialogue"] = self.view.get("dialogue", [])[: view["said"]] + view["dialogue"]
        if view["asked"] is None:
            view["asked"] = self.view["asked"]
        if view["board"] == "same":
            view["board"] = self.view["board"]
        self.view = view
        self.views += 1
        if self._reads:
            self.say(seen=self.views)

    def say(self, **message: Any) -> None:
        """Send one message."""
        self.send(json.dumps(message))

    def send(self, message: str | bytes) -> None:
        """Send whatever it is, unless the connection has ended."""
        try:
            self._socket.send(message)
        except ConnectionClosed:
            pass

    def sees(self, **expected: Any) -> dict[str, Any]:
        """The view, once it is as expected. Fails at once if the connection has ended before."""

        def found() -> dict[str, Any] | None:
            ended = self.end
            if all(self.view.get(name) == value for name, value in expected.items()):
                return self.view
            assert ended is None, f"the connection ended with {ended} while waiting for {expected}: {self.view}"
            return None

        return until(found, str(expected))

    def ended(self) -> tuple[int, str]:
        """Code and reason of the connection's end, once it has one."""
        until(lambda: self.end is not None, "the end of a connection")
        assert self.end is not None
        return self.end

    def close(self) -> None:
        """The connection is lost."""
        self._socket.socket.shutdown(socket.SHUT_RDWR)
