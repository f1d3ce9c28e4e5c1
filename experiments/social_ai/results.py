"""Tables and learning curves of the school's case studies, from the metrics of all runs so far."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from experiments.engine.config import slug
from experiments.engine.page import Section
from experiments.engine.rows import Row, Rows, grouped, of_seeds, seed_means
from experiments.engine.table import Cell, by_arm, spread, table
from experiments.social_ai.cases import Case
from pipelines.charts import style
from pipelines.charts.palette import colours_of
from rlhf.run.json_lines import read_rows
from rlhf.run.tracking import METRICS_FILE

SCHOOL, TRAINING = "school", "in training"


def load_curves(name: str, folder: Path, case: Case) -> list[Row]:
    """Return the success of every arm and seed of a case, in training and in each test, at every ``frames``."""
    found = []
    for arm in case.arms:
        for path in sorted((folder / slug(arm)).glob(f"seed-*/{METRICS_FILE}")):
            seed = int(path.parent.name.removeprefix("seed-"))
            for row in read_rows(path):
                for test in (TRAINING, *case.tests):
                    measures = {"frames": row["step"], "share": row["train" if test == TRAINING else test]}
                    found.append(Row(f"{SCHOOL}/{name}", arm, seed, test, measures=measures))
    return found


def welch(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the p value of Welch's t-test of equal means; None where it is not defined."""
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


def final(rows: Rows, test: str) -> list[Row]:
    """Return the last row of every seed at a test."""
    return [own[-1] for own in of_seeds(row for row in rows if row.probe == test).values()]


def welch_of(rows: Rows, others: Rows, name: str) -> float | None:
    """Return the p value of Welch's test of a measure of two arms; see :func:`welch`."""
    return welch(seed_means(rows, name), seed_means(others, name))


def section(name: str, case: Case, folder: Path) -> Section:
    """Return the case's results so far; no paragraphs if nothing was trained."""
    rows = load_curves(name, folder, case)
    if not rows:
        return Section()
    tests, arms = [TRAINING, *case.tests], grouped(rows, by_arm)

    def last(test: str) -> Cell:
        return lambda own: spread("share", unit="%", scale=100)(final(own, test))

    def compared(own: Rows) -> str:
        other = compared_with(case, own[0].arm)
        if other is None:
            return ""
        p = welch_of(final(own, tests[-1]), final(arms.get(other, ()), tests[-1]), "share")
        return "" if p is None else f"{p_text(p)} ({other})"

    columns = [
        ("seeds", lambda own: str(len(of_seeds(own)))),
        ("million frames", lambda own: f"{min(row.measures['frames'] for row in final(own, TRAINING)) / 1e6:.2f}"),
        *((test, last(test)) for test in tests),
        ("p (against)", compared),
    ]
    title = f"## {name}\n\n{case.question[:1].upper()}{case.question[1:]} Published: {case.claim}."
    tested = "training" if tests[-1] == TRAINING else f'"{tests[-1]}"'
    about = (
        f"Shares of success at the end, means of the seeds with the least and the greatest; Welch's test of {tested}."
    )
    return Section(rows, [f"{title} {about}", table(rows, "agent", columns)])


def shares_at(rows: Rows, test: str) -> tuple[np.ndarray, np.ndarray]:
    """Return million frames [K] and success in per cent [seeds, K] of an arm, as far as all seeds have come."""
    seeds = list(of_seeds(row for row in rows if row.probe == test).values())
    length = min(map(len, seeds))
    values = 100 * np.array([[row.measures["share"] for row in own[:length]] for own in seeds])
    return np.array([row.measures["frames"] / 1e6 for row in seeds[0][:length]]), values


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


def draw_curves(case: Case, rows: Rows) -> Figure:
    """Draw success over frames in training and in each test: means of the seeds, and all between the extremes.

    The curve of an arm that begins with another's agent begins where that one's ends. A dot below the curves is a test
    in which an arm differs from the one that it is compared with: Welch's test, p < 0.05.
    """
    tests, curves = [TRAINING, *case.tests], grouped(rows, by_arm)
    columns = min(3, len(tests))
    lines, colours = -(-len(tests) // columns), colours_of(list(curves))
    figure, panels = style.panels(
        2.9 * columns, 2.3 * lines + 0.3, lines, columns, grid="both", sharex=True, sharey=True
    )
    for axes, test in zip(panels, tests, strict=False):
        drawn: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        style.label(axes, test if test == TRAINING else f"test, {test}")
        for place, (arm, own) in enumerate(curves.items()):
            frames, values = shares_at(own, test)
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


def _frames_before(case: Case, curves: Mapping[str, Rows], arm: str) -> float:
    """Return the frames, in millions, after which an arm begins: those of the agent that it begins with."""
    before = case.arms[arm].begins_with
    return shares_at(curves[before], TRAINING)[0][-1] if before in curves else 0.0
