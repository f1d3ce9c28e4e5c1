"""Packages that are installed while a test runs, as pip installs them: a module, and a folder of metadata beside it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def installed(folder: Path, group: str, name: str, source: str) -> Iterator[Path]:
    """Install a package that announces one entry point, whose module is named as the entry, with ``_module`` behind.

    Args:
      folder: where packages are found; it is on ``sys.path`` in the body.
      group: of the entry point.
      name: of the entry point and of the package.
      source: of the module.

    Yields:
      The module's file.
    """
    module = f"{name}_module"
    file, metadata = folder / f"{module}.py", folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
    file.write_text(source)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield file
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(module, None)
        importlib.invalidate_caches()
