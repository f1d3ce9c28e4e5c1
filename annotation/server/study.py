"""The parts of a running server, for its handlers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection

from annotation.server.config import ServeConfig
from annotation.server.db.database import Database
from annotation.server.export.submitted import Exporter
from annotation.server.security.sessions import Signer
from annotation.server.services.datasets import Datasets
from annotation.server.services.games import Games

if TYPE_CHECKING:  # they import this module
    from annotation.server.services.completing import Completer
    from annotation.server.services.measuring import Measuring
    from annotation.server.services.removing import Remover
    from annotation.server.services.viewer import ViewerServices
    from annotation.server.teacher import Teacher

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True)
class Study:
    """A study that is being served."""

    config: ServeConfig
    database: Database
    datasets: Datasets
    signer: Signer
    exporter: Exporter
    games: Games
    viewer: ViewerServices
    measuring: Measuring
    remover: Remover
    completer: Completer
    teacher: Teacher | None = None

    def knows_host(self, host: str) -> bool:
        """Return whether a request may call the server ``host``; at loopback, other names would be a trick."""
        if self.config.public_url or not self.config.loopback:
            return True
        name = host.rpartition(":")[0] if host.rpartition("]")[2].count(":") else host
        return name in (*_LOOPBACK_NAMES, self.config.host)

    def origins(self, host: str) -> set[str]:
        """Return the origins of our own pages, when a browser calls the server ``host``."""
        return {f"http://{host}", f"https://{host}", self.config.public_origin} - {""}


def study_of(connection: HTTPConnection) -> Study:
    """Return the study that the connection's application serves."""
    return connection.app.state.study
