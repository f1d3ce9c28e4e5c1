"""Experiments in parts, such as one for every level and number of demonstrations, in two tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from experiments.engine.arms import plan_arms
from experiments.engine.config import ExperimentConfig, ExperimentSeed, resolve_config
from experiments.engine.page import Section, write_page
from experiments.engine.report import episode_rows, write_experiment_report
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Rows, gained, grouped, success
from experiments.engine.table import NOT_RUN, Cell, by_arm, format_difference, format_success, table
from rlhf.run.progress import announce
from worlds.errors import UserError

Parts = Mapping[str, ExperimentConfig]  # by name: words between slashes, the last one the number of demonstrations


def choose_parts(parts: Parts, wanted: Sequence[str]) -> Parts:
    """Return the parts whose name begins with one of ``wanted``; all if there are none.

    Args:
      wanted: beginnings of names, in whole words between slashes: "GoToObj" or "GoToObj/grid".

    Raises:
      UserError: no part's name begins with one of them.
    """
    for begin in wanted:
        if not any(_begins(name, begin) for name in parts):
            raise UserError(f"no part {begin!r}; known: {', '.join(parts)}")
    return {name: config for name, config in parts.items() if not wanted or any(_begins(name, w) for w in wanted)}


def _begins(name: str, begin: str) -> bool:
    words = begin.strip("/").split("/")
    return name.split("/")[: len(words)] == words


def placed(parts: Parts, folder: Path, seeds: Sequence[ExperimentSeed], episodes: int, device: str | None) -> Parts:
    """Return the parts with their folders below ``folder``, and with seeds, episodes of evaluation and device."""
    return {
        name: replace(
            config,
            run=folder / name,
            seeds=tuple(seeds),
            evaluate=replace(config.evaluate, episodes=episodes),
            device=device or config.device,
        )
        for name, config in parts.items()
    }


def with_all_seeds(config: ExperimentConfig) -> ExperimentConfig:
    """Return the same with every seed of which its folder has something; its own seeds if there is none."""
    found = sorted(
        int(name) for path in config.run.glob("seed-*") if (name := path.name.removeprefix("seed-")).isdecimal()
    )
    return replace(config, seeds=tuple(found) or config.seeds)


def run_parts(parts: Parts, only: Sequence[str] = ()) -> None:
    """Run the parts in their order.

    Args:
      only: arms to run; none means all. A part without one of them is left out.

    Raises:
      UserError: no part has one of the arms.
    """
    for arm in only:
        if not any(arm in config.arms for config in parts.values()):
            known = dict.fromkeys(arm for config in parts.values() for arm in config.arms)
            raise UserError(f"no arm {arm!r} in these parts; known: {', '.join(known)}")
    for name, config in parts.items():
        arms = tuple(arm for arm in only if arm in config.arms)
        if arms or not only:
            plan_arms(config, name, arms).carry_out()
            write_experiment_report(with_all_seeds(config), name)


def write_overview(parts: Parts, folder: Path, title: str) -> Path:
    """Write the tables of all parts that have results, and return their path.

    The first table is of the arm that others are compared with: a column for every number of demonstrations, the last
    word of a part's name, and a row for the words before it. The second is of the other arms: a row for every part that
    has some.

    Args:
      parts: all parts of the result, with the seeds to look for; those of which there is no folder are "not run".
    """
    rows = [row for name, config in parts.items() for row in episode_rows(resolve_config(config), name)]
    compared = next(iter(parts.values())).compared_with
    several = {name for name, config in parts.items() if len(config.arms) > 1}
    section = [
        f"Success of {compared} in per cent, with 95% intervals, by the number of demonstrations.",
        _by_count([row for row in rows if row.arm == compared], parts),
    ]
    if several:
        section += [
            f"Success in per cent, and points more than {compared}, paired by episode, with 95% intervals; bold where "
            "the interval leaves 0 out.",
            _compared([row for row in rows if row.experiment in several], parts, compared),
        ]
    path = write_page(folder, title, [Section(rows, section)])
    announce(f"tables: {path}")
    return path


def _by_count(rows: Rows, parts: Parts) -> ResultTable:
    def cell(count: str) -> Cell:
        return lambda own: _success([row for row in own if row.experiment.rpartition("/")[2] == count])

    def line(name: str) -> str:
        return name.rpartition("/")[0].replace("/", ", ")

    columns = {count: cell(count) for count in (name.rpartition("/")[2] for name in parts)}
    headed = [(f"{int(count):,} demonstrations", each) for count, each in columns.items()]
    return table(rows, "", headed, lambda row: line(row.experiment), dict.fromkeys(map(line, parts)))


def _compared(rows: Rows, parts: Parts, first: str) -> ResultTable:
    def cell(arm: str) -> Cell:
        def found(own: Rows) -> str:
            by = grouped(own, by_arm)
            if arm not in by:
                return NOT_RUN
            less = gained(by[arm], by[first]) if arm != first and first in by else None
            share = f"{100 * success(by[arm]).estimate:.0f}"
            return share if less is None else f"{share}: {format_difference(less)}"

        return found

    arms = dict.fromkeys(arm for config in parts.values() if len(config.arms) > 1 for arm in config.arms)
    return table(rows, "", [(arm, cell(arm)) for arm in arms], lambda row: row.experiment.replace("/", ", "))


def _success(rows: Rows) -> str:
    if not rows:
        return NOT_RUN
    seeds = len({row.seed for row in rows})
    return f"{format_success(success(rows))}, {seeds} seed{'s' * (seeds > 1)}"
