"""Tables and learning curves of the school's case studies, from the metrics of all runs so far."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from experiments.engine.config import slug
from experiments.engine.results_docs import markdown_table
from experiments.engine.table import format_range
from experiments.social_ai.cases import Case
from experiments.social_ai.training import METRICS
from pipelines.charts import style
from pipelines.charts.palette import colours_of
from rlhf.run.json_lines import Row, read_rows

TRAINING = "in training"
Curves = Mapping[str, Mapping[int, Sequence[Row]]]  # arm, seed


def load_curves(folder: Path, case: Case) -> Curves:
    """Return the metrics of every arm and seed of a case; arms without any are left out."""
    found: dict[str, dict[int, Sequence[Row]]] = {}
    for name in case.arms:
        for path in sorted((folder / slug(name)).glob(f"seed-*/{METRICS}")):
            if rows := read_rows(path):
                found.setdefault(name, {})[int(path.parent.name.removeprefix("seed-"))] = rows
    return found


def welch(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the p value of Welch's t-test of equal means; None where it is not defined.

    Args:
      one: a number a seed.
      other: the same of another arm.
    """
    if len(one) < 2 or len(other) < 2 or (np.ptp(one) == 0 and np.ptp(other) == 0):
        return None
    with warnings.catch_warnings():  # of an arm whose seeds are alike; the other's variance is what counts
        warnings.filterwarnings("ignore", "Precision loss occurred", RuntimeWarning)
        return float(stats.ttest_ind(one, other, equal_var=False).pvalue)  # type: ignore[attr-defined]


def compared_with(case: Case, arm: str) -> str | None:
    """Return the arm that another one is compared with: the first that also begins from scratch, or with an agent.

    Returns:
      The name; None for the first arm itself.
    """
    alike = [name for name, each in case.arms.items() if bool(each.begins_with) == bool(case.arms[arm].begins_with)]
    return None if alike[0] == arm else alike[0]


def p_text(p: float | None) -> str:
    """Return a p value to three places; "" for None."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def final(curves: Curves, arm: str, test: str) -> list[float]:
    """Return the last success of every seed of an arm."""
    return [float(rows[-1][_key(test)]) for rows in curves.get(arm, {}).values()]


def section(name: str, case: Case, folder: Path) -> str:
    """Return the case's results so far, Markdown; "" if nothing was trained."""
    curves = load_curves(folder, case)
    if not curves:
        return ""
    tests = [TRAINING, *case.tests]
    rows = []
    for arm, seeds in curves.items():
        frames = min(rows_[-1]["step"] for rows_ in seeds.values())
        cells = [share_text(final(curves, arm, test)) for test in tests]
        other = compared_with(case, arm)
        p = None if other is None else welch(final(curves, arm, tests[-1]), final(curves, other, tests[-1]))
        compared = "" if p is None else f"{p_text(p)} ({other})"
        rows.append((arm, str(len(seeds)), f"{frames / 1e6:.2f}", *cells, compared))
    head = ("agent", "seeds", "million frames", *tests, "p (against)")
    title = f"## {name}\n\n{case.question[:1].upper()}{case.question[1:]} Published: {case.claim}."
    tested = "training" if tests[-1] == TRAINING else f'"{tests[-1]}"'
    about = (
        f"Shares of success at the end, means of the seeds with the least and the greatest; Welch's test of {tested}."
    )
    return f"{title} {about}\n\n{markdown_table(head, rows)}"


def share_text(values: Sequence[float]) -> str:
    """Return the mean of shares of 1 in per cent, with the least and the greatest of several."""
    return format_range([100 * value for value in values], unit="%")


def _key(test: str) -> str:
    """Return the name of a test's share in the rows of metrics."""
    return "train" if test == TRAINING else test


def shares_at(seeds: Mapping[int, Sequence[Row]], test: str) -> tuple[np.ndarray, np.ndarray]:
    """Return million frames [K] and shares of success in per cent [seeds, K], as far as all seeds have come."""
    length = min(len(rows) for rows in seeds.values())
    values = 100 * np.array([[row[_key(test)] for row in rows[:length]] for rows in seeds.values()])
    return np.array([row["step"] / 1e6 for row in next(iter(seeds.values()))[:length]]), values


def differs_at(frames: np.ndarray, values: np.ndarray, others_frames: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the frames at which an arm differs from another one: Welch's test, p < 0.05, at the tests of both.

    Args:
      frames: [K], million.
      values: [seeds, K].
      others_frames: [L], the other arm's.
      others: [seeds, L].
    """
    found = []
    for at, column in zip(frames, values.T, strict=True):
        for place in np.flatnonzero(np.isclose(others_frames, at)):
            p = welch(column.tolist(), others[:, place].tolist())
            if p is not None and p < 0.05:
                found.append(at)
    return np.array(found)


def draw_curves(case: Case, curves: Curves) -> Figure:
    """Draw success over frames in training and in each test: means of the seeds, and all between the extremes.

    The curve of an arm that begins with another's agent begins where that one's ends. A dot below the curves is a test
    in which an arm differs from the one that it is compared with: Welch's test, p < 0.05.
    """
    tests = [TRAINING, *case.tests]
    columns = min(3, len(tests))
    lines, colours = -(-len(tests) // columns), colours_of(list(curves))
    figure, panels = style.panels(
        2.9 * columns, 2.3 * lines + 0.3, lines, columns, grid="both", sharex=True, sharey=True
    )
    for axes, test in zip(panels, tests, strict=False):
        drawn: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        style.label(axes, test if test == TRAINING else f"test, {test}")
        for place, (arm, seeds) in enumerate(curves.items()):
            frames, values = shares_at(seeds, test)
            begins = _frames_before(case, curves, arm)
            axes.plot(begins + frames, values.mean(0), color=colours[arm], lw=1.4)
            axes.fill_between(begins + frames, values.min(0), values.max(0), color=colours[arm], alpha=0.18, lw=0)
            drawn[arm] = frames, values
            other = compared_with(case, arm)
            if other in drawn:
                apart = differs_at(frames, values, *drawn[other])
                axes.plot(begins + apart, np.full(len(apart), 1.0 + 2.5 * place), ".", color=colours[arm], ms=3)
        axes.set_ylim(0, 102)
        axes.set_xlim(left=0)
    for axes in panels[len(tests) :]:
        axes.set_visible(False)
    for axes in panels[max(0, len(tests) - columns) : len(tests)]:
        axes.set_xlabel("million frames")
    panels[0].set_ylabel("success, %")
    if len(curves) > 1:
        style.legend(figure, [style.key(arm, colours[arm]) for arm in curves], len(curves))
    return figure


def _frames_before(case: Case, curves: Curves, arm: str) -> float:
    """Return the frames, in millions, after which an arm begins: those of the agent that it begins with."""
    before = case.arms[arm].begins_with
    return shares_at(curves[before], TRAINING)[0][-1] if before in curves else 0.0
