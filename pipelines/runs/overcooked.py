"""Agents cloned from people's games of Overcooked-AI, measured on what other people did; a utility from deliveries.

`rlhf reproduce overcooked --source FOLDER`, with the files that docs/own-recordings.md names; about 3 minutes of
processor time a seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.studies.overcooked import overcooked_study


def published(source: Path, run: Path, seeds: Sequence[int]) -> Path:
    """`rlhf reproduce overcooked`."""
    return overcooked_study(source, run, seeds)
