"""Tables and figure of agents at the test suite and in live evaluation, over the seeds of an experiment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.engine.config import SCRIPTED_SOLVER, slug
from experiments.engine.page import Section, write_page
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, grouped, of_seeds, rows_of
from experiments.engine.table import Cell, by_arm, format_difference, format_share, table
from pipelines.charts import style
from pipelines.charts.palette import colours_of
from pipelines.suite.judge import request_index
from pipelines.suite.live import asked_and_done
from pipelines.suite.report import VERDICTS, judged_outcome, verdict_outcome
from pipelines.suite.report_data import ALL
from pipelines.suite.request_kinds import INSTRUCTION, QUESTION, kind_of
from pipelines.suite.results import Outcome, cumulative_success, difference, request_rate, success_rate
from pipelines.suite.scenarios import NOTE
from rlhf.records.marks import Judgement
from rlhf.run.statistics import LEVEL, Interval, over_runs, resampled_counts
from rlhf.store import open_store
from worlds.contract import STEPS_PER_SECOND

FIGURE = "against-time.png"
SUITE, SUITE_CHECKED = "judged/suite", "judged/suite, as checked"
LIVE, LIVE_CHECKED, PLAYED = "judged/live", "judged/live, as checked", "judged/live, played"
_DRAWS = 1000  # resamples for the interval of a rank
Rate = Callable[..., Interval | None]


def suite_rows(data: Path, arms: Sequence[str], seed: int) -> Iterator[Row]:
    """Yield the continuations of a suite, as their judges said and as the success checks say."""
    store = open_store(data)
    judgements = defaultdict[str, list[Judgement]](list)
    for one in store.judgements():
        judgements[one.episode_id].append(one)
    names = {slug(arm): arm for arm in arms}
    for row in store.rows():
        episode = store.read_transcript(row.episode_id)
        about, index = episode.notes[NOTE], request_index(episode)
        arm, begin = names.get(about["agent"]), int(about["step"])
        if arm is None or index is None or not judgements.get(row.episode_id):
            continue
        done = episode.success_step[index]
        steps = None if done is None else float(max(done, begin) - begin + 1)
        said = judged_outcome(about, judgements[row.episode_id])
        yield _row(SUITE, arm, seed, said)
        yield _row(SUITE_CHECKED, arm, seed, replace(said, success=float(done is not None), steps=steps))


def live_rows(data: Path, arms: Sequence[str], scripted: str | None, seed: int) -> Iterator[Row]:
    """Yield the requests of live play, by the verdicts of their setters and as the success checks say, and its steps.

    Args:
      scripted: the one of them that is the demonstrator, if there is one.
    """
    store = open_store(data)
    names = {f"agent:{slug(arm)}": arm for arm in arms}
    if scripted is not None:
        names[SCRIPTED_SOLVER] = scripted
    for row in store.rows():
        if (arm := names.get(row.solver)) is None:
            continue
        episode = store.read_transcript(row.episode_id)
        yield Row(PLAYED, arm, seed, episode=row.episode_id, measures={"steps": row.steps})
        for verdict in episode.notes[VERDICTS]:
            yield _row(LIVE, arm, seed, verdict_outcome(arm, row.episode_id, verdict))
        for begin, _, done in asked_and_done(episode, row.steps):
            taken = None if done is None else float(done - begin + 1)
            kind = kind_of(episode.setter_utterance[begin])
            checked = Outcome(arm, row.episode_id, kind, float(done is not None), taken)
            yield _row(LIVE_CHECKED, arm, seed, checked)


def _row(place: str, arm: str, seed: int, said: Outcome) -> Row:
    """A row of one request; what half of the judges call a success is neither, but counts as half of one."""
    measures = {"succeeded": said.success} | ({} if said.steps is None else {"steps": said.steps})
    return Row(place, arm, seed, said.kind, said.cluster, measures=measures)


def _outcomes(rows: Iterable[Row], place: str, kind: str = ALL) -> list[Outcome]:
    return [
        Outcome(row.arm, row.episode, row.probe, row.measures["succeeded"], row.measures.get("steps"))
        for row in rows
        if row.experiment == place and kind in (ALL, row.probe)
    ]


def write_judged_report(run: Path, seeds: Sequence[int], arms: Sequence[str], scripted: str | None) -> Path:
    """Write tables and figure into ``run``; return the path of the tables. ``scripted`` is the demonstrator."""
    suite = [row for seed in seeds for row in suite_rows(run / f"seed-{seed}" / "continuations", arms, seed)]
    live = [row for seed in seeds for row in live_rows(run / f"seed-{seed}" / "live", arms, scripted, seed)]
    scenarios = len({row.episode for row in suite if row.seed == seeds[0] and row.arm == arms[0]})
    parts = [
        f"The test suite: success at {scenarios} scenarios a seed, by the majority of the judges of each continuation; "
        "in the last column by the requests' own checks.",
        suite_table(suite, arms),
        f"Less {arms[0]}, points, paired by scenario.",
        difference_table(suite, arms),
        "Live evaluation: success of requests by the verdicts of their setters; in the last column by the requests' "
        "own checks.",
        live_table(live, arms),
    ]
    return write_page(
        run, "judged", [Section([*suite, *live], parts, {FIGURE: against_time(suite, live, arms)})], seeds
    )


def suite_table(rows: Rows, arms: Sequence[str]) -> ResultTable:
    """Return success at the test suite, and ranks."""
    placed = ranks([_by_arm(own, arms) for own in of_seeds(rows).values()], arms)
    columns = [
        *_rates(SUITE, success_rate),
        ("rank", lambda own: placed[own[0].arm] if own else ""),
        (f"{ALL}, as checked", _rate(SUITE_CHECKED, ALL, success_rate)),
    ]
    return table(rows, "agent", columns, lines=arms)


def difference_table(rows: Rows, arms: Sequence[str]) -> ResultTable:
    """Return the success of every agent but the first at the test suite, less the first one's."""
    first = of_seeds(row for row in rows if row.arm == arms[0])

    def less(place: str, kind: str) -> Cell:
        def cell(own: Rows) -> str:
            found = over_runs(
                [
                    difference(_outcomes(each, place, kind), _outcomes(first.get(seed, ()), place, kind), seed=0)
                    for seed, each in of_seeds(own).items()
                ]
            )
            return "" if found is None else format_difference(found)

        return cell

    columns = [*((name, less(SUITE, kind)) for name, kind in _KINDS), (f"{ALL}, as checked", less(SUITE_CHECKED, ALL))]
    return table(rows, "agent", columns, lines=arms[1:])


