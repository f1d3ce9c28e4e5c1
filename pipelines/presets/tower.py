"""Rounds of improvement at one task, as in the paper's Figure 9, on two CPU cores.

World, players and settings of training are those of :func:`pipelines.presets.small.longer`, with three times the demo's
updates: towers are as hard as Position. Differences from the paper's rounds:

* 1,000 episodes of play a round instead of 55,000 and 66,000, marked by scripted raters.
* Rooms hold nothing but two large blocks, so towers are of two: one is to be put on the other, on a named one in half
  of the requests.
* Players see a hand of theirs while it holds something: what is held over its place looks like a tower.
* The demonstrations are marked too, and the reward model also learns from these: the rounds' play, of an agent that
  often fails, has few marks of progress.
* Setters request only towers in the rounds. One in five demonstrations is of lifting a block, the first part of a
  tower.
"""

from __future__ import annotations

from dataclasses import replace

from pipelines.loops.rounds import LoopConfig
from pipelines.presets import small
from pipelines.stages.evaluate import EvaluateConfig
from pipelines.stages.record import RecordConfig
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig

TASK = "tower"  # the only request of the rounds
_HOUSE = {
    "rooms": [1, 1],
    "furniture": [0, 1],
    "objects": [2, 2],
    "room_size": [3.5, 4.5],
    "sizes": ["large"],
    "kinds": ["block"],
    "colours": ["red", "blue", "green", "yellow"],
    "on_furniture": 0.0,
}
_SHOWN = {TASK: 4.0, "lift": 1.0}  # relative frequency of requests in demonstrations
_STEPS = 64  # of an episode, recorded or played

WORLD = WorldConfig("playhouse", 36, 48, settings=_HOUSE, options={"fov_y_deg": 60.0, "show_hand": True})


def iterate() -> LoopConfig:
    """`rlhf iterate`."""
    base = small.longer()
    shown = {"first_request": [0, 0], "pause": [1, 3], "patience": _STEPS}
    demonstrated = replace(base.demonstrations.players, tasks=_SHOWN, setter=shown)
    asked = PlayersConfig(tasks={TASK: 1.0}, setter=base.play.players.setter, solver=base.play.players.solver)
    return LoopConfig(
        rounds=2,
        world=WORLD,
        demonstrations=replace(base.demonstrations, episodes=4000, steps=_STEPS, players=demonstrated),
        clone=base.clone,
        play=RecordConfig(episodes=1000, steps=_STEPS, slots=64, players=asked),
        held_out_play=64,
        mark=base.mark,
        reward=base.reward,
        improve=replace(base.improve, replay=None),
        evaluate=EvaluateConfig(probes=(TASK,), episodes=200),
    )
