"""Case studies of the SocialAI school: pointing, language, joint attention, imitation, role reversal and others.

`rlhf reproduce school --parts pointing`; `--parts pointing/full` has as many frames as the paper, and
`--parts pointing/ppo` learns by PPO on Ray. `--parts language-models --source FOLDER` lets a language model act.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.studies.school.study import school_study


def staged(run: Path, seeds: Sequence[int], parts: Sequence[str], source: Path | None = None) -> Path:
    """`rlhf reproduce school`."""
    return school_study(run, seeds, parts, language_model=source)
