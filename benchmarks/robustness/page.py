"""The table of a run of trials, and the page of the docs that keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.robustness.trial import Group, Outcome
from rlhf.run.config import git_commit
from rlhf.run.machine import describe

PAGE = Path(__file__).resolve().parents[2] / "docs" / "robustness.md"
BEGIN, END = "<!-- robustness: begin -->", "<!-- robustness: end -->"


def format_table(groups: Sequence[Group], outcomes: Sequence[Outcome]) -> str:
    """Return a line for each group: trials, trials that held, seconds; and their sums."""
    lines = [f"{'group':<18}{'trials':>8}{'held':>8}{'seconds':>9}"]
    for name, own in [*((group.name, _of(group, outcomes)) for group in groups), ("all", outcomes)]:
        held = sum(outcome.broke is None for outcome in own)
        lines.append(f"{name:<18}{len(own):>8}{held:>8}{sum(outcome.seconds for outcome in own):>9.0f}")
    return "\n".join(lines)


def write_page(groups: Sequence[Group], outcomes: Sequence[Outcome], command: str, page: Path = PAGE) -> Path:
    """Put the figures between the page's markers and return its path. Raises ValueError if the page lacks a marker."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} lacks {BEGIN} or {END}")
    figures = "\n".join(_figures(groups, outcomes, command))
    page.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}", encoding="utf-8")
    return page


def _figures(groups: Sequence[Group], outcomes: Sequence[Outcome], command: str) -> Iterator[str]:
    date, commit = datetime.now(UTC).date().isoformat(), git_commit() or "unknown"
    yield f"`{command}`, commit {commit[:9]}, {date}. {describe()}."
    yield ""
    yield "| group | trials | held | seconds |"
    yield "|---|---|---|---|"
    for name, own in [*((f"`{group.name}`", _of(group, outcomes)) for group in groups), ("all", outcomes)]:
        held = sum(outcome.broke is None for outcome in own)
        yield f"| {name} | {len(own)} | {held} | {sum(outcome.seconds for outcome in own):.0f} |"
    if broken := [outcome for outcome in outcomes if outcome.broke is not None]:
        yield "\nThese broke:\n"
        yield from (f"- `{outcome.group}`, {outcome.trial}: {outcome.broke}" for outcome in broken)
    for group in groups:
        yield f"\n### {group.name}\n"
        yield f"**Tried**: {group.tried}."
        yield f"**Held if**: {group.expectation}.\n"
        yield from (f"- {promise}" for promise in group.promises)


def _of(group: Group, outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.group == group.name]
