"""Many worlds stepped in parallel on threads.

Physics and drawing run outside the interpreter's lock, so that threads of one process are enough. Each world is
stepped by one thread at a time and shares nothing with the others: results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, TypeVar

from worlds.contract import Action, Observation, StepResult, World

Result = TypeVar("Result")


class WorldPool:
    """A list of worlds that are reset and stepped together. Close it, or use it as a context.

    Args:
      worlds: not to be touched by others while a call of the pool is under way.
      threads: how many work at once, the caller's included; None means one for each core this process may use.
    """

    def __init__(self, worlds: Sequence[World], threads: int | None = None) -> None:
        self.worlds = tuple(worlds)
        self.threads = max(1, min(threads or _cores(), len(self.worlds)))
        self._workers = ThreadPoolExecutor(self.threads - 1, "world") if self.threads > 1 else None

    def __len__(self) -> int:
        return len(self.worlds)

    def reset(
        self, seeds: Sequence[int | None], options: Sequence[dict[str, Any] | None] | None = None
    ) -> list[tuple[dict[str, Observation], dict[str, Any]]]:
        """Reset every world with its seed (and its options): a list of what each ``reset`` returned."""
        self._check_length(seeds)
        self._check_length(options or seeds)
        return self.map(lambda i: self.worlds[i].reset(seeds[i], options[i] if options else None))

    def step(self, actions: Sequence[dict[str, Action]]) -> list[StepResult]:
        """Step every world with its players' actions: a list of what each ``step`` returned.

        Raises the first world's exception, in the order of the worlds, after all have been stepped.
        """
        self._check_length(actions)
        return self.map(lambda i: self.worlds[i].step(actions[i]))

    def map(self, work: Callable[[int], Result]) -> list[Result]:
        """``[work(0), ..., work(len - 1)]``, by the pool's threads; whichever is free takes the next index."""
        results: list[Any] = [None] * len(self)
        errors: list[Exception | None] = [None] * len(self)
        turns = count()

        def labour() -> None:
            while (i := next(turns)) < len(self):
                try:
                    results[i] = work(i)
                except Exception as error:
                    error.add_note(f"in world {i} of {len(self)}")
                    errors[i] = error

        helpers = [self._workers.submit(labour) for _ in range(self.threads - 1)] if self._workers else []
        labour()
        for helper in helpers:
            helper.result()
        for error in errors:
            if error is not None:
                raise error
        return results

    def close(self) -> None:
        """Stop the threads and close the worlds."""
        if self._workers:
            self._workers.shutdown()
        for world in self.worlds:
            world.close()

    def __enter__(self) -> WorldPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_length(self, given: Sequence[Any]) -> None:
        if len(given) != len(self):
            raise ValueError(f"{len(given)} entries for {len(self)} worlds")


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
