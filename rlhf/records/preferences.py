"""The records of judgements besides marks: clip pairs, verdicts on requests, take-overs, scores of stretches, goals
that were inferred from play, and ratings of helpers.

Each is about one or two *stretches*: consecutive steps of one episode. Reward models learn from all but the last two.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

from rlhf.records.checks import check_flags, check_texts, is_whole
from rlhf.records.marks import CANNOT_TELL, NO_REQUEST

A, B, SAME = "a", "b", "same"
SUCCESS, FAILURE = "success", "failure"
CLIP_ANSWERS = (A, B, SAME, CANNOT_TELL)
RATED = ("knew_goal", "helpful", "trusted")  # of a helper
LOWEST_RATING, HIGHEST_RATING = 1, 7
_MANY = 2**31  # more things than a home can have; counts are kept in 32 bits
VERDICTS = (SUCCESS, FAILURE, NO_REQUEST, CANNOT_TELL)


class Stretch(NamedTuple):
    """Consecutive steps of one episode.

    Args:
      begin: its first step.
      end: the step after its last.
    """

    episode_id: str
    begin: int
    end: int


@dataclass(frozen=True)
class ClipPair:
    """A rater's comparison of two stretches of play, of one episode or of two.

    Args:
      episode_a: the episode of clip A.
      begin_a: first step of clip A.
      end_a: the step after its last.
      episode_b: the episode of clip B; it may be that of clip A.
      begin_b: first step of clip B.
      end_b: the step after its last.
      answer: the better clip, ``A`` or ``B``; ``SAME`` where they are equally good, ``CANNOT_TELL`` where the rater
        does not know.
      rater: name of the rater.
      seconds: time that the rater took; None where it is not known.
      scripted: whether the rater is a program.

    Raises:
      ValueError: if a field is of another type, a clip has no step, or there is no such answer.
    """

    episode_a: str
    begin_a: int
    end_a: int
    episode_b: str
    begin_b: int
    end_b: int
    answer: str
    rater: str
    seconds: float | None
    scripted: bool

    def __post_init__(self) -> None:
        check_texts(episode_a=self.episode_a, episode_b=self.episode_b, rater=self.rater)
        check_flags("a clip pair", scripted=self.scripted)
        for stretch in self.stretches:
            _check_stretch("a clip", stretch)
        if self.answer not in CLIP_ANSWERS:
            raise ValueError(f"the answer to a clip pair is {_one_of(CLIP_ANSWERS)}, not {self.answer!r}")
        if self.seconds is not None and (not _is_number(self.seconds) or self.seconds < 0):
            raise ValueError(f"seconds of a clip pair is {self.seconds!r}, not a number from 0 on or None")

    @property
    def decides(self) -> bool:
        """False where the rater did not know."""
        return self.answer != CANNOT_TELL

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Clip A and clip B."""
        return (
            Stretch(self.episode_a, self.begin_a, self.end_a),
            Stretch(self.episode_b, self.begin_b, self.end_b),
        )


def swapped(pair: ClipPair) -> ClipPair:
    """Return the same comparison with the other clip as A."""
    return replace(
        pair,
        episode_a=pair.episode_b,
        begin_a=pair.begin_b,
        end_a=pair.end_b,
        episode_b=pair.episode_a,
        begin_b=pair.begin_a,
        end_b=pair.end_a,
        answer={A: B, B: A}.get(pair.answer, pair.answer),
    )


@dataclass(frozen=True)
class RequestVerdict:
    """A rater's verdict on a stretch of play: whether it carried out the request that it begins with.

    Args:
      episode_id: the episode.
      begin: first step at which the solver had heard the request.
      end: the step after the last that was judged.
      answer: ``SUCCESS`` or ``FAILURE``; ``NO_REQUEST`` where the words asked for nothing, ``CANNOT_TELL`` where the
        rater does not know.
      rater: name of the rater.
      scripted: whether the rater is a program.

    Raises:
      ValueError: if a field is of another type, the stretch has no step, or there is no such answer.
    """

    episode_id: str
    begin: int
    end: int
    answer: str
    rater: str
    scripted: bool

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, rater=self.rater)
        check_flags("a verdict", scripted=self.scripted)
        _check_stretch("a verdict", *self.stretches)
        if self.answer not in VERDICTS:
            raise ValueError(f"a verdict is {_one_of(VERDICTS)}, not {self.answer!r}")

    @property
    def decides(self) -> bool:
        """True where the answer is success or failure."""
        return self.answer in (SUCCESS, FAILURE)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The stretch that was judged."""
        return (Stretch(self.episode_id, self.begin, self.end),)


@dataclass(frozen=True)
class TakeOver:
    """A stretch of play in which a co-pilot acted instead of the agent.

    Args:
      episode_id: the episode.
      begin: first step at which they acted.
      end: the step after the last.
      rater: name of the co-pilot, who judged by taking over that the agent needed help.
      scripted: whether the co-pilot is a program.

    Raises:
      ValueError: if a field is of another type, or the stretch has no step.
    """

    episode_id: str
    begin: int
    end: int
    rater: str
    scripted: bool

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, rater=self.rater)
        check_flags("a take-over", scripted=self.scripted)
        _check_stretch("a take-over", *self.stretches)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The stretch in which they acted."""
        return (Stretch(self.episode_id, self.begin, self.end),)


