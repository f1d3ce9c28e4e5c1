"""The choice of pairs of clips that raters compare. Pure functions.

A *clip* is a number of consecutive steps of one episode under one request: at each of them, the solver had heard the
same last words of the setter. Clips of an episode in which the setter says nothing are under the request "".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np

from rlhf.records.preferences import Stretch

SHORTEST_STEPS = 2  # of a clip: in a single step nothing changes
_ATTEMPTS = 100  # to draw a pair that is new


@dataclass(frozen=True)
class ClipSettings:
    """Settings of the draw.

    Args:
      steps: length of a clip.
      within_share: share of pairs whose clips are of one episode, and under one request where the episode has two such
        clips; the others are of two episodes, under the same request.
    """

    steps: int
    within_share: float
    seed: int


@dataclass(frozen=True)
class DrawnPair:
    """Two different clips of one length, in a random order."""

    number: int
    a: Stretch
    b: Stretch
    requests: tuple[str, str]

    @property
    def clips(self) -> frozenset[Stretch]:
        """Both clips, whatever their order."""
        return frozenset((self.a, self.b))


@dataclass(frozen=True)
class Played:
    """An episode as it is paired with another player's in the same place.

    Args:
      place: whatever is the same in the same place.
      heard: the setter's words that the solver had heard at each step.
    """

    place: str
    player: str
    heard: Sequence[str]

    @property
    def request(self) -> str:
        """The setter's first words; "" if it says nothing."""
        return next(filter(None, self.heard), "")


def draw_by_place(
    played: Mapping[str, Played], seed: int, first: int, count: int, known: set[frozenset[Stretch]]
) -> Iterator[DrawnPair]:
    """Draw pairs with numbers from ``first`` on: two players' episodes in the same place, as far as both go.

    Fewer than ``count`` where there are no more.

    Args:
      played: every episode, by id.
    """
    places: defaultdict[str, list[str]] = defaultdict(list)
    for episode_id, one in played.items():
        places[one.place].append(episode_id)
    pairs = [
        (one, other)
        for ids in places.values()
        for one, other in combinations(ids, 2)
        if played[one].player != played[other].player
    ]
    drawn = 0
    for chosen in np.random.default_rng(seed).permutation(len(pairs)):
        steps = min(len(played[episode_id].heard) for episode_id in pairs[chosen])
        number = first + drawn
        order = 1 if np.random.default_rng([seed, number]).integers(2) else -1
        a, b = (Stretch(episode_id, 0, steps) for episode_id in pairs[chosen][::order])
        if drawn < count and steps >= SHORTEST_STEPS and frozenset((a, b)) not in known:
            drawn += 1
            yield DrawnPair(number, a, b, (played[a.episode_id].request, played[b.episode_id].request))


class ClipSampler:
    """Draws pairs of clips; a pair depends on the arguments, its number, and the pairs before it.

    Args:
      heard: for each episode, by id, the setter's words that the solver had heard at each step.
    """

    def __init__(self, heard: Mapping[str, Sequence[str]], settings: ClipSettings) -> None:
        self._settings = settings
        self._begins: dict[str, dict[str, np.ndarray]] = {}  # first steps of clips, by episode and request
        self._episodes: defaultdict[str, list[str]] = defaultdict(list)  # that have clips, by request
        for episode_id, words in heard.items():
            found = _first_steps(words, settings.steps)
            if found:
                self._begins[episode_id] = found
            for request in found:
                self._episodes[request].append(episode_id)
        groups = {episode_id: _partners(found, settings.steps) for episode_id, found in self._begins.items()}
        self._within = [(episode_id, group) for episode_id, group in groups.items() if group]
        self._across = [
            episode_id
            for episode_id, found in self._begins.items()
            if any(len(self._episodes[request]) > 1 for request in found)
        ]

    def draw(self, first: int, count: int, known: set[frozenset[Stretch]]) -> Iterator[DrawnPair]:
        """Draw pairs with numbers from ``first`` on; fewer than ``count`` where there are no more."""
        for number in range(first, first + count):
            pair = self._new_pair(number, known)
            if pair is None:
                return
            known.add(pair.clips)
            yield pair

    def _new_pair(self, number: int, known: set[frozenset[Stretch]]) -> DrawnPair | None:
        rng = np.random.default_rng([self._settings.seed, number])
        share = self._settings.within_share
        within = int((number + 1) * share) > int(number * share)  # so that any n pairs have the share, but for one
        for kind in (within, not within):
            if not (self._within if kind else self._across):
                continue
            for _ in range(_ATTEMPTS):
                pair = self._pair_within(number, rng) if kind else self._pair_across(number, rng)
                if pair.clips not in known:
                    return pair
        return None

    def _pair_within(self, number: int, rng: np.random.Generator) -> DrawnPair:
        episode_id, groups = self._within[rng.integers(len(self._within))]
        group, steps = groups[rng.integers(len(groups))], self._settings.steps
        begin = int(rng.choice(group[(group - group.min() >= steps) | (group.max() - group >= steps)]))
        other = int(rng.choice(group[np.abs(group - begin) >= steps]))
        return self._pair(number, (episode_id, begin), (episode_id, other))

    def _pair_across(self, number: int, rng: np.random.Generator) -> DrawnPair:
        one = self._across[rng.integers(len(self._across))]
        shared = [request for request in self._begins[one] if len(self._episodes[request]) > 1]
        request = shared[rng.integers(len(shared))]
        others = [episode_id for episode_id in self._episodes[request] if episode_id != one]
        other = others[rng.integers(len(others))]
        begin, begin_other = (int(rng.choice(self._begins[each][request])) for each in (one, other))
        return self._pair(number, (one, begin), (other, begin_other))

    def _pair(self, number: int, one: tuple[str, int], other: tuple[str, int]) -> DrawnPair:
        clips = [Stretch(episode_id, begin, begin + self._settings.steps) for episode_id, begin in (one, other)]
        return DrawnPair(number, clips[0], clips[1], (self._request(*one), self._request(*other)))

    def _request(self, episode_id: str, begin: int) -> str:
        return next(request for request, begins in self._begins[episode_id].items() if begin in begins)


def _partners(begins: Mapping[str, np.ndarray], steps: int) -> list[np.ndarray]:
    """Return the first steps, int [clips], of an episode's clips if some two of them share no step.

    Returns:
      An array for each request that has two such clips; one of all clips if no request has; [] if there are none.
    """
    every = np.concatenate(list(begins.values()))
    by_request = [each for each in begins.values() if np.ptp(each) >= steps]
    return by_request or ([every] if np.ptp(every) >= steps else [])


def _first_steps(heard: Sequence[str], steps: int) -> dict[str, np.ndarray]:
    """Return the first steps, int [clips], of all clips of an episode, by request."""
    found: defaultdict[str, list[np.ndarray]] = defaultdict(list)
    silent, begin = not any(heard), 0
    for request, stretch in groupby(heard):
        end = begin + sum(1 for _ in stretch)
        if (request or silent) and end - begin >= steps:
            found[request].append(np.arange(begin, end - steps + 1))
        begin = end
    return {request: np.concatenate(begins) for request, begins in found.items()}
