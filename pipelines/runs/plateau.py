"""How far the method comes with time: the agents of `rlhf reproduce probes`, trained until they level off.

`rlhf reproduce plateau`, on the demonstrations, the cloned agents, the play and the marks of
:mod:`pipelines.runs.probes`. Only the number of updates differs.

* "BC, longer" is cloned with four times the updates.
* BC+RL has six times the updates. With the scripted reward, which cannot be over-optimised, it shows what the learner
  can reach here; against the reward model of marks (IBT, each mark read three steps later, as it was the more reliable
  in :mod:`pipelines.runs.raters`), what marks give. Guards raise alarms and do not stop it.
* "BC+RL after longer BC" begins with the agent that was cloned for longer, and has the scripted reward.
* Every checkpoint of BC+RL, 250 updates apart, is evaluated at all six probes.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.runs import probes, raters
from pipelines.studies.config import EVERY_PROBE, PLAYER, Arm, StudyConfig

LONGER = "longer"
FOLLOWED = "BC+RL (scripted reward)", "BC+RL (IBT, read later)", "BC+RL after longer BC"


def study() -> StudyConfig:
    """`rlhf reproduce plateau`."""
    base = probes.study()
    cloning = base.clones[PLAYER]
    improve = replace(probes.improving(), updates=3000, checkpoint_every=250)
    scripted, marked, longer = FOLLOWED
    return replace(
        base,
        clones={
            PLAYER: cloning,
            LONGER: replace(cloning, training=replace(cloning.training, updates=4 * cloning.training.updates)),
        },
        rewards={"later": raters.study().rewards["later"]},
        arms={
            "BC": Arm(),
            scripted: Arm(improve=improve),
            "BC, longer": Arm(clone=LONGER),
            marked: Arm(reward="later", improve=improve),
            longer: Arm(clone=LONGER, improve=improve),
            "demonstrator": Arm(clone="scripted"),
        },
        curves=FOLLOWED,
        curve_probe=EVERY_PROBE,
        curve_episodes=50,
        also_compared_with=("BC, longer",),
    )
