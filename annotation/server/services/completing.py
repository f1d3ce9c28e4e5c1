"""Completion of games that are over, or whose server has died: their episodes are written and listed.

The same work is done for both, from the game's folder, which is deleted last. Interrupted anywhere, the next server
does it again.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from annotation.games.places import PLACE_SETTINGS
from annotation.games.unfinished import UnfinishedGame
from annotation.server.clock import now
from annotation.server.db.database import Database
from annotation.server.db.tables import Project
from annotation.server.services import removing
from annotation.server.services.asking import open_asked
from annotation.server.services.background import Background
from annotation.server.services.datasets import Datasets
from annotation.server.services.listing import list_episodes
from annotation.server.services.removing import Remover
from annotation.session.ratings import rating_of, read_ratings
from rlhf.records.episode import WORLD_OPTIONS
from rlhf.store import EpisodeRow, ParquetStore
from rlhf.store.contract import people_in
from worlds.errors import UserError


def complete(database: Database, datasets: Datasets, when: float, teaches: bool = False) -> bool:
    """Finish every game that nobody plays any more; return whether a player was deleted meanwhile.

    An episode that was kept until it was judged goes into its dataset with what was said of it by then.

    Args:
      teaches: people teach an agent here: who has asked it something marks that next.

    Raises UserError if a game cannot be finished; the others are all the same, and it waits for the next call.
    """
    gone, trouble = False, None
    for game in datasets.unfinished.left():
        try:
            gone |= _complete(database, datasets, game, when, teaches)
            game.release()
        except UserError as error:
            trouble = error
        finally:
            game.let_go()
    if trouble is not None:
        raise trouble
    return gone


def _complete(database: Database, datasets: Datasets, game: UnfinishedGame, when: float, teaches: bool) -> bool:
    """Complete one game; return whether a player was deleted meanwhile, so that the episode is to be deleted."""
    store = datasets.store(game.dataset)
    episode = game.episode()
    if episode is not None and game.id not in store:
        store.write(episode)
    row = next((row for row in store.rows() if row.episode_id == game.id), None)
    if row is None:  # it was too short to keep
        return False
    _note_places(store, row)
    _write_ratings(store, row)
    with database.writing() as session:
        gone = _is_ours(session, game) and removing.note_removal_of_absent(session, people_in(row), when)
    with database.writing() as session:
        list_episodes(session, datasets, when)
        if teaches:
            open_asked(session, game.dataset, row, when)
    return gone


def _write_ratings(store: ParquetStore, row: EpisodeRow) -> None:
    """Add the ratings in the notes of a helped session to the table of ratings; done again, they are there once."""
    given = read_ratings(store.read_transcript(row.episode_id).notes)
    if given is not None:
        person = row.setter.removeprefix("human:")
        store.write_preferences([rating_of(row.episode_id, row.steps, person, given)])


def _note_places(store: ParquetStore, row: EpisodeRow) -> None:
    """Note in the dataset's description with which settings the place was sampled, unless it is noted already."""
    notes = store.read_transcript(row.episode_id).notes
    if PLACE_SETTINGS not in notes:
        return
    about = store.description
    height, width = about.image_size or (None, None)
    world = {
        "name": about.world,
        "height": height,
        "width": width,
        "settings": notes[PLACE_SETTINGS],
        "options": notes.get(WORLD_OPTIONS) or {},
    }
    if all(noted.get("world") != world for noted in about.play_settings):
        store.note_play_settings({"world": world})


def _is_ours(session: Session, game: UnfinishedGame) -> bool:
    """Return whether the game was played in the study of this database, which knows its people."""
    return session.get(Project, game.project_id) is not None


class Completer(Background):
    """Finishes games in the background: those that are over, and at the start those that another server has left."""

    def __init__(self, database: Database, datasets: Datasets, remover: Remover, teaches: bool = False) -> None:
        def work() -> None:
            if complete(database, datasets, now(), teaches):
                remover.wake()

        super().__init__(work, "complete-games", "a game that is over waits to be finished")
