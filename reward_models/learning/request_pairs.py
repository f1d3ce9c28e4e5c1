"""Pairs of requests in different episodes as examples for a reward model; not in the paper.

Both compare the utility that was gained from the step at which a request is heard to the end of its stretch,
G = U[end] - U[heard], by the Bradley-Terry model: the probability that a is better than b is sigmoid(G_a - G_b).

* **Cut** (the temporal clipping of RoboReward, Lee et al. 2026): a request that was carried out gains more than the
  same request, here or in another episode, whose stretch is cut before it was carried out.
* **Between episodes** (Bradley and Terry 1952; Christiano et al. 2017): a request that was carried out gains more than
  the same request where it failed.

Requests are the same if their words are. Gains are compared and not utilities, since the utility also counts what was
done before the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from reward_models.contract import RewardModel
from reward_models.learning.config import CUT, RewardTrainingConfig
from reward_models.marks.marked_play import MarkedPlay
from reward_models.marks.request_outcomes import RequestOutcomes
from reward_models.preferences.examples import RETURN, PreferenceExamples
from rlhf.records.preferences import Preference, RequestVerdict
from worlds.errors import UserError


class RequestPairs:
    """Examples of every update, a function of the seed and the update only: a resumed training needs no state for them.

    Args:
      outcomes: requests of the play.
      delay: steps by which a mark may come after what it is about; the cut is at least as much before the mark.
      size: examples of each kind in every update.
      seed: of all draws.
    """

    def __init__(self, outcomes: RequestOutcomes, delay: int, size: int, seed: int) -> None:
        self._requests, self._delay, self._size, self._seed = outcomes, delay, size, seed
        succeeded = outcomes.success >= 0
        cuttable = succeeded & (outcomes.success - delay - outcomes.begin >= 2)
        self._successes = np.flatnonzero(succeeded)
        texts = set(outcomes.text[succeeded].tolist())
        failed = np.flatnonzero(~succeeded).tolist()
        self._cuttable = np.flatnonzero(cuttable)
        self._failures = np.array([k for k in failed if int(outcomes.text[k]) in texts], dtype=np.int64)

    def examples_of(self, kind: str) -> int:
        """Return the number of requests from which examples of the kind can be made."""
        return len(self._cuttable if kind == CUT else self._failures)

    def cut(self, update: int) -> PreferenceExamples:
        """Requests that were carried out against the same ones cut before."""
        rng = np.random.default_rng([self._seed, 2, update])
        worse = rng.choice(self._cuttable, self._size)
        begin, success = self._requests.begin[worse], self._requests.success[worse]
        # The row after the last is drawn so that the clip has two steps at least, and its last comes before success.
        end = rng.integers(begin + 2, success - self._delay, endpoint=True)
        return self._examples(worse, end, rng)

    def between(self, update: int) -> PreferenceExamples:
        """Requests that were carried out against the same ones that failed."""
        rng = np.random.default_rng([self._seed, 3, update])
        worse = rng.choice(self._failures, self._size)
        return self._examples(worse, self._requests.end[worse], rng)

    def of(self, kind: str, update: int) -> PreferenceExamples:
        """Return the examples of ``kind``, ``CUT`` or ``BETWEEN`` of the settings."""
        return self.cut(update) if kind == CUT else self.between(update)

    def _examples(self, worse: np.ndarray, end: np.ndarray, rng: np.random.Generator) -> PreferenceExamples:
        requests, better = self._requests, np.array(list(self._same(worse, rng)), dtype=np.int64)
        return PreferenceExamples(
            begin=np.stack([requests.begin[better], requests.begin[worse]], axis=1),
            end=np.stack([requests.end[better], end], axis=1),
            measure=np.full(len(worse), RETURN, dtype=np.int8),
            better=np.ones(len(worse), dtype=np.float32),
        )

    def _same(self, requests: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
        """Yield a request that was carried out, of the same text, for each of ``requests``."""
        texts = self._requests.text
        for text in texts[requests].tolist():
            yield int(rng.choice(self._successes[texts[self._successes] == text]))


def request_pairs(
    model: RewardModel,
    play: MarkedPlay,
    config: RewardTrainingConfig,
    delay: int,
    preferences: Iterable[Preference] = (),
) -> RequestPairs | None:
    """Pairs of requests of ``play``, or None if the settings give them no weight.

    Args:
      model: the model that learns from them.
      play: training play.
      config: settings of the training.
      delay: of marks after what they are about, in steps.
      preferences: of these the verdicts decide which requests were carried out.

    Raises:
      UserError: if the model cannot learn from them, or there are none.
    """
    if not config.request_weights:
        return None
    if not model.learns_preferences:
        raise UserError(
            f"the reward model {model.short} learns from marks only; leave out --training.cut-weight and "
            "--training.between-weight, or use --kind inter_temporal"
        )
    verdicts = [one for one in preferences if isinstance(one, RequestVerdict)]
    found = RequestPairs(RequestOutcomes.of(play, delay, verdicts), delay, config.preferences.batch, config.seed)
    for kind in config.request_weights:
        if not found.examples_of(kind):
            lacking = "was carried out after some steps" if kind == CUT else "was carried out once and failed once"
            raise UserError(f"no request of training episodes {lacking}; leave out --training.{kind}-weight")
    return found
