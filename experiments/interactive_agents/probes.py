"""The paper's Figure 5: six probe tasks, agents that are cloned and agents that are improved, three seeds.

`rlhf reproduce probes` runs it on two CPU cores; RESULTS.md has the time that it took. World, players and the
settings of every stage are those of :mod:`pipelines.presets.small`, which lists the differences from the paper. These
differ from it:

* Demonstrations have all six requests about equally often, and there are three times as many; cloning has three times
  as many updates.
* Twice as much of the agent's play is marked, and improvement has twice as many updates.
* Language is rewarded too, as in the paper: the marks have enough answers for it.

The reward models of "IBT" and "AR" have the demo's loss of unmarked drift, which is not in the paper: rewards are held
at 0 where raters watched and marked nothing. :mod:`experiments.interactive_agents.ablations` has an arm without it.

"Larger BC" is of twice the parameters (micro), and learns at a rate that is lower by as much as it is wider.

"BC+RL (free marks)" is the baseline without raters: the reward model learns from a mark of progress one step before
each further request of the setter in the demonstrations (`rlhf mark --from requests`).

The arm "BC, as many updates" continues cloning for as many updates as BC+RL has (the curve of Figure 5A): the same
learner with reinforcement learning's weights at 0.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from pipelines.presets import small
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from rlhf.records.episode import SCRIPTED

LARGER, FREE = "micro", "free"
FREE_MARKS = MarkConfig(from_="requests", solver=SCRIPTED)


def experiment() -> ExperimentConfig:
    """`rlhf reproduce probes`."""
    base = small.longer()
    return ExperimentConfig(
        demonstrations=base.demonstrations,
        clones={PLAYER: base.clone, LARGER: small.cloning_at(base.clone, LARGER)},
        play=base.play,
        held_out_play=base.held_out_play,
        mark=base.mark,
        marks={FREE: (FREE_MARKS,)},
        rewards={"ibt": base.reward, "ar": replace(base.reward, kind="autoregressive")},
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward="ibt", improve=base.improve),
            "BC+RL (AR)": Arm(reward="ar", improve=base.improve),
            "BC+RL (scripted reward)": Arm(improve=base.improve),
            "BC+RL (free marks)": Arm(reward="ibt", marks=FREE, improve=base.improve),
            "demonstrator": Arm(clone="scripted"),
            "BC, as many updates": Arm(improve=without_rewards(base.improve)),
            "larger BC": Arm(clone=LARGER),
        },
        evaluate=base.evaluate,
        curves=("BC+RL (IBT)", "BC, as many updates"),
        also_compared_with=("larger BC",),  # which BC+RL beats in the paper
    )


def without_rewards(improve: ImproveConfig) -> ImproveConfig:
    """Return the same settings with only imitation: the losses on the agent's own play have weight 0."""
    imitating = replace(
        improve.learner, rl_movement_weight=0.0, rl_language_weight=0.0, value_weight=0.0, no_op_kl_weight=0.0
    )
    return replace(improve, learner=imitating)
