"""Case studies of the SocialAI school: pointing, language, joint attention, imitation, role reversal and others.

`rlhf reproduce school --parts pointing`; `--parts pointing/full` has as many frames as the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.studies.school.study import school_study


def staged(run: Path, seeds: Sequence[int], parts: Sequence[str]) -> Path:
    """`rlhf reproduce school`."""
    return school_study(run, seeds, parts)
