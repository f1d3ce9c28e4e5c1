"""Division of the episodes of a run into training and validation. A model may be evaluated on neither."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipelines.stages.episodes.recordings import evenly_spaced, in_order
from rlhf.data.source import Source
from rlhf.records.episode import Episode
from rlhf.run.config import CONFIG_FILE, read_record
from rlhf.store import EpisodeRow, open_store
from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

DIVISION_FILE = "division.json"  # in the run of a reward model or a cloned agent
E = TypeVar("E", Episode, EpisodeRow, Source)


@dataclass(frozen=True)
class Division:
    """Ids of the episodes that a model was trained on and of those by which it was selected.

    Args:
      certain: True if the run recorded them; False if they were computed from its settings and the present marks.
    """

    learned: frozenset[str] = frozenset()
    validation: frozenset[str] = frozenset()
    certain: bool = True


def divide_episodes(episodes: Sequence[E], share: float) -> tuple[list[E], list[E], list[E]]:
    """Divide episodes, or their rows, into training, validation and held-out ones.

    Args:
      share: share of the episodes that are not held out to use for validation.

    Returns:
      Training, validation and held-out episodes.

    Raises:
      UserError: if there are too few for both training and validation.
    """
    held_out = [episode for episode in episodes if episode.split == "held_out"]
    train = [episode for episode in episodes if episode.split != "held_out"]
    kept = max(1, round(share * len(train)))
    if len(train) <= kept:
        raise UserError(
            f"{len(train)} marked training episodes are too few to divide into training and validation; mark more"
        )
    # Spread evenly over the order of recording, so that both parts have play of each solver.
    chosen = {index * len(train) // kept for index in range(kept)}
    validation = [episode for index, episode in enumerate(train) if index in chosen]
    return [episode for index, episode in enumerate(train) if index not in chosen], validation, held_out


def validation_ids(run: Path, groups: Sequence[Sequence[Source]], share: float) -> frozenset[str]:
    """Return the ids of the run's validation episodes: those saved when it began, else a ``share`` of each group.

    Raises:
      UserError: if the saved ids cannot be read, or one of the episodes is missing.
    """
    if (known := noted_division(run)) is None:
        return frozenset(source.episode_id for group in groups for source in set_aside(group, share))
    if missing := known.validation - {source.episode_id for group in groups for source in group}:
        raise UserError(
            f"{len(missing)} of the {len(known.validation)} validation episodes of {run} are missing, for example "
            f"{min(missing)}; put the datasets back as they were, or start a new run"
        )
    return known.validation


def set_aside(sources: Sequence[Source], share: float) -> list[Source]:
    """Return a ``share`` of ``sources`` for validation: at least one if the share is above 0, and never all.

    Of one solver's play in one dataset these are the first episodes. Of several solvers or datasets they are spread
    evenly, so that training and validation have play of each.
    """
    if not share:
        return []
    first = list(sources[: min(max(1, round(share * len(sources))), len(sources) - 1)])
    one_origin = len({(source.store, source.solver) for source in sources}) == 1
    return first if one_origin else evenly_spaced(sources, len(first))


def save_division(run: Path, learned: Sequence[str], validation: Sequence[str]) -> None:
    """Save the ids of the training and validation episodes of a run."""
    ids = {"learned": sorted(learned), "validation": sorted(validation)}
    write_file(run / DIVISION_FILE, json.dumps(ids).encode())


def noted_division(run: Path) -> Division | None:
    """Read what :func:`save_division` wrote; None if there is no such file. Raises UserError if it is damaged."""
    path = run / DIVISION_FILE
    if not path.is_file():
        return None
    try:
        ids = json_text.from_json(path.read_text(encoding="utf-8"))
        return Division(frozenset(ids["learned"]), frozenset(ids["validation"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}); restore it from a copy, or train the model again") from None


def division_of(reward_model: Path) -> Division:
    """Return the division of the run that trained the model in the folder ``reward_model``.

    If the run did not save it, the division is computed from the run's settings, as `rlhf reward` computed it. The
    result differs if episodes without marks have been marked since.

    Raises:
      UserError: if the run did not save it, and its settings or its data are missing.
    """
    run = reward_model.resolve().parent
    if (noted := noted_division(run)) is not None:
        return noted
    if not (run / CONFIG_FILE).is_file():
        raise UserError(
            f"the training episodes of the reward model {reward_model} are unknown: {run} has neither {DIVISION_FILE} "
            f"nor {CONFIG_FILE}; keep the model in its run's folder"
        )
    return _recomputed(run)


def _recomputed(run: Path) -> Division:
    settings = read_record(run)["config"]
    rows = []
    for folder in map(Path, settings["data"]):
        store = open_store(folder)
        marked = {mark.episode_id for mark in store.marks()}
        rows += [row for row in in_order(store.rows()) if row.episode_id in marked]
    learned, validation, _ = divide_episodes(rows, settings["validation"])
    return Division(
        frozenset(row.episode_id for row in learned), frozenset(row.episode_id for row in validation), certain=False
    )
