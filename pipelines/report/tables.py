"""Tables of numbers for the templates of all pages."""

from __future__ import annotations

from dataclasses import dataclass

DASH = "\N{EN DASH}"  # for a missing number


@dataclass(frozen=True)
class Cell:
    """Number with lines in small letters below.

    Args:
      text: the number.
      notes: the lines, e.g. its interval.
      pill: CSS class of a coloured pill around the number; "" has none.
      title: tooltip.
    """

    text: str = DASH
    notes: tuple[str, ...] = ()
    pill: str = ""
    title: str = ""


@dataclass(frozen=True)
class Row:
    """Row of a table.

    Args:
      name: in its first column.
      cells: of the other columns.
      note: in small letters below the name.
      css: class of the row.
    """

    name: str
    cells: tuple[Cell, ...]
    note: str = ""
    css: str = ""


@dataclass(frozen=True)
class Table:
    """Titles of all columns, and the rows."""

    head: tuple[str, ...]
    rows: tuple[Row, ...]
