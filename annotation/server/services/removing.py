"""Deleting a person's data: name, sessions, drafts, marks and judgements, in the database and in every dataset.

It is first noted, in the transaction that deletes the person from the database, and the note goes when nothing of
theirs is left anywhere. Whatever dies in between, the next server, or the same command, goes on from the note; every
part of it can be done again.
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

_DONE = "done-"  # begins the note of which nothing but traces in the database's file may be left


def remove_person(session: Session, person: Person, episodes: bool, when: float) -> None:
    """Delete a person from the database, and note that the datasets are to follow.

    Args:
      episodes: delete the episodes that they played in, too, with whatever others said of them.

    Raises:
      Refused: if they are the last admin.
    """
    people.refuse_last_admin(session, person)
    session.execute(delete(GoldEpisode).where(GoldEpisode.source == person.pseudonym))  # those marks are theirs
    note_removal(session, person.pseudonym, episodes, when)
    session.delete(person)


def note_removal(session: Session, pseudonym: str, episodes: bool, when: float) -> None:
    """Note that what the datasets have of somebody is to be deleted."""
    session.merge(Removal(pseudonym=pseudonym, episodes=episodes, asked=when))


def note_removal_of_absent(session: Session, players: Iterable[str], when: float) -> bool:
    """Note who of the players of an episode (pseudonyms) was deleted while they played; whether anybody was.

    What they chose is not known any more, so that the episode goes.
    """
    players = set(players)
    absent = players - set(session.scalars(select(Person.pseudonym).where(Person.pseudonym.in_(players))))
    for pseudonym in sorted(absent):
        note_removal(session, pseudonym, True, when)
    return bool(absent)


def find_person(session: Session, called: str) -> Person | None:
    """Somebody by name, in any case, or by what datasets call them."""
    return session.scalar(select(Person).where(or_(people.is_named(called), Person.pseudonym == called)))


def appears_in(datasets: Datasets, pseudonym: str) -> bool:
    """Whether a dataset knows somebody as rater, judge or player, or will."""
    if datasets.unfinished.played_by(pseudonym):
        return True
    stores = [datasets.store(name) for name in datasets.names()]
    return any(
        store.played_by(pseudonym)
        or any(mark.rater == pseudonym for mark in store.marks())
        or any(judgement.judge == pseudonym for judgement in store.judgements())
        for store in stores
    )


def finish_removals(database: Database, datasets: Datasets, viewer: ViewerServices) -> int:
    """Delete what the notes say from every dataset; how many notes there were.

    Raises:
      UserError: if a dataset or the database cannot be written; the notes stay.
    """
    with database.reading() as session:
        notes = [(found.pseudonym, found.episodes) for found in session.scalars(select(Removal))]
    for pseudonym, episodes in notes:
        if not pseudonym.startswith(_DONE):
            with datasets.exporting():  # whoever exports their marks has done so, or never will
                for name in datasets.names():
                    _forget(database, datasets, name, pseudonym, episodes)
            if episodes:
                datasets.unfinished.forget(pseudonym)
                viewer.forget()
        _forget_note(database, pseudonym)
    return len(notes)


def _forget(database: Database, datasets: Datasets, dataset: str, pseudonym: str, episodes: bool) -> None:
    """Delete what one dataset has of somebody."""
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
    """Let a note go, last of all its pseudonym from the database's file."""
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
    """Finishes what was noted, in the background."""

    def __init__(self, database: Database, datasets: Datasets, viewer: ViewerServices, measuring: Measuring) -> None:
        def work() -> None:
            if finish_removals(database, datasets, viewer):
                measuring.forget()

        super().__init__(work, "delete-people", "people's data waits to be deleted")
