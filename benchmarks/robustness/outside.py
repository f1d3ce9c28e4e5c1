"""Files that no command may change, and the check that they are unchanged."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path


def make_outside(folder: Path, like: Path | None = None) -> Path:
    """Make a folder of foreign files, some of them named and filled as those of a dataset or an agent are."""
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work\n")
    (folder / "secret").write_bytes(bytes(range(256)))
    for table in ("episodes", "steps", "marks", "judgements"):
        (folder / table).mkdir()
        for name in ("e1.parquet", "e1.parquet.part", "dataset.json.part"):
            (folder / table / name).write_bytes(f"{table} of another program".encode())
    if like is not None:
        shutil.copytree(like, folder / "copy")
    return folder


def digest(folder: Path) -> dict[str, str]:
    """Return type, mode and content of everything in ``folder``, by relative path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        stat = path.lstat()
        if path.is_symlink():
            content = os.readlink(path)
        else:
            content = "" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        found[str(path.relative_to(folder))] = f"{stat.st_mode:o} {content}"
    return found


def touched(before: dict[str, str], folder: Path) -> str | None:
    """Describe the first difference of ``folder`` from ``before``; None if there is none."""
    after = digest(folder)
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if not changed:
        return None
    name = changed[0]
    what = "removed" if name not in after else "made" if name not in before else "changed"
    return f"outside the dataset {name} was {what}"
