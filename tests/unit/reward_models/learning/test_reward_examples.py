"""The comparison of reward models: ensembles from utilities, and shares of some episodes."""

from __future__ import annotations

import numpy as np

from benchmarks.reward_examples import ARMS, Scored, cells, together
from pipelines.presets.demo import demo
from reward_models.learning.told_answers import ToldAnswers
from reward_models.marks.pairs import MINUS, PLUS


def test_utilities_are_combined_since_the_episode_began() -> None:
    one = Scored([np.array([5.0, 6.0, 9.0])], [np.array([0.0, 1.0])], [np.array([0.0, 0.0])])
    other = Scored([np.array([1.0, 0.0, 1.0])], [np.array([2.0, 6.0])], [np.array([0.0, 2.0])])
    found = together([one, other], [1.0, 0.5], "minimum")
    assert found.play[0].tolist() == [0.0, -0.5, 0.0]
    assert found.right[0].tolist() == [0.0, 1.0] and found.wrong[0].tolist() == [0.0, 0.0]
    assert together([one, other], [1.0, 0.5], "mean").play[0].tolist() == [0.0, 0.25, 2.0]


def test_shares_are_those_of_the_chosen_episodes(lamp_play) -> None:
    """A utility that goes with the marks of even episodes and against those of odd ones."""
    play = lamp_play(range(20))
    signs = [1 - 2 * (episode % 2) for episode in range(len(play))]
    marks = [play.marks_of(episode).sum(axis=1).astype(np.int64) for episode in range(len(play))]
    utilities = [sign * (own[:, PLUS] - own[:, MINUS]).cumsum() for sign, own in zip(signs, marks, strict=True)]
    answers = ToldAnswers.of(play, range(len(play)), 10)
    found = Scored(utilities, [], [])
    for begin, share in ((0, "100%"), (1, "0%")):
        worse, better, told, _ = cells(found, play, answers, np.arange(begin, 20, 2))
        assert worse.startswith(f"{share} (") and better.startswith(f"{share} (") and told == "-"


def test_every_arm_has_its_own_settings() -> None:
    assert ARMS["all"] == {k: v for name in ("hard", "rewind", "cut", "between") for k, v in ARMS[name].items()}
    assert not ARMS["default"] and all(hasattr(demo().reward.training, name) for name in ARMS["all"])
