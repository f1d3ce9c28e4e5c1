"""Watch-And-Help: goals inferred from demonstrations, learned policies, and helpers beside Alice in held-out homes.

`rlhf reproduce watch-and-help`; `--parts watch`, `--parts help` and so on run one part.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.studies.household.study import household_study
from worlds.errors import UserError


def staged(run: Path, seeds: Sequence[int], parts: Sequence[str], source: Path | None = None) -> Path:
    """`rlhf reproduce watch-and-help`."""
    if source is not None:
        raise UserError("watch-and-help needs no files of others: leave out --source")
    return household_study(run, seeds, parts)
