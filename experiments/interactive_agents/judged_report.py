"""Tables and figure of agents at the test suite and in live evaluation, over the seeds of an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.engine.config import SCRIPTED_SOLVER, slug
from experiments.engine.results_docs import markdown_table
from experiments.engine.table import format_difference, format_share
from pipelines.charts import style
from pipelines.charts.palette import colours_of
from pipelines.report.file import made_by
from pipelines.suite.judge import request_index
from pipelines.suite.live import asked_and_done
from pipelines.suite.report import VERDICTS, judged_outcome, verdict_outcome
from pipelines.suite.report_data import ALL
from pipelines.suite.request_kinds import KINDS, kind_of
from pipelines.suite.results import Outcome, cumulative_success, difference, request_rate, success_rate
from pipelines.suite.scenarios import NOTE
from rlhf.run.statistics import LEVEL, Interval, over_runs, resampled_counts
from rlhf.store import open_store
from rlhf.store.files.durable import write_file
from worlds.contract import STEPS_PER_SECOND

TABLE, FIGURE = "table.md", "against-time.png"
_DRAWS = 1000  # resamples for the interval of a rank


@dataclass(frozen=True)
class Found:
    """Outcomes of every agent in one seed, by the agent's name.

    Args:
      judged: as judges, or setters, said.
      checked: as the success checks say.
      steps: of all live play of an agent.
    """

    judged: Mapping[str, Sequence[Outcome]]
    checked: Mapping[str, Sequence[Outcome]]
    steps: Mapping[str, int] = field(default_factory=dict)


def suite_outcomes(data: Path, arms: Sequence[str]) -> Found:
    """Read the continuations of a suite, with their judgements."""
    store = open_store(data)
    judgements: dict[str, list] = {}
    for one in store.judgements():
        judgements.setdefault(one.episode_id, []).append(one)
    judged: dict[str, list[Outcome]] = {arm: [] for arm in arms}
    checked: dict[str, list[Outcome]] = {arm: [] for arm in arms}
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
        judged[arm].append(said)
        checked[arm].append(replace(said, success=float(done is not None), steps=steps))
    return Found(judged, checked)


def live_outcomes(data: Path, arms: Sequence[str], scripted: str | None) -> Found:
    """Read live play.

    Args:
      data: its dataset.
      arms: names of agents.
      scripted: the one of them that is the demonstrator, if there is one.
    """
    store = open_store(data)
    judged: dict[str, list[Outcome]] = {arm: [] for arm in arms}
    checked: dict[str, list[Outcome]] = {arm: [] for arm in arms}
    steps = dict.fromkeys(arms, 0)
    names = {f"agent:{slug(arm)}": arm for arm in arms}
    if scripted is not None:
        names[SCRIPTED_SOLVER] = scripted
    for row in store.rows():
        if (arm := names.get(row.solver)) is None:
            continue
        episode = store.read_transcript(row.episode_id)
        steps[arm] += row.steps
        judged[arm] += [verdict_outcome(arm, row.episode_id, verdict) for verdict in episode.notes[VERDICTS]]
        for begin, _, done in asked_and_done(episode, row.steps):
            taken = None if done is None else float(done - begin + 1)
            kind = kind_of(episode.setter_utterance[begin])
            checked[arm].append(Outcome(arm, row.episode_id, kind, float(done is not None), taken))
    return Found(judged, checked, steps)


def write_judged_report(run: Path, seeds: Sequence[int], arms: Sequence[str], scripted: str | None) -> Path:
    """Write table.md and the figure into ``run``; return the path of the tables. ``scripted`` is the demonstrator."""
    suite = [suite_outcomes(run / f"seed-{seed}" / "continuations", arms) for seed in seeds]
    live = [live_outcomes(run / f"seed-{seed}" / "live", arms, scripted) for seed in seeds]
    scenarios = len({one.cluster for one in suite[0].judged[arms[0]]})
    parts = [
        "# judged",
        made_by(seeds),
        f"The test suite: success at {scenarios} scenarios a seed, by the majority of the judges of each continuation; "
        "in the last column by the requests' own checks.",
        _markdown(_suite_rows(suite, arms)),
        f"Less {arms[0]}, points, paired by scenario.",
        _markdown(_difference_rows(suite, arms)),
        "Live evaluation: success of requests by the verdicts of their setters; in the last column by the requests' "
        "own checks.",
        _markdown(_live_rows(live, arms)),
    ]
    write_file(run / TABLE, "\n\n".join(parts).encode() + b"\n")
    write_file(run / FIGURE, style.png(against_time(suite, live, arms)))
    return run / TABLE


def ranks(outcomes: Sequence[Mapping[str, Sequence[Outcome]]], arms: Sequence[str], seed: int = 0) -> dict[str, str]:
    """Rank the agents by success, 1 for the best: the mean over seeds, with a bootstrap over scenarios.

    Args:
      outcomes: of every seed.
      arms: agents that are ranked.
      seed: of the resampling.
    """
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


def _of_kind(outcomes: Sequence[Outcome], kind: str) -> list[Outcome]:
    return [one for one in outcomes if kind in (ALL, one.kind)]


def _suite_rows(suite: Sequence[Found], arms: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "agent", "instructions", "questions", "all", "rank", "all, as checked"
    placed = ranks([found.judged for found in suite], arms)
    for arm in arms:
        cells = [
            over_runs([success_rate(_of_kind(found.judged[arm], kind), seed=0) for found in suite])
            for kind in (*KINDS, ALL)
        ]
        checked = over_runs([success_rate(found.checked[arm], seed=0) for found in suite])
        yield arm, *map(_share, cells), placed[arm], _share(checked)


def _difference_rows(suite: Sequence[Found], arms: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "agent", "instructions", "questions", "all", "all, as checked"
    for arm in arms[1:]:
        cells = []
        for kind, what in [*((kind, "judged") for kind in (*KINDS, ALL)), (ALL, "checked")]:
            pairs = [(getattr(found, what)[arm], getattr(found, what)[arms[0]]) for found in suite]
            cells.append(
                over_runs([difference(_of_kind(own, kind), _of_kind(first, kind), seed=0) for own, first in pairs])
            )
        yield arm, *map(_points, cells)


def _live_rows(live: Sequence[Found], arms: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "agent", "instructions", "questions", "all", "fulfilled a minute", "all, as checked"
    for arm in arms:
        cells = [
            over_runs([request_rate(_of_kind(found.judged[arm], kind), seed=0) for found in live])
            for kind in (*KINDS, ALL)
        ]
        checked = over_runs([request_rate(found.checked[arm], seed=0) for found in live])
        minutes = [found.steps[arm] / STEPS_PER_SECOND / 60 for found in live]
        done = [sum(one.success for one in found.checked[arm]) for found in live]
        pace = f"{np.mean([n / m for n, m in zip(done, minutes, strict=True)]):.1f}"
        yield arm, *map(_share, cells), pace, _share(checked)


def _share(found: Interval | None) -> str:
    return "" if found is None else format_share(found)


def _points(found: Interval | None) -> str:
    return "" if found is None else format_difference(found)


def _markdown(rows: Iterator[Sequence[str]]) -> str:
    return markdown_table(next(rows), rows).rstrip("\n")


def against_time(suite: Sequence[Found], live: Sequence[Found], arms: Sequence[str]) -> Figure:
    """Draw the share of requests fulfilled within a time, means of the seeds: the suite and live evaluation."""
    figure, panels = style.panels(7.6, 3.0, columns=2, grid="both", sharey=True)
    colours = colours_of(arms, arms[0])
    for axes, found, title, begin in (
        (panels[0], suite, "Test suite", "take-over"),
        (panels[1], live, "Live evaluation", "request"),
    ):
        style.label(axes, title, f"seconds after the {begin}")
        longest = int(max(one.steps or 0 for each in found for arm in arms for one in each.judged[arm]))
        for arm in arms:
            curves = [
                cumulative_success(each.judged[arm], longest, by_cluster=found is suite, seed=0)
                for each in found
                if each.judged[arm]
            ]
            share = np.mean([curve.share for curve in curves], axis=0)
            axes.plot(curves[0].seconds, 100 * share, color=colours[arm], lw=1.6)
        axes.set_ylim(0, 100)
    panels[0].set_ylabel("succeeded, %")
    style.legend(figure, [style.key(arm, colours[arm]) for arm in arms], beside=True)
    return figure
