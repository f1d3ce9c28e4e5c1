"""Figures, their panels and parts in one style, saved as PNG or as SVG that follows a page's light and dark mode."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from textwrap import fill
from typing import Any, Literal, Protocol

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from pipelines.charts.palette import CARD, COLOURS, INK, LIGHT, QUIET, RULE

MARKERS = ("o", "s", "^", "D", "v", "P")  # of series that differ in shape as well
_DPI = 144
_LARGEST = 1.5  # pixels of a page that a point of a figure takes at most, so that letters have one size
_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True, "axes.edgecolor": RULE, "axes.facecolor": "none", "axes.grid": True,
    "axes.labelcolor": INK, "axes.labelsize": 9, "axes.spines.left": False, "axes.spines.right": False,
    "axes.spines.top": False, "axes.titlelocation": "left", "axes.titlecolor": INK, "axes.titlesize": 9.5,
    "axes.unicode_minus": True, "grid.color": RULE, "grid.linewidth": 0.7, "font.size": 8.5, "legend.fontsize": 8.5,
    "legend.frameon": False, "legend.labelcolor": INK, "xtick.color": QUIET, "xtick.labelsize": 9,
    "xtick.major.size": 0, "ytick.color": QUIET, "ytick.labelsize": 9, "ytick.major.size": 0,
    "svg.fonttype": "none", "svg.hashsalt": "charts",
}  # fmt: skip


class Bounded(Protocol):
    """Number with the bounds of its interval."""

    @property
    def estimate(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def panels(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    *,
    title: str = "",
    grid: Literal["x", "y", "both"] = "y",
    margins: tuple[float, float, float, float] | None = None,
    **shared: Any,
) -> tuple[Figure, list[Axes]]:
    """Create a figure, without a window or global state, and its panels, row by row.

    Args:
      margins: left, bottom, right and top of a single panel in inches; None fits them to the texts, which takes longer.
      shared: what else :meth:`matplotlib.figure.Figure.subplots` takes.
    """
    with rc_context({**_STYLE, "axes.grid.axis": grid}):
        figure = Figure(figsize=(width, height), layout=None if margins else "constrained", facecolor="white")
        FigureCanvasAgg(figure)
        if margins is not None:
            left, bottom, right, top = margins
            inside = ((width - left - right) / width, (height - bottom - top) / height)
            return figure, [figure.add_axes((left / width, bottom / height, *inside))]
        if title:
            folded = fill(title, int(width * 10.2))
            figure.suptitle(folded, x=0.012, ha="left", fontsize=11, fontweight="bold", color=INK)
        return figure, list(figure.subplots(rows, columns, squeeze=False, **shared).ravel())


def label(axes: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Write the panel's title, at its left, and the names of its axes."""
    with rc_context(_STYLE):
        axes.set_title(title)
        axes.set_xlabel(x)
        axes.set_ylabel(y)


def legend(figure: Figure, handles: Sequence[Artist], columns: int = 4, *, beside: bool = False) -> None:
    """Draw the legend below the panels, or in one column beside them."""
    with rc_context(_STYLE):
        where, columns = ("outside right center", 1) if beside else ("outside lower left", columns)
        figure.legend(handles=list(handles), loc=where, ncols=columns)


def key(name: str, colour: str, style: str = "-", marker: str = "", **further: Any) -> Line2D:
    """Return an entry of a legend."""
    return Line2D([], [], label=name, color=colour, ls=style, marker=marker, **{"lw": 1.8, "ms": 6, **further})


def series_keys(names: Sequence[str]) -> list[Line2D]:
    """Return the legend's entries of series that differ in colour and in shape."""
    return [key(name, *series(number)) for number, name in enumerate(names)]


def series(number: int) -> tuple[str, str, str]:
    """Return colour, line and marker of a series that differs from others in colour and in shape."""
    return COLOURS[number % len(COLOURS)], "-", MARKERS[number % len(MARKERS)]


def interval(
    axes: Axes, at: float, one: Bounded, colour: str, marker: str = "o", *,
    across: bool = False, scale: float = 1.0, tip: str = "",
) -> None:  # fmt: skip
    """Draw a dot with its interval."""
    bounds, dot = (scale * one.low, scale * one.high), (scale * one.estimate,)
    for values, style in (
        (bounds, {"lw": 2.2, "alpha": 0.5, "solid_capstyle": "round"}),
        (dot, {"ls": "", "marker": marker, "ms": 5.5, "mec": CARD, "mew": 0.8, "zorder": 3}),
    ):
        places = (at,) * len(values)
        (drawn,) = axes.plot(*((values, places) if across else (places, values)), color=colour, clip_on=False, **style)
        tooltip(drawn, tip)


def tooltip(drawn: Artist, words: str) -> None:
    """Give a part of a figure the tooltip ``words`` on pages; none if they are empty."""
    if words:
        drawn.set_gid(f"tip: {words}".replace('"', "'"))


def in_percent(axes: Axes, which: str = "y", low: float | None = None) -> None:
    """Format an axis of shares in per cent, from ``low`` to 100 unless that is None."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}%"))
    if low is not None:
        (axes.set_ylim if which == "y" else axes.set_xlim)(low - 0.02, 1.02)


def png(figure: Figure, dpi: int = _DPI) -> bytes:
    """Encode ``figure`` as PNG."""
    buffer = io.BytesIO()
    with rc_context(_STYLE):
        figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def svg(figure: Figure, words: str, css: str = "chart") -> Markup:
    """Encode ``figure`` as an element for a page, in the page's colours and letters."""
    buffer = io.StringIO()
    with rc_context(_STYLE):
        figure.savefig(buffer, format="svg", facecolor="none", metadata={"Date": None})
    text = buffer.getvalue()
    for pattern, shorter in _SHORTER:
        text = pattern.sub(shorter, text)
    view = re.search(r'viewBox="[^"]*"', text)
    assert view is not None
    widest = round(_LARGEST * 72 * figure.get_figwidth())
    opening = f'<svg class="{css}" {view[0]} style="max-width: {widest}px" role="img" aria-label="{escape(words)}">'
    text = opening + text[text.index(">", text.index("<svg")) + 1 :]
    for name, colour in LIGHT.items():
        text = text.replace(colour, f"var(--{name})")
    return Markup(text)


# What matplotlib writes, and what a page needs of it. Ids of groups are those of other charts, too; a tooltip is a
# group's title. Letters are the page's, which sets their size where the screen is small.
_SHORTER = tuple(
    (re.compile(pattern, re.DOTALL), shorter)
    for pattern, shorter in (
        (r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", ""),
        (r'<g id="tip: ([^"]*)"', r"<g><title>\1</title"),
        (r'<g id="[^"]*"', "<g"),
        (r" transform=\"rotate\(-0 [^\"]*\"|font-family: [^;]*; ", ""),
        (r'style="font-size: ([\d.]+)px; ', r'font-size="\1" style="'),
        (r"\s*\n\s*", " "),
        (r"> <|<g/>", lambda found: "" if found[0] == "<g/>" else "><"),
        (r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}"),
    )
)
