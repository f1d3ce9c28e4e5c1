"""Ablations of BC+RL: the agent of Figure 5, each time without one part.

`rlhf reproduce ablations`, on the demonstrations, marks and settings of :mod:`experiments.interactive_agents.probes`.

* Without CSS: neither the cloned agent, nor the reward model, nor BC+RL has the contrastive loss.
* Without BC: recorded play is not imitated while the agent is improved (CSS stays).
* Without augmentation: the reward model sees no exchanged words.
* Without the loss of unmarked drift: the reward model has the losses of the paper and no other. In all other arms that
  are called IBT its rewards are also held at 0 where raters watched and marked nothing (``unmarked_drift_weight``).
* Without KL: no loss holds the decision to speak near the cloned agent's.
* Utility as reward: the reward of a step is U itself, not its change (Eq. 2).
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import Arm, ExperimentConfig
from experiments.interactive_agents import probes
from pipelines.presets import small


def experiment() -> ExperimentConfig:
    """`rlhf reproduce ablations`."""
    base, improve = probes.experiment(), small.longer().improve
    learner, cloning, rewarding = improve.learner, base.clones["bc"], base.rewards["ibt"]
    no_css = replace(improve, learner=replace(learner, css_weight=0.0))
    no_bc = replace(improve, learner=replace(learner, bc_movement_weight=0.0, bc_language_weight=0.0))
    return replace(
        base,
        clones={"bc": cloning, "no css": replace(cloning, training=replace(cloning.training, css_weight=0.0))},
        rewards={
            "ibt": rewarding,
            "ibt no css": replace(rewarding, training=replace(rewarding.training, css_weight=0.0)),
            "ibt no unmarked drift": replace(
                rewarding, training=replace(rewarding.training, unmarked_drift_weight=0.0)
            ),
            "ibt no augmentation": replace(rewarding, training=replace(rewarding.training, augmentation=0.0)),
        },
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward="ibt", improve=improve),
            "without BC": Arm(reward="ibt", improve=no_bc),
            "without KL": Arm(reward="ibt", improve=replace(improve, learner=replace(learner, no_op_kl_weight=0.0))),
            "without augmentation": Arm(reward="ibt no augmentation", improve=improve),
            "without unmarked drift": Arm(reward="ibt no unmarked drift", improve=improve),
            "utility as reward": Arm(reward="ibt", improve=replace(improve, pays="utility")),
            "BC, without CSS": Arm(clone="no css"),
            "without CSS": Arm(clone="no css", reward="ibt no css", improve=no_css),
        },
        curves=(),
        also_compared_with=(),
    )
