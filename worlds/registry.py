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
      make: (height=, width=, views=, **options) -> a world; the size of the players' images in pixels, the players
        whose view is drawn, and the world's own options. All have defaults.
      sample_config: (seed, **settings) -> the JSON configuration of one place.
      make_setter: (tasks={name: weight}, split=, **settings) -> a scripted setter that asks for these tasks, so often
        relative to each other.
      make_solver: (perfect=, **settings) -> a scripted solver, deliberately imperfect unless ``perfect``.
      make_task: (spec) -> the success check of a recorded :class:`~worlds.contract.TaskSpec`.
      probe: (name, world, seed, split) -> a probe task's or a game's spec for the place at hand, None where none is
        feasible; split "held_out" asks only for what is never asked for in training.
      probes: names of the probe tasks, in the order reports show them.
      games: names of further tasks, which are asked for and evaluated only where they are named.

    ``sample_config``, ``make_setter`` and ``make_solver`` raise WorldError for a setting that they do not know.
    """

    name: str
    make: Callable[..., World]
    sample_config: Callable[..., dict[str, Any]]
    make_setter: Callable[..., Setter]
    make_solver: Callable[..., Solver]
    make_task: Callable[[TaskSpec], Task]
    probe: Callable[[str, Any, int, str], TaskSpec | None]
    probes: Sequence[str]
    games: Sequence[str] = ()


_entries: dict[str, WorldEntry] = {}


def register(entry: WorldEntry) -> WorldEntry:
    """Make ``entry`` known under its name. Raises WorldError if another world has that name."""
    if _entries.get(entry.name, entry) is not entry:
        raise WorldError(f"a world named {entry.name!r} is registered already; choose another name")
    _entries[entry.name] = entry
    return entry


def get(name: str) -> WorldEntry:
    """The world registered as ``name``.

    Raises:
      WorldError: naming the known ones, if there is none; naming its module, if that does not import or register it.
    """
    if name not in _entries:
        modules: Mapping[str, str] = _BUILT_IN | {e.name: e.value for e in entry_points(group=ENTRY_POINT_GROUP)}
        if name not in modules:
            raise WorldError(f"no world named {name!r}; known: {', '.join(sorted({*modules, *_entries}))}")
        _import(modules[name], name)
    return _entries[name]


def names() -> list[str]:
    """Names of all worlds that can be asked for."""
    return sorted({*_BUILT_IN, *_entries, *(e.name for e in entry_points(group=ENTRY_POINT_GROUP))})


def _import(module: str, name: str) -> None:
    """Import ``module``, which is to register the world ``name``."""
    try:
        importlib.import_module(module)
    except Exception as error:  # whatever a package outside this one may raise
        said = " ".join(str(error).split())
        raise WorldError(
            f"world {name!r}: its module {module} fails to import: {type(error).__name__}: {said}"
        ) from error
    if name not in _entries:
        raise WorldError(
            f"world {name!r}: its module {module} registers no world of that name; name the module that calls register "
            f"in the entry point of the group {ENTRY_POINT_GROUP}"
        )
