"""The folder that an agent is about to be written into."""

from __future__ import annotations

from pathlib import Path


def make_own_folder(folder: Path) -> None:
    """Make ``folder`` and remove links in it: a folder from elsewhere may link files that are not the agent's."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.is_symlink():
            path.unlink()
