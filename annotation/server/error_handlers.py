"""Answers to requests that fail: JSON with one sentence; for an unknown page, a page with the way home."""

from __future__ import annotations

import logging
import math

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, IntegrityError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.websockets import WebSocket, WebSocketState

from annotation.server.errors import Refused
from annotation.server.security.limits import SECURITY_HEADERS
from worlds.errors import UserError, disk_is_full

_log = logging.getLogger("rlhf.serve")
_POLICY_VIOLATED = 1008  # WebSocket's code
_NO_SUCH_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>No such page - interactive-rlhf</title>
    <link rel="stylesheet" href="{prefix}/static/app.css" />
  </head>
  <body>
    <header class="top"><a class="brand" href="{prefix}/">interactive-rlhf</a></header>
    <main class="narrow">
      <div class="card">
        <h2>There is no such page</h2>
        <p>Look at the address again, or <a href="{prefix}/">go to the first page</a>.</p>
      </div>
    </main>
  </body>
</html>
"""


def add_error_handlers(app: FastAPI, prefix: str) -> None:
    """Let ``app`` answer every error.

    Args:
      prefix: path below which browsers find the server, such as "/study1"; "" for none.
    """

    async def other(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        path = request.scope["path"]
        if error.status_code == 404 and prefix and path == "":
            return RedirectResponse(f"{prefix}/", status_code=308)
        wants_page = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
        if error.status_code == 404 and wants_page and not path.startswith("/api/"):
            return HTMLResponse(_NO_SUCH_PAGE.format(prefix=prefix), status_code=404)
        return _answer(error.status_code, str(error.detail).lower(), dict(error.headers or {}))

    app.add_exception_handler(Refused, _refused)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, other)
    app.add_exception_handler(UserError, _unusable)
    app.add_exception_handler(DBAPIError, _database_error)
    app.add_exception_handler(OSError, _disk_error)
    app.add_exception_handler(Exception, _bug)


async def _refused(connection: HTTPConnection, error: Exception) -> Response | None:
    assert isinstance(error, Refused)
    if isinstance(connection, WebSocket):
        await _close(connection, error)
        return None
    headers = {"Retry-After": str(math.ceil(error.retry_sec))} if error.retry_sec else None
    return _answer(error.status, error.said, headers)


async def _close(socket: WebSocket, refused: Refused) -> None:
    """Answer a socket that is not open yet like any request, if the server can."""
    if socket.client_state is WebSocketState.CONNECTING and "websocket.http.response" in socket.scope["extensions"]:
        await socket.send_denial_response(_answer(refused.status, refused.said))
    else:
        await socket.close(_POLICY_VIOLATED, refused.said)


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    return _answer(422, f"{place}: {first['msg']}" if place else str(first["msg"]))


async def _unusable(_: Request, error: Exception) -> Response:
    """Log which dataset cannot be read or written, and why; the person learns only that it is not their doing."""
    _log.error("%s", error)
    return _answer(503, "the study's data cannot be used just now; ask the study's leader")


async def _database_error(request: Request, error: Exception) -> Response:
    if isinstance(error, IntegrityError):  # two at once
        return _answer(409, "another request has changed this at the same moment; try again")
    return await _disk_error(request, error)


async def _disk_error(_: Request, error: Exception) -> Response:
    if disk_is_full(error) or "disk is full" in str(error):
        _log.error("the disk is full; nothing can be saved until there is space again")
        return _answer(507, "the server's disk is full: this is not saved yet; ask the study's leader")
    if "locked" in str(error):
        return _answer(503, "the server is busy: this is not saved yet", {"Retry-After": "1"})
    raise error


async def _bug(_: Request, error: Exception) -> Response:
    """Answer an error that nobody foresaw; uvicorn logs its traceback."""
    return _answer(500, "an error in the server; ask the study's leader", SECURITY_HEADERS)


def _answer(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
