"""Registries of users' own worlds, agents and reward models, each found by its name.

An entry comes from one of three places: a module of this project, a package that names the registering module under
an entry point group, or a Python file that is named by its path.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from worlds.errors import described
from worlds.foreign_code.faults import FOREIGN
from worlds.foreign_code.trust import UntrustedError, read_source
from worlds.foreign_code.watchdog import NoAnswer, load_foreign

Entry = TypeVar("Entry")

FILE_SUFFIX = ".py"


class Registry(Generic[Entry]):
    """Entries of one kind by name. The modules that register them are imported on demand.

    Args:
      noun: what messages call an entry, e.g. "world".
    """

    def __init__(self, noun: str, group: str, built_in: Mapping[str, str], error: type[Exception]) -> None:
        self.noun, self.group, self._built_in, self._error = noun, group, dict(built_in), error
        self._entries: dict[str, Entry] = {}
        self._of_file: dict[Path, str] = {}
        self._files: dict[Path, ModuleType] = {}

    def register(self, name: str, entry: Entry) -> Entry:
        """Register ``entry`` as ``name`` and return it. Raises ``error`` if another entry has that name."""
        if self._entries.get(name, entry) is not entry:
            raise self._error(f"another {self.noun} is registered as {name!r}; choose another name")
        self._entries[name] = entry
        return entry

    def get(self, name: str) -> Entry:
        """Return the entry of this name, or the one that the Python file of this path registers.

        Raises:
          error: no entry has that name (the message lists the names), or its module or file cannot be imported or does
            not register it.
        """
        if name not in self._entries and name.endswith(FILE_SUFFIX):
            name = self._registered_by(Path(name))
        if name not in self._entries:
            modules = self._modules()
            if name not in modules:
                raise self._error(
                    f"no {self.noun} named {name!r}; known: {', '.join(self.names())}, or the path of a Python file "
                    "that registers one"
                )
            self._import_module(modules[name], name)
        return self._entries[name]

    def names(self) -> list[str]:
        """Return the names of all entries, imported or not."""
        return sorted({*self._modules(), *self._entries})

    def is_announced(self, name: str) -> bool:
        """Return True if a module of this project, or one that an installed package names, registers this name."""
        return name in self._modules()

    def _modules(self) -> dict[str, str]:
        return self._built_in | {point.name: point.value for point in entry_points(group=self.group)}

    def _import_module(self, module: str, name: str) -> None:
        try:
            if name in self._built_in:
                importlib.import_module(module)
            else:
                load_foreign(module, partial(importlib.import_module, module))
        except FOREIGN as error:
            raise self._fails_to_import(f"{self.noun} {name!r}: its module {module}", error) from error
        if name not in self._entries:
            raise self._error(
                f"{self.noun} {name!r}: its module {module} registers no {self.noun} of that name; name the module "
                f"that calls register in the entry point of the group {self.group}"
            )

    def import_file(self, path: Path) -> ModuleType:
        """Import the Python file ``path``, once.

        Raises:
          error: there is no such file, or it fails to import.
          UntrustedError: the user has neither named nor trusted it.
        """
        path = path.resolve()
        if path in self._files:
            return self._files[path]
        if not path.is_file():
            raise self._error(f"no {self.noun} file {path}; known by name: {', '.join(self.names())}")
        try:
            self._files[path] = load_foreign(str(path), partial(_run_file, path))
        except UntrustedError:
            raise
        except FOREIGN as error:
            raise self._fails_to_import(f"{self.noun} file {path}", error) from error
        return self._files[path]

    def _registered_by(self, path: Path) -> str:
        """Import the Python file ``path`` and return the name of the one entry that it registers."""
        path = path.resolve()
        if path in self._of_file:
            return self._of_file[path]
        before = {*self._entries, *self._built_in}  # the file may build on one of ours
        self._files.pop(path, None)  # an import for another purpose, or a failed one, may have been before
        self.import_file(path)
        added = sorted(set(self._entries) - before)
        if len(added) != 1:
            raise self._error(
                f"{self.noun} file {path} registers {len(added)} {self.noun}s ({', '.join(added) or 'none'}); "
                "call register exactly once in it"
            )
        self._of_file[path] = added[0]
        return added[0]

    def _fails_to_import(self, what: str, error: BaseException) -> Exception:
        if isinstance(error, NoAnswer):
            return self._error(str(error))
        return self._error(f"{what} fails to import: {described(error)}")


def _run_file(path: Path) -> ModuleType:
    """Import a file outside all packages, under a module name of its own.

    What is compiled are the bytes whose digest was checked; a cached ``.pyc`` beside the file is not read.
    """
    source = read_source(path)
    name = f"{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module
