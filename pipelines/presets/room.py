"""The room: the demo's, with its players, its agent and its settings of training (:mod:`pipelines.presets.demo`).

`--preset room` is for every stage the same as `--preset demo`; `rlhf iterate --preset room` plays rounds of the demo.
It is the easiest of the houses room, flat, house and paper.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets.demo import demo


def iterate() -> LoopConfig:
    """`rlhf iterate --preset room`, and all six stages."""
    return replace(demo(), run=LoopConfig().run, rounds=2, single=False)
