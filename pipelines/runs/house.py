"""The house: five furnished rooms, 60 loose things of all kinds, and all language games, seen in 72x96 pixels.

Players, agent and settings of training are those of the flat (:mod:`pipelines.runs.flat`); it was not run either. What
differs: episodes are longer (450 steps, two minutes; the agent's own 300), as ways between rooms are, and there are
four times as many demonstrations, of which each shows a twentieth of the house. For the paper's own settings see
:mod:`pipelines.runs.paper`.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.iterate import IterateConfig
from pipelines.runs import flat

WORLD = replace(flat.WORLD, settings={"preset": "house"})


def iterate() -> IterateConfig:
    """`rlhf iterate --preset house`, and all six stages."""
    base = flat.iterate()
    return replace(
        base,
        demonstrations=replace(base.demonstrations, episodes=16_000, steps=450, world=WORLD),
        play=replace(base.play, steps=300, world=WORLD),
        improve=replace(base.improve, world=WORLD),
        evaluate=replace(base.evaluate, world=WORLD),
    )
