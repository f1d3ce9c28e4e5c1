"""The loop in the household: a helper of Alice is cloned from a scripted one, and improved by marks.

Differences from the paper's settings are listed in `pipelines/studies/household/marking/settings.py`.
"""

from __future__ import annotations

from pipelines.loops.demo import DemoConfig
from pipelines.studies.household.marking.settings import household_loop


def demo() -> DemoConfig:
    """`rlhf demo --preset household`."""
    return household_loop()
