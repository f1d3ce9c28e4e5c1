"""Data of the viewer: episodes by filter, and all marks and judgements of one. Not for raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.database import Database
from annotation.server.db.tables import (
    AnswerRecord,
    Assignment,
    EpisodeRecord,
    ItemRecord,
    Person,
    Project,
)
from annotation.server.errors import Refused
from annotation.server.services.datasets import Datasets
from annotation.server.services.listing import list_episodes
from annotation.server.services.submissions import SUBMITTED_MARKS
from annotation.tasks.marking import marks_of
from annotation.viewer.index import Filters, Index, IndexedEpisode
from annotation.viewer.indexing import Indexer
from annotation.viewer.models import FoundModel, Models
from annotation.viewer.pictures import Pictures
from annotation.viewer.scorer import Scorer
from rlhf.records.marks import Judgement, Mark
from rlhf.store import ParquetStore
from rlhf.store.files.durable import check_no_links

PAGE_EPISODES = 50
HITS = 4  # of an episode in a list
INDEX_FILE, TRACES_FOLDER = "look.sqlite", "traces"
PICTURES_FOLDER = "pictures"


@dataclass(frozen=True)
class ViewerServices:
    """Services of the viewer: index, reward models, traces and sharp pictures."""

    index: Index
    indexer: Indexer
    models: Models
    scorer: Scorer
    pictures: Pictures

    @classmethod
    def of(cls, config: ServeConfig, tracer: Sequence[str] = ()) -> ViewerServices:
        """Return a study's services.

        Raises UserError if a named reward model is none, or a folder of what is derived is a link.
        """
        check_no_links(config.cache, *(config.cache / name for name in (TRACES_FOLDER, PICTURES_FOLDER)))
        index = Index(config.cache / INDEX_FILE)
        models = Models(config.data, config.reward_models)
        return cls(
            index,
            Indexer(index),
            models,
            Scorer(config.cache / TRACES_FOLDER, tracer),
            Pictures(config.cache / PICTURES_FOLDER),
        )

    def stop(self) -> None:
        """End the processes."""
        self.indexer.stop()
        self.scorer.stop()
        self.pictures.stop()

    def forget(self) -> None:
        """Delete everything that was derived from the datasets; it is derived again when wanted."""
        self.index.forget()
        self.scorer.forget()
        self.pictures.forget()

    def model(self, name: str) -> FoundModel:
        """Return the reward model ``name``. Raises Refused if there is none."""
        model = self.models.get(name)
        if model is None:
            raise Refused(404, f"there is no reward model {name}; `rlhf reward` makes one")
        return model


def page_of(
    viewer: ViewerServices, store: ParquetStore, project: Project, filters: Filters, marked: str, page: int
) -> tuple[int, list[IndexedEpisode], Mapping[str, int]]:
    """Return the number of episodes that pass the filters, those of a page, and the marks that each has.

    Args:
      marked: "yes" or "no": only those with or without marks.
    """
    counts = store.mark_counts()
    found = viewer.index.find(project.dataset, filters)
    if marked:
        found = [episode_id for episode_id in found if (episode_id in counts) == (marked == "yes")]
    wanted = found[page * PAGE_EPISODES : (page + 1) * PAGE_EPISODES]
    return len(found), viewer.index.rows(project.dataset, wanted), counts


def ids_of(database: Database, datasets: Datasets, project: Project, found: Sequence[IndexedEpisode]) -> dict[str, str]:
    """Return the ids that browsers get of episodes, by their ids in the dataset."""
    query = select(EpisodeRecord.episode_id, EpisodeRecord.fingerprint, EpisodeRecord.id).where(
        EpisodeRecord.project_id == project.id, EpisodeRecord.episode_id.in_([each.row.episode_id for each in found])
    )
    with database.reading() as session:
        known = {(episode_id, fingerprint): id for episode_id, fingerprint, id in session.execute(query)}
    if any((each.row.episode_id, each.fingerprint) not in known for each in found):  # recorded since it last looked
        with database.writing() as session:
            list_episodes(session, datasets, now())
            known = {(episode_id, fingerprint): id for episode_id, fingerprint, id in session.execute(query)}
    return {episode_id: id for (episode_id, _), id in known.items()}


def episode_of(session: Session, project: Project, record_id: str) -> EpisodeRecord:
    """Return an episode of ``project``. Raises Refused if there is none."""
    record = session.get(EpisodeRecord, record_id)
    if record is None or record.project_id != project.id:
        raise Refused(404, "there is no such episode")
    return record


def marks_of_all(session: Session, store: ParquetStore, record: EpisodeRecord) -> list[Mark]:
    """Return the marks of all raters of an episode: those in the dataset, and submitted ones that are not there yet."""
    query = (
        select(Person.pseudonym, AnswerRecord.said)
        .select_from(Assignment)
        .join(Person, Person.id == Assignment.rater_id)
        .join(ItemRecord)
        .join(AnswerRecord, AnswerRecord.assignment_id == Assignment.id)
        .where(ItemRecord.episode_id == record.id, SUBMITTED_MARKS, AnswerRecord.empty.is_(False))
    )
    here = {
        mark
        for rater, said in session.execute(query)
        for mark in marks_of([said], record.episode_id, rater)
        if mark.step < record.steps
    }
    return sorted(here | set(store.marks(record.episode_id)), key=lambda mark: (mark.rater, mark.step, mark.sign))


def submitters(session: Session, record: EpisodeRecord) -> set[str]:
    """Return the pseudonyms of raters who submitted the episode, with or without marks."""
    query = select(Person.pseudonym).join(Assignment, Assignment.rater_id == Person.id).join(ItemRecord)
    return set(session.scalars(query.where(ItemRecord.episode_id == record.id, SUBMITTED_MARKS)))


def by_rater(marks: Sequence[Mark], submitted: set[str]) -> list[dict[str, Any]]:
    """Return a row for each rater: people first, then scripted ones."""
    scripted = {mark.rater: mark.scripted for mark in marks}
    raters = sorted(scripted.keys() | submitted, key=lambda rater: (scripted.get(rater, False), rater))
    return [
        {
            "rater": rater,
            "scripted": scripted.get(rater, False),
            "marks": [{"step": mark.step, "sign": mark.sign} for mark in marks if mark.rater == rater],
        }
        for rater in raters
    ]


def judged(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return the judgements of an episode, as browsers get them."""
    return [
        {"judge": j.judge, "success": j.success, "step": j.step, "scripted": j.scripted, "left_out": j.left_out}
        for j in judgements
    ]


def listed(
    found: IndexedEpisode, id: str, marks: int, gold: str, hits: Sequence[tuple[int, str, str]]
) -> dict[str, Any]:
    """An episode in a list."""
    row = found.row
    return {
        "id": id,
        "name": row.episode_id,
        "steps": row.steps,
        "split": row.split,
        "setter": row.setter,
        "solver": row.solver,
        "kind": found.kind,
        "tasks": list(found.tasks),
        "created": row.created,
        "asked": row.asked,
        "requests": row.requests,
        "successes": row.successes,
        "marks": marks,
        "gold": gold,
        "hits": [{"step": step, "who": who, "words": words} for step, who, words in hits],
    }
