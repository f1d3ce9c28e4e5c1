"""The flat: two furnished rooms with names, twenty kinds of thing, and all language games of the paper's A.8.

`rlhf reproduce flat` compares BC, BC+RL (IBT), BC+RL (scripted reward) and the demonstrator, three seeds each. It was
not run at this size, so nothing here is tuned: what is not listed is as in the studies (:mod:`pipelines.runs.probes`).

* Players have full hands, since games ask to throw and to hand over.
* Pictures have 72x96 pixels, through the demo's narrower lens: a mug (10 cm) at three metres is 2 pixels wide, and 1 in
  the demo's 36x48, where it would have neither colour nor shape.
* The agent is `micro`: one layer, 1.3 million parameters. Its 48 visual tokens of 12x12 pixels are those of the paper's
  sizes. `mini`, made for this size of picture, has 30, of 16x16 pixels, which put several small things into one token.
* It reads and says texts as long as the recorded ones, of a vocabulary of up to 2,048: requests of language games are
  longer than those of the demo.
* Episodes have 300 steps (80 s), the agent's own 200: most games allow 100 to 250 steps.
* Windows of cloning have 8 steps instead of 2, those of the reward model 100 instead of 40, as more happens between a
  request and its end.
* Scripted raters give 14 marks in five minutes. Those of the paper did (section 3.2), and its totals say the same:
  5,104,000 marks over 364,690 episodes are 14.0 an episode. Its A.2, on what is marked, has no number.
* Agents are evaluated at the games of which some requests are held out. `stand by` and `notice` never name a colour
  with a kind, by which requests are held out; they are played and rewarded, and not evaluated.

Measured once, on two cores of a server CPU that eight processes shared, so undisturbed it is faster:

* `rlhf record --preset flat --episodes 20` (6,000 steps, two workers) took 107 s, of which 54 s were of processor time,
  imports and compilation included; 65% of 94 requests were fulfilled (55 to 73%).
* `rlhf clone --preset flat --training.updates 3`: 7.3 s an update of 96 windows of 8 steps, on one thread. So 20,000
  updates take about 40 hours; a GPU (`--device cuda`) is advisable.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.iterate import IterateConfig
from pipelines.runs import probes
from pipelines.stages.clone import CloneConfig
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.reward import RewardConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from pipelines.studies.config import PLAYER, Arm, StudyConfig
from worlds.playhouse.games.registry import games

SIZE = "micro"
PAPERS_DENSITY = 14.0  # marks in five minutes (section 3.2)
NEVER_HELD_OUT = ("stand by", "notice")
EVALUATED = tuple(name for name in games() if name not in NEVER_HELD_OUT)
TASKS = dict.fromkeys(games(), 1.0)

WORLD = WorldConfig("playhouse", 72, 96, settings={"preset": "flat"}, options={"fov_y_deg": 60.0, "hands": "full"})
_SOLVER = {"wrong_object": 0.1, "motor_noise": 0.01, "hesitation": 0.02, "reaction": 0, "drop": 0.05}
_DEMONSTRATED = PlayersConfig(tasks=TASKS, setter={"first_request": [0, 0], "pause": [1, 3]}, solver=_SOLVER)
_PLAYED = PlayersConfig(tasks=TASKS, setter={"first_request": [0, 0], "follow_up": False}, solver=_SOLVER)


def study() -> StudyConfig:
    """`rlhf reproduce flat`, and all six stages."""
    improve = _improving()
    return StudyConfig(
        demonstrations=RecordConfig(episodes=4000, steps=300, world=WORLD, players=_DEMONSTRATED),
        clones={PLAYER: _cloning()},
        play=RecordConfig(episodes=3000, steps=200, slots=64, world=WORLD, players=_PLAYED),
        held_out_play=128,
        mark=MarkConfig(per_five_minutes=PAPERS_DENSITY),
        rewards={"ibt": _rewarding()},
        arms={
            "BC": Arm(),
            "BC+RL (IBT)": Arm(reward="ibt", improve=improve),
            "BC+RL (scripted reward)": Arm(improve=improve),
            "demonstrator": Arm(clone="scripted"),
        },
        evaluate=EvaluateConfig(probes=EVALUATED, episodes=100, slots=64, world=WORLD, players=_PLAYED),
        also_evaluated_on=(),
    )


def iterate() -> IterateConfig:
    """`rlhf iterate --preset flat`."""
    whole = study()
    return IterateConfig(
        demonstrations=whole.demonstrations,
        clone=whole.clones[PLAYER],
        play=whole.play,
        held_out_play=whole.held_out_play,
        mark=whole.mark,
        reward=whole.rewards["ibt"],
        improve=replace(_improving(), replay=None),
        evaluate=whole.evaluate,
    )


def _cloning() -> CloneConfig:
    found = probes.cloning_at(probes.study().clones[PLAYER], SIZE)
    training = replace(found.training, updates=20_000, steps=8)
    return replace(found, vocabulary=2048, text_length="auto", training=training)


def _rewarding() -> RewardConfig:
    found = probes.study().rewards["ibt"]
    rate = found.training.learning_rate * probes.slower(SIZE)
    return replace(found, training=replace(found.training, updates=2200, steps=100, learning_rate=rate))


def _improving() -> ImproveConfig:
    found = probes.improving()
    rate = found.learner.learning_rate * probes.slower(SIZE)
    return replace(found, updates=1000, world=WORLD, learner=replace(found.learner, learning_rate=rate))
