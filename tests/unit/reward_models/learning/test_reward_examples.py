"""The comparison of reward models: ensembles from utilities, and shares of some episodes."""

from __future__ import annotations

import numpy as np

from benchmarks.reward_examples import Scored, cells
from reward_models.learning.told_answers import ToldAnswers
from reward_models.marks.pairs import MINUS, PLUS


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
