"""Reading in order by several threads, some items ahead of the one that is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from worlds.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")


def read_ahead(read: Callable[[Item], Result], items: Iterable[Item], threads: int = 2) -> Iterator[Result]:
    """Yield ``read(item)`` of every item, in order; at most two results a thread wait in memory.

    Raises:
      UserError: if there is no thread; and whatever ``read`` raises, at the item that raised it.
    """
    if threads < 1:
        raise UserError(f"threads is {threads}; at least one is needed to read episodes")
    remaining = iter(items)
    with ThreadPoolExecutor(threads, thread_name_prefix="read-ahead") as pool:
        waiting = deque(pool.submit(read, item) for item in islice(remaining, 2 * threads))
        try:
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(read, item) for item in islice(remaining, 1))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
