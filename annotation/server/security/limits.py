"""Limits of requests, and the security headers of every answer."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES = 256 * 1024  # of any request
TOO_MANY = "too many requests; wait a moment"
_KNOWN_BUCKETS = 20_000  # then those that are full again are forgotten

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob:; worker-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


@dataclass
class _Bucket:
    tokens: float
    filled: float  # when, by the monotonic clock


class RateLimit:
    """A token bucket for each key.

    Args:
      per_second: requests a second that refill a bucket.
    """

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()
        self._next_look = _KNOWN_BUCKETS

    def wait(self, key: str) -> float:
        """Count a request of ``key`` and return 0, or return the seconds until it may come."""
        with self._lock:
            now = self._clock()
            if key not in self._buckets:
                if len(self._buckets) >= self._next_look:
                    self._forget(now)
                    self._next_look = max(_KNOWN_BUCKETS, 2 * len(self._buckets))
                self._buckets[key] = _Bucket(self._burst, now)
            bucket = self._buckets[key]
            bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled) * self._per_second)
            bucket.filled = now
            if bucket.tokens >= 1:
                bucket.tokens -= 1
                return 0.0
            return (1 - bucket.tokens) / self._per_second

    def give_back(self, key: str) -> None:
        """Uncount a request of ``key``."""
        with self._lock:
            if bucket := self._buckets.get(key):
                bucket.tokens = min(self._burst, bucket.tokens + 1)

    def _forget(self, now: float) -> None:
        full = self._burst / self._per_second
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if now - bucket.filled < full}


@dataclass(frozen=True)
class RateLimits:
    """Limits of one session, of all sessions of a person, of an address without a person, and of signing in."""

    session: RateLimit
    person: RateLimit
    address: RateLimit
    sign_in: RateLimit

    @classmethod
    def of(cls, requests_per_second: float) -> RateLimits:
        """Return the limits for a person's rate; an address, which many may share, signs in 1 a second after 60."""
        return cls(
            RateLimit(requests_per_second, 10 * requests_per_second),
            RateLimit(requests_per_second, 10 * requests_per_second),
            RateLimit(2 * requests_per_second, 20 * requests_per_second),
            RateLimit(1.0, 60.0),
        )


class RequestLimits:
    """Middleware: security headers, requests a second, bytes of a body.

    The requests of a person over all their sign-ins are counted by
    :class:`annotation.server.security.policies.Guard`, which asks the database.

    Args:
      session: returns the session of a connection, or None.
      knows_host: returns whether a request may call the server by this name.
    """

    def __init__(
        self,
        app: ASGIApp,
        rates: RateLimits,
        session: Callable[[HTTPConnection], str | None],
        knows_host: Callable[[str], bool],
    ) -> None:
        self._app, self._rates, self._session, self._knows_host = app, rates, session, knows_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        wait = self._wait(connection)
        if scope["type"] == "websocket":
            if wait:
                await send({"type": "websocket.close", "code": 1013, "reason": "too many requests"})
            elif not self._knows_host(connection.headers.get("host", "")):
                await send({"type": "websocket.close", "code": 1008, "reason": "this is not the name of the server"})
            else:
                await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        if wait:
            refusal = _refusal(429, TOO_MANY, {"Retry-After": str(math.ceil(wait))})
            await refusal(scope, receive, send)
        elif not self._knows_host(connection.headers.get("host", "")):
            await _refusal(400, "this is not the name of the server; use the address that it printed")(
                scope, receive, send
            )
        elif _announced_bytes(connection.headers) > BODY_BYTES:
            await _refusal(413, f"a request has at most {BODY_BYTES} bytes")(scope, receive, send)
        else:
            await self._app(scope, _counted(receive), send)

    def _wait(self, connection: HTTPConnection) -> float:
        address = connection.client.host if connection.client else "unknown"
        session = self._session(connection)
        wait = self._rates.session.wait(session) if session else self._rates.address.wait(address)
        if connection.scope["path"].startswith("/api/sign-in"):
            wait = max(wait, self._rates.sign_in.wait(address))
        return wait


class BodyTooLarge(HTTPException):
    """Raised for a body that is longer than its request announced."""

    def __init__(self) -> None:
        super().__init__(413, f"a request has at most {BODY_BYTES} bytes")


def _announced_bytes(headers: Headers) -> int:
    said = headers.get("content-length", "0")
    return int(said) if said.isascii() and said.isdigit() else 0


def _counted(receive: Receive) -> Receive:
    """Wrap ``receive`` so that a body beyond the limit raises BodyTooLarge."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > BODY_BYTES:
            raise BodyTooLarge
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return with_headers


def _refusal(status: int, said: str, headers: dict[str, Any] | None = None) -> JSONResponse:
    return JSONResponse({"error": said}, status_code=status, headers=headers)
