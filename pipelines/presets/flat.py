"""The flat: two furnished rooms with names, twenty kinds of thing, and all language games of the paper's A.8.

`rlhf reproduce flat --episodes 20` compares BC, BC+RL (IBT), BC+RL (scripted reward) and the demonstrator, three seeds
each. Nothing here is tuned: what is not listed is as in the studies (:mod:`experiments.interactive_agents.probes`).

* Players have full hands, since games ask to throw and to hand over.
* Pictures have 72x96 pixels, through the demo's narrower lens: a mug (10 cm) at three metres is 2 pixels wide, and 1 in
  the demo's 36x48, where it would have neither colour nor shape.
* The agent is `nano`, with this vocabulary 0.8 million parameters. Its 48 visual tokens of 12x12 pixels are those of
  the paper's sizes.
* It reads and says texts as long as the recorded ones, of a vocabulary of up to 2,048: requests of language games are
  longer than those of the demo.
* Episodes have 300 steps (80 s), the agent's own 200: most games allow 100 to 250 steps.
* Windows of cloning have 4 steps instead of 2, those of the reward model 50 instead of 40, as more happens between a
  request and its end.
* Numbers of episodes and updates are what two cores do in about an hour a seed: a twelfth of the studies' updates of
  cloning for five times as many tasks.
* Scripted raters mark all that they notice, as in the demo: at the paper's 14 marks in five minutes (section 3.2) 600
  episodes would have 1,500 marks.
* Agents are evaluated at the games of which some requests are held out. `stand by` and `notice` never name a colour
  with a kind, by which requests are held out; they are played and rewarded, and not evaluated.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import small
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from worlds.playhouse.games.registry import language_games

SIZE = "nano"
NEVER_HELD_OUT = ("stand by", "notice")
EVALUATED = tuple(name for name in language_games() if name not in NEVER_HELD_OUT)
TASKS = dict.fromkeys(language_games(), 1.0)

WORLD = WorldConfig("playhouse", 72, 96, settings={"preset": "flat"}, options={"fov_y_deg": 60.0, "hands": "full"})
_SOLVER = {"wrong_object": 0.1, "motor_noise": 0.01, "hesitation": 0.02, "reaction": 0, "drop": 0.05}
_DEMONSTRATED = PlayersConfig(tasks=TASKS, setter={"first_request": [0, 0], "pause": [1, 3]}, solver=_SOLVER)
_PLAYED = PlayersConfig(tasks=TASKS, setter={"first_request": [0, 0], "follow_up": False}, solver=_SOLVER)


def iterate() -> LoopConfig:
    """`rlhf iterate --preset flat`, and all six stages."""
    return LoopConfig(
        world=WORLD,
        demonstrations=RecordConfig(episodes=1000, steps=300, players=_DEMONSTRATED),
        clone=cloning(SIZE, updates=4000, steps=4, batch=48),
        play=RecordConfig(episodes=600, steps=200, slots=64, players=_PLAYED),
        held_out_play=64,
        mark=MarkConfig(),
        reward=rewarding(SIZE, updates=330, steps=50),
        improve=replace(improving(SIZE, updates=250), replay=None),
        evaluate=EvaluateConfig(probes=EVALUATED, episodes=20),
    )


def cloning(size: str, updates: int, steps: int, batch: int) -> CloneConfig:
    """Return the settings of cloning an agent of a size that reads all that was recorded."""
    found = small.cloning_at(small.longer().clone, size)
    training = replace(found.training, updates=updates, steps=steps, batch=batch)
    return replace(found, vocabulary=2048, text_length="auto", training=training)


def rewarding(size: str, updates: int, steps: int) -> RewardConfig:
    """Return the settings of the reward model of an agent of a size; it is evaluated ten times."""
    found = small.longer().reward
    training = small.at_rate(found.training, small.slower(size))
    return replace(found, training=replace(training, updates=updates, steps=steps, evaluate_every=updates // 10))


def improving(size: str, updates: int) -> ImproveConfig:
    """Return the settings of BC+RL of an agent of a size."""
    found = small.longer().improve
    return replace(found, updates=updates, world=WORLD, learner=small.at_rate(found.learner, small.slower(size)))
