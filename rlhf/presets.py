"""Where a command's settings start from: a preset, the run that is resumed, or the configuration's own defaults."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from rlhf.errors import UserError
from rlhf.run_config import load_config
from rlhf.usage import UsageError

PACKAGE = "pipelines.runs"


def starting_point(
    function: str, kind: type, words: Sequence[str], otherwise: str | None = None
) -> tuple[Any | None, list[str]]:
    """The configuration that the rest of the command line overrides, and that rest.

    ``--preset NAME`` gives what ``pipelines/runs/NAME.py``'s function ``function`` returns; NAME may be a Python file
    of the user's own, and is ``otherwise`` if none is given. ``--resume RUN``, where ``kind`` has such a field, gives
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
        return _configure(_load(preset), preset, function, kind), rest
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


def _load(name: str) -> ModuleType:
    if name.endswith(".py"):
        return _load_file(Path(name))
    known = preset_names()
    name = name.replace("-", "_")
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        raise UsageError(
            f"no preset {name}; " + (f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}")
        )
    return importlib.import_module(f"{PACKAGE}.{name}")


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"preset_{path.stem}", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise UsageError(f"no preset file {path}; name one of {', '.join(preset_names())} or an existing Python file")
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
    make = getattr(module, function, None)
    if not callable(make):
        raise UsageError(
            f"preset {name} has no settings for this command: {module.__file__} defines no function {function}()"
        )
    with _users_own(Path(name)) if name.endswith(".py") else nullcontext():
        config = make()
    if not isinstance(config, kind):
        raise UsageError(f"preset {name}: {function}() returned a {type(config).__name__}, not a {kind.__name__}")
    return config
