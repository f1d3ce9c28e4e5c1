"""Model cards of trained models: recorded play, command, settings and metrics of the training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from agents.card import ModelCard, PlayedBy, PlaySource
from pipelines.stages.chosen_marks import choose_marks
from pipelines.stages.episodes.play_kinds import PlayKinds, find_groups
from pipelines.stages.settings.play_settings import UNKNOWN, PlaySettings
from rlhf.records.json_records import to_json
from rlhf.run.config import command_line, git_commit, project_version
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store

_NOT_MEASURED = ("step", "time")


def model_card(
    title: str,
    what: str,
    config: Any,
    learned_from: Sequence[PlaySource],
    started_from: Sequence[str] = (),
    play_settings: PlaySettings = UNKNOWN,
) -> ModelCard:
    """Create the card of the model that this process trains, still without metrics.

    Args:
      title: see :class:`agents.card.ModelCard`.
      what: see :class:`agents.card.ModelCard`.
    """
    commit = git_commit()
    return ModelCard(
        title=title,
        what=what,
        learned_from=tuple(learned_from),
        started_from=tuple(started_from),
        command=command_line(),
        version=project_version() + (f", commit {commit}" if commit else ""),
        configuration=to_json(config),
        play_settings=None if play_settings == UNKNOWN else to_json(play_settings),
    )


def began_as_agent(folder: Path) -> str:
    """Return the sentence of a card on the agent that a training began with."""
    return f"It began as the agent in `{folder}`, whose card says what that learned from."


def play_used(
    data: Sequence[Path],
    use: str,
    split: str | None = None,
    solver: str | None = None,
    marked: bool = False,
    only: Collection[str] | None = None,
    raters: Collection[str] = (),
    also: Collection[str] = (),
) -> tuple[PlaySource, ...]:
    """Sum up, by dataset, the players and the marks of the episodes that a stage reads.

    Args:
      split: split of the episodes; None counts all.
      solver: solver of the episodes; None counts all.
      marked: count only episodes with marks, and the marks too.
      only: ids of the episodes to count; None counts all.
      raters: raters whose marks count, as in :func:`pipelines.stages.chosen_marks.choose_marks`.
      also: ids of episodes that count without marks.
    """
    sources = []
    for folder in data:
        store = open_store(folder)
        rows, marks = store.rows(split=split, solver=solver), None
        if only is not None:
            rows = [row for row in rows if row.episode_id in only]
        if marked:
            wanted = {row.episode_id for row in rows}
            given = [mark for mark in store.marks() if mark.episode_id in wanted]
            given = choose_marks(given, raters)
            with_marks = {mark.episode_id for mark in given}.union(also)
            rows = [row for row in rows if row.episode_id in with_marks]
            by_people = [mark.rater for mark in given if not mark.scripted]
            marks = PlayedBy(len(given) - len(by_people), by_people=len(by_people), people=len(set(by_people)))
        if rows:
            solvers, setters = (played_by(getattr(row, who) for row in rows) for who in ("solver", "setter"))
            steps = sum(row.steps for row in rows)
            sources.append(PlaySource(str(folder), use, len(rows), steps, solvers, setters, marks))
    return tuple(sources)


def play_imitated(
    data: Sequence[Path], use: str, solver: str | None, kinds: PlayKinds, only: Collection[str] | None = None
) -> tuple[PlaySource, ...]:
    """Sum up, by dataset, the play to imitate: that of ``solver``, or of each kind of play.

    Args:
      solver: solver of the episodes, if ``kinds`` is empty; None counts all.
      only: ids of the episodes to count; None counts all.
    """
    if not kinds:
        return play_used(data, use, "train", solver, only=only)
    sources: list[PlaySource] = []
    for group in find_groups(data, "train", solver, kinds):
        ids = {source.episode_id for source in group.sources if only is None or source.episode_id in only}
        sources += play_used(data, f"{use}, as {group.kind} with weight {group.weight:g}", "train", only=ids)
    return tuple(sources)


def played_by(names: Iterable[str]) -> PlayedBy:
    """Count players by their names in the recordings; see :class:`rlhf.records.episode.Episode`."""
    counts = Counter("replay" if name.startswith("replay:") else name for name in names)
    people = {name: count for name, count in counts.items() if name.partition(":")[0] == "human"}
    others = {name: count for name, count in sorted(counts.items()) if name not in people and name != "scripted"}
    return PlayedBy(counts["scripted"], others, sum(people.values()), len(people))


def latest_metrics(run: Path) -> dict[str, float]:
    """Return the newest value of every metric of the run in folder ``run``."""
    latest: dict[str, float] = {}
    for row in read_metrics(run):
        latest |= row
    return {name: value for name, value in latest.items() if name not in _NOT_MEASURED}
