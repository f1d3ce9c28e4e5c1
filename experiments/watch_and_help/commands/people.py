"""`rlhf household people`: how people did beside each helper, and how they rated it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from annotation.session.states import Kind
from experiments.engine.results_docs import ResultTable
from experiments.engine.rows import Row, Rows, grouped, value
from experiments.engine.table import Cell, by_arm, table
from rlhf.records.preferences import HIGHEST_RATING, LOWEST_RATING, RATED, HelperRating
from rlhf.run import terminal
from rlhf.run.setting_forms import DatasetFolder
from rlhf.run.statistics import mean_interval, share_interval, wilson_interval
from rlhf.store import EpisodeStore, open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.settings import settings

FEWEST = 2  # episodes of which an interval is computed
# What is measured, and its scale.
SCALES = {"success": (0.0, 1.0), "steps": (0.0, math.inf), **dict.fromkeys(RATED, (LOWEST_RATING, HIGHEST_RATING))}


@settings
class HouseholdPeopleConfig:
    """Settings of `rlhf household people`.

    Args:
      data: folder of the dataset into which people have played helped sessions.
      out: JSON file to write, with the same numbers; None writes none.
    """

    data: DatasetFolder
    out: Path | None = None


@dataclass(frozen=True)
class Measured:
    """A mean over people, each of whom counts the same.

    Args:
      low: bound of its 95% interval; None where there are too few episodes for one.
    """

    mean: float
    low: float | None
    high: float | None
    episodes: int


def report_people(config: HouseholdPeopleConfig) -> None:
    """Print the results by helper. Raises UserError for a dataset without helped sessions."""
    rows = helped_rows(open_store(config.data))
    if not rows:
        raise UserError(f"{config.data} has no helped sessions; people play them in the app (rlhf serve --helpers)")
    out, found = terminal.console(), as_table(rows)
    printed = Table(*found.head, box=None)
    for line in found.rows:
        printed.add_row(*line)
    out.print(printed)
    out.print("95% intervals over people; of a single person, over their episodes. Steps where the goal was reached.")
    if config.out is not None:
        results = results_by_helper(rows)
        text = json.dumps({name: {what: asdict(one) for what, one in row.items()} for name, row in results.items()})
        write_file(config.out, text.encode())


def helped_rows(store: EpisodeStore) -> list[Row]:
    """Return the episodes of helped sessions by helper, each with its rating by the person who played.

    ``arm`` is the helper and ``probe`` the person; ``steps`` are there where the goal was reached, ratings where given.
    """
    ratings = {(one.episode_id, one.rater): one for one in store.preferences(HelperRating)}
    found = []
    for row in store.rows():
        if not row.setter.startswith("human:"):
            continue
        person, notes = row.setter.removeprefix("human:"), store.read_transcript(row.episode_id).notes
        if notes.get("kind") == Kind.HELPED:
            given = ratings.get((row.episode_id, person))
            measures = {} if given is None else {name: float(getattr(given, name)) for name in RATED}
            measures |= {"steps": float(row.steps)} if notes["goal_reached"] else {}
            reached = bool(notes["goal_reached"])
            found.append(Row("helped sessions", notes["helper"], 0, person, row.episode_id, reached, measures))
    return sorted(found, key=by_arm)


def results_by_helper(rows: Rows) -> dict[str, dict[str, Measured]]:
    """Return what was measured, by helper and then by name: success, steps, and each rating that was given at all."""
    helpers = grouped(rows, by_arm).items()
    found = {helper: {name: over_people(own, name) for name in SCALES} for helper, own in helpers}
    return {helper: {name: one for name, one in row.items() if one is not None} for helper, row in found.items()}


def over_people(rows: Rows, name: str) -> Measured | None:
    """Return the mean over people of each person's mean, with its interval, which stays on the scale; None of nothing.

    Values that are all alike have no spread to show how far people differ: of shares the interval is Wilson's of so
    many people, and there is none of other values.
    """
    people = grouped((row for row in rows if value(row, name) is not None), lambda row: row.probe)
    if not people:
        return None
    groups = [[np.array([value(row, name) for row in own], np.float64)] for _, own in sorted(people.items())]
    is_share, (least, most) = name == "success", SCALES[name]
    found = (share_interval if is_share else mean_interval)(groups, seed=0)
    low, high = max(least, found.low), min(most, found.high)
    alike = len({value(row, name) for own in people.values() for row in own}) == 1
    if alike and is_share and len(people) > 1:
        rough = wilson_interval(round(found.estimate * len(people)), len(people))
        low, high = rough.low, rough.high
    elif found.count < FEWEST or (alike and not is_share):
        return Measured(found.estimate, None, None, found.count)
    return Measured(found.estimate, low, high, found.count)


def as_table(rows: Rows) -> ResultTable:
    """Return results as a table, a line a helper; intervals stand below their means."""

    def counts(own: Rows) -> str:
        rated = sum(RATED[0] in row.measures for row in own)
        return f"{len(own)} by {len({row.probe for row in own})}\n{rated} rated"

    columns = (
        ("episodes", counts),
        ("success", _cell("success", 100, "%")),
        ("steps", _cell("steps")),
        *((name.replace("_", " "), _cell(name, digits=1)) for name in RATED),
    )
    return table(rows, "helper", columns)


def _cell(name: str, scale: float = 1, unit: str = "", digits: int = 0) -> Cell:
    """Return a cell with a mean, and below it its interval, e.g. "75%" and "30 to 95"."""

    def cell(own: Rows) -> str:
        one = over_people(own, name)
        if one is None:
            return "-"
        said = f"{scale * one.mean:.{digits}f}{unit}"
        if one.low is None or one.high is None:
            return said
        return f"{said}\n{scale * one.low:.{digits}f} to {scale * one.high:.{digits}f}"

    return cell
