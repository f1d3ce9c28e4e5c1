"""The style of charts: what pages need of a figure, colours for both modes, and matplotlib only where one is drawn."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from pipelines.charts import palette, style
from rlhf.run.statistics import Interval


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("mode", [palette.LIGHT, palette.DARK])
def test_colours_are_legible_on_cards(mode: dict[str, str]) -> None:
    def contrast(name: str) -> float:
        bright, dark = sorted((luminance(mode[name]), luminance(mode["card"])), reverse=True)
        return (bright + 0.05) / (dark + 0.05)

    assert all(contrast(name) >= 4.5 for name in ("ink", "quiet", "good", "bad"))  # letters
    assert all(contrast(name) >= 2 for name in (*palette.SERIES, "before", "after", "reference"))
    assert mode.keys() == palette.LIGHT.keys() and len({mode[name] for name in palette.SERIES}) == 6


def test_a_chart_on_a_page_has_the_pages_colours_and_no_ids_of_groups() -> None:
    figure, (axes,) = style.panels(4, 3, margins=(0.5, 0.5, 0.1, 0.1))
    style.label(axes, x="<x> & y")
    style.interval(axes, 0, Interval(0.5, 0.4, 0.6, 9), palette.COLOURS[0], tip='a "tip" <&>')
    drawn = style.svg(figure, 'words "<&>"')
    assert "&lt;x&gt; &amp; y</text>" in drawn and drawn.count("<title>a 'tip' &lt;&amp;&gt;</title>") == 2
    assert 'aria-label="words &quot;&lt;&amp;&gt;&quot;"' in drawn and "var(--c1)" in drawn
    assert not re.search("<g id|<style|font-family|<metadata", drawn) and "#0072b2" not in drawn
    assert drawn == style.svg(figure, 'words "<&>"')  # the same every time


def test_trainings_and_the_command_line_start_without_matplotlib() -> None:
    modules = "pipelines.stages.improve, pipelines.loops.loop, pipelines.cli.main, pipelines.charts.palette"
    check = f"import sys, {modules}; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True, timeout=300)
