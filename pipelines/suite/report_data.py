"""Data of a suite's report, built by :mod:`pipelines.suite.report` and shown by :mod:`pipelines.suite.page`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pipelines.report.data import Circumstances
from pipelines.suite.results import Cumulative, JudgesAgreement
from rlhf.run.statistics import Interval, percent

ALL = "all"


@dataclass(frozen=True)
class AgentResults:
    """Results of one agent.

    Args:
      success: by kind of request, and of ``ALL``; kinds without outcomes are left out.
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
        """Number of its judged continuations."""
        return self.outcomes


@dataclass(frozen=True)
class SuiteResults:
    """Judgements of a suite's continuations.

    Args:
      recorded_by: number of continuations by ``RECORDED``, by the recorded solver's name.
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
        """Denominator of success: "300 scenarios", or "12 of 300 scenarios" until all are judged."""
        return (
            f"{self.judged} scenarios"
            if self.judged == self.scenarios
            else f"{self.judged} of {self.scenarios} scenarios"
        )


@dataclass(frozen=True)
class LiveResults:
    """Results of live play, judged by the setters themselves."""

    agents: tuple[AgentResults, ...]


@dataclass(frozen=True)
class SuiteReport:
    """Data of the whole report; a part without data is None."""

    suite: SuiteResults | None
    live: LiveResults | None
    scripted: bool
    circumstances: Circumstances


def left_out_sentence(left_out: Mapping[str, int]) -> str:
    """Format the number of judgements that count neither as success nor as failure."""
    counts = ", ".join(f"{count} “{verdict}”" for verdict, count in sorted(left_out.items()))
    return f"{sum(left_out.values())} judgements are left out, neither success nor failure: {counts}."


def agreement_sentence(agreement: JudgesAgreement) -> str:
    """Format the agreement of judges in one sentence."""
    sentence = f"{agreement.judged} continuations judged by {len(agreement.judges)}"
    sentence += " judge" if len(agreement.judges) == 1 else " judges"
    if not agreement.several:
        return f"{sentence}; none by several, so that agreement is unknown"
    sentence += f", {agreement.several} by several ({agreement.ties} tied)"
    if agreement.same is not None:
        sentence += f"; two judges agree on {share(agreement.same)}"
    if agreement.alpha is not None:
        alpha = agreement.alpha
        sentence += f"; Krippendorff's alpha {alpha.estimate:.2f} ({alpha.low:.2f} to {alpha.high:.2f})"
    if agreement.seconds_apart is not None:
        sentence += f"; their moments of success are {agreement.seconds_apart:.1f} s apart (median)"
    return sentence


def share(interval: Interval | None) -> str:
    """Format a share of success with its bounds."""
    if interval is None:
        return "-"
    return f"{percent(interval.estimate)} ({percent(interval.low)} to {percent(interval.high)})"
