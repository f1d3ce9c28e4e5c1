"""How benchmarks read their settings and take times. Not a benchmark itself."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, BooleanOptionalAction, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any

from rlhf.run.machine import describe

Clock = Callable[[], float]


def options(doc: str | None, **settings: Any) -> Namespace:
    """Read a benchmark's settings from the command line, print the machine and its load, and return the settings.

    Args:
      settings: each one's default, or (default, help), or (default, help, its type or further arguments of
        ``add_argument``). The default says the type otherwise; True and False are
        switches.
    """
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    for name, setting in settings.items():
        given: tuple[Any, ...] = setting if isinstance(setting, tuple) else (setting,)
        default, about, more = given[0], "".join(given[1:2]), next(iter(given[2:]), {})
        kind: dict[str, Any] = {} if default is None else {"type": type(default)}
        if isinstance(default, bool):
            kind = {"action": BooleanOptionalAction}
        kind |= more if isinstance(more, dict) else {"type": more}
        parser.add_argument(f"--{name.replace('_', '-')}", default=default, help=about, **kind)
    found = parser.parse_args()
    print(f"{describe()}; load before the start {os.getloadavg()[0]:.1f}")
    return found


def seconds(act: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """Return the seconds of ``clock`` that ``act`` takes."""
    began = clock()
    act()
    return clock() - began


def best(act: Callable[[], object], clock: Clock = time.perf_counter, rounds: int = 5) -> float:
    """Return the fewest seconds of some rounds, as other load on the machine only slows a round down."""
    return min(seconds(act, clock) for _ in range(rounds))
