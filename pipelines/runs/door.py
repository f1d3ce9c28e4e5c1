"""Utility from crowd workers' clip pairs of the Adroit door, measured on people's judgements of other episodes.

`rlhf reproduce door --source FOLDER`, with the two files that docs/own-recordings.md names; about a minute a seed on
one core.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.studies.door import door_study


def published(source: Path, run: Path, seeds: Sequence[int]) -> Path:
    """`rlhf reproduce door`."""
    return door_study(source, run, seeds)
