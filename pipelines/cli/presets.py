"""Starting point of a command's settings: a preset, the run to resume, or the configuration's defaults."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pipelines.cli.usage import UsageError
from rlhf.run.config import load_config
from worlds.errors import UserError
from worlds.foreign_code.trust import permit_texts

ENTRY_POINT_GROUP = "interactive_rlhf.presets"  # of packages whose modules are presets
CORE = "pipelines.presets"
LOOPS = ("demo", "iterate", "experiment")  # functions of a preset whose results have the settings of all `stages()`
STAGES = ("record", "mark", "clone", "reward", "improve", "evaluate")


def starting_point(
    function: str, kind: type, words: Sequence[str], otherwise: str | None = None
) -> tuple[Any | None, list[str]]:
    """Return the configuration that the command line overrides (None for the defaults), and the other words.

    ``--preset NAME`` calls the function ``function`` of a preset, such as ``pipelines/presets/NAME.py``, or else uses
    the stage ``function`` of the loop that is defined there. NAME may also be the user's own Python file. ``--resume
    RUN`` reads the configuration in that run's folder; settings that are newer than the run have their defaults.

    Args:
      function: name of the command's function.
      kind: class of its configuration; ``--resume`` is known if it has a field of that name.
      words: words of the command line.
      otherwise: preset to use if none is named.

    Raises:
      UsageError: if there is no such preset, or both options are given.
      UserError: if the run's configuration or the user's own preset cannot be read.
    """
    preset, rest = pop_option(words, "--preset")
    resumable = any(field.name == "resume" for field in fields(kind))
    resume, rest = pop_option(rest, "--resume") if resumable else (None, rest)
    if preset is not None and resume is not None:
        raise UsageError("--resume takes its settings from the run's folder; leave out --preset")
    if resume is not None:
        return replace(load_config(Path(resume), kind), resume=Path(resume)), rest
    preset = preset or otherwise
    if preset is not None:
        config = _configure(_load(preset, function), preset, function, kind)
        permit_texts(config)  # a preset is code that the user named, and so is what it names
        return config, rest
    return None, rest


def pop_option(words: Sequence[str], option: str) -> tuple[str | None, list[str]]:
    """Return the last value of ``option`` in ``words``, and the other words. Raises UsageError if it has no value."""
    value, rest, remaining = None, [], iter(words)
    for word in remaining:
        if word == option:
            value = next(remaining, None)
            if value is None or value.startswith("--"):
                raise UsageError(f"{option} needs a value")
        elif word.startswith(option + "="):
            value = word.partition("=")[2]
        else:
            rest.append(word)
    return value, rest


def preset_names() -> list[str]:
    """Return the names of all installed presets, without importing them."""
    return sorted(_sources())


def presets_of(function: str) -> list[str]:
    """Return the names of presets that have settings for a command's function, without importing them."""
    found = []
    for name, (_, path) in sorted(_sources().items()):
        defined = {node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef)}
        if function in defined or (function in STAGES and defined & set(LOOPS)):
            found.append(name)
    return found


def _sources() -> dict[str, tuple[str, Path]]:
    """Module and file of every installed preset, by name; this package's come before those of others."""
    found: dict[str, tuple[str, Path]] = {}
    for package in (CORE, *(point.value for point in entry_points(group=ENTRY_POINT_GROUP))):
        spec = importlib.util.find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in Path(folder).glob("[!_]*.py"):
                found.setdefault(path.stem, (f"{package}.{path.stem}", path))
    return found


def _load(name: str, function: str) -> ModuleType:
    if name.endswith(".py"):
        return _load_file(Path(name), function)
    offered = presets_of(function)
    name = name.replace("-", "_")
    if name not in offered:
        exists = name in preset_names()
        close = [] if exists else difflib.get_close_matches(name, offered, n=1)
        hint = f"did you mean {close[0]}?" if close else _offer(offered)
        reason = f"preset {name} has no settings for this command" if exists else f"no preset {name}"
        raise UsageError(f"{reason}; {hint}")
    return importlib.import_module(_sources()[name][0])


def _offer(presets: Sequence[str]) -> str:
    """Return the hint for the value of --preset."""
    return f"presets of this command: {', '.join(presets)}" if presets else "name a Python file of your own"


def _load_file(path: Path, function: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"preset_{path.stem}", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise UsageError(f"no preset file {path}; name an existing one, or {_offer(presets_of(function))}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up their module
    with _reported_place(path):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _reported_place(path: Path) -> Iterator[None]:
    """Turn an exception of the user's file into a UserError that names its line."""
    try:
        yield
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if _same(frame.filename, path)]
        reason, place = str(error), str(path)
        if isinstance(error, SyntaxError):
            reason = error.msg
            lines = [error.lineno] if _same(error.filename or "", path) else lines
        if lines and lines[-1]:
            place += f", line {lines[-1]}"
        kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
        raise UserError(f"preset file {place}: {kind}{reason}") from error


def _same(filename: str, path: Path) -> bool:
    return Path(filename).resolve() == path.resolve()


def _configure(module: ModuleType, name: str, function: str, kind: type) -> Any:
    """Return the settings that a preset has for a command. Functions that it imports from other presets do not count.

    Args:
      module: module of the preset.
      name: name of the preset, as typed.
      function: name of the command's function.
      kind: class of its configuration.

    Raises:
      UsageError: if the preset has none, or they are of another class.
    """
    with _reported_place(Path(name)) if name.endswith(".py") else nullcontext():
        if make := _own(module, function):
            config = make()
        else:
            loops = [make for loop in LOOPS if function in STAGES and (make := _own(module, loop))]
            config = loops[0]().stages()[function] if loops else None
    if config is None:
        raise UsageError(
            f"preset {name} has no settings for this command: {module.__file__} defines no function {function}()"
            + (f", nor one of {', '.join(f'{loop}()' for loop in LOOPS)}" if function in STAGES else "")
        )
    if not isinstance(config, kind):
        raise UsageError(f"preset {name}: {function}() returned a {type(config).__name__}, not a {kind.__name__}")
    return config


def _own(module: ModuleType, function: str) -> Callable[[], Any] | None:
    """Return the function of this name that ``module`` itself defines; None if it defines none."""
    make = getattr(module, function, None)
    return make if callable(make) and make.__module__ == module.__name__ else None