def live_table(rows: Rows, arms: Sequence[str]) -> ResultTable:
    """Return success in live evaluation, and how many requests are fulfilled in a minute."""

    def pace(own: Rows) -> str:
        found = []
        for each in of_seeds(own).values():
            minutes = sum(row.measures["steps"] for row in rows_of(each, PLAYED)) / STEPS_PER_SECOND / 60
            found.append(sum(one.success for one in _outcomes(each, LIVE_CHECKED)) / minutes)
        return f"{np.mean(found):.1f}"

    columns = [
        *_rates(LIVE, request_rate),
        ("fulfilled a minute", pace),
        (f"{ALL}, as checked", _rate(LIVE_CHECKED, ALL, request_rate)),
    ]
    return table(rows, "agent", columns, lines=arms)


_KINDS = (("instructions", INSTRUCTION), ("questions", QUESTION), (ALL, ALL))


def _rates(place: str, rate: Rate) -> list[tuple[str, Cell]]:
    return [(name, _rate(place, kind, rate)) for name, kind in _KINDS]


def _rate(place: str, kind: str, rate: Rate) -> Cell:
    """Return a cell with a rate over seeds; "" where a seed has none."""

    def cell(own: Rows) -> str:
        found = over_runs([rate(_outcomes(each, place, kind), seed=0) for each in of_seeds(own).values()])
        return "" if found is None else format_share(found)

    return cell


def _by_arm(rows: Rows, arms: Sequence[str]) -> dict[str, list[Outcome]]:
    found = grouped(rows, by_arm)
    return {arm: _outcomes(found.get(arm, ()), SUITE) for arm in arms}


def ranks(outcomes: Sequence[Mapping[str, Sequence[Outcome]]], arms: Sequence[str], seed: int = 0) -> dict[str, str]:
    """Rank the agents by success, 1 for the best: the mean over seeds, with a bootstrap over scenarios."""
    drawn = []
    for number, found in enumerate(outcomes):
        scenarios = sorted({one.cluster for arm in arms for one in found[arm]})
        means = np.array([[_scenario_mean(found[arm], name) for name in scenarios] for arm in arms])
        counts = resampled_counts(len(scenarios), seed=seed + number, resamples=_DRAWS)
        weights = np.concatenate([np.ones((1, len(scenarios))), counts])
        rates = weights @ means.T / weights.sum(axis=1, keepdims=True)  # [1 + draws, arms]
        drawn.append(1 + (rates[:, None, :] > rates[:, :, None] + 1e-12).sum(axis=2))
    mean = np.mean(drawn, axis=0)
    low, high = np.quantile(mean[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return {arm: f"{mean[0, i]:.1f} ({low[i]:.1f} to {high[i]:.1f})" for i, arm in enumerate(arms)}


def _scenario_mean(outcomes: Sequence[Outcome], name: str) -> float:
    return float(np.mean([one.success for one in outcomes if one.cluster == name]))


def against_time(suite: Rows, live: Rows, arms: Sequence[str]) -> Figure:
    """Draw the share of requests fulfilled within a time, means of the seeds: the suite and live evaluation."""
    figure, panels = style.panels(7.6, 3.0, columns=2, grid="both", sharey=True)
    colours = colours_of(arms, arms[0])
    for axes, rows, place, title, begin in (
        (panels[0], suite, SUITE, "Test suite", "take-over"),
        (panels[1], live, LIVE, "Live evaluation", "request"),
    ):
        style.label(axes, title, f"seconds after the {begin}")
        found = grouped(rows_of(rows, place), by_arm)
        longest = int(max(row.measures.get("steps", 0) for own in found.values() for row in own))
        for arm in (arm for arm in arms if arm in found):
            curves = [
                cumulative_success(_outcomes(own, place), longest, by_cluster=place == SUITE, seed=0)
                for own in of_seeds(found[arm]).values()
            ]
            share = np.mean([curve.share for curve in curves], axis=0)
            axes.plot(curves[0].seconds, 100 * share, color=colours[arm], lw=1.6)
        axes.set_ylim(0, 100)
    panels[0].set_ylabel("succeeded, %")
    style.legend(figure, [style.key(arm, colours[arm]) for arm in arms], beside=True)
    return figure
