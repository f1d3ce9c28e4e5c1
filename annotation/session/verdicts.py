"""Live evaluation: a setter's requests to an agent, and the verdicts on them. Pure functions.

Whatever a setter says may be a request. Of each they say that it succeeded, that it failed, or that it asked for
nothing; the last that they said counts. An episode keeps verdicts on requests in ``notes["verdicts"]``, and the steps
of lines that asked for nothing in ``notes["no_requests"]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

NOTE, NO_REQUESTS = "verdicts", "no_requests"  # in the notes of an episode


class LineVerdict(StrEnum):
    """A setter's verdict on one of their own lines."""

    SUCCESS = "success"
    FAILURE = "failure"
    NO_REQUEST = "no request"


@dataclass(frozen=True)
class SetterLine:
    """A line that a setter said."""

    step: int
    words: str
    said: LineVerdict | None = None
    judged: int | None = None


@dataclass(frozen=True)
class Verdict:
    """The verdict on a request.

    Args:
      step: when it was given; one given after the end has the last step.
    """

    step: int
    request_step: int
    request: str
    success: bool


def with_verdict(
    asked: Sequence[SetterLine], request_step: int, said: LineVerdict, step: int
) -> tuple[SetterLine, ...]:
    """Return ``asked`` with a verdict on the line of ``request_step``. Raises KeyError if there is no such line."""
    if all(line.step != request_step for line in asked):
        raise KeyError(request_step)
    return tuple(replace(line, said=said, judged=step) if line.step == request_step else line for line in asked)


def without_verdict(asked: Sequence[SetterLine]) -> tuple[SetterLine, ...]:
    """Return the lines without a verdict."""
    return tuple(line for line in asked if line.said is None)


def note(asked: Sequence[SetterLine]) -> dict[str, Any]:
    """Verdicts on requests, and steps of lines that were no requests, for an episode's notes, in order."""
    verdicts = [
        Verdict(line.judged, line.step, line.words, line.said is LineVerdict.SUCCESS)
        for line in asked
        if line.judged is not None and line.said is not LineVerdict.NO_REQUEST
    ]
    none = [line.step for line in asked if line.said is LineVerdict.NO_REQUEST]
    return {NOTE: [asdict(verdict) for verdict in verdicts], NO_REQUESTS: none}


def read_verdicts(notes: Mapping[str, Any]) -> tuple[Verdict, ...]:
    """Return the verdicts in an episode's notes; none where nobody judged."""
    return tuple(Verdict(**verdict) for verdict in notes.get(NOTE, ()))


def no_requests(notes: Mapping[str, Any]) -> frozenset[int]:
    """Steps of lines that the setter then called no request, from an episode's notes; empty in older recordings."""
    return frozenset(notes.get(NO_REQUESTS, ()))
