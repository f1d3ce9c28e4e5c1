"""Experiments in parts, such as one for every level and number of demonstrations, in two tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from experiments.engine.arms import plan_arms
from experiments.engine.config import ExperimentConfig, ExperimentSeed, resolve_config
from experiments.engine.report import current_table, write_experiment_report
from experiments.engine.results_docs import markdown_table
from experiments.engine.table import ALL, NOT_RUN, Cell, Table, format_difference, format_success
from pipelines.report.file import made_by
from rlhf.run.progress import announce
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

Parts = Mapping[str, ExperimentConfig]  # by name: words between slashes, the last one the number of demonstrations


def choose_parts(parts: Parts, wanted: Sequence[str]) -> Parts:
    """Return the parts whose name begins with one of ``wanted``; all if there are none.

    Args:
      parts: of the result.
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
      parts: with their folders.
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
    word of a part's name, and a row for the words before it. The second is of the other
    arms: a row for every part that has some.

    Args:
      parts: all parts of the result, with the seeds to look for; those of which there is no folder are "not run".
      folder: of the result.
      title: of the page.
    """
    tables = {name: current_table(resolve_config(config)) for name, config in parts.items()}
    head = f"# {title}\n\n{made_by()}"
    others = {name: table for name, table in tables.items() if len(table.arms) > 1}
    texts = [head, _columns(tables), *([_compared(others)] if others else [])]
    path = folder / "table.md"
    write_file(path, "\n\n".join(texts).encode() + b"\n")
    announce(f"tables: {path}")
    return path


def _columns(tables: Mapping[str, Table]) -> str:
    columns = list(dict.fromkeys(name.rpartition("/")[2] for name in tables))
    head, rows = ("", *(f"{int(column):,} demonstrations" for column in columns)), list[tuple[str, ...]]()
    for row in dict.fromkeys(name.rpartition("/")[0] for name in tables):
        found = [tables.get(f"{row}/{column}") for column in columns]
        rows.append((row.replace("/", ", "), *(_success(table) for table in found)))
    compared = next(iter(tables.values())).compared_with
    about = f"Success of {compared} in per cent, with 95% intervals, by the number of demonstrations."
    return f"{about}\n\n{markdown_table(head, rows)}".rstrip("\n")


def _compared(tables: Mapping[str, Table]) -> str:
    arms = list(dict.fromkeys(arm for table in tables.values() for arm in table.arms))
    first = next(iter(tables.values())).compared_with
    rows = [
        (name.replace("/", ", "), *(_with_difference(table.cell(arm, ALL)) for arm in arms))
        for name, table in tables.items()
        if table.cells
    ]
    about = (
        f"Success in per cent, and points more than {first}, paired by episode, with 95% intervals; bold where the "
        "interval leaves 0 out."
    )
    return f"{about}\n\n{markdown_table(('', *arms), rows)}".rstrip("\n")


def _success(table: Table | None) -> str:
    cell = None if table is None else table.cell(table.compared_with, ALL)
    return (
        NOT_RUN
        if cell is None
        else f"{format_success(cell.success)}, {len(cell.seeds)} seed{'s' * (len(cell.seeds) > 1)}"
    )


def _with_difference(cell: Cell | None) -> str:
    if cell is None:
        return NOT_RUN
    success = f"{100 * cell.success.estimate:.0f}"
    if cell.difference is None:
        return success
    return f"{success}: {format_difference(cell.difference)}"
