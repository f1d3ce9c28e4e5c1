"""Share of right answers that a reward model tells from plausible wrong ones, by raters' marks.

Every answer that a rater marked (+) is scored twice, with its own words and with those of a rival
(:mod:`reward_models.marks.rival_answers`): another color, another number, no instead of yes. Play before the answer is
the same, so the two differ by the mean utility while the answer is the last that was said. Chance is one half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
      right: the excerpts as they were recorded.
      wrong: the same with a rival's words.
      answered: int64 [K], first step of each excerpt that shows the answer.
    """

    right: MemoryDataset
    wrong: MemoryDataset
    answered: np.ndarray

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
        solver, answered = right.solver_tokens.copy(), []
        for start, (begin, answer, end, donor) in zip(right.starts.tolist(), found, strict=False):
            answered.append(answer - begin)
            solver[start + answer - begin : start + end - begin] = play.episodes.solver_tokens[donor]
        return cls(right, replace(right, solver_tokens=solver), np.array(answered, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.answered)

    def accuracy(self, model: RewardModel) -> float:
        """Share of the answers whose utility is higher with their own words; a tie is a half, none is nan."""
        if not len(self):
            return float("nan")
        own, other = (self._utility(score(model, play)) for play in (self.right, self.wrong))
        return float((0.5 * (1.0 + np.sign(own - other))).mean())

    def _utility(self, utilities: Sequence[np.ndarray]) -> np.ndarray:
        """Mean utility of each excerpt from its answer on, float64 [K]."""
        scored = zip(utilities, self.answered.tolist(), strict=True)
        return np.array([utility[step:].mean(dtype=np.float64) for utility, step in scored])
