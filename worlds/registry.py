"""Where worlds are found by name.

A world registers itself with one line beside its class; a package outside this one names the module that
does so under the entry point group ``interactive_rlhf.worlds``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from worlds.contract import Setter, Solver, Task, TaskSpec, World, WorldError

ENTRY_POINT_GROUP = "interactive_rlhf.worlds"
_BUILT_IN = {"playhouse": "worlds.playhouse"}


@dataclass(frozen=True)
class WorldEntry:
    """All that the pipeline needs to know of a world.

    Args:
      name: the name under which recordings refer to it.
      make: builds a world; keyword arguments are the world's own settings (image size, rooms, ...).
      sample_config: (seed, **settings) -> the JSON configuration of one place.
      make_setter: (**settings) -> a scripted setter; ``tasks=(...)`` restricts what it asks for.
      make_solver: (**settings) -> a scripted solver, deliberately imperfect unless told otherwise.
      make_task: (spec) -> the success check of a recorded :class:`~worlds.contract.TaskSpec`.
      probe: (name, world, seed, split) -> a probe task's spec for the place at hand, None where none is feasible;
        split "held_out" asks only for what is never asked for in training.
      probes: names of the probe tasks, in the order reports show them.
    """

    name: str
    make: Callable[..., World]
    sample_config: Callable[..., dict[str, Any]]
    make_setter: Callable[..., Setter]
    make_solver: Callable[..., Solver]
    make_task: Callable[[TaskSpec], Task]
    probe: Callable[[str, Any, int, str], TaskSpec | None]
    probes: Sequence[str]


_entries: dict[str, WorldEntry] = {}


def register(entry: WorldEntry) -> WorldEntry:
    """Make ``entry`` known under its name. Raises WorldError if another world has that name."""
    if _entries.get(entry.name, entry) is not entry:
        raise WorldError(f"a world named {entry.name!r} is registered already; choose another name")
    _entries[entry.name] = entry
    return entry


def get(name: str) -> WorldEntry:
    """The world registered as ``name``. Raises WorldError, naming the known ones, if there is none."""
    if name not in _entries:
        modules: Mapping[str, str] = _BUILT_IN | {e.name: e.value for e in entry_points(group=ENTRY_POINT_GROUP)}
        if name not in modules:
            raise WorldError(f"no world named {name!r}; known: {', '.join(sorted({*modules, *_entries}))}")
        importlib.import_module(modules[name])
    return _entries[name]


def names() -> list[str]:
    """Names of all worlds that can be asked for."""
    return sorted({*_BUILT_IN, *_entries, *(e.name for e in entry_points(group=ENTRY_POINT_GROUP))})
