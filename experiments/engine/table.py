"""Table of an experiment (Markdown and JSON): every arm at every probe, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from experiments.engine.results_docs import markdown_table
from pipelines.stages.evaluate import ProbeResult
from pipelines.stages.outcomes.paired import at_probes, gain, success_of
from rlhf.run.statistics import Interval, signed

ALL = "all"  # the mean over probes, with equal weights
NOT_RUN = "not run"
WIDEST = 12  # most probes that are columns; more of them are rows

Outcomes = Mapping[str, Mapping[int, Sequence[ProbeResult]]]  # arm -> seed -> its results, one a probe


@dataclass(frozen=True)
class Cell:
    """One arm at one probe.

    Args:
      arm: its name.
      probe: its name.
      success: share of successful requests.
      difference: less the arm that it is compared with, paired by episode; None for an arm that is compared with none,
        and where the two have no common seed.
      seeds: of the numbers.
    """

    arm: str
    probe: str
    success: Interval
    difference: Interval | None
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Cells by arm and probe; an arm without results has none.

    Args:
      arms: names, in the order to show.
      probes: names, in the order to show.
      compared_with: arm that is subtracted from the others.
      cells: of arms with results.
      others: arms that are compared with another one, and with which.
    """

    arms: tuple[str, ...]
    probes: tuple[str, ...]
    compared_with: str
    cells: tuple[Cell, ...]
    others: Mapping[str, str] = field(default_factory=dict)

    def cell(self, arm: str, probe: str) -> Cell | None:
        """Return the cell; None if the arm has not been evaluated."""
        return next((cell for cell in self.cells if (cell.arm, cell.probe) == (arm, probe)), None)


def tabulate(
    outcomes: Outcomes,
    arms: Sequence[str],
    probes: Sequence[str],
    compared_with: str,
    others: Mapping[str, str] | None = None,
) -> Table:
    """Tabulate ``outcomes``; every arm's numbers are of all seeds evaluated so far.

    Args:
      outcomes: by arm and seed.
      arms: in the order to show.
      probes: in the order to show.
      compared_with: arm that is subtracted from the others.
      others: arms that are compared with another one, and with which.
    """
    cells, others = [], others or {}
    for arm in arms:
        other = others.get(arm, compared_with)
        of_arm, of_other = outcomes.get(arm, {}), outcomes.get(other, {})
        shared = sorted(of_arm.keys() & of_other.keys())
        for probe in (*probes, ALL):
            names = probes if probe == ALL else (probe,)
            if not of_arm:
                continue
            runs = [at_probes(of_arm[seed], names) for seed in sorted(of_arm)]
            difference = None
            if arm != other and shared:
                after, before = ([at_probes(of[seed], names) for seed in shared] for of in (of_arm, of_other))
                difference = gain(after, before)
            cells.append(Cell(arm, probe, success_of(runs), difference, tuple(sorted(of_arm))))
    return Table(tuple(arms), tuple(probes), compared_with, tuple(cells), others)


def markdown(table: Table, requests: str) -> str:
    """Format two tables: success in per cent of ``requests``, and differences in points; intervals in brackets."""
    success = [["agent", *_headings(table), "all", "seeds"]]
    for arm in table.arms:
        cells = [table.cell(arm, probe) for probe in (*table.probes, ALL)]
        seeds = ", ".join(map(str, cells[0].seeds)) if cells[0] else ""
        success.append([arm, *(NOT_RUN if cell is None else format_success(cell.success) for cell in cells), seeds])
    episodes = {cell.success.count // len(cell.seeds) for cell in table.cells if cell.probe != ALL}
    return "\n".join(
        [
            f"Success in per cent of {requests}, {'/'.join(map(str, sorted(episodes))) or 'no'} episodes a "
            "probe and seed; 95% intervals over seeds (Student's t, or a bootstrap of the episodes where that is "
            "wider), of one seed Wilson's, and a bootstrap over all probes and of differences.",
            "",
            *_lines(success, table),
            "",
            differences(table),
        ]
    )


def differences(table: Table) -> str:
    """Format the differences of every arm from the one it is compared with, in points; intervals in brackets."""
    rows = [["agent", *_headings(table), "all"]]
    for arm in table.arms:
        if arm == table.compared_with:
            continue
        cells = [table.cell(arm, probe) for probe in (*table.probes, ALL)]
        shown = [
            NOT_RUN if cell is None or cell.difference is None else format_difference(cell.difference) for cell in cells
        ]
        name = f"{arm} (than {table.others[arm]})" if arm in table.others else arm
        rows.append([name, *shown])
    about = f"Points more than {table.compared_with}, paired by episode; bold where the interval leaves 0 out."
    return "\n".join([about, "", *_lines(rows, table), ""])


def _headings(table: Table) -> list[str]:
    """Names of the probes as headings of columns, or as they are where they become rows."""
    return [name if len(table.probes) > WIDEST else name.capitalize() for name in table.probes]


def _lines(rows: Sequence[Sequence[str]], table: Table) -> list[str]:
    """Lines of Markdown; with many probes, columns become rows."""
    head, *others = zip(*rows, strict=True) if len(table.probes) > WIDEST else rows
    return markdown_table(head, others).splitlines()


def format_success(share: Interval) -> str:
    """Format a share in per cent, with its interval in brackets."""
    return f"{100 * share.estimate:.0f} ({100 * share.low:.0f} to {100 * share.high:.0f})"


def format_share(share: Interval) -> str:
    """Format a share with its interval in brackets, within 0 and 100%: "74% (68 to 78)"."""
    low, high = max(0.0, share.low), min(1.0, share.high)
    return f"{100 * share.estimate:.0f}% ({100 * low:.0f} to {100 * high:.0f})"


def format_range(values: Sequence[float], form: str = ".0f", unit: str = "") -> str:
    """Format the mean of numbers, with the least and the greatest of several in brackets."""
    mean = f"{np.mean(values):{form}}{unit}"
    return mean if len(values) == 1 else f"{mean} ({min(values):{form}} to {max(values):{form}})"


def format_difference(difference: Interval) -> str:
    """Format a difference in points, with its interval in brackets, bold where the interval leaves 0 out."""
    text = f"{signed(difference.estimate)} ({signed(difference.low)} to {signed(difference.high)})"
    return f"**{text}**" if difference.low > 0 or difference.high < 0 else text
