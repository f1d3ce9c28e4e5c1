"""Many people at once who speak to the server as browsers do, from a process of their own; a table of their times."""

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
SIGN_IN_SEC = 3.0  # then everybody begins
Found = TypeVar("Found")
Ask = Callable[..., Awaitable[httpx.Response]]
# What one person of the crowd does: called with their way to ask the server, and their number.
Work = Callable[[Ask, int], Awaitable[Found]]


class Crowd:
    """People who are at work from the moment this is made.

    Args:
      url: of the server. cookies: of their sessions. work: what each does; a function of a module, or a partial one.
    """

    def __init__(self, url: str, cookies: Sequence[str], work: Work[Any]) -> None:
        self._found, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=_run, args=(url, list(cookies), work, theirs))
        self._process.start()

    def wait(self) -> tuple[list[Any], int]:
        """What each found, once all are done; and how many failed, of whom there is nothing."""
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
    """A person's requests to the server: method, path, body. It raises httpx.HTTPError for an error."""
    async with httpx.AsyncClient(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC) as client:

        async def ask(method: str, path: str, body: Any = None) -> httpx.Response:
            return (await client.request(method, path, json=body)).raise_for_status()

        client.headers["X-CSRF-Token"] = (await ask("GET", "/api/me")).json()["csrf"]
        yield ask


async def timed(times: list[float], answer: Awaitable[httpx.Response]) -> httpx.Response:
    """The answer, and how many seconds it took at the end of ``times``."""
    clock = time.perf_counter()
    found = await answer
    times.append(time.perf_counter() - clock)
    return found


def format_times(name: str, times: Sequence[float]) -> str:
    """A line of a table: the median and the 95th percentile of ``times``, in seconds, as milliseconds."""
    middle, high = np.percentile(times, (50, 95))
    return f"{name:<44} {1000 * middle:7.0f} {1000 * high:7.0f} ms  ({len(times)} times)"
