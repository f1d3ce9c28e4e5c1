"""Two rounds of improvement at towers, as in the paper's Figure 9, of agents that know the words already.

`rlhf reproduce rounds --source runs/reproduce/plateau`, for seeds whose cloned agent `plateau` has trained. World,
demonstrations and raters are those of :mod:`pipelines.runs.tower`, and these differ:

* The cloned agent is that of :mod:`pipelines.runs.plateau`, trained further on the demonstrations in windows of 16
  steps.
* A round has 2,000 episodes of play, which end soon after success and are twice as long where there is none: a quarter
  of the cloned agent's towers take longer than :mod:`pipelines.runs.tower` plays.
* The reward model learns for 3,000 updates and reads marks three steps later (:mod:`pipelines.runs.raters`).
* Every round improves the agent of the round before, with the learner of `plateau`, for 1,500 updates. In the paper
  every round begins with the cloned agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pipelines.loops.iterate import IterateConfig
from pipelines.runs import plateau, raters, tower
from pipelines.studies.config import PLAYER
from pipelines.studies.rounds import RoundsStudyConfig, rounds_study


def further(source: Path, run: Path, seeds: Sequence[int]) -> Path:
    """`rlhf reproduce rounds`."""
    return rounds_study(RoundsStudyConfig(source=source, run=run, seeds=tuple(seeds), rounds=seed_rounds()))


def seed_rounds() -> IterateConfig:
    """Settings of every seed's rounds."""
    base = tower.iterate()
    further = plateau.study().clones[PLAYER]
    rewarding = replace(base.reward.training, updates=3000, evaluate_every=300, marks_later=raters.LATER)
    return replace(
        base,
        improve_start="previous",
        clone=replace(further, training=replace(further.training, updates=9000)),
        play=replace(base.play, episodes=2000, steps=2 * base.play.steps, tail=16),
        held_out_play=160,  # half of them have nothing of held-out words to ask for
        reward=replace(base.reward, training=rewarding),
        improve=replace(plateau.improving(), world=tower.WORLD, replay=None, updates=1500, checkpoint_every=250),
    )
