"""Preferences besides marks as examples of one form: which of two measured stretches of play is better.

:mod:`reward_models.preferences.losses` has the measures and the loss. Each kind becomes examples with a probability p
that the first stretch is better:

- clip pair: p = 1 for "a", 0 for "b" and 1/2 for "same" (Christiano et al. 2017, section 2.2.3).
- verdict on a request: its stretch, measured by "return", against nothing, which measures 0. So the probability of
  success is sigmoid(U[end] - U[begin]): p = 1 where it succeeded, 0 where it failed.
- take-over: the stretch from the take-over on, against the equally long stretch before it, in which the agent acted;
  p = 1. Both are as long as the shorter of the take-over and the agent's play before it.
- score: two scores that one rater gave on one scale to stretches that end under the same request; p = 1 for the higher
  one. Equal scores give no example.

Answers that leave the question open ("cannot tell", "no request") give no example, and neither do stretches of a single
step where only changes are measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import ComparedBy, PreferenceConfig
from rlhf.records.preferences import (
    FAILURE,
    PREFERENCES,
    SAME,
    SUCCESS,
    A,
    B,
    ClipPair,
    Preference,
    RequestVerdict,
    Stretch,
    StretchScore,
    TakeOver,
)
from worlds.errors import UserError

RETURN, END, MEAN = 0, 1, 2  # measures of a stretch
_MEASURES: Mapping[ComparedBy, int] = {"return": RETURN, "end": END, "mean": MEAN}
_PROBABILITIES = {A: 1.0, SAME: 0.5, B: 0.0, SUCCESS: 1.0, FAILURE: 0.0}
PARTNERS = 8  # other scores with which each score is paired at most twice, so that n scores give at most 8 n pairs


@dataclass(frozen=True, eq=False)
class PreferenceExamples:
    """K examples of one kind of preference, in the rows of marked play.

    Args:
      begin: int64 [K, 2], row of the first step of the two stretches.
      end: int64 [K, 2], the row after the last; that of ``begin`` where there is nothing to compare with.
      measure: int8 [K], ``RETURN``, ``END`` or ``MEAN``.
      better: float32 [K], probability that the first stretch is better.
    """

    begin: np.ndarray
    end: np.ndarray
    measure: np.ndarray
    better: np.ndarray

    def __len__(self) -> int:
        return len(self.better)

    @property
    def decided(self) -> np.ndarray:
        """Examples in which one side is better: bool [K]."""
        return self.better != _PROBABILITIES[SAME]

    def take(self, places: np.ndarray) -> PreferenceExamples:
        """Return the examples at ``places``, int [...] or bool [K]."""
        return PreferenceExamples(self.begin[places], self.end[places], self.measure[places], self.better[places])

    @staticmethod
    def join(parts: Sequence[PreferenceExamples]) -> PreferenceExamples:
        """Return all examples of ``parts``, at least one, in their order."""
        return PreferenceExamples(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("begin", "end", "measure", "better"))
        )


class _Rows(NamedTuple):
    """A stretch in the rows of the play."""

    begin: int
    end: int


class _Example(NamedTuple):
    first: _Rows
    second: _Rows
    measure: int
    better: float


_NOTHING = _Rows(0, 0)


def preference_examples(
    preferences: Iterable[Preference], play: MarkedPlay, config: PreferenceConfig
) -> dict[str, PreferenceExamples]:
    """Examples of every kind that has a weight, by the name of its table.

    Args:
      preferences: of any kinds; those that name an episode that is not in ``play`` are left out.
      play: the play they are about, with or without marks.

    Raises:
      UserError: if a stretch ends beyond its episode.
    """
    found = _Joined(play, _MEASURES[config.compared_by])
    by_kind: defaultdict[type[Preference], list[Preference]] = defaultdict(list)
    for preference in preferences:
        if all(stretch.episode_id in found.numbers for stretch in preference.stretches):
            by_kind[type(preference)].append(preference)
    return {table: _arrays(found.examples(by_kind[PREFERENCES[table]])) for table in config.weights}


class _Joined:
    """Preferences joined with the play that they are about."""

    def __init__(self, play: MarkedPlay, measure: int) -> None:
        self.play, self.measure = play, measure
        self.numbers = {episode_id: number for number, episode_id in enumerate(play.episode_ids)}

    def examples(self, preferences: Sequence[Preference]) -> Iterator[_Example]:
        """Yield the examples of ``preferences``, which are of one kind."""
        clip_pairs = [one for one in preferences if isinstance(one, ClipPair)]
        verdicts = [one for one in preferences if isinstance(one, RequestVerdict)]
        yield from (self._pair(pair.stretches, _PROBABILITIES[pair.answer]) for pair in clip_pairs if pair.decides)
        for verdict in verdicts:
            rows = self._rows(*verdict.stretches)
            if verdict.decides and rows.end - rows.begin > 1:
                yield _Example(rows, _NOTHING, RETURN, _PROBABILITIES[verdict.answer])
        yield from self._take_overs([one for one in preferences if isinstance(one, TakeOver)])
        yield from self._scores([one for one in preferences if isinstance(one, StretchScore)])

    def _rows(self, stretch: Stretch) -> _Rows:
        starts, number = self.play.episodes.starts, self.numbers[stretch.episode_id]
        steps = int(starts[number + 1] - starts[number])
        if stretch.end > steps:
            raise UserError(
                f"a preference is about step {stretch.end - 1} of episode {stretch.episode_id}, whose last step is "
                f"{steps - 1}; judge the episode as it is stored now"
            )
        return _Rows(int(starts[number]) + stretch.begin, int(starts[number]) + stretch.end)

    def _pair(self, stretches: Iterable[Stretch], better: float) -> _Example:
        one, other = (self._rows(stretch) for stretch in stretches)
        words = self.play.episodes.observations.setter_tokens
        same_request = np.array_equal(words[one.end - 1], words[other.end - 1])
        return _Example(one, other, self.measure if same_request else RETURN, better)

    def _take_overs(self, take_overs: Sequence[TakeOver]) -> Iterator[_Example]:
        by_episode: defaultdict[str, set[Stretch]] = defaultdict(set)
        for take_over in take_overs:
            (stretch,) = take_over.stretches
            by_episode[take_over.episode_id].add(stretch)
        for episode_id, stretches in by_episode.items():
            acted_until = 0
            for _, begin, end in sorted(stretches):
                steps = min(end - begin, begin - acted_until)
                acted_until = max(acted_until, end)
                if steps > 1:
                    yield self._pair([Stretch(episode_id, at, at + steps) for at in (begin, begin - steps)], 1.0)

    def _scores(self, scores: Sequence[StretchScore]) -> Iterator[_Example]:
        words = self.play.episodes.observations.setter_tokens
        groups = defaultdict[tuple[object, ...], list[StretchScore]](list)
        for score in scores:
            request = words[self._rows(*score.stretches).end - 1].tobytes()
            groups[score.rater, score.low, score.high, request].append(score)
        for group in groups.values():
            order = np.random.default_rng(0).permutation(len(group)).tolist()
            for distance in range(1, min(PARTNERS, len(group) // 2) + 1):
                # Half way round a circle of even length every pair is met twice.
                count = len(group) // 2 if 2 * distance == len(group) else len(group)
                for place in range(count):
                    one, other = group[order[place]], group[order[(place + distance) % len(group)]]
                    if one.score != other.score:
                        yield self._pair((*one.stretches, *other.stretches), float(one.score > other.score))


def _arrays(examples: Iterable[_Example]) -> PreferenceExamples:
    examples = list(examples)
    stretches = np.array([(one.first, one.second) for one in examples], dtype=np.int64).reshape(-1, 2, 2)
    return PreferenceExamples(
        begin=stretches[..., 0],
        end=stretches[..., 1],
        measure=np.array([one.measure for one in examples], dtype=np.int8),
        better=np.array([one.better for one in examples], dtype=np.float32),
    )


def batch_places(count: int, size: int, seed: int, kind: str, update: int) -> np.ndarray:
    """Places, int64 [size] or fewer, of the examples of one update: all of them in a new random order every epoch.

    They depend on the arguments only, so that a resumed training needs no state for them.
    """
    updates = -(-count // size)
    epoch, part = divmod(update, updates)
    order = np.random.default_rng([seed, tuple(PREFERENCES).index(kind), epoch]).permutation(count)
    return order[part * size : (part + 1) * size]
