"""A server that browsers find below a path, behind a proxy that may leave the path on its requests or take it off."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class WithoutPrefix:
    """Middleware: takes the prefix off the paths of requests, where it is still on.

    Args:
      prefix: such as "/study1"; "" for none.
    """

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and f"{scope['path']}/".startswith(f"{self._prefix}/"):
            scope = {**scope, "path": scope["path"].removeprefix(self._prefix)}
        await self._app(scope, receive, send)
