"""Parts of the experiment of Watch-And-Help, in the order in which they run.

A part is a module with two functions. ``run(folder, seeds)`` writes its files into the experiment's folder, and leaves
out what is there already. ``section(folder)`` returns what it adds to the page of results: Markdown with tables, or ""
if it has not run.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from pipelines.stages.running.staged_run import Stage
from worlds.errors import UserError

MODULES: Mapping[str, str] = {
    "watch": "experiments.watch_and_help.watching.part",
    "policies": "experiments.watch_and_help.policies.part",
    "marks": "experiments.watch_and_help.marking.part",
    "help": "experiments.watch_and_help.helping.part",
}


class Part(Protocol):
    """Module of one part."""

    def stages(self, folder: Path, seed: int) -> Iterable[Stage]:
        """Return the stages of one seed.

        Args:
          folder: of the whole experiment, where the parts also find each other's results.
          seed: of all chance.
        """
        ...

    def section(self, folder: Path) -> str:
        """Return the part's results so far, Markdown; "" if there are none.

        Args:
          folder: of the whole experiment.
        """
        ...


def load_parts(wanted: Sequence[str] = (), modules: Mapping[str, str] = MODULES) -> dict[str, Part]:
    """Return parts by name, in the order in which they run.

    Args:
      wanted: their names; none means all that this version has.
      modules: of all parts, by name.

    Raises:
      UserError: there is no such part.
    """
    present = [name for name, module in modules.items() if _exists(module)]
    if unknown := [name for name in wanted if name not in present]:
        raise UserError(f"no part {unknown[0]!r}; known: {', '.join(present)}")
    chosen = [name for name in present if name in wanted or not wanted]
    return {name: cast(Part, importlib.import_module(modules[name])) for name in chosen}


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the folder
        return False
