"""A scripted rater: it knows the truth of an episode and marks it with the faults of people.

Raters of the paper (section 3.2) mark a little after the moment they judge, overlook some moments, and now and then
press the wrong key. All of that is configuration here. The paper's raters gave about 14 marks in five minutes. This one
marks every event that it does not overlook: 15.5 in five minutes of scripted play in the Playhouse (mean of 8
episodes), and several times as many where an agent errs often; `rlhf mark --per-five-minutes` limits it. Every mark is
labelled as scripted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from rlhf.records.episode import Episode
from rlhf.records.marks import PROGRESS, REGRESS, Mark
from rlhf.records.preferences import FAILURE, SUCCESS, RequestVerdict
from worlds.contract import Event


@dataclass(frozen=True)
class ScriptedRater:
    """Turns ground-truth events of an episode into the marks of a fallible person.

    Args:
      delay: mean and standard deviation, in steps, of the time between an event and its mark.
      longest_delay: no mark lands more than this many steps after its event.
      spurious: probability per step of a mark of random sign for which there is no reason.
      seed: with the episode's id it decides all of the above, so marking twice gives the same marks.

    Raises ValueError if a probability is outside [0, 1] or a delay is negative.
    """

    name: str = "scripted-rater"
    delay: tuple[float, float] = (1.0, 0.8)
    longest_delay: int = 3
    miss: float = 0.1
    mistake: float = 0.05
    spurious: float = 0.0005
    seed: int = 0

    def __post_init__(self) -> None:
        for setting in ("miss", "mistake", "spurious"):
            if not 0.0 <= getattr(self, setting) <= 1.0:
                raise ValueError(f"the rater's {setting} is a probability in [0, 1], not {getattr(self, setting)}")
        if min(*self.delay, self.longest_delay) < 0:
            raise ValueError(f"the rater's delays count steps from 0, not {self.delay} up to {self.longest_delay}")

    def mark(self, episode_id: str, steps: int, events: Sequence[Event]) -> list[Mark]:
        """Return the marks that this rater gives to an episode, in the order of their steps.

        An event's step is the index of the observation that shows it, so what happens in the very last
        action of an episode is on no picture and gets no mark.
        """
        rng = np.random.default_rng([self.seed, crc32(self.name.encode()), crc32(episode_id.encode())])
        moments: list[tuple[int, int]] = []
        earliest = 0
        for event in sorted(events, key=lambda e: e.step):
            delay, missed, mistaken = self._delay(rng), rng.random() < self.miss, rng.random() < self.mistake
            if missed or not 0 <= event.step < steps:
                continue
            # People report events in the order in which they happened, however slow the key press.
            earliest = max(earliest, min(event.step + delay, steps - 1))
            moments.append((earliest, -event.sign if mistaken else event.sign))
        idle = np.flatnonzero(rng.random(steps) < self.spurious)
        moments += [(int(step), PROGRESS if rng.random() < 0.5 else REGRESS) for step in idle]
        moments.sort(key=lambda moment: moment[0])
        return [Mark(episode_id, self.name, step, sign, scripted=True) for step, sign in moments]

    def judge(self, episode: Episode) -> list[RequestVerdict]:
        """Return a verdict on each request of an episode whose stretch was heard, by the tasks' own checks."""
        rng = np.random.default_rng([self.seed, crc32(self.name.encode()), crc32(episode.episode_id.encode()), 1])
        begins = [request.step + 1 for request in episode.requests]
        ends = [*begins[1:], len(episode)][: len(begins)]  # none without a request
        verdicts = []
        for begin, end, fulfilled in zip(begins, ends, episode.success_step, strict=True):
            missed, mistaken = rng.random() < self.miss, rng.random() < self.mistake
            if not missed and begin < end:
                answer = SUCCESS if (fulfilled is not None) != mistaken else FAILURE
                verdicts.append(RequestVerdict(episode.episode_id, begin, end, answer, self.name, scripted=True))
        return verdicts

    def _delay(self, rng: np.random.Generator) -> int:
        mean, deviation = self.delay
        return int(np.clip(round(rng.normal(mean, deviation)), 0, self.longest_delay))
