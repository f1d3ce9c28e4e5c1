"""The room: the demo's, with its players, its agent and its settings of training (:mod:`pipelines.presets.demo`).

`--preset room` is for every stage the same as `--preset demo`; `rlhf iterate --preset room` plays rounds of the demo.
It is the easiest of the houses room, flat, house and paper.
"""

from __future__ import annotations

from pipelines.loops.iterate import IterateConfig
from pipelines.presets.demo import demo


def iterate() -> IterateConfig:
    """`rlhf iterate --preset room`, and all six stages."""
    whole = demo()
    return IterateConfig(
        demonstrations=whole.demonstrations,
        clone=whole.clone,
        play=whole.play,
        held_out_play=whole.held_out_play,
        mark=whole.mark,
        reward=whole.reward,
        improve=whole.improve,
        evaluate=whole.evaluate,
    )
