"""Export of submitted comparisons into the datasets as clip pairs; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from annotation.server.db.comparing_tables import ClipPairRecord, Comparison
from annotation.server.db.database import Database
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.export.batches import BATCH_SIZE, export_batch, export_projects
from annotation.server.services.clip_pairs import stretches_of
from annotation.server.services.datasets import Datasets
from rlhf.records.preferences import ClipPair
from rlhf.store import ParquetStore

_NOT_EXPORTED = (Comparison.submitted.is_not(None), Comparison.exported.is_(None))


def export_clip_pairs(database: Database, datasets: Datasets, when: float) -> int:
    """Write every submitted comparison that is not exported yet into its dataset; return how many there were.

    Raises:
      UserError: if a dataset cannot be written, or no longer has an episode; the others are written all the same.
    """
    return export_projects(
        _projects_waiting(database), lambda project, dataset: _export_some(database, datasets, project, dataset, when)
    )


def _export_some(database: Database, datasets: Datasets, project_id: str, dataset: str, when: float) -> int:
    query = select(EpisodeRecord.id, EpisodeRecord.episode_id).join(
        ClipPairRecord, EpisodeRecord.id.in_((ClipPairRecord.episode_a, ClipPairRecord.episode_b))
    )
    episodes = query.join(Comparison).where(EpisodeRecord.project_id == project_id, *_NOT_EXPORTED)
    waiting = partial(_waiting, database, project_id)
    return export_batch(database, datasets, dataset, episodes, waiting, _write, Comparison, when)


def _write(store: ParquetStore, batch: Mapping[str, ClipPair]) -> None:
    store.write_preferences(set(batch.values()) - set(store.preferences(ClipPair)))


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    query = select(Project.id, Project.dataset).join(ClipPairRecord, ClipPairRecord.project_id == Project.id)
    with database.reading() as session:
        found = session.execute(query.join(Comparison).where(*_NOT_EXPORTED).distinct())
        return [(project_id, dataset) for project_id, dataset in found]


def _waiting(database: Database, project_id: str, gone: Collection[str]) -> dict[str, ClipPair]:
    """Return the next comparisons to export, by id, under the raters' pseudonyms."""
    query = select(Comparison).join(ClipPairRecord).options(joinedload(Comparison.rater))
    query = query.where(
        ClipPairRecord.project_id == project_id, *_NOT_EXPORTED,
        ClipPairRecord.episode_a.not_in(gone), ClipPairRecord.episode_b.not_in(gone),
    )  # fmt: skip
    with database.reading() as session:
        found = session.scalars(query.order_by(Comparison.submitted).limit(BATCH_SIZE)).all()
        return {one.id: _clip_pair(one) for one in found}


def _clip_pair(said: Comparison) -> ClipPair:
    pair = said.pair
    a, b = stretches_of(pair)
    return ClipPair(
        pair.of_a.episode_id, a.begin, a.end, pair.of_b.episode_id, b.begin, b.end, said.answer, said.rater.pseudonym,
        said.active_sec, scripted=False,
    )  # fmt: skip