@dataclass(frozen=True)
class StretchScore:
    """A rater's score of a stretch of play on a scale, the higher the better.

    Args:
      episode_id: the episode.
      begin: first step that was scored.
      end: the step after the last.
      score: the number given.
      low: the lowest number of the scale.
      high: the highest.
      rater: name of the rater.
      scripted: whether the rater is a program.

    Raises:
      ValueError: if a field is of another type, the stretch has no step, or the score is not on the scale.
    """

    episode_id: str
    begin: int
    end: int
    score: float
    low: float
    high: float
    rater: str
    scripted: bool

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, rater=self.rater)
        check_flags("a score", scripted=self.scripted)
        _check_stretch("a score", *self.stretches)
        for name in ("score", "low", "high"):
            if not _is_number(getattr(self, name)):
                raise ValueError(f"{name} of a score is {getattr(self, name)!r}, not a finite number")
        if not self.low < self.high:
            raise ValueError(f"the scale of a score rises from low to high, not from {self.low} to {self.high}")
        if not self.low <= self.score <= self.high:
            raise ValueError(f"a score is from {self.low} to {self.high} as its scale, not {self.score}")

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The stretch that was scored."""
        return (Stretch(self.episode_id, self.begin, self.end),)


@dataclass(frozen=True)
class InferredGoal:
    """A rater's answer to what the setter wanted, after watching it act.

    Args:
      episode_id: the episode.
      begin: first step that was watched.
      end: the step after the last.
      goal: count of each predicate that was inferred, as JSON; see :func:`goal_text`. "{}" where none was.
      rater: name of the rater.
      seconds: time that the rater took; None where it is not known.
      scripted: whether the rater is a program.

    Raises:
      ValueError: if a field is of another type, the stretch has no step, or the goal is not as ``goal_text`` writes it.
    """

    episode_id: str
    begin: int
    end: int
    goal: str
    rater: str
    seconds: float | None
    scripted: bool

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, goal=self.goal, rater=self.rater)
        check_flags("an inferred goal", scripted=self.scripted)
        _check_stretch("an inferred goal", *self.stretches)
        if self.seconds is not None and (not _is_number(self.seconds) or self.seconds < 0):
            raise ValueError(f"seconds of an inferred goal is {self.seconds!r}, not a number from 0 on or None")
        if goal_text(_counts_in(self.goal)) != self.goal:
            raise ValueError(f"an inferred goal is JSON with sorted names and without spaces, not {self.goal}")

    @property
    def counts(self) -> dict[str, int]:
        """Count of each predicate that was inferred."""
        return _counts_in(self.goal)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The stretch that was watched."""
        return (Stretch(self.episode_id, self.begin, self.end),)


def goal_text(counts: Mapping[str, int]) -> str:
    """Return the one text of a goal: JSON with the counts above zero, sorted by name, without spaces.

    Args:
      counts: of each predicate, by name.
    """
    return json.dumps({name: count for name, count in counts.items() if count}, sort_keys=True, separators=(",", ":"))


def _counts_in(text: str) -> dict[str, int]:
    try:
        counts = json.loads(text)
    except (ValueError, RecursionError):
        counts = None
    if not isinstance(counts, dict) or not all(is_whole(count) and 0 < count < _MANY for count in counts.values()):
        raise ValueError(f'an inferred goal is JSON such as {{"name":2}} with counts from 1 up, not {text[:80]!r}')
    return counts


@dataclass(frozen=True)
class HelperRating:
    """A person's ratings of the helper that acted beside them, each from 1, not at all, to 7, completely.

    Args:
      episode_id: the episode.
      begin: first step of the help.
      end: the step after the last.
      knew_goal: the helper knew the person's goal.
      helpful: it was helpful.
      trusted: the person trusted it.
      rater: name of the person.
      scripted: whether the rater is a program.

    Raises:
      ValueError: if a field is of another type, the stretch has no step, or a rating is not on the scale.
    """

    episode_id: str
    begin: int
    end: int
    knew_goal: int
    helpful: int
    trusted: int
    rater: str
    scripted: bool

    def __post_init__(self) -> None:
        check_texts(episode_id=self.episode_id, rater=self.rater)
        check_flags("a rating", scripted=self.scripted)
        _check_stretch("a rating", *self.stretches)
        for name in RATED:
            value = getattr(self, name)
            if not is_whole(value) or not LOWEST_RATING <= value <= HIGHEST_RATING:
                known = f"{LOWEST_RATING} to {HIGHEST_RATING}"
                raise ValueError(f"{name} of a rating is {value!r}, no whole number from {known}")

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The stretch in which it helped."""
        return (Stretch(self.episode_id, self.begin, self.end),)


Preference = ClipPair | RequestVerdict | TakeOver | StretchScore
Statement = Preference | InferredGoal | HelperRating

# By the name of the table that they are kept in.
PREFERENCES: dict[str, type[Preference]] = {
    "clip_pairs": ClipPair,
    "verdicts": RequestVerdict,
    "take_overs": TakeOver,
    "scores": StretchScore,
}
STATEMENTS: dict[str, type[Statement]] = {
    **PREFERENCES,
    "inferred_goals": InferredGoal,
    "helper_ratings": HelperRating,
}
# Words for several of them, by the same name.
NOUNS = {
    "clip_pairs": "clip pairs",
    "verdicts": "verdicts",
    "take_overs": "take-overs",
    "scores": "scores",
    "inferred_goals": "inferred goals",
    "helper_ratings": "ratings of helpers",
}


def _check_stretch(what: str, stretch: Stretch) -> None:
    begin, end = stretch.begin, stretch.end
    if not is_whole(begin) or not is_whole(end):
        raise ValueError(f"begin and end of {what} are whole numbers, not {begin!r} and {end!r}")
    if begin < 0:
        raise ValueError(f"begin of {what} counts from 0, not {begin}")
    if end <= begin:
        raise ValueError(f"end of {what} is the step after its last, so greater than begin {begin}, not {end}")


def _is_number(value: Any) -> bool:
    """Return whether ``value`` is a finite number that a column of 64-bit floats can hold."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _one_of(answers: tuple[str, ...]) -> str:
    quoted = [repr(answer) for answer in answers]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
