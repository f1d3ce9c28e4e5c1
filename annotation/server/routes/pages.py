"""Routes of the pages: one HTML file and its scripts, served from memory, so no path leads to another file."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request, Response

from annotation.server.errors import Refused
from annotation.server.security.policies import ANYBODY, SIGNED_IN, Routes

STATIC = Path(__file__).parents[2] / "static"
PAGES = ("/", "/join", "/play", "/mark", "/judge", "/compare", "/watch", "/study", "/look", "/teach", "/consent")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

ROUTES = Routes("")


@dataclass(frozen=True)
class Asset:
    """A file of the front end, plain and compressed."""

    kind: str
    plain: bytes
    zipped: bytes
    etag: str


@cache
def assets() -> dict[str, Asset]:
    """Return the built front end, by file name."""
    return {path.name: _asset(path) for path in sorted(STATIC.iterdir()) if path.suffix in _TYPES}


def _asset(path: Path) -> Asset:
    data = path.read_bytes()
    return Asset(_TYPES[path.suffix], data, gzip.compress(data, mtime=0), f'"{hashlib.sha256(data).hexdigest()[:20]}"')


def _served(name: str, request: Request) -> Response:
    asset = assets().get(name)
    if asset is None:
        raise Refused(404, "there is no such page")
    headers = {"ETag": asset.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.zipped, media_type=asset.kind, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.plain, media_type=asset.kind, headers=headers)


def page(request: Request) -> Response:
    """Return the one file that every page is; its script looks at the address."""
    return _served("index.html", request)


for _path in PAGES:
    ROUTES.add("GET", _path, ANYBODY, include_in_schema=False)(page)


@ROUTES.add("GET", "/static/{name}", ANYBODY, include_in_schema=False)
def asset(name: str, request: Request) -> Response:
    """Return a script, a style sheet or a picture."""
    return _served(name, request)


@ROUTES.add("GET", "/service-worker.js", ANYBODY, include_in_schema=False)
def service_worker(request: Request) -> Response:
    """Return the script that shows pages while the connection is lost; its place makes all of them its scope."""
    return _served("service-worker.js", request)


@ROUTES.add("GET", "/api/openapi.json", SIGNED_IN, include_in_schema=False)
def schema(request: Request) -> dict[str, Any]:
    """Return the description of every route."""
    return request.app.openapi()
