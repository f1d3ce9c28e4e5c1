"""The paper's Figure 5: six probe tasks, agents that are cloned and agents that are improved, three seeds.

`rlhf reproduce probes` runs it on two CPU cores; docs/results.md has the time that it took. World, players and the
settings of every stage are those of :mod:`pipelines.runs.small`, which lists the differences from the paper. These
differ from it:

* Demonstrations have all six requests about equally often, and there are three times as many; cloning has three times
  as many updates.
* Twice as much of the agent's play is marked, and improvement has twice as many updates.
* Language is rewarded too, as in the paper: the marks have enough answers for it.

The reward models of "IBT" and "AR" have the demo's loss of unmarked drift, which is not in the paper: rewards are held
at 0 where raters watched and marked nothing. :mod:`pipelines.runs.ablations` has an arm without it.

"Larger BC" is of twice the parameters (micro), and learns at a rate that is lower by as much as it is wider.

The arm "BC, as many updates" continues cloning for as many updates as BC+RL has (the curve of Figure 5A): the same
learner with reinforcement learning's weights at 0.
"""

from __future__ import annotations

from dataclasses import replace

from agents.config import AgentConfig
from pipelines.runs import small
from pipelines.stages.clone import CloneConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.studies.config import PLAYER, Arm, StudyConfig

LARGER = "micro"
TASKS = {"go": 1.5, "lift": 1.5, "position": 1.5, "color": 1.0, "count": 0.7, "exist": 1.0}


def study() -> StudyConfig:
    """`rlhf reproduce probes`."""
    base, improve = small.loop(), improving()
    players = replace(base.demonstrations.players, tasks=TASKS)
    played = replace(base.play.players, tasks=TASKS)
    cloning = replace(base.clone, training=replace(base.clone.training, updates=9000))
    rewarding = replace(base.reward, training=replace(base.reward.training, updates=1100, evaluate_every=110))
    return StudyConfig(
        demonstrations=replace(base.demonstrations, episodes=6000, players=players),
        clones={PLAYER: cloning, LARGER: cloning_at(cloning, LARGER)},
        play=replace(base.play, episodes=1400, players=played),
        held_out_play=128,
        mark=base.mark,
        rewards={"ibt": rewarding, "ar": replace(rewarding, kind="autoregressive")},
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward="ibt", improve=improve),
            "BC+RL (AR)": Arm(reward="ar", improve=improve),
            "BC+RL (scripted reward)": Arm(improve=improve),
            "demonstrator": Arm(clone="scripted"),
            "BC, as many updates": Arm(improve=without_rewards(improve)),
            "larger BC": Arm(clone=LARGER),
        },
        evaluate=replace(base.evaluate, episodes=200, players=played),
        curves=("BC+RL (IBT)", "BC, as many updates"),
        also_compared_with=("larger BC",),  # which BC+RL beats in the paper
    )


def improving() -> ImproveConfig:
    """BC+RL of the studies on two CPU cores."""
    base = small.loop().improve
    return replace(
        base, updates=500, evaluate_every=50, checkpoint_every=100,
        learner=replace(base.learner, language_weight=0.1),
    )  # fmt: skip


def slower(size: str) -> float:
    """Return the factor of learning rates for ``size``: the width of the demo's agent over its own."""
    return AgentConfig.preset(small.loop().clone.size).width / AgentConfig.preset(size).width


def cloning_at(base: CloneConfig, size: str) -> CloneConfig:
    """Return the settings of cloning an agent of another size. Its learning rate follows :func:`slower`, untuned."""
    rate = base.training.learning_rate * slower(size)
    return replace(base, size=size, training=replace(base.training, learning_rate=rate))


def without_rewards(improve: ImproveConfig) -> ImproveConfig:
    """Return the same settings with only imitation: the losses on the agent's own play have weight 0."""
    imitating = replace(
        improve.learner, movement_weight=0.0, language_weight=0.0, value_weight=0.0, no_op_kl_weight=0.0
    )
    return replace(improve, learner=imitating)
