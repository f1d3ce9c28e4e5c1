"""The paper's settings, in the house: five minutes of play (1,125 steps), 72x96 pixels, A.7, an agent of 5m.

Of A.7, in cloning, reward model and BC+RL: T = 50, B = 96 of each kind of actor, weights 1 and 5 of BC, 1 of CSS, 0.5
and 0.1 of RL, 1 of the value, 1e-3 of the no-op KL; discount 0.96; Adam with beta1 = 0, beta2 = 0.999 and 1e-4, without
warm-up or decay. Of section 4: the loss is the plain mean over pairs, a third of the episodes is augmented, nothing
holds unmarked rewards at 0. Of section 3.2: 14 marks in five minutes. Rounds (`rlhf iterate --preset paper`) are two.

It was not trained: it needs a GPU (`--device cuda`), and many processors for play. On two cores without one,
stages from play to BC+RL made a few updates with 16 instead of 96 of each kind of actor, in 10 GiB of memory; an update
of cloning with 96 needs about 35 GiB (LOG.md).

Differences from the paper:

* People are scripted: setters, demonstrators and raters. Setters ask in the language games of A.8, all equally often,
  after pauses as people's, without A.8's modifiers, and say nothing else.
* The house, its kinds of thing and its physics are ours (docs/playhouse.md).
* A movement of a step has other components and bins (docs/agents.md); the paper does not state its own.
* 5 million parameters are the smallest of its four sizes; its main results are of 71m (`--size 71m`). Widths are ours.
* 10,000 demonstrations, and 10,000 episodes of the agent's play a round. The paper has marks on 364,690 episodes, of
  play of people with people, with agents, and with agents that people take over from.
* Numbers of updates are ours: 200,000 of cloning, 50,000 of the reward model, 100,000 of BC+RL.
* Gradients are clipped at a norm of 10, which the paper does not mention.
* Marks are all of one rater, who overlooks and errs by settings (`rlhf mark`).
* One machine plays and learns (`--executor ray` takes several); the paper's actors and learner are distributed.
* Agents are evaluated by the simulation's own checks at scripted requests, on language games; the paper has people
  judge, and scripted probe tasks.
"""

from __future__ import annotations

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import flat, house
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from reward_models.learning.config import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.learning.config import LearnerConfig

FIVE_MINUTES = 1125  # steps
WORLD = WorldConfig("playhouse", 72, 96, settings=house.WORLD.settings, options={"hands": "full"})
_PLAYERS = PlayersConfig(tasks=flat.TASKS, setter={}, solver={})  # their defaults are as people


def iterate() -> LoopConfig:
    """`rlhf iterate --preset paper`, and all six stages."""
    record = RecordConfig(episodes=10_000, steps=FIVE_MINUTES, slots=96, players=_PLAYERS)
    return LoopConfig(
        rounds=2,
        world=WORLD,
        demonstrations=record,
        clone=CloneConfig(size="5m", checkpoint_every=2000, training=cloning()),
        play=record,
        held_out_play=500,
        mark=MarkConfig(per_five_minutes=house.PAPERS_DENSITY),
        reward=RewardConfig(imitate="all", checkpoint_every=2000, training=rewarding()),
        improve=improving(),
        evaluate=EvaluateConfig(probes=flat.EVALUATED, episodes=200),
    )


def cloning() -> CloningConfig:
    """A.7, in cloning."""
    return CloningConfig(
        updates=200_000, steps=50, batch=96, movement_weight=1.0, language_weight=5.0, css_weight=1.0,
        learning_rate=1e-4, beta1=0.0, beta2=0.999, warmup=0, decay=1.0, evaluate_every=2000,
    )  # fmt: skip


def rewarding() -> RewardTrainingConfig:
    """A.7 and section 4, in training the reward model."""
    return RewardTrainingConfig(
        updates=50_000, steps=50, batch=96, movement_weight=1.0, language_weight=5.0, css_weight=1.0,
        learning_rate=1e-4, beta1=0.0, beta2=0.999, warmup=0, decay=1.0, evaluate_every=1000,
        weighting="pairs", augmentation=0.33,
    )  # fmt: skip


def improving() -> ImproveConfig:
    """A.7, in BC+RL."""
    return ImproveConfig(
        steps=50, slots=96, batch=96, updates=100_000, evaluate_every=2000, checkpoint_every=1000,
        learner=LearnerConfig(
            rl_movement_weight=0.5, rl_language_weight=0.1, value_weight=1.0,
            bc_movement_weight=1.0, bc_language_weight=5.0, css_weight=1.0,
            no_op_kl_weight=1e-3, discount=0.96, learning_rate=1e-4, beta1=0.0, beta2=0.999,
        ),
    )  # fmt: skip
