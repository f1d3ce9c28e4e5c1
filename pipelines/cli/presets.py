"""Where a command's settings start from: a preset, the run that is resumed, or the configuration's own defaults."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from pipelines.cli.usage import UsageError
from rlhf.run.config import load_config
from worlds.errors import UserError

PACKAGE = "pipelines.runs"
LOOPS = ("demo", "study", "iterate")  # a preset's functions that return all stages' settings, as their `stages()`
STAGES = ("record", "mark", "clone", "reward", "improve", "evaluate")


def starting_point(
    function: str, kind: type, words: Sequence[str], otherwise: str | None = None
) -> tuple[Any | None, list[str]]:
    """The configuration that the rest of the command line overrides, and that rest.

    ``--preset NAME`` gives what the function ``function`` of ``pipelines/runs/NAME.py`` returns, or else the stage
    ``function`` of the whole loop that is set there; NAME may be a Python file of the user's own, and is ``otherwise``
    if none is given. ``--resume RUN``, where ``kind`` has such a field, gives
    the configuration in that run's folder; settings that are newer than the run have their defaults.

    Raises:
      UsageError: if there is no such preset, or both are given.
      UserError: if the run's configuration or the user's own preset cannot be read.
    """
    preset, rest = take(words, "--preset")
    resumable = any(field.name == "resume" for field in fields(kind))
    resume, rest = take(rest, "--resume") if resumable else (None, rest)
    if preset is not None and resume is not None:
        raise UsageError("--resume takes its settings from the run's folder; leave out --preset")
    if resume is not None:
        return replace(load_config(Path(resume), kind, older=True), resume=Path(resume)), rest
    preset = preset or otherwise
    if preset is not None:
        return _configure(_load(preset, function), preset, function, kind), rest
    return None, rest


def take(words: Sequence[str], option: str) -> tuple[str | None, list[str]]:
    """The last value of ``option`` among ``words``, and the other words. Raises UsageError if a value is missing."""
    value, rest, remaining = None, [], iter(words)
    for word in remaining:
        if word == option:
            value = next(remaining, None)
            if value is None or value.startswith("--"):
                raise UsageError(f"{option} wants a value")
        elif word.startswith(option + "="):
            value = word.partition("=")[2]
        else:
            rest.append(word)
    return value, rest


def preset_names() -> list[str]:
    """Names of the presets that come with the project, without importing them."""
    package = importlib.util.find_spec(PACKAGE)
    places = package.submodule_search_locations if package else None
    return sorted(module.name for module in pkgutil.iter_modules(places or []) if not module.name.startswith("_"))


def presets_of(function: str) -> list[str]:
    """Names of those presets that have settings for the command of this function, without importing them."""
    found = []
    for name in preset_names():
        spec = importlib.util.find_spec(f"{PACKAGE}.{name}")
        source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
        defined = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
        if function in defined or (function in STAGES and defined & set(LOOPS)):
            found.append(name)
    return found


def _load(name: str, function: str) -> ModuleType:
    if name.endswith(".py"):
        return _load_file(Path(name), function)
    offered = presets_of(function)
    name = name.replace("-", "_")
    if name not in offered:
        close = difflib.get_close_matches(name, offered, n=1)
        hint = f"did you mean {close[0]}?" if close else _offer(offered)
        said = f"preset {name} has no settings for this command" if name in preset_names() else f"no preset {name}"
        raise UsageError(f"{said}; {hint}")
    return importlib.import_module(f"{PACKAGE}.{name}")


def _offer(presets: Sequence[str]) -> str:
    """What to name after --preset."""
    return f"presets of this command: {', '.join(presets)}" if presets else "name a Python file of your own"


def _load_file(path: Path, function: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"preset_{path.stem}", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise UsageError(f"no preset file {path}; name an existing one, or {_offer(presets_of(function))}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    with _users_own(path):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _users_own(path: Path) -> Iterator[None]:
    """Say in one line where the user's file ``path`` is wrong if it raises: it is theirs to mend, not a bug of ours."""
    try:
        yield
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if _same(frame.filename, path)]
        said, place = str(error), str(path)
        if isinstance(error, SyntaxError):
            said = error.msg
            lines = [error.lineno] if _same(error.filename or "", path) else lines
        if lines and lines[-1]:
            place += f", line {lines[-1]}"
        kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
        raise UserError(f"preset file {place}: {kind}{said}") from error


def _same(filename: str, path: Path) -> bool:
    return Path(filename).resolve() == path.resolve()


def _configure(module: ModuleType, name: str, function: str, kind: type) -> Any:
    """The settings that the preset ``module`` has for the command of ``function``.

    What a preset imports from another is none of its own.
    """
    users_own = _users_own(Path(name)) if name.endswith(".py") else nullcontext()
    with users_own:
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
    """The function of this name that ``module`` itself defines; None if it defines none."""
    make = getattr(module, function, None)
    return make if callable(make) and make.__module__ == module.__name__ else None
