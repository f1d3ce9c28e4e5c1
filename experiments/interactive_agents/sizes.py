"""The paper's Figure 8: success of larger agents, cloned and improved.

`rlhf reproduce sizes`, on the demonstrations, the play, the marks and the settings of
:mod:`experiments.interactive_agents.probes`. As in the paper, an arm's size is that of its cloned agent, its reward
model and its improved agent.

* All sizes see the same recordings, in 36x48 pixels. The paper's sizes (5m, 18m) are for 72x96 pixels, but any size
  adapts to its recordings: here all have 12x12 pixels a token, 3x4 tokens. As in the paper, depth of the encoder and
  widths grow; from micro to 5m also the Transformer's layers, from 1 to 8.
* All are trained on the same marks, on the play of the nano agent, whose setters are replayed.
* Updates and batches are the same. Learning rates fall as one over the Transformer's width, from nano's. This rule was
  not tuned.
* 71m and 165m can be cloned (`rlhf clone --size`), but are left out: they need more play.

5m and 18m need a GPU: `rlhf reproduce sizes --device cuda`, or `--arms` chooses some arms. The table lists arms that
were not run. BC+RL is compared with BC of its own size, and BC with that of nano.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from experiments.interactive_agents import probes
from pipelines.presets import small
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import RewardConfig

SIZES = ("nano", "micro", "5m", "18m")


def experiment() -> ExperimentConfig:
    """`rlhf reproduce sizes`."""
    base, improve = probes.experiment(), small.longer().improve
    clones, rewards, cloned, improved = {}, {}, {}, {}
    for size in SIZES:
        name = PLAYER if size == SIZES[0] else size
        clones[name] = small.cloning_at(base.clones[PLAYER], size)
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
    return replace(base, training=small.at_rate(base.training, small.slower(size)))


def _improving(base: ImproveConfig, size: str) -> ImproveConfig:
    return replace(base, learner=small.at_rate(base.learner, small.slower(size)))
