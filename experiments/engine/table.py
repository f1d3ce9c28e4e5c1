"""The one function that makes the tables of experiments from rows, the texts of their cells, and the table of arms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, gained, grouped, over_seeds, seed_means, success
from rlhf.run.statistics import Interval, signed, wilson_interval

ALL = "all"  # the mean over probes, with equal weights
NOT_RUN = "not run"
WIDEST = 12  # most probes that are columns; more of them are rows

Cell = Callable[[Rows], str]  # the rows of a line -> the text of one of its cells
Columns = Iterable[tuple[str, Cell]]  # headings, which may come twice, and cells


def by_arm(row: Row) -> str:
    """Return the arm: most tables have a line for each."""
    return row.arm


def table(
    rows: Iterable[Row],
    head: str | Sequence[str],
    columns: Columns,
    line: Callable[[Row], str | tuple[str, ...]] = by_arm,
    lines: Iterable[str | tuple[str, ...]] | None = None,
) -> ResultTable:
    """Make a table.

    Args:
      head: headings of the first column, or columns, which name the line.
      columns: headings and cells of the others; a cell gets the rows of its line, which may be none.
      line: which line a row belongs to, as the texts of the first columns.
      lines: all lines in their order, those without rows too; None shows those that have rows, as they come.
    """
    found, columns = grouped(rows, line), list(columns)
    made = []
    for name in found if lines is None else lines:
        own = found.get(name, [])
        made.append((*((name,) if isinstance(name, str) else name), *(cell(own) for _, cell in columns)))
    first = (head,) if isinstance(head, str) else head
    return ResultTable((*first, *(heading for heading, _ in columns)), tuple(made))


def shown(cell: Cell, otherwise: str = NOT_RUN) -> Cell:
    """Return the same cell with a text for a line without rows."""
    return lambda rows: cell(rows) if rows else otherwise


def always(text: str) -> Cell:
    """Return a cell with a text of its own."""
    return lambda _: text


def at(probe: str, cell: Cell) -> Cell:
    """Return a cell of the rows of one probe."""
    return lambda rows: cell([row for row in rows if row.probe == probe])


def mean(name: str, form: str = ".0f", unit: str = "", scale: float = 1.0) -> Cell:
    """Return a cell with the mean of a measure over seeds."""
    return lambda rows: f"{scale * np.mean(values):{form}}{unit}" if (values := seed_means(rows, name)) else ""


def spread(name: str, form: str = ".0f", unit: str = "", scale: float = 1.0) -> Cell:
    """Return a cell with the mean of a measure over seeds, with the least and the greatest of several in brackets."""

    def cell(rows: Rows) -> str:
        values = [scale * one for one in seed_means(rows, name)]
        return format_range(values, form, unit) if values else ""

    return cell


def bounds(name: str, form: Callable[[float], str], least: float = -np.inf, most: float = np.inf) -> Cell:
    """Return a cell with Student's 95% interval of a measure over seeds, within ``least`` and ``most``."""

    def cell(rows: Rows) -> str:
        found = over_seeds(rows, name)
        return "one seed" if found is None else f"{form(max(least, found.low))} to {form(min(most, found.high))}"

    return cell


def pooled(rows: Rows) -> str:
    """Return the share of all episodes that succeeded, with Wilson's interval."""
    return format_share(wilson_interval(sum(bool(row.success) for row in rows), len(rows)))


def seeds(rows: Rows) -> str:
    """Return the seeds of a line."""
    return ", ".join(map(str, sorted({row.seed for row in rows})))


