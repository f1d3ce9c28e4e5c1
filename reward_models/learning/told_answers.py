"""Share of right answers that a reward model tells from plausible wrong ones, by raters' marks.

Every answer that a rater marked (+) is scored twice, with its own words and with those of a rival
(:mod:`reward_models.marks.rival_answers`): another color, another number, no instead of yes. Play before the answer is
the same, so the two differ by the mean utility while the answer is the last that was said.

Some answers are right more often than others: whoever always prefers "two" to "three" is right more than half of the
time. So the answers of each pair of rivals are weighted such that either is the right one equally often, and a model
that only knows which answers are common gets one half. Pairs of which only one is ever right count nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reward_models.contract import RewardModel
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.dialogue import Dialogue, liked_answers
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.rival_answers import RivalAnswers
from reward_models.scores.scoring import score
from rlhf.data.memory import MemoryDataset


@dataclass(frozen=True, eq=False)
class ToldAnswers:
    """Excerpts of K answers, each from the beginning of its episode to the last step that is about the answer.

    Args:
      wrong: the same with a rival's words.
      answered: int64 [K], first step of each excerpt that shows the answer.
      episode: int64 [K], number of the episode of each in the play.
      texts: int64 [K, 2], numbers of the right text and of the wrong one.
    """

    right: MemoryDataset
    wrong: MemoryDataset
    answered: np.ndarray
    episode: np.ndarray
    texts: np.ndarray

    @classmethod
    def of(cls, play: MarkedPlay, episodes: Sequence[int], most: int) -> ToldAnswers:
        """Answers of ``episodes`` that were marked (+) and have a rival.

        Args:
          play: marked play; its other episodes are only the source of rivals.
          episodes: numbers in ``play``.
          most: answers, evenly spaced, at most.
        """
        reach = Augmentation().answer_reach
        dialogue = Dialogue.of(play.episodes, play.marks, reach)
        rival, found = RivalAnswers(dialogue, play.episodes), []
        for episode in episodes:
            rows, marks = play.rows(episode), play.marks_of(episode)
            requests = dialogue.requests_in(rows)
            for answer in liked_answers(dialogue, rows, marks, reach).tolist():
                donors = rival.of(rows, answer, marks, reach)
                following = requests[requests > answer + 1]
                heard = rows.start + dialogue.heard(rows, answer).stop
                end = min(heard, answer + 1 + reach, *following[:1].tolist())
                if len(donors):
                    donor = int(np.random.default_rng([0, answer]).choice(donors))
                    found.append((rows.start, answer + 1, end, donor))
        if len(found) > most:
            found = [found[place] for place in np.linspace(0, len(found) - 1, most).astype(int)]
        right = play.episodes.excerpt([np.arange(begin, end) for begin, _, end, _ in found])
        solver, answered = right.observations.solver_tokens.copy(), []
        for start, (begin, answer, end, donor) in zip(right.starts.tolist(), found, strict=False):
            answered.append(answer - begin)
            solver[start + answer - begin : start + end - begin] = play.episodes.observations.solver_tokens[donor]
        answer, donor = (np.array([one[part] for one in found], dtype=np.int64) for part in (1, 3))
        texts = dialogue.solver_text[np.stack([answer, donor], axis=1)]
        wrong = right.seeing(solver_tokens=solver)
        return cls(right, wrong, np.array(answered, dtype=np.int64), play.episode_of(answer), texts)

    def __len__(self) -> int:
        return len(self.answered)

    @property
    def weight(self) -> np.ndarray:
        """Weight of every answer, float64 [K], see :func:`balanced_weights`."""
        return balanced_weights(self.texts)

    def utilities(self, model: RewardModel) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Utilities of ``model`` of every right excerpt and of every wrong one, [T] each."""
        return score(model, self.right), score(model, self.wrong)

    def told(self, right: Sequence[np.ndarray], wrong: Sequence[np.ndarray]) -> np.ndarray:
        """1 for every answer whose utility is higher with its own words, 1/2 for ties, 0 for others: float64 [K].

        Args:
          right: utilities [T] of the right excerpts.
        """
        return 0.5 * (1.0 + np.sign(self._after(right) - self._after(wrong)))

    def accuracy(self, model: RewardModel) -> float:
        """Weighted share of the answers whose utility is higher with their own words; nan without any."""
        total = self.weight.sum()
        return float(self.weight @ self.told(*self.utilities(model)) / total) if total else float("nan")

    def _after(self, utilities: Sequence[np.ndarray]) -> np.ndarray:
        """Mean utility of each excerpt from its answer on, float64 [K]."""
        scored = zip(utilities, self.answered.tolist(), strict=True)
        return np.array([utility[step:].mean(dtype=np.float64) for utility, step in scored])


def balanced_weights(texts: np.ndarray) -> np.ndarray:
    """Weight float64 [K] of each pair of ``texts`` int [K, 2], such that its reverse has as much weight in all.

    The pairs of two texts weigh as much together as there are of them, and nothing if one is never the right one.
    """
    pairs = [tuple(pair) for pair in texts.tolist()]
    count = Counter(pairs)
    both = [(count[pair], count[pair[::-1]]) for pair in pairs]
    return np.array([(one + other) / (2 * one) if other else 0.0 for one, other in both], dtype=np.float64)
