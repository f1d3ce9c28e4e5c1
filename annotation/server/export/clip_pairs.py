"""Export of submitted comparisons into the datasets as clip pairs; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from annotation.server.db.comparing_tables import ClipPairRecord, Comparison
from annotation.server.db.database import Database
from annotation.server.db.tables import Project
from annotation.server.export.batches import BATCH_SIZE, Submitted, export_waiting
from annotation.server.services.clip_pairs import stretches_of
from annotation.server.services.datasets import Datasets
from rlhf.records.preferences import ClipPair
from rlhf.store import ParquetStore

_NOT_EXPORTED = (Comparison.submitted.is_not(None), Comparison.exported.is_(None))


def export_clip_pairs(database: Database, datasets: Datasets, when: float) -> int:
    """Write every submitted comparison that is not exported yet into its dataset; return how many there were.

    Raises:
      NotExported: if some could not be; the others are written all the same.
    """
    return export_waiting(database, datasets, _projects_waiting(database), _waiting, _write, Comparison, when)


def _write(store: ParquetStore, pairs: Sequence[ClipPair]) -> None:
    store.write_preferences(set(pairs) - set(store.preferences(ClipPair)))


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    query = select(Project.id, Project.dataset).join(ClipPairRecord, ClipPairRecord.project_id == Project.id)
    with database.reading() as session:
        found = session.execute(query.join(Comparison).where(*_NOT_EXPORTED).distinct())
        return [(project_id, dataset) for project_id, dataset in found]


def _waiting(database: Database, project_id: str, refused: Collection[str]) -> dict[str, Submitted]:
    """Return the next comparisons to export, by id, but ``refused``, under the raters' pseudonyms."""
    query = select(Comparison).join(ClipPairRecord).options(joinedload(Comparison.rater))
    query = query.where(ClipPairRecord.project_id == project_id, Comparison.id.not_in(refused), *_NOT_EXPORTED)
    with database.reading() as session:
        found = session.scalars(query.order_by(Comparison.submitted).limit(BATCH_SIZE)).all()
        return {one.id: _submitted(one) for one in found}


def _submitted(said: Comparison) -> Submitted:
    pair, rater = said.pair, said.rater.pseudonym
    (a, b), names = stretches_of(pair), (pair.of_a.episode_id, pair.of_b.episode_id)

    def pairs() -> list[ClipPair]:
        one, other = (names[0], a.begin, a.end), (names[1], b.begin, b.end)
        return [ClipPair(*one, *other, said.answer, rater, said.active_sec, scripted=False)]

    return Submitted.of(rater, [pair.of_a, pair.of_b], pairs)
