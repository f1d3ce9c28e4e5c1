"""Projects: their names, and the people who may see them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.server.db.tables import Assignment, Person, Project
from annotation.server.errors import Refused
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services.members import project_of, projects_of
from annotation.server.study import Study
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.annotation.server.conftest import EPISODES, STEPS, Browser

Enter = Callable[..., Browser]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study's folder with two datasets."""
    for name in ("one", "two"):
        store = open_store(tmp_path / "study" / name, create=True)
        for seed in range(EPISODES):
            store.write(synthetic_episode(seed, steps=STEPS, height=12, width=16, episode_id=f"{name}-{seed}"))
    return tmp_path / "study"


def projects(admin: Browser) -> dict[str, str]:
    """Ids by dataset."""
    return {project["dataset"]: project["id"] for project in admin.said("GET", "/api/study")["projects"]}


def person(admin: Browser, name: str) -> dict[str, Any]:
    return next(found for found in admin.said("GET", "/api/study")["people"] if found["name"] == name)


def marks_all(rater: Browser, study: Study) -> set[str]:
    """Mark what there is; the datasets it was of."""
    seen = set()
    while (given := rater.said("POST", "/api/tasks/marking/next")["assignment"]) is not None:
        rater.said("POST", f"/api/tasks/marking/{given}/submit", {"answers": 0})
        with study.database.reading() as session:
            seen.add(session.get_one(Assignment, given).item.episode.project.dataset)
    return seen


def test_a_person_invited_to_a_project_gets_no_other(enter: Enter, visit: Callable[[], Browser], study: Study) -> None:
    admin = enter(Role.ADMIN, "eve")
    known = projects(admin)
    made = admin.said("POST", "/api/invitations", {"role": "rater", "projects": [known["two"]]})
    rater = visit().join(made["token"], "ann")
    assert person(admin, "ann")["projects"] == [known["two"]] and marks_all(rater, study) == {"two"}
    admin.said("PATCH", f"/api/people/{person(admin, 'ann')['id']}", {"projects": []})
    assert marks_all(rater, study) == {"one"}


def test_a_rater_removed_from_a_project_reaches_none_of_their_work_in_it(enter: Enter) -> None:
    admin, rater = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    begun = rater.said("POST", "/api/tasks/marking/next")["assignment"]
    admin.said("PATCH", f"/api/people/{person(admin, 'ann')['id']}", {"projects": [projects(admin)["two"]]})
    assert rater.ask("GET", f"/api/tasks/marking/{begun}").status_code == 404
    assert rater.ask("GET", f"/api/tasks/marking/{begun}/frames").status_code == 404
    other = rater.said("POST", "/api/tasks/marking/next")["assignment"]
    assert other not in (None, begun)


def test_a_project_is_looked_up_for_its_person(enter: Enter, study: Study) -> None:
    admin = enter(Role.ADMIN, "eve")
    enter(Role.RATER, "ann")
    enter(Role.RATER, "bob")
    known = projects(admin)
    admin.said("PATCH", f"/api/people/{person(admin, 'ann')['id']}", {"projects": [known["two"]]})
    with study.database.reading() as session:
        ids = {found.name: found.id for found in session.scalars(select(Person))}

        def visitor(name: str, role: Role) -> Visitor:
            return Visitor(ids[name], name, "p", frozenset({role}), "")

        seen = {name: {p.dataset for p in projects_of(session, visitor(name, Role.RATER))} for name in ("ann", "bob")}
        assert seen == {"ann": {"two"}, "bob": {"one", "two"}}
        assert project_of(session, visitor("ann", Role.RATER), known["two"]).dataset == "two"
        assert project_of(session, visitor("ann", Role.ADMIN), known["one"]).dataset == "one"
        for name, project_id in (("ann", known["one"]), ("ann", "0" * 32), ("bob", "0" * 32)):
            with pytest.raises(Refused) as refused:
                project_of(session, visitor(name, Role.RATER), project_id)
            assert refused.value.status == 404


@pytest.mark.parametrize("switch", ["/api/projects", "/api/tasks/marking/projects"])
def test_a_project_that_is_not_for_marking_hands_nothing_out(switch: str, enter: Enter, study: Study) -> None:
    admin, rater = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    admin.said("PATCH", f"{switch}/{projects(admin)['one']}", {"open": False})
    assert marks_all(rater, study) == {"two"}


def test_nobody_but_an_admin_starts_a_game_in_a_closed_project(enter: Enter) -> None:
    admin, setter = enter(Role.ADMIN, "eve"), enter(Role.SETTER, "ann")
    known = projects(admin)
    admin.said("PATCH", f"/api/projects/{known['one']}", {"open": False})
    assert [found["dataset"] for found in setter.said("GET", "/api/play")["projects"]] == ["two"]
    assert {found["dataset"] for found in admin.said("GET", "/api/play")["projects"]} == {"one", "two"}
    request = {"project": known["one"], "kind": "practice-setting", "role": "setter"}
    answer = setter.ask("POST", "/api/play/games", request)
    assert answer.status_code == 409 and "closed" in answer.json()["error"]


def test_no_link_leads_into_a_closed_account(enter: Enter, study: Study) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    path = f"/api/people/{person(admin, 'ann')['id']}"
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


def test_a_new_dataset_takes_no_folder_of_something_else(enter: Enter, study: Study) -> None:
    (study.config.data / "runs" / "clone").mkdir(parents=True)
    (study.config.data / "empty").mkdir()
    admin = enter(Role.ADMIN, "eve")
    answer = admin.ask("POST", "/api/play/datasets", {"name": "runs"})
    assert answer.status_code == 409 and "choose another name" in answer.json()["error"]
    admin.said("POST", "/api/play/datasets", {"name": "empty"})


def test_people_see_the_instructions_of_a_project(enter: Enter) -> None:
    admin, rater = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    said = {"title": "Kitchen", "instructions": "Mark only <b>questions</b>.\nNothing else."}
    admin.said("PATCH", f"/api/projects/{projects(admin)['one']}", said)
    begun = rater.said("POST", "/api/tasks/marking/next")["assignment"]
    found = rater.said("GET", f"/api/tasks/marking/{begun}")
    assert {name: found[name] for name in said} == said


def test_an_unknown_project_is_refused_and_nothing_kept(enter: Enter, study: Study) -> None:
    admin = enter(Role.ADMIN, "eve")
    enter(Role.RATER, "ann")
    assert admin.ask("POST", "/api/invitations", {"role": "rater", "projects": ["0" * 32]}).status_code == 404
    path = f"/api/people/{person(admin, 'ann')['id']}"
    assert admin.ask("PATCH", path, {"roles": ["judge"], "projects": ["0" * 32]}).status_code == 404
    assert person(admin, "ann")["roles"] == ["rater"] and admin.said("GET", "/api/study")["invitations"] == []
    with study.database.reading() as session:
        assert len(session.scalars(select(Project)).all()) == 2
