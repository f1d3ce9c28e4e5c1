"""Marks on the agent's own play against success: from none to thousands, beside marks that nobody has to give.

`rlhf reproduce how-many-marks`, with the settings of :mod:`pipelines.presets.demo`, and these differ:

* There are 6,000 episodes of the agent's own play instead of 700, of which the raters mark a part, and as many in
  held-out houses in proportion. Nobody marks demonstrations.
* "free" arms also learn from a mark of progress one step before each further request of the setter in the
  demonstrations (`rlhf mark --from requests`).
* "scripted reward" is the tasks' own success check: what this learner can reach with a perfect reward model.

Marks are counted on training and held-out play together, as one person gives them. The held-out ones select no model;
they show how well the kept one orders them.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from experiments.interactive_agents.probes import FREE, FREE_MARKS
from pipelines.presets.demo import demo

COUNTS = (100, 300, 600, 1000, 3000)
_MODEL = "ibt"


def experiment() -> ExperimentConfig:
    """`rlhf reproduce how-many-marks`."""
    settings = demo()
    every = replace(settings.mark, solver="agent")
    own = {**{str(count): replace(every, most=count) for count in COUNTS}, "all": every}
    marks = {
        FREE: (FREE_MARKS,),
        **{f"{count} and free": (mark, FREE_MARKS) for count, mark in own.items()},
        **{count: (mark,) for count, mark in own.items()},
    }
    arms = {_arm_name(way): Arm(reward=_MODEL, improve=settings.improve, marks=way) for way in marks}
    return ExperimentConfig(
        demonstrations=settings.demonstrations,
        clones={PLAYER: settings.clone},
        play=replace(settings.play, episodes=6000),
        held_out_play=600,
        mark=every,
        rewards={_MODEL: settings.reward},
        marks=marks,
        arms={"BC": Arm(), **arms, "BC+RL (scripted reward)": Arm(improve=settings.improve)},
        evaluate=settings.evaluate,
        also_evaluated_on=(),
        also_compared_with=(_arm_name(FREE),),
    )


def _arm_name(way: str) -> str:
    return f"BC+RL ({way} marks)"
