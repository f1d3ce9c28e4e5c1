"""How far the method comes with time: agents that see better and are trained until they level off, three seeds.

`rlhf reproduce plateau`. World, players and raters are those of :mod:`experiments.interactive_agents.probes`, and so
are the settings of the stages, but for these:

* There are 20,000 demonstrations, more than three times as many.
* The agent has normed blocks in its image encoder and a glimpse (:class:`agents.config.AgentConfig`), and reads whole
  requests. It is cloned with nearly three times the updates, and then with half as many in windows of 16 steps, in
  which its memory learns to look for things, and answers become surer.
* There are 6,000 episodes of its own play instead of 1,400. They have up to 96 steps a request instead of 40, as
  putting one thing beside another takes that long, and end soon after a request is fulfilled or was answered wrongly.
* BC+RL has three times the updates, on windows twice as long of half as many episodes. What is said is rewarded and
  imitated with the weights of what is done: with imitation as heavy as in the paper, answers stay as unsure as BC's.
  The image encoder stays as cloned, which makes updates cheaper. The learning rate falls to a tenth. The discount of
  .98, instead of .96, leaves looking around before an answer worth the time.
* A further table has all agents saying the likeliest words when they speak. A drawn answer is right less often, and
  the first one counts.
* The reward model reads marks three steps later, as it was the more reliable in
  :mod:`experiments.interactive_agents.raters`. It has nearly three times the updates, for more than three times the
  marked episodes.

"default BC" and "default BC+RL" have the agent and the learner of :mod:`experiments.interactive_agents.probes` with as
many updates, on the same demonstrations: their cloning has as many as both cloned parts together. Guards raise alarms
and do not stop a training. Every checkpoint of BC+RL, 300 updates apart, is evaluated at all six probes.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import EVERY_PROBE, PLAYER, Arm, ExperimentConfig
from experiments.interactive_agents import probes, raters
from pipelines.presets import small
from pipelines.stages.improve_config import ImproveConfig

SHORT, DEFAULT = "short", "default"  # cloned agents: by short windows, with which the player begins, and as before
FOLLOWED = "BC+RL (scripted reward)", "BC+RL (IBT, read later)", "default BC+RL (scripted reward)"


def experiment() -> ExperimentConfig:
    """`rlhf reproduce plateau`."""
    base = probes.experiment()
    cloning = replace(base.clones[PLAYER], checkpoint_every=3000)
    short = replace(
        cloning, network={"vision_norm": True, "glimpse": True}, text_length="auto",
        training=replace(cloning.training, updates=24_000),
    )  # fmt: skip
    further = replace(
        cloning,
        training=replace(cloning.training, updates=12_000, steps=16, batch=12, learning_rate=5e-4),
    )
    longer = short.training.updates + further.training.updates
    as_before = replace(small.longer().improve, updates=improving().updates, checkpoint_every=300)
    rewarding = raters.experiment().rewards["later"]
    scripted, marked, default = FOLLOWED
    return replace(
        base,
        demonstrations=replace(base.demonstrations, episodes=20_000),
        clones={
            SHORT: short,
            PLAYER: further,
            DEFAULT: replace(cloning, training=replace(cloning.training, updates=longer)),
        },
        begins_with={PLAYER: SHORT},
        play=replace(base.play, episodes=6000, steps=96, tail=16),
        also_with_likeliest_words=True,
        rewards={"later": replace(rewarding, training=replace(rewarding.training, updates=3000, evaluate_every=300))},
        arms={
            "BC": Arm(),
            scripted: Arm(improve=improving()),
            marked: Arm(reward="later", improve=improving()),
            "BC+RL (free marks)": Arm(reward="later", marks=probes.FREE, improve=improving()),
            "demonstrator": Arm(clone="scripted"),
            "default BC": Arm(clone=DEFAULT),
            default: Arm(clone=DEFAULT, improve=as_before),
        },
        curves=FOLLOWED,
        curve_probe=EVERY_PROBE,
        curve_episodes=50,
        also_compared_with=(default,),
    )


def improving() -> ImproveConfig:
    """BC+RL until it levels off."""
    base = small.longer().improve
    return replace(
        base, updates=1500, steps=16, slots=32, batch=16, checkpoint_every=300, evaluate_every=125,
        learner=replace(
            base.learner, rl_language_weight=4.0, bc_language_weight=0.3, discount=0.98, frozen_vision=True,
            decay=0.1,
        ),
    )  # fmt: skip
