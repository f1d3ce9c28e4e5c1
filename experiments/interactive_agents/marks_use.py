"""Other uses of the same marks: a reward model and BC+RL, or refining on marked play, with and without BC+RL.

`rlhf reproduce marks-use`, on the demonstrations, the cloned agents, the play, the marks and the reward model of
:mod:`experiments.interactive_agents.plateau`, whose finished stages in a neighbouring folder are reused. The arms
differ only in what is learned from the marks (docs/using-marks.md). BC+RL has a third of `plateau`'s updates. Each
refinement has as many updates as that, of the same number of steps of play, at its learning rate. The methods' own
settings are the defaults; none was tuned.

* "BC+RL (IBT, more examples)" is against a reward model that also learns from stretches of progress played backwards
  and from plausible wrong answers (docs/reward-model.md).
* "BC, refined without marks" continues cloning of the demonstrations for as many updates as the other refinements: the
  loss on windows has the weight 0.
* Arms with "+ RL" are improved against the same reward model as "BC+RL (IBT)".
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from experiments.interactive_agents import plateau, probes
from pipelines.presets.small import refining
from rlhf.learning.refining_config import Method, RefiningConfig

NAMES: dict[Method, str] = {"weighted": "AWR", "conditioned": "RECAP", "kto": "KTO", "apo": "APO", "cpl": "CPL"}
MODEL = "later"  # the reward model of `plateau`


def experiment() -> ExperimentConfig:
    """`rlhf reproduce marks-use`."""
    base = plateau.experiment()
    improve = replace(plateau.improving(), updates=500, checkpoint_every=250)
    usual = base.rewards[MODEL]
    further = replace(usual, training=replace(usual.training, rewind=0.33, hard_answers=0.8))
    refined = {name: Arm(reward=MODEL, refine=method) for method, name in NAMES.items()}
    return replace(
        base,
        clones={name: base.clones[name] for name in (plateau.SHORT, PLAYER)},
        rewards={MODEL: usual, "further": further, "ar": replace(usual, kind="autoregressive")},
        refinements={
            **{method: refining(RefiningConfig(method=method), improve) for method in NAMES},
            "without marks": refining(RefiningConfig(method="apo", preference_weight=0.0), improve),
        },
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward=MODEL, improve=improve),
            "BC+RL (scripted reward)": Arm(improve=improve),
            "BC+RL (free marks)": Arm(reward=MODEL, marks=probes.FREE, improve=improve),
            **refined,
            "BC+RL (IBT, more examples)": Arm(reward="further", improve=improve),
            "BC+RL (AR)": Arm(reward="ar", improve=improve),
            **{f"{name} + RL": replace(arm, improve=improve) for name, arm in refined.items()},
            "BC, refined without marks": Arm(refine="without marks"),
        },
        curves=(),
        also_with_likeliest_words=False,
        also_compared_with=("BC+RL (IBT)",),
    )
