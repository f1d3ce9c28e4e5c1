"""Many simulated users of the server at once, in a separate process, and a table of their times."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import httpx
import numpy as np

from annotation.server.security.sessions import COOKIE
from benchmarks.serving import PATIENCE_SEC

HEADING = f"{'':<44} {'median':>7} {'95%':>7}"  # over lines as of :func:`format_times`
SIGN_IN_SEC = 3.0  # then all begin
Found = TypeVar("Found")
Ask = Callable[..., Awaitable[httpx.Response]]
# Behaviour of one user: called with the function that sends requests, and the user's number.
Work = Callable[[Ask, int], Awaitable[Found]]


class Crowd:
    """Simulated users, who begin when this is created.

    Args:
      work: behaviour of each user; a function of a module, or a partial one.
    """

    def __init__(self, url: str, cookies: Sequence[str], work: Work[Any]) -> None:
        self._found, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=_run, args=(url, list(cookies), work, theirs))
        self._process.start()

    def wait(self) -> tuple[list[Any], int]:
        """Wait for all users; return the results of those who succeeded, and the number of those who failed."""
        found = self._found.recv()
        self._process.join()
        return found


def _run(url: str, cookies: list[str], work: Work[Any], done: Connection) -> None:
    done.send(asyncio.run(_all(url, cookies, work)))


async def _all(url: str, cookies: list[str], work: Work[Any]) -> tuple[list[Any], int]:
    begun = asyncio.Event()

    async def one(cookie: str, number: int) -> Any:
        async with signed_in(url, cookie) as ask:
            await begun.wait()
            return await work(ask, number)

    people = [asyncio.create_task(one(cookie, number)) for number, cookie in enumerate(cookies)]
    await asyncio.sleep(SIGN_IN_SEC)
    begun.set()
    found, errors = [], 0
    for each in await asyncio.gather(*people, return_exceptions=True):
        if isinstance(each, BaseException):
            errors += 1
            print(f"a person failed: {type(each).__name__}: {each}")
        else:
            found.append(each)
    return found, errors


@asynccontextmanager
async def signed_in(url: str, cookie: str) -> AsyncIterator[Ask]:
    """Yield a function that sends a user's requests (method, path, body). It raises httpx.HTTPError for an error."""
    async with httpx.AsyncClient(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC) as client:

        async def ask(method: str, path: str, body: Any = None) -> httpx.Response:
            return (await client.request(method, path, json=body)).raise_for_status()

        client.headers["X-CSRF-Token"] = (await ask("GET", "/api/me")).json()["csrf"]
        yield ask


async def timed(times: list[float], answer: Awaitable[httpx.Response]) -> httpx.Response:
    """Return the answer, and append its seconds to ``times``."""
    clock = time.perf_counter()
    found = await answer
    times.append(time.perf_counter() - clock)
    return found


def format_times(name: str, times: Sequence[float]) -> str:
    """Format the median and the 95th percentile of ``times`` (seconds) in milliseconds, as a line of a table."""
    middle, high = np.percentile(times, (50, 95))
    return f"{name:<44} {1000 * middle:7.0f} {1000 * high:7.0f} ms  ({len(times)} times)"
