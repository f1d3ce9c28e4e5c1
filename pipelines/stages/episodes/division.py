"""Which episodes a model learned from, and which it was chosen by or validated on: what it may not be judged by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipelines.stages.episodes.recordings import in_order
from rlhf.records.episode import Episode
from rlhf.run.config import CONFIG_FILE, read_record
from rlhf.store import EpisodeRow, json_text, open_store
from rlhf.store.durable import write_file
from worlds.errors import UserError

DIVISION_FILE = "division.json"  # in the run of a reward model or a cloned agent
E = TypeVar("E", Episode, EpisodeRow)


@dataclass(frozen=True)
class Division:
    """Ids of the episodes a model was trained on and of those that decided when it was best.

    Args:
      certain: whether the run itself says so; else it was worked out from its settings and today's marks.
    """

    learned: frozenset[str] = frozenset()
    validation: frozenset[str] = frozenset()
    certain: bool = True


def divide_episodes(episodes: Sequence[E], share: float) -> tuple[list[E], list[E], list[E]]:
    """Episodes (or their rows) to learn from, a ``share`` of them to choose a model by, and those recorded as held out.

    Raises:
      UserError: if there are none to learn from or none to choose by.
    """
    held_out = [episode for episode in episodes if episode.split == "held_out"]
    train = [episode for episode in episodes if episode.split != "held_out"]
    kept = max(1, round(share * len(train)))
    if len(train) <= kept:
        raise UserError(
            f"{len(train)} marked training episodes are too few to learn from some and choose a model by others"
        )
    # Spread evenly over the recording, in whose order episodes come: each solver's play is learned from and chosen by.
    chosen = {index * len(train) // kept for index in range(kept)}
    validation = [episode for index, episode in enumerate(train) if index in chosen]
    return [episode for index, episode in enumerate(train) if index not in chosen], validation, held_out


def save_division(run: Path, learned: Sequence[str], validation: Sequence[str]) -> None:
    """Write down which episodes the run learns from and is validated on."""
    told = {"learned": sorted(learned), "validation": sorted(validation)}
    write_file(run / DIVISION_FILE, json.dumps(told).encode())


def noted_division(run: Path) -> Division | None:
    """What :func:`save_division` wrote; None if it did not. Raises UserError if it is damaged."""
    path = run / DIVISION_FILE
    if not path.is_file():
        return None
    try:
        told = json_text.from_json(path.read_text(encoding="utf-8"))
        return Division(frozenset(told["learned"]), frozenset(told["validation"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}); take it from a copy, or train the model again") from None


def division_of(reward_model: Path) -> Division:
    """The division of the run that made the model in the folder ``reward_model``.

    Without a note of it, the division is made again from the run's settings, as `rlhf reward` made it: that is right
    unless marks were written since on episodes that had none.

    Raises:
      UserError: if the run does not say, and its settings or its data are no longer there.
    """
    run = reward_model.resolve().parent
    if (noted := noted_division(run)) is not None:
        return noted
    if not (run / CONFIG_FILE).is_file():
        raise UserError(
            f"{run} does not tell what the reward model {reward_model} learned from (neither {DIVISION_FILE} nor "
            f"{CONFIG_FILE} is there); keep the model in its run's folder"
        )
    return _made_again(run)


def _made_again(run: Path) -> Division:
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