@dataclass(frozen=True)
class Share:
    """Success of one arm at one probe.

    Args:
      difference: less the arm that it is compared with, paired by episode; None for an arm that is compared with none,
        and where the two have no common seed.
    """

    arm: str
    probe: str
    success: Interval
    difference: Interval | None
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Success by arm and probe; an arm without results has none.

    Args:
      arms: names, in the order to show.
      probes: names, in the order to show.
      others: arms that are compared with another one, and with which.
    """

    arms: tuple[str, ...]
    probes: tuple[str, ...]
    compared_with: str
    cells: tuple[Share, ...]
    others: Mapping[str, str] = field(default_factory=dict)

    def cell(self, arm: str, probe: str) -> Share | None:
        """Return the success of an arm at a probe; None if it has not been evaluated."""
        return next((cell for cell in self.cells if (cell.arm, cell.probe) == (arm, probe)), None)


def tabulate(
    rows: Iterable[Row],
    arms: Sequence[str],
    probes: Sequence[str],
    compared_with: str,
    others: Mapping[str, str] | None = None,
) -> Table:
    """Compute success and differences of arms; every arm's numbers are of all seeds evaluated so far."""
    found, cells, others = grouped(rows, by_arm), [], others or {}
    for arm in (arm for arm in arms if arm in found):
        other = others.get(arm, compared_with)
        run = tuple(sorted({row.seed for row in found[arm]}))
        for probe in (*probes, ALL):
            names = tuple(probes) if probe == ALL else (probe,)
            less = gained(found[arm], found[other], names) if arm != other and other in found else None
            cells.append(Share(arm, probe, success(found[arm], names), less, run))
    return Table(tuple(arms), tuple(probes), compared_with, tuple(cells), others)


def markdown(found: Table, requests: str) -> str:
    """Format two tables: success in per cent of ``requests``, and differences in points; intervals in brackets."""
    rows = [[arm, *(_success(found.cell(arm, probe)) for probe in (*found.probes, ALL))] for arm in found.arms]
    for row, cell in zip(rows, (found.cell(arm, ALL) for arm in found.arms), strict=True):
        row.append("" if cell is None else ", ".join(map(str, cell.seeds)))
    episodes = {cell.success.count // len(cell.seeds) for cell in found.cells if cell.probe != ALL}
    about = (
        f"Success in per cent of {requests}, {'/'.join(map(str, sorted(episodes))) or 'no'} episodes a "
        "probe and seed; 95% intervals over seeds (Student's t, or a bootstrap of the episodes where that is "
        "wider), of one seed Wilson's, and a bootstrap over all probes and of differences."
    )
    return "\n".join([about, "", _turned([*_head(found), "seeds"], rows, found), differences(found)])


def differences(found: Table) -> str:
    """Format the differences of every arm from the one it is compared with, in points; intervals in brackets."""
    rows = []
    for arm in (arm for arm in found.arms if arm != found.compared_with):
        name = f"{arm} (than {found.others[arm]})" if arm in found.others else arm
        rows.append([name, *(_difference(found.cell(arm, probe)) for probe in (*found.probes, ALL))])
    about = f"Points more than {found.compared_with}, paired by episode; bold where the interval leaves 0 out."
    return "\n".join([about, "", _turned(_head(found), rows, found)])


def _head(found: Table) -> list[str]:
    """Headings: names of probes as they are where columns become rows."""
    probes = [name if len(found.probes) > WIDEST else name.capitalize() for name in found.probes]
    return ["agent", *probes, ALL]


def _turned(head: Sequence[str], rows: Sequence[Sequence[str]], found: Table) -> str:
    """Format a table; with many probes, columns become rows."""
    if len(found.probes) > WIDEST:
        head, *rows = zip(head, *rows, strict=True)
    return ResultTable(tuple(head), tuple(map(tuple, rows))).markdown()


def _success(cell: Share | None) -> str:
    return NOT_RUN if cell is None else format_success(cell.success)


def _difference(cell: Share | None) -> str:
    return NOT_RUN if cell is None or cell.difference is None else format_difference(cell.difference)


def format_success(share: Interval) -> str:
    """Format a share in per cent, with its interval in brackets."""
    return f"{100 * share.estimate:.0f} ({100 * share.low:.0f} to {100 * share.high:.0f})"


def format_share(share: Interval) -> str:
    """Format a share with its interval in brackets, within 0 and 100%: "74% (68 to 78)"."""
    low, high = max(0.0, share.low), min(1.0, share.high)
    return f"{100 * share.estimate:.0f}% ({100 * low:.0f} to {100 * high:.0f})"


def format_range(values: Sequence[float], form: str = ".0f", unit: str = "") -> str:
    """Format the mean of numbers, with the least and the greatest of several in brackets."""
    middle = f"{np.mean(values):{form}}{unit}"
    return middle if len(values) == 1 else f"{middle} ({min(values):{form}} to {max(values):{form}})"


def format_difference(difference: Interval) -> str:
    """Format a difference in points, with its interval in brackets, bold where the interval leaves 0 out."""
    text = f"{signed(difference.estimate)} ({signed(difference.low)} to {signed(difference.high)})"
    return f"**{text}**" if difference.low > 0 or difference.high < 0 else text
