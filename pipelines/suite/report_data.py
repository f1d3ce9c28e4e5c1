"""What a suite's report says, as data: :mod:`pipelines.suite.report` finds it, :mod:`pipelines.suite.page` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipelines.report.data import Circumstances
from pipelines.suite.results import Cumulative, JudgesAgreement
from rlhf.run.statistics import Interval, percent

ALL = "all"


@dataclass(frozen=True)
class AgentResults:
    """One agent.

    Args:
      outcomes: continuations, or requests, that were judged; clusters: scenarios, or episodes, that they are of.
      played: continuations that there are. success: by kind of request, and of ``ALL``; kinds without any are left out.
      difference: of all, less the baseline. cumulative: success against time.
    """

    agent: str
    outcomes: int
    clusters: int
    played: int
    success: dict[str, Interval]
    difference: Interval | None
    cumulative: Cumulative

    @property
    def continuations(self) -> int:
        """How many of its continuations were judged."""
        return self.outcomes


@dataclass(frozen=True)
class SuiteResults:
    """How a suite's continuations were judged.

    Args:
      suites: ids. scenarios: of which there are continuations. judged: of those, how many have a judged one.
      recorded_by: who played what ``RECORDED`` repeats.
      left_out: judgements that count neither as success nor as failure, by their verdict.
    """

    suites: tuple[str, ...]
    scenarios: int
    judged: int
    baseline: str | None
    recorded_by: dict[str, int]
    left_out: dict[str, int]
    agents: tuple[AgentResults, ...]
    agreement: JudgesAgreement

    @property
    def over(self) -> str:
        """What success is taken over: "300 scenarios", or "12 of 300 scenarios" until all are judged."""
        return (
            f"{self.judged} scenarios"
            if self.judged == self.scenarios
            else f"{self.judged} of {self.scenarios} scenarios"
        )


@dataclass(frozen=True)
class LiveResults:
    """How people judged agents while they played with them."""

    agents: tuple[AgentResults, ...]


@dataclass(frozen=True)
class SuiteReport:
    """The whole report; a part without data is None."""

    suite: SuiteResults | None
    live: LiveResults | None
    scripted: bool
    circumstances: Circumstances


def left_out_sentence(left_out: Mapping[str, int]) -> str:
    """Return how many judgements count neither as success nor as failure.

    Args:
      left_out: their number, by verdict.
    """
    counts = ", ".join(f"{count} “{verdict}”" for verdict, count in sorted(left_out.items()))
    return f"{sum(left_out.values())} judgements are left out, neither success nor failure: {counts}."


def agreement_sentence(agreement: JudgesAgreement) -> str:
    """How far judges agree, in a line or two."""
    sentence = f"{agreement.judged} continuations judged by {len(agreement.judges)}"
    sentence += " judge" if len(agreement.judges) == 1 else " judges"
    if not agreement.several:
        return f"{sentence}; none by several, so that agreement is unknown"
    sentence += f", {agreement.several} by several ({agreement.ties} tied)"
    if agreement.same is not None:
        sentence += f"; two judges say the same of {share(agreement.same)}"
    if agreement.alpha is not None:
        alpha = agreement.alpha
        sentence += f"; Krippendorff's alpha {alpha.estimate:.2f} ({alpha.low:.2f} to {alpha.high:.2f})"
    if agreement.seconds_apart is not None:
        sentence += f"; their moments of success are {agreement.seconds_apart:.1f} s apart (median)"
    return sentence


def share(interval: Interval | None) -> str:
    """A share of success with its bounds."""
    if interval is None:
        return "-"
    return f"{percent(interval.estimate)} ({percent(interval.low)} to {percent(interval.high)})"
