"""The paper's Figure 8: what larger agents reach, cloned and improved.

`rlhf reproduce sizes`, on the demonstrations, the play, the marks and the settings of :mod:`pipelines.runs.probes`. As
in the paper an arm's size is that of all that is trained for it: the cloned agent, its reward model and the agent that
is improved.

* All sizes see the same recordings, in 36x48 pixels. Those of the paper (5m, 18m) are made for 72x96, but any size
  takes its recordings' pictures: here all of them look through 12x12 pixels a token, 3x4 tokens. What grows is what the
  paper grows, depth of the encoder and widths; from micro to 5m also the Transformer's layers, from 1 to 8.
* All learn from the same marks, on the play of the nano agent, and its setters are replayed.
* Updates and batches are the same. Rates of learning fall as one over the Transformer's width, from nano's: networks of
  other widths are not at their best at one rate. These rates were chosen by that rule and not tuned.
* 71m and 165m can be cloned (`rlhf clone --size`), but are not in here: so little play is not what they are for.

5m and 18m are for a GPU: `rlhf reproduce sizes --device cuda`, or with `--arms` those one has the time for. What was
not run is said to be so in the table. BC+RL is compared with BC of its own size, and BC with that of nano.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.runs import probes
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import RewardConfig
from pipelines.studies.config import PLAYER, Arm, StudyConfig

SIZES = ("nano", "micro", "5m", "18m")


def study() -> StudyConfig:
    """`rlhf reproduce sizes`."""
    base, improve = probes.study(), probes.improving()
    clones, rewards, cloned, improved = {}, {}, {}, {}
    for size in SIZES:
        name = PLAYER if size == SIZES[0] else size
        clones[name] = probes.cloning_at(base.clones[PLAYER], size)
        rewards[size] = _rewarding(base.rewards["ibt"], size)
        cloned[f"BC, {size}"] = Arm(clone=name)
        improved[f"BC+RL, {size}"] = Arm(clone=name, reward=size, improve=_improving(improve, size))
    pairs = zip(cloned.items(), improved.items(), strict=True)
    return replace(
        base,
        clones=clones,
        rewards=rewards,
        arms=dict(arm for pair in pairs for arm in pair),
        compared_with=f"BC, {SIZES[0]}",
        lines={kind: {size: f"{kind}, {size}" for size in SIZES} for kind in ("BC", "BC+RL")},
        curves=(),
        also_compared_with=(),
    )


def _rewarding(base: RewardConfig, size: str) -> RewardConfig:
    rate = base.training.learning_rate * probes.slower(size)
    return replace(base, training=replace(base.training, learning_rate=rate))


def _improving(base: ImproveConfig, size: str) -> ImproveConfig:
    return replace(base, learner=replace(base.learner, learning_rate=base.learner.learning_rate * probes.slower(size)))
