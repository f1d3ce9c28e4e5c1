"""The application that serves a study: what it is made of, its routes and middleware, its start and end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.database import Database
from annotation.server.error_handlers import add_error_handlers
from annotation.server.export.submitted import Exporter
from annotation.server.prefix import WithoutPrefix
from annotation.server.routes import consent, pages, people, play, study, tasks, teach, viewer
from annotation.server.security.guesses import Guesses
from annotation.server.security.limits import RateLimits, RequestLimits
from annotation.server.security.policies import refuse_unguarded
from annotation.server.security.sessions import Signer, load_secret
from annotation.server.services.agents import Agents, agent_computing
from annotation.server.services.completing import Completer
from annotation.server.services.datasets import Datasets
from annotation.server.services.games import Games
from annotation.server.services.items import list_all_items
from annotation.server.services.measuring import Measuring
from annotation.server.services.removing import Remover
from annotation.server.services.viewer import ViewerServices
from annotation.server.study import Study
from annotation.server.teacher import Teacher
from worlds.errors import UserError

MODULES = (pages, people, study, play, tasks, viewer, consent)
VIEWING = (pages, people, viewer)  # where there is no study, but only datasets to look at


def open_study(config: ServeConfig, tracer: Sequence[str] = (), teacher: Teacher | None = None) -> Study:
    """Open what is to be served, with the page *Teach* if there is a ``teacher``.

    Raises UserError if the folder is missing, its database cannot be used, or a named agent is none.
    """
    datasets = Datasets(config.data)
    if config.viewing and not datasets.names():
        raise UserError(f"there is no dataset in {config.data}; record one: rlhf record --data {config.data / 'play'}")
    agents = Agents(config.agents, config.data)
    signer = Signer(load_secret(config.secrets))
    database = Database(config.database_url)
    list_all_items(database, datasets, now())
    exporter, viewer, measuring = (
        Exporter(database, datasets),
        ViewerServices.of(config, tracer),
        Measuring(config.database_url),
    )
    remover = Remover(database, datasets, viewer, measuring)
    completer = Completer(database, datasets, remover, teaches=teacher is not None)
    computing = agent_computing(config.agent_threads, config.agent_device, config.games)
    games = Games(
        config.games, config.episode_seconds, agents, datasets.unfinished, completer.wake, computing, config.held_out
    )
    return Study(config, database, datasets, signer, exporter, games, viewer, measuring, remover, completer, teacher)


def create_app(study: Study) -> FastAPI:
    """The application that serves ``study``. Raises RuntimeError if a route has no policy."""

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
        title="interactive-rlhf", version=version("interactive-rlhf"),
        description="People play, mark, judge, compare and watch.",
        openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=running,
    )  # fmt: skip
    app.state.study, app.state.guesses = study, Guesses()
    taught = (teach,) if study.teacher else ()
    for module in VIEWING if study.config.viewing else (*MODULES, *taught):
        module.ROUTES.add_to(app)
    refuse_unguarded(app)
    add_error_handlers(app, study.config.prefix)
    app.state.rates = rates = RateLimits.of(study.config.requests_per_second)
    app.add_middleware(
        RequestLimits, rates=rates, session=lambda connection: study.signer.session(connection.cookies),
        knows_host=study.knows_host,
    )  # fmt: skip
    app.add_middleware(WithoutPrefix, prefix=study.config.prefix)
    return app
