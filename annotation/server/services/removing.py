"""Deletion of a person's data: name, sign-ins, drafts, marks and judgements, in the database and in every dataset.

The transaction that deletes the person from the database also makes a note; the note is deleted when nothing of theirs
is left anywhere. Interrupted in between, the next server, or the same command, resumes from the note; every part can be
done again.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from annotation.server.db.database import Database
from annotation.server.db.tables import EpisodeRecord, GoldEpisode, Person, Project, Removal
from annotation.server.services import people
from annotation.server.services.background import Background
from annotation.server.services.datasets import Datasets
from annotation.server.services.measuring import Measuring
from annotation.server.services.viewer import ViewerServices
from rlhf.records.preferences import STATEMENTS

_DONE = "done-"  # begins a note of which only traces in the database's file may be left


def remove_person(session: Session, person: Person, episodes: bool, when: float) -> None:
    """Delete a person from the database, and note that the datasets must follow.

    Args:
      episodes: delete the episodes that they played in, too, with everybody's marks and judgements of them.

    Raises Refused if they are the last admin.
    """
    people.refuse_last_admin(session, person)
    session.execute(delete(GoldEpisode).where(GoldEpisode.source == person.pseudonym))  # those marks are theirs
    note_removal(session, person.pseudonym, episodes, when)
    session.delete(person)


def note_removal(session: Session, pseudonym: str, episodes: bool, when: float) -> None:
    """Note that a person's data in the datasets is to be deleted."""
    session.merge(Removal(pseudonym=pseudonym, episodes=episodes, asked=when))


def note_removal_of_absent(session: Session, players: Iterable[str], when: float) -> bool:
    """Note which players of an episode (pseudonyms) were deleted while they played; return whether any were.

    Their choice is not known any more, so the episode is deleted.
    """
    players = set(players)
    absent = players - set(session.scalars(select(Person.pseudonym).where(Person.pseudonym.in_(players))))
    for pseudonym in sorted(absent):
        note_removal(session, pseudonym, True, when)
    return bool(absent)


def find_person(session: Session, called: str) -> Person | None:
    """Return a person by name, in any case, or by pseudonym; None if there is none."""
    return session.scalar(select(Person).where(or_(people.is_named(called), Person.pseudonym == called)))


def appears_in(datasets: Datasets, pseudonym: str) -> bool:
    """Return whether a person is rater, judge or player in a dataset, or in a game that is not finished."""
    if datasets.unfinished.played_by(pseudonym):
        return True
    stores = [datasets.store(name) for name in datasets.names()]
    return any(
        store.played_by(pseudonym)
        or any(mark.rater == pseudonym for mark in store.marks())
        or any(judgement.judge == pseudonym for judgement in store.judgements())
        or any(each.rater == pseudonym for kind in STATEMENTS.values() for each in store.preferences(kind))
        for store in stores
    )


def finish_removals(database: Database, datasets: Datasets, viewer: ViewerServices) -> int:
    """Delete from every dataset what the notes name; return how many notes there were.

    Raises UserError if a dataset or the database cannot be written; the notes stay.
    """
    with database.reading() as session:
        notes = [(found.pseudonym, found.episodes) for found in session.scalars(select(Removal))]
    for pseudonym, episodes in notes:
        if not pseudonym.startswith(_DONE):
            with datasets.exporting():  # no export of their marks is under way
                for name in datasets.names():
                    _forget(database, datasets, name, pseudonym, episodes)
            if episodes:
                datasets.unfinished.forget(pseudonym)
                viewer.forget()
        _forget_note(database, pseudonym)
    return len(notes)


def _forget(database: Database, datasets: Datasets, dataset: str, pseudonym: str, episodes: bool) -> None:
    """Delete a person's data from one dataset."""
    store = datasets.store(dataset)
    store.forget(pseudonym)
    played = store.played_by(pseudonym) if episodes else []
    if played:
        project = select(Project.id).where(Project.dataset == dataset).scalar_subquery()
        with database.writing() as session:
            for episode_id in played:
                session.execute(
                    delete(EpisodeRecord).where(
                        EpisodeRecord.project_id == project, EpisodeRecord.episode_id == episode_id
                    )
                )
        store.drop(played)
        datasets.forget_shown(dataset, played)


def _forget_note(database: Database, pseudonym: str) -> None:
    """Delete a note, and its pseudonym from the database's file."""
    if not pseudonym.startswith(_DONE):
        with database.writing() as session:
            session.execute(delete(Removal).where(Removal.pseudonym == pseudonym))
            done = Removal(pseudonym=f"{_DONE}{uuid4().hex}", episodes=False, asked=0.0)
            session.add(done)
        pseudonym = done.pseudonym
    database.scrub()
    with database.writing() as session:
        session.execute(delete(Removal).where(Removal.pseudonym == pseudonym))


class Remover(Background):
    """Finishes noted deletions in the background."""

    def __init__(self, database: Database, datasets: Datasets, viewer: ViewerServices, measuring: Measuring) -> None:
        def work() -> None:
            if finish_removals(database, datasets, viewer):
                measuring.forget()

        super().__init__(work, "delete-people", "people's data waits to be deleted")
