"""Quality and number of marks: agents trained on other marks of the same play.

`rlhf reproduce raters`, on the demonstrations, the cloned agents and the settings of
:mod:`experiments.interactive_agents.probes`. The arms differ only in the marks that the reward model (IBT) learns from.

* Usual raters are one scripted rater who marks every episode, misses a tenth of what happens, is a step late and gives
  one mark in twenty the wrong sign.
* A quarter, and half of the episodes marked, of demonstrations and of play. The reward model's BC and CSS losses are
  on marked episodes only too, so all its losses see fewer episodes.
* Half of what happens missed; four steps late (seven at most); a quarter of the signs wrong.
* Three raters of every episode who differ: two like the usual one, but the second errs more, and a third who misses
  half, is three steps late and gives three signs in ten wrong. Their marks are learned from in each of the ways of
  docs/reward-model.md.
* The usual marks, read three steps later than they were given (``marks_later``): a utility that rises later.

The reward model's settings of its raters (``rater_delay``, ``raters_tolerance``) are the same in all arms, as the true
values are unknown where people mark. Each reward model is selected by the marks of its own raters; agents are evaluated
by true success. Random draws are shared: a rater who misses more also misses what the usual one misses.
"""

from __future__ import annotations

from dataclasses import replace

from experiments.engine.config import Arm, ExperimentConfig
from experiments.interactive_agents import probes
from pipelines.presets import small

BY_THREE = ("each", "agreement", "majority")
LATER = 3  # steps by which an arm reads the usual marks later


def experiment() -> ExperimentConfig:
    """`rlhf reproduce raters`."""
    base, improve = probes.experiment(), small.longer().improve
    usual, rewarding = base.mark, base.rewards["ibt"]
    marks = {
        "quarter": replace(usual, share=0.25),
        "half": replace(usual, share=0.5),
        "misses half": replace(usual, miss=0.5),
        "late": replace(usual, delay=4.0, longest_delay=7),
        "mistaken": replace(usual, mistake=0.25),
        "three": replace(
            usual, raters=3, misses=(0.1, 0.1, 0.5), mistakes=(0.02, 0.05, 0.3), delays=(1.0, 1.0, 3.0), longest_delay=6
        ),
    }
    by_three = {"ibt" if how == "each" else how: how for how in BY_THREE}
    rewards = {
        name: replace(rewarding, training=replace(rewarding.training, raters=how)) for name, how in by_three.items()
    }
    rewards["later"] = replace(rewarding, training=replace(rewarding.training, marks_later=LATER))

    def arm(way: str, reward: str = "ibt") -> Arm:
        return Arm(reward=reward, improve=improve, marks=way)

    return replace(
        base,
        clones={"bc": base.clones["bc"]},
        marks={name: (way,) for name, way in marks.items()},
        rewards=rewards,
        arms={
            "BC": Arm(),
            "usual raters": Arm(reward="ibt", improve=improve),
            "1/4 of the episodes marked": arm("quarter"),
            "1/2 of the episodes marked": arm("half"),
            "half of the events missed": arm("misses half"),
            "four steps late": arm("late"),
            "1/4 of the signs wrong": arm("mistaken"),
            **{f"three raters, {how}": arm("three", name) for name, how in by_three.items()},
            "usual raters, read later": Arm(reward="later", improve=improve),
        },
        curves=(),
        also_compared_with=(),
    )
