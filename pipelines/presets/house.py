"""The house: five furnished rooms, 60 loose things of all kinds, and all language games, seen in 72x96 pixels.

Players are those of the flat (:mod:`pipelines.presets.flat`). It was not run; a GPU (`--device cuda`) is advisable.
What differs:

* The agent is `micro`: one layer, 1.3 million parameters. `mini`, made for this size of picture, has 30 visual tokens
  of 16x16 pixels instead of 48, which put several small things into one.
* Episodes are longer (450 steps, two minutes; the agent's own 300), as ways between rooms are, and there are 16,000
  demonstrations, of which each shows a part of a house.
* Windows have 8 steps, those of the reward model 100, and there are more updates.
* Scripted raters give 14 marks in five minutes. Those of the paper did (section 3.2), and its totals say the same:
  5,104,000 marks over 364,690 episodes are 14.0 an episode. Its A.2, on what is marked, has no number.

For the paper's own settings see :mod:`pipelines.presets.paper`.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import flat
from pipelines.stages.mark import MarkConfig

SIZE = "micro"
PAPERS_DENSITY = 14.0  # marks in five minutes (section 3.2)
WORLD = replace(flat.WORLD, settings={"preset": "house"})


def iterate() -> LoopConfig:
    """`rlhf iterate --preset house`, and all six stages."""
    base = flat.iterate()
    return replace(
        base,
        world=WORLD,
        demonstrations=replace(base.demonstrations, episodes=16_000, steps=450),
        clone=flat.cloning(SIZE, updates=20_000, steps=8, batch=96),
        play=replace(base.play, episodes=3000, steps=300),
        held_out_play=128,
        mark=MarkConfig(per_five_minutes=PAPERS_DENSITY),
        reward=flat.rewarding(SIZE, updates=2200, steps=100),
        improve=replace(flat.improving(SIZE, updates=1000), replay=None),
        evaluate=replace(base.evaluate, episodes=100),
    )
