"""`rlhf household people`: how people did beside each helper, and how they rated it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from annotation.session.states import Kind
from rlhf.records.preferences import HIGHEST_RATING, LOWEST_RATING, RATED, HelperRating
from rlhf.run import terminal
from rlhf.run.setting_forms import DatasetFolder
from rlhf.run.statistics import mean_interval, share_interval, wilson_interval
from rlhf.store import EpisodeStore, open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

FEWEST = 2  # episodes of which an interval is computed
_SEED = 0  # of the resampling behind intervals
_SHARE = (0.0, 1.0)  # the scale of success


@dataclass(frozen=True)
class HouseholdPeopleConfig:
    """Settings of `rlhf household people`.

    Args:
      data: folder of the dataset into which people have played helped sessions.
      out: JSON file to write, with the same numbers; None writes none.
    """

    data: DatasetFolder
    out: Path | None = None


@dataclass(frozen=True)
class HelpedEpisode:
    """One episode of a helped session.

    Args:
      helper: name of the helper.
      person: pseudonym.
      steps: of the episode.
      reached: the goal was reached.
      rating: of the helper; None if none was given.
    """

    helper: str
    person: str
    steps: int
    reached: bool
    rating: HelperRating | None


@dataclass(frozen=True)
class Measured:
    """A mean over people, each of whom counts the same.

    Args:
      mean: of the people's means.
      low: bound of its 95% interval; None where there are too few episodes for one.
      high: likewise.
      episodes: behind it.
    """

    mean: float
    low: float | None
    high: float | None
    episodes: int


def report_people(config: HouseholdPeopleConfig) -> None:
    """Print the results by helper. Raises UserError for a dataset without helped sessions."""
    episodes = helped_episodes(open_store(config.data))
    if not episodes:
        raise UserError(f"{config.data} has no helped sessions; people play them in the app (rlhf serve --helpers)")
    results = results_by_helper(episodes, _SEED)
    out = terminal.console()
    out.print(as_table(results, episodes))
    out.print("95% intervals over people; of a single person, over their episodes. Steps where the goal was reached.")
    if config.out is not None:
        text = json.dumps({name: {what: asdict(one) for what, one in row.items()} for name, row in results.items()})
        write_file(config.out, text.encode())


def helped_episodes(store: EpisodeStore) -> list[HelpedEpisode]:
    """Return the episodes of helped sessions, each with its rating by the person who played."""
    ratings = {(one.episode_id, one.rater): one for one in store.preferences(HelperRating)}
    found = []
    for row in store.rows():
        if not row.setter.startswith("human:"):
            continue
        person, notes = row.setter.removeprefix("human:"), store.read_transcript(row.episode_id).notes
        if notes.get("kind") == Kind.HELPED:
            rating = ratings.get((row.episode_id, person))
            found.append(HelpedEpisode(notes["helper"], person, row.steps, bool(notes["goal_reached"]), rating))
    return found


def results_by_helper(episodes: Sequence[HelpedEpisode], seed: int) -> dict[str, dict[str, Measured]]:
    """Return what was measured, by helper and then by name: success, steps, and each rating that was given at all.

    Args:
      episodes: of helped sessions.
      seed: of the resampling.
    """
    return {
        helper: dict(_measured([one for one in episodes if one.helper == helper], seed))
        for helper in sorted({one.helper for one in episodes})
    }


def _measured(episodes: Sequence[HelpedEpisode], seed: int) -> Iterator[tuple[str, Measured]]:
    yield "success", _over_people([(one.person, float(one.reached)) for one in episodes], seed, _SHARE)
    steps = [(one.person, float(one.steps)) for one in episodes if one.reached]
    if steps:
        yield "steps", _over_people(steps, seed, (0.0, math.inf))
    for name in RATED:
        given = [(one.person, float(getattr(one.rating, name))) for one in episodes if one.rating is not None]
        if given:
            yield name, _over_people(given, seed, (LOWEST_RATING, HIGHEST_RATING))


def _over_people(values: Sequence[tuple[str, float]], seed: int, scale: tuple[float, float]) -> Measured:
    """Return the mean over people of each person's mean, with its interval, which stays on the scale.

    Values that are all alike have no spread to show how far people differ: of shares the interval is Wilson's of so
    many people, and there is none of other values.
    """
    people = sorted({person for person, _ in values})
    groups = [[np.array([value for each, value in values if each == person])] for person in people]
    found = (share_interval if scale == _SHARE else mean_interval)(groups, seed=seed)
    low, high = max(scale[0], found.low), min(scale[1], found.high)
    alike = len({value for _, value in values}) == 1
    if alike and scale == _SHARE and len(people) > 1:
        rough = wilson_interval(round(found.estimate * len(people)), len(people))
        low, high = rough.low, rough.high
    elif found.count < FEWEST or (alike and scale != _SHARE):
        return Measured(found.estimate, None, None, found.count)
    return Measured(found.estimate, low, high, found.count)


def as_table(results: dict[str, dict[str, Measured]], episodes: Sequence[HelpedEpisode]) -> Table:
    """Return results as a table, a row a helper; intervals stand below their means."""
    table = Table("helper", "episodes", "success", "steps", *(name.replace("_", " ") for name in RATED), box=None)
    for helper, row in results.items():
        own = [one for one in episodes if one.helper == helper]
        counts = f"{len(own)} by {len({one.person for one in own})}\n{sum(one.rating is not None for one in own)} rated"
        ratings = [_words(row.get(name), digits=1) for name in RATED]
        table.add_row(helper, counts, _words(row.get("success"), 100, "%"), _words(row.get("steps")), *ratings)
    return table


def _words(one: Measured | None, scale: float = 1, unit: str = "", digits: int = 0) -> str:
    """Return a mean, and below it its interval, e.g. "75%" and "30 to 95"."""
    if one is None:
        return "-"
    said = f"{scale * one.mean:.{digits}f}{unit}"
    if one.low is None or one.high is None:
        return said
    return f"{said}\n{scale * one.low:.{digits}f} to {scale * one.high:.{digits}f}"
