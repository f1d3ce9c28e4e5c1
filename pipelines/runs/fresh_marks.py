"""Whose play to mark once a reward model is used up, at the six probes.

`rlhf reproduce fresh-marks --source runs/reproduce/plateau`, for seeds of `plateau` that are complete, without those
of "default". Its "BC+RL (IBT, read later)" is improved further, by half as many updates, with the learner of `plateau`,
in four ways that start alike:

* "same reward model": against the reward model that it was improved against already.
* "BC's play marked": against a reward model that learns from a third more marked play, of the cloned agent. The marks
  of `plateau` are on its play, too, and on demonstrations.
* "its own play marked": the same, but the further play is of the improved agent (the second round of the paper's
  Figure 9).
* "both marked": against a reward model that learns from both.

Houses, requests, raters and the reward models' settings are the same for all. The reward models start from the cloned
agent. Fresh setters are not replayed: BC+RL replays those of `plateau`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.runs import plateau
from pipelines.studies.fresh_marks import FreshMarksConfig, fresh_marks_study


def further(source: Path, run: Path, seeds: Sequence[int]) -> Path:
    """`rlhf reproduce fresh-marks`."""
    scripted, marked, _ = plateau.FOLLOWED
    return fresh_marks_study(
        FreshMarksConfig(source=source, arm=marked, beside=(scripted, "demonstrator"), run=run, seeds=tuple(seeds))
    )
