"""Games that a server has left: stored once, known, and of nobody who was deleted meanwhile."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import Assignment, EpisodeRecord, ItemRecord, Person, Project
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.server.services.completing import complete
from annotation.server.services.removing import finish_removals, remove_person
from annotation.server.study import Study
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.annotation.server.conftest import EPISODES, STEPS
from worlds.errors import UserError


def player(study: Study, name: str) -> str:
    """A new person's pseudonym."""
    with study.database.writing() as session:
        return people.new_person(session, name, Role.SETTER, now()).pseudonym


def left(study: Study, pseudonym: str, dataset: str = "play", solver: str = "scripted") -> str:
    """A game whose server died when it had been played, and something had been said of it: its id."""
    with study.database.reading() as session:
        project = session.scalars(select(Project.id)).first()
    assert project is not None
    game = study.datasets.unfinished.begin(dataset, project)
    made = synthetic_episode(50, steps=STEPS, height=12, width=16, episode_id=game.id)
    game.keep(replace(made, setter=f"human:{pseudonym}", solver=solver, notes={"ended": "complete", "verdicts": []}))
    game.note({"verdicts": [{"step": 3, "request_step": 1, "request": "lift it", "success": True}]})
    game.let_go()
    return game.id


def test_a_left_game_is_stored_once_and_known(study: Study, folder: Path) -> None:
    game_id = left(study, player(study, "ann"))
    before = folder / "annotation.games" / game_id
    shutil.copytree(before, folder / "copy")
    assert complete(study.database, study.datasets, now()) is False
    shutil.move(folder / "copy", before)  # as if it had died before the folder went
    assert complete(study.database, study.datasets, now()) is False
    store = open_store(folder / "play")
    assert len(store) == EPISODES + 1 and not before.exists()
    assert store.read(game_id).notes["verdicts"][0]["success"] is True
    with study.database.reading() as session:
        assert session.scalar(select(EpisodeRecord.steps).where(EpisodeRecord.episode_id == game_id)) == STEPS


def test_what_people_have_asked_a_taught_agent_is_given_to_them_once_and_first(study: Study, folder: Path) -> None:
    ann = player(study, "ann")
    with study.database.writing() as session:
        person = session.scalars(select(Person).filter_by(pseudonym=ann)).one()
        begun = Assignment(
            item=session.scalars(select(ItemRecord)).first(), rater_id=person.id, opened=1, locked_until=1
        )
        session.add(begun)
    game_id = left(study, ann, solver="agent:BC")
    left(study, ann)  # a game without an agent
    for _ in range(2):  # as if the server had died before the game's folder went
        shutil.copytree(folder / "annotation.games" / game_id, folder / "copy")
        complete(study.database, study.datasets, now(), teaches=True)
        shutil.move(folder / "copy", folder / "annotation.games" / game_id)
    with study.database.reading() as session:
        given = session.scalars(select(Assignment).order_by(Assignment.opened)).all()
        assert given[0].item.episode.episode_id == game_id and len(given) == 2
        assert {one.rater.pseudonym for one in given} == {ann}


@pytest.mark.parametrize("stored", [False, True])
def test_a_person_deleted_meanwhile_does_not_return(stored: bool, study: Study, folder: Path) -> None:
    """Deleted while they played, so that what the command saw was not all there was."""
    pseudonym = player(study, "ann")
    with study.database.writing() as session:
        remove_person(session, session.scalars(select(Person).where(Person.name == "ann")).one(), True, now())
    finish_removals(study.database, study.datasets, study.viewer)
    game_id = left(study, pseudonym)
    if stored:  # the server died after that
        (game,) = study.datasets.unfinished.left()
        episode = game.episode()
        assert episode is not None
        study.datasets.store("play").write(episode)
        game.let_go()
    assert complete(study.database, study.datasets, now()) is True
    finish_removals(study.database, study.datasets, study.viewer)
    assert game_id not in open_store(folder / "play") and len(open_store(folder / "play")) == EPISODES


def test_another_database_deletes_nothing_that_it_does_not_know(study: Study, folder: Path, tmp_path: Path) -> None:
    game_id = left(study, player(study, "ann"))
    other = open_study(ServeConfig(data=folder, database=f"sqlite:///{tmp_path / 'other.sqlite'}"))
    assert complete(other.database, other.datasets, now()) is False
    assert game_id in open_store(folder / "play")


@pytest.mark.parametrize("damaged", [False, True])
def test_a_game_that_cannot_be_stored_keeps_no_other_back(damaged: bool, study: Study, folder: Path) -> None:
    name = player(study, "ann")
    lost, fine = (
        sorted([left(study, name), left(study, name)]) if damaged else (left(study, name, "nowhere"), left(study, name))
    )
    if damaged:
        (folder / "annotation.games" / lost / "game.json").write_text("{")
    for _ in range(2):
        with pytest.raises(UserError, match=f"{lost}/game.json is damaged" if damaged else "nowhere"):
            complete(study.database, study.datasets, now())
    assert fine in open_store(folder / "play") and (folder / "annotation.games" / lost / "kept").is_dir()
