"""Pairs of requests in different episodes as examples for a reward model; not in the paper.

Both compare the utility that was gained from the step at which a request is heard to the end of its stretch,
G = U[end] - U[heard], by the Bradley-Terry model: the probability that a is better than b is sigmoid(G_a - G_b).

* **Cut** (the temporal clipping of RoboReward, Lee et al. 2026): a request that was carried out gains more than one,
  here or in another episode, whose stretch is cut before it was carried out.
* **Between episodes** (Bradley and Terry 1952; Christiano et al. 2017): a request that was carried out gains more than
  the same request where it failed.

Gains are compared and not utilities, since the utility also counts what was done before the request. Both clips of a
pair are equally long: the one of the success has the success in it and is cut after it, too. Otherwise a utility that
only rises with time would order all cut clips correctly (measured in LOG.md). Requests are the same if their words are;
a cut clip for which no success of the same words is short enough is compared with one of other words.
"""

from __future__ import annotations

from collections.abc import Iterable

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
      delay: steps by which a mark may come after what it is about; the cut is at least as much before the mark.
      size: examples of each kind in every update.
    """

    def __init__(self, outcomes: RequestOutcomes, delay: int, size: int, seed: int) -> None:
        self._requests, self._delay, self._size, self._seed = outcomes, delay, size, seed
        self._successes = np.flatnonzero(outcomes.success >= 0)
        # Lengths of clips in which a request is carried out: from the first that has the mark to the whole stretch.
        self._least = outcomes.success - outcomes.begin + 1
        self._most = outcomes.end - outcomes.begin
        self._shortest = max(2, int(self._least[self._successes].min(initial=2**31)))
        late = outcomes.success - delay - outcomes.begin >= self._shortest
        self._cuttable = self._successes[late[self._successes]]
        failed = np.flatnonzero(outcomes.success < 0).tolist()
        self._failures = np.array([k for k in failed if len(self._partners(k, int(self._most[k])))], dtype=np.int64)

    def examples_of(self, kind: str) -> int:
        """Return the number of requests from which examples of the kind can be made."""
        return len(self._cuttable if kind == CUT else self._failures)

    def cut(self, update: int) -> PreferenceExamples:
        """Requests that were carried out against others cut before."""
        rng = np.random.default_rng([self._seed, 2, update])
        worse = rng.choice(self._cuttable, self._size)
        begin, success = self._requests.begin[worse], self._requests.success[worse]
        # A success is short enough for each clip, whose last step comes before its own success.
        length = rng.integers(self._shortest, success - self._delay - begin, endpoint=True)
        return self._examples(worse, length, rng)

    def between(self, update: int) -> PreferenceExamples:
        """Requests that were carried out against the same ones that failed."""
        rng = np.random.default_rng([self._seed, 3, update])
        worse = rng.choice(self._failures, self._size)
        return self._examples(worse, self._most[worse], rng)

    def of(self, kind: str, update: int) -> PreferenceExamples:
        """Return the examples of ``kind``, ``CUT`` or ``BETWEEN`` of the settings."""
        return self.cut(update) if kind == CUT else self.between(update)

    def _examples(self, worse: np.ndarray, most: np.ndarray, rng: np.random.Generator) -> PreferenceExamples:
        """Pairs of clips as long as each other, of at most ``most`` steps, int64 [K]."""
        begin, end = [], []
        for request, length in zip(worse.tolist(), most.tolist(), strict=True):
            partners = self._partners(request, length)
            if not len(partners):  # a cut clip that is shorter than any success of its words
                partners = self._successes[self._least[self._successes] <= length]
            better = int(rng.choice(partners))
            begin.append(self._requests.begin[[better, request]])
            end.append(begin[-1] + min(length, int(self._most[better])))
        return PreferenceExamples(
            begin=np.array(begin, dtype=np.int64),
            end=np.array(end, dtype=np.int64),
            measure=np.full(len(worse), RETURN, dtype=np.int8),
            better=np.ones(len(worse), dtype=np.float32),
        )

    def _partners(self, request: int, length: int) -> np.ndarray:
        """Requests of the same text that were carried out within ``length`` steps."""
        same = self._requests.text[self._successes] == self._requests.text[request]
        return self._successes[same & (self._least[self._successes] <= length)]


def request_pairs(
    model: RewardModel,
    play: MarkedPlay,
    config: RewardTrainingConfig,
    delay: int,
    preferences: Iterable[Preference] = (),
) -> RequestPairs | None:
    """Pairs of requests of ``play``, or None if the settings give them no weight.

    Args:
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
