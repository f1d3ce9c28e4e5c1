"""Rounds of improvement at one task, as in the paper's Figure 9, on two CPU cores.

All settings of learning are the demo's (``demo.py`` says how they differ from the paper's, and why). What differs from
the paper's rounds:

* 500 episodes of play a round instead of 55,000 and 66,000, marked by scripted raters.
* Rooms hold nothing but three or four large blocks, and most requests are for any two or three of them.
* The demonstrations are marked too, and the reward model learns from them beside the rounds' play: 500 episodes of an
  agent that often fails hold few marks of progress.
* Setters ask for nothing else in the rounds, but one in five demonstrations is of lifting one block, which
  is how a tower begins.
"""

from __future__ import annotations

import json
from dataclasses import replace

from pipelines.evaluate import EvaluateConfig
from pipelines.iterate import IterateConfig
from pipelines.places import PlayersConfig, WorldConfig
from pipelines.record import RecordConfig
from pipelines.runs import demo as small

TASK = "tower"  # what the rounds are about
_HOUSE = {
    "rooms": [1, 1],
    "furniture": [0, 1],
    "objects": [3, 4],
    "room_size": [3.5, 4.5],
    "sizes": ["large"],
    "kinds": ["block"],
    "colours": ["red", "blue", "green", "yellow"],
    "on_furniture": 0.0,
}
_SHOWN = {TASK: 4.0, "lift": 1.0}  # how often demonstrations ask for what
_STEPS = 64  # of an episode, recorded or played

WORLD = WorldConfig(height=36, width=48, settings=json.dumps(_HOUSE), options=json.dumps({"fov_y_deg": 60.0}))


def iterate() -> IterateConfig:
    """`rlhf iterate`."""
    base = small.demo()
    shown = json.dumps({"first_request": [0, 0], "pause": [1, 3], "patience": _STEPS})
    demonstrated = replace(base.demonstrations.players, tasks=_SHOWN, setter=shown)
    asked = PlayersConfig(tasks={TASK: 1.0}, setter=base.play.players.setter, solver=base.play.players.solver)
    return IterateConfig(
        rounds=2,
        demonstrations=replace(base.demonstrations, steps=_STEPS, world=WORLD, players=demonstrated),
        clone=base.clone,
        play=RecordConfig(episodes=500, steps=_STEPS, slots=64, world=WORLD, players=asked),
        held_out_play=64,
        mark=base.mark,
        reward=base.reward,
        improve=replace(base.improve, world=WORLD, replay=None),
        evaluate=EvaluateConfig(probes=(TASK,), episodes=200, slots=64, world=WORLD, players=asked),
    )
