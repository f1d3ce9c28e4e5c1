"""`rlhf runs list|compare`: a table of the runs under a folder, and the differences of some runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rlhf.run.setting_forms import RunFolder, RunFolders
from worlds.settings import settings

_LONGEST_VALUE = 40  # characters of a setting's value in a table


@settings
class ListRunsConfig:
    """Settings of `rlhf runs list`.

    Args:
      runs: folder of the runs; runs in its subfolders are listed too.
      json: print JSON instead of a table.
    """

    runs: RunFolder = Path("runs")
    json: bool = False


@settings
class CompareRunsConfig:
    """Settings of `rlhf runs compare`.

    Args:
      runs: folders of two runs or more.
      json: print JSON instead of tables.
    """

    runs: RunFolders = ()
    json: bool = False


def list_runs(config: ListRunsConfig) -> None:
    """Print the runs under a folder, oldest first.

    Raises:
      UserError: if there is no such folder.
    """
    from pipelines.report import runs

    rows = runs.list_runs(config.runs)
    if config.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    elif not rows:
        print(f"no runs in {config.runs}")
    else:
        print(_table(("run", "stage", "state", "updates", "date"), [_cells(row) for row in rows]))
        for row in rows:
            if row.headline:
                print(f"\n{row.folder}: {row.headline}")


def compare_runs(config: CompareRunsConfig) -> None:
    """Print in which settings and results some runs differ.

    Raises:
      UserError: if there are fewer than two, or one is no run's folder.
    """
    from pipelines.report import runs

    found = runs.compare_runs(config.runs)
    if config.json:
        print(json.dumps(asdict(found), indent=2))
        return
    folders = [row.folder for row in found.runs]
    print(_table(("run", "stage", "state", "updates", "date"), [_cells(row) for row in found.runs]))
    if found.settings:
        lines = [(name, *map(_short, values)) for name, values in found.settings.items()]
        print("\n" + _table(("setting", *folders), lines))
    else:
        print("\nall settings are the same")
    if found.results:
        lines = [
            (name, *("-" if value is None else f"{value:.3f}" for value in values))
            for name, values in found.results.items()
        ]
        print("\n" + _table(("result", *folders), lines))


def _cells(row: Any) -> tuple[str, ...]:
    updates = "-" if row.updates is None else f"{row.updates:,}/{row.of:,}" if row.of else f"{row.updates:,}"
    return row.folder, row.stage, row.state, updates, row.created[:16].replace("T", " ")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def _table(titles: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Format columns of text, each as wide as its longest cell."""
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (titles, *lines)
    )
