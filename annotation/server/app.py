"""The application: middleware, routes, and how whatever goes wrong is answered."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError, IntegrityError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketState

from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.database import Database
from annotation.server.errors import Refused
from annotation.server.export.marks import Exporter
from annotation.server.routes import consent, gold, judging, marking, pages, people, play, study, viewer
from annotation.server.security.limits import SECURITY_HEADERS, RateLimits, RequestLimits
from annotation.server.security.policies import refuse_unguarded
from annotation.server.security.sessions import Signer, load_secret
from annotation.server.services.agents import Agents
from annotation.server.services.completing import Completer
from annotation.server.services.continuations import list_continuations
from annotation.server.services.datasets import Datasets
from annotation.server.services.games import Games
from annotation.server.services.measuring import Measuring
from annotation.server.services.removing import Remover
from annotation.server.services.viewer import ViewerServices
from annotation.server.study import Study
from worlds.errors import UserError, disk_is_full

_log = logging.getLogger("rlhf.serve")
_POLICY_VIOLATED = 1008  # WebSocket's code
MODULES = (pages, people, study, play, marking, judging, viewer, gold, consent)
VIEWING = (pages, people, viewer)  # where there is no study, but only datasets to look at


def open_study(config: ServeConfig, tracer: Sequence[str] = ()) -> Study:
    """Open what is to be served.

    Args:
      config: the study.
      tracer: the command that computes utility traces, see :class:`~annotation.viewer.scorer.Scorer`.

    Raises:
      UserError: if the folder is missing, its database cannot be used, or a named agent is none.
    """
    datasets = Datasets(config.data)
    if config.viewing and not datasets.names():
        raise UserError(f"there is no dataset in {config.data}; record one: rlhf record --data {config.data / 'play'}")
    agents = Agents(config.agents, config.data)
    signer = Signer(load_secret(config.secrets))
    database = Database(config.database_url)
    list_continuations(database, datasets, now())
    exporter, viewer, measuring = (
        Exporter(database, datasets),
        ViewerServices.of(config, tracer),
        Measuring(config.database_url),
    )
    remover = Remover(database, datasets, viewer, measuring)
    completer = Completer(database, datasets, remover)
    games = Games(config.games, config.episode_seconds, agents, datasets.unfinished, completer.wake)
    return Study(config, database, datasets, signer, exporter, games, viewer, measuring, remover, completer)


def create_app(study: Study) -> FastAPI:
    """The application that serves ``study``.

    Raises:
      RuntimeError: if a route has no policy.
    """

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        study.remover.start()
        if not study.config.viewing:  # which writes nothing into the datasets
            study.completer.start()
        study.exporter.start()
        yield
        await asyncio.to_thread(study.games.close)
        study.completer.stop()
        study.exporter.stop()
        study.remover.stop()
        study.viewer.stop()
        study.database.close()

    app = FastAPI(
        title="interactive-rlhf", version=version("interactive-rlhf"), description="People play, mark and judge.",
        openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=running,
    )  # fmt: skip
    app.state.study = study
    for module in VIEWING if study.config.viewing else MODULES:
        module.ROUTES.add_to(app)
    refuse_unguarded(app)
    _answer_errors(app)
    app.state.rates = rates = RateLimits.of(study.config.requests_per_second)
    app.add_middleware(
        RequestLimits, rates=rates, session=lambda connection: study.signer.session(connection.cookies),
        knows_host=study.knows_host,
    )  # fmt: skip
    return app


def _answer_errors(app: FastAPI) -> None:
    """Every error is JSON with a sentence."""

    async def refused(connection: HTTPConnection, error: Exception) -> Response | None:
        assert isinstance(error, Refused)
        if isinstance(connection, WebSocket):
            await _close(connection, error)
            return None
        headers = {"Retry-After": str(math.ceil(error.retry_sec))} if error.retry_sec else None
        return _said(error.status, error.said, headers)

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        return _said(422, f"{place}: {first['msg']}" if place else str(first["msg"]))

    async def other(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _said(error.status_code, str(error.detail).lower(), dict(error.headers or {}))

    app.add_exception_handler(Refused, refused)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, other)
    app.add_exception_handler(UserError, _unusable)
    app.add_exception_handler(DBAPIError, _database_trouble)
    app.add_exception_handler(OSError, _disk_trouble)
    app.add_exception_handler(Exception, _bug)


async def _close(socket: WebSocket, refused: Refused) -> None:
    """A socket that is not open yet is answered like any request, if the server can."""
    if socket.client_state is WebSocketState.CONNECTING and "websocket.http.response" in socket.scope["extensions"]:
        await socket.send_denial_response(_said(refused.status, refused.said))
    else:
        await socket.close(_POLICY_VIOLATED, refused.said)


async def _unusable(_: Request, error: Exception) -> Response:
    """A dataset that cannot be read or written; the sentence is for who runs the study."""
    _log.error("%s", error)
    return _said(503, "the study's data cannot be used just now; tell whoever runs the study")


async def _database_trouble(_: Request, error: Exception) -> Response:
    if isinstance(error, IntegrityError):  # two at once
        return _said(409, "somebody else has changed this at the same moment; try again")
    return await _disk_trouble(_, error)


async def _disk_trouble(_: Request, error: Exception) -> Response:
    if disk_is_full(error) or "disk is full" in str(error):
        _log.error("the disk is full; nothing can be saved until there is space again")
        return _said(507, "the server's disk is full: this is not saved yet; tell whoever runs the study")
    if "locked" in str(error):
        return _said(503, "the server is busy: this is not saved yet", {"Retry-After": "1"})
    raise error


async def _bug(_: Request, error: Exception) -> Response:
    """Logged with its traceback by whoever serves; the person hears nothing of it but that it was not their fault."""
    return _said(500, "something went wrong in the server; tell whoever runs the study", SECURITY_HEADERS)


def _said(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
