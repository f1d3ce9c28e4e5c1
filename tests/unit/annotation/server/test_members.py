"""Projects: their names, and the people who may see them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.server.db.tables import Person, Project
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.annotation.server.conftest import Browser, Enter, Visit
from tests.unit.annotation.server.kinds import MARKING, record_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study's folder with two datasets."""
    for name in ("one", "two"):
        store = open_store(tmp_path / "study" / name, create=True)
        for seed in range(2):
            store.write(synthetic_episode(seed, steps=60, height=12, width=16, episode_id=f"{name}-{seed}"))
    return tmp_path / "study"


def marked(rater: Browser, study: Study) -> set[str]:
    """Mark what there is; the datasets it was of."""
    return {record_of(study, place).item.episode.project.dataset for place in MARKING.submit_all(rater)}


def test_a_person_invited_to_a_project_gets_no_other(admin: Browser, visit: Visit, study: Study) -> None:
    two = admin.projects()["two"]["id"]
    made = admin.said("POST", "/api/invitations", {"role": "rater", "projects": [two]})
    rater = visit().join(made["token"], "ann")
    assert admin.person("ann")["projects"] == [two] and marked(rater, study) == {"two"}
    admin.said("PATCH", f"/api/people/{admin.person('ann')['id']}", {"projects": []})
    assert marked(rater, study) == {"one"}


def test_nobody_but_an_admin_starts_a_game_in_a_closed_project_or_in_one_of_others(
    admin: Browser, enter: Enter
) -> None:
    setter = enter(Role.SETTER, "ann")
    one, two = (admin.projects()[name]["id"] for name in ("one", "two"))
    request = {"project": one, "kind": "practice-setting", "role": "setter"}

    def seen(browser: Browser) -> set[str]:
        return {found["dataset"] for found in browser.said("GET", "/api/play")["projects"]}

    admin.said("PATCH", f"/api/people/{admin.person('ann')['id']}", {"projects": [two]})
    assert seen(setter) == {"two"} and seen(enter(Role.SETTER, "bob")) == {"one", "two"}
    assert setter.ask("POST", "/api/play/games", request).status_code == 404
    admin.said("PATCH", f"/api/people/{admin.person('ann')['id']}", {"projects": []})
    admin.said("PATCH", f"/api/projects/{one}", {"open": False})
    assert seen(setter) == {"two"} and seen(admin) == {"one", "two"}
    answer = setter.ask("POST", "/api/play/games", request)
    assert answer.status_code == 409 and "closed" in answer.json()["error"]


def test_no_link_leads_into_a_closed_account(admin: Browser, enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    path = f"/api/people/{admin.person('ann')['id']}"
    admin.said("PATCH", path, {"active": False})
    answer = admin.ask("POST", f"{path}/link")
    assert answer.status_code == 409 and "the account of ann is closed" in answer.json()["error"]
    admin.said("PATCH", path, {"active": True})
    assert admin.said("POST", f"{path}/link")["token"]
    with study.database.writing() as session:
        session.get_one(Person, path.rpartition("/")[2]).roles = []
    answer = admin.ask("POST", f"{path}/link")
    assert answer.status_code == 409 and "ann has no role" in answer.json()["error"]
    assert ann.ask("GET", "/api/me").status_code == 401  # closing the account has signed her out


def test_a_new_dataset_takes_no_folder_of_something_else(admin: Browser, folder: Path) -> None:
    (folder / "runs" / "clone").mkdir(parents=True)
    (folder / "empty").mkdir()
    answer = admin.ask("POST", "/api/play/datasets", {"name": "runs"})
    assert answer.status_code == 409 and "choose another name" in answer.json()["error"]
    admin.said("POST", "/api/play/datasets", {"name": "empty"})


def test_people_see_the_instructions_of_a_project(admin: Browser, enter: Enter) -> None:
    rater = enter(Role.RATER, "ann")
    said = {"title": "Kitchen", "instructions": "Mark only <b>questions</b>.\nNothing else."}
    admin.said("PATCH", f"/api/projects/{admin.projects()['one']['id']}", said)
    found = rater.said("GET", MARKING.begin(rater))
    assert {name: found[name] for name in said} == said


def test_an_unknown_project_is_refused_and_nothing_kept(admin: Browser, enter: Enter, study: Study) -> None:
    enter(Role.RATER, "ann")
    assert admin.ask("POST", "/api/invitations", {"role": "rater", "projects": ["0" * 32]}).status_code == 404
    path = f"/api/people/{admin.person('ann')['id']}"
    assert admin.ask("PATCH", path, {"roles": ["judge"], "projects": ["0" * 32]}).status_code == 404
    assert admin.person("ann")["roles"] == ["rater"] and admin.said("GET", "/api/study")["invitations"] == []
    with study.database.reading() as session:
        assert len(session.scalars(select(Project)).all()) == 2
