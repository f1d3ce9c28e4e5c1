"""One HTML page: a header, and sections of charts, tables and pictures.

All text is escaped by Jinja2. Styles and pictures are inline, and nothing is fetched.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipelines.charts import palette
from pipelines.report.data import Circumstances
from rlhf.run.progress import duration
from rlhf.run.statistics import Interval, percent, signed

DASH = "\N{EN DASH}"  # for a missing number
Legend = tuple[tuple[str, str, bool], ...]  # name, CSS class, true if dashed


@dataclass(frozen=True)
class Cell:
    """Number with lines in small letters below.

    Args:
      notes: the lines, e.g. its interval.
      pill: CSS class of a coloured pill around the number; "" has none.
    """

    text: str = DASH
    notes: tuple[str, ...] = ()
    pill: str = ""
    title: str = ""

    @classmethod
    def share(cls, one: Any, *notes: str) -> Cell:
        """Return the cell of a share with bounds, or of its absence, with further lines."""
        return cls() if one is None else cls(percent(one.estimate), (bounds(one), *notes))


@dataclass(frozen=True)
class Row:
    """Row of a table."""

    name: str
    cells: tuple[Cell, ...]
    note: str = ""
    css: str = ""


@dataclass(frozen=True)
class Table:
    """Titles of all columns, and the rows."""

    head: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class DrawnFigure:
    """Chart with its title, legend and note."""

    title: str
    drawing: Markup
    legend: Legend = ()
    note: str = ""


@dataclass(frozen=True)
class Hero:
    """Big number of a page.

    Args:
      colour: CSS class of a dot before the name; "" has none.
      share: drawn as a bar in this colour; None draws none.
      css: class of the card, e.g. "better".
    """

    name: str
    number: str
    notes: tuple[str, ...] = ()
    unit: str = ""
    colour: str = ""
    share: float | None = None
    css: str = ""


@dataclass(frozen=True)
class Section:
    """Section of a page: its title, a sentence below it, and its parts (:func:`part`)."""

    title: str
    lead: str = ""
    parts: tuple[Markup, ...] = ()


def page(
    title: str,
    kicker: str,
    headline: str,
    header: Iterable[Markup],
    sections: Iterable[Section | None],
    *,
    ran: Circumstances,
    method: str = "",
) -> Markup:
    """Render a whole page.

    Args:
      sections: in their order; None is left out.
    """
    shown = [*(section for section in sections if section is not None), _circumstances(ran)]
    light, dark = palette.css(palette.LIGHT), palette.css(palette.DARK)
    template = _environment().get_template("page.html")
    return Markup(
        template.render(
            title=title, kicker=kicker, headline=headline, header=header, sections=shown, method=method, light=light,
            dark=dark,
        )
    )  # fmt: skip


def part(name: str, *values: Any, **named: Any) -> Markup:
    """Render a part of a page with the macro ``name`` of ``parts.html``."""
    return Markup(getattr(_environment().get_template("parts.html").module, name)(*values, **named))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pipelines.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "unbroken": unbroken, "uri": uri}
    return environment


def uri(content: bytes, media_type: str = "image/png") -> str:
    """Encode ``content`` as a data URI."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def unbroken(text: str) -> str:
    """Replace hyphens by non-breaking ones, for large letters."""
    return text.replace("-", "\N{NON-BREAKING HYPHEN}")


def bounds(interval: Any) -> str:
    """Bounds of an interval of a share: "42% to 58%"."""
    return f"{percent(interval.low)} to {percent(interval.high)}"


def signed_bounds(difference: Interval) -> str:
    """Bounds of an interval of a difference, in points: "+9 to +23"."""
    return f"{signed(difference.low)} to {signed(difference.high)}"


def _circumstances(facts: Circumstances) -> Section:
    """Section on command, machine, version, counts, stages and settings."""
    total = sum(stage.seconds for stage in facts.stages)
    config = json.dumps(facts.config, indent=2, ensure_ascii=False)
    return Section("What was run", parts=(part("circumstances", facts, total, config),))
