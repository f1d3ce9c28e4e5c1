"""Gold episodes over HTTP: named, given first or among the others, shown, counted, and not exported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.server.db.tables import Assignment
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from rlhf.records.marks import Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.annotation.server.conftest import STEPS, Browser
from tests.unit.annotation.server.test_marking import exported, mark

Enter = Callable[..., Browser]
NAMES = [f"e{number}" for number in range(8)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with eight episodes, of which a scripted rater has marked the last two."""
    store = open_store(tmp_path / "study" / "play", create=True)
    for seed, name in enumerate(NAMES):
        store.write(synthetic_episode(seed, steps=STEPS, height=12, width=16, episode_id=name))
    store.write_marks(Mark(name, "oracle", step, sign, scripted=True) for name in NAMES[-2:] for step, sign in KNOWN)
    return tmp_path / "study"


KNOWN = ((1, 1), (10, -1))


@pytest.fixture
def admin(enter: Enter) -> Browser:
    """An admin who has made e7 an episode for training, and e6 one for quality, every third."""
    browser = enter(Role.ADMIN, "eve")
    project = browser.said("GET", "/api/study")["projects"][0]["id"]
    browser.said("PATCH", f"/api/tasks/marking/projects/{project}", {"gold_every": 3, "tolerance": 2, "overlap": 5})
    found = {each["name"]: each["id"] for each in listed(browser, project)}
    for name, purpose in (("e7", "training"), ("e6", "quality")):
        browser.said("PUT", f"/api/gold/{found[name]}", {"rater": "oracle", "purpose": purpose})
    return browser


def listed(browser: Browser, project: str) -> list[dict[str, Any]]:
    return browser.said("GET", f"/api/look/{project}/episodes")["episodes"]


def names(study: Study) -> list[tuple[str, str]]:
    """Episode and purpose of everything that was given, in order."""
    with study.database.reading() as session:
        return [
            (a.item.episode.episode_id, a.gold) for a in session.scalars(select(Assignment).order_by(Assignment.opened))
        ]


def submits(rater: Browser, *said: dict[str, Any]) -> str:
    place = f"/api/tasks/marking/{rater.said('POST', '/api/tasks/marking/next')['assignment']}"
    rater.said("PUT", f"{place}/answers", {"answers": list(said)})
    rater.said("POST", f"{place}/submit", {"answers": len(said)})
    return place


def test_training_first_quality_among_the_others(admin: Browser, enter: Enter, study: Study) -> None:
    rater = enter(Role.RATER, "ann")
    for _ in NAMES:
        submits(rater)
    assert names(study) == [
        ("e7", "training"), ("e0", ""), ("e1", ""), ("e6", "quality"), ("e2", ""), ("e3", ""), ("e4", ""), ("e5", ""),
    ]  # fmt: skip
    assert rater.said("POST", "/api/tasks/marking/next") == {"assignment": None}


def test_marks_are_shown_beside_the_known_ones_after_training_only(admin: Browser, enter: Enter) -> None:
    rater, other = enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    place = f"/api/tasks/marking/{rater.said('POST', '/api/tasks/marking/next')['assignment']}"
    assert rater.said("GET", place)["training"] is True
    assert rater.ask("GET", f"{place}/feedback").status_code == 404  # not before it is submitted
    submits(rater, mark(1, 3), mark(2, 10, 1))
    assert rater.said("GET", f"{place}/feedback") == {
        "tolerance": 2,
        "matched": [{"step": 3, "known": 1, "sign": 1}],
        "missed": [{"step": 10, "sign": -1}],
        "extra": [{"step": 10, "sign": 1}],
    }
    assert other.ask("GET", f"{place}/feedback").status_code == 404
    places = [submits(rater), submits(rater), submits(rater)]
    for later in places:
        assert rater.ask("GET", f"{later}/feedback").status_code == 404
        assert rater.said("GET", later)["training"] is False  # the last one is for quality, and does not say so
    assert len({tuple(sorted(rater.said("GET", later))) for later in places}) == 1


def test_gold_marks_are_exported_if_that_is_chosen(admin: Browser, enter: Enter, folder: Path, study: Study) -> None:
    rater = enter(Role.RATER, "ann")
    submits(rater, mark(1, 3))
    submits(rater, mark(1, 4))
    people = {found.rater: found.episode_id for found in exported(folder, 5) if not found.scripted}
    assert list(people.values()) == ["e0"]
    project = admin.said("GET", "/api/study")["projects"][0]
    assert (project["submitted"], project["wanted"], project["gold"]) == (1, 30, 2)  # gold ones are counted apart
    admin.said("PATCH", f"/api/tasks/marking/projects/{project['id']}", {"export_gold": True})
    assert admin.said("POST", "/api/export") == {"submissions": 1}
    assert {found.episode_id for found in exported(folder, 6) if not found.scripted} == {"e0", "e7"}


def test_an_episode_that_is_gold_no_more_still_wants_its_raters(admin: Browser, enter: Enter, study: Study) -> None:
    (project,) = admin.said("GET", "/api/study")["projects"]
    admin.said("PATCH", f"/api/tasks/marking/projects/{project['id']}", {"overlap": 1})
    submits(enter(Role.RATER, "ann"))  # e7, for training
    found = {each["name"]: each["id"] for each in listed(admin, project["id"])}
    admin.said("DELETE", f"/api/gold/{found['e7']}")
    bob = enter(Role.RATER, "bob")
    while bob.said("POST", "/api/tasks/marking/next")["assignment"]:
        submits(bob)
    assert ("e7", "") in names(study)
    (project,) = admin.said("GET", "/api/study")["projects"]
    assert project["submitted"] == project["wanted"] == 7


def test_only_marks_that_are_there_can_be_known(admin: Browser) -> None:
    project = admin.said("GET", "/api/study")["projects"][0]["id"]
    (first,) = [each for each in listed(admin, project) if each["name"] == "e0"]
    answer = admin.ask("PUT", f"/api/gold/{first['id']}", {"rater": "oracle", "purpose": "training"})
    assert answer.status_code == 422 and "mark it and submit it first" in answer.json()["error"]
    missing = admin.ask("PUT", f"/api/gold/{'0' * 32}", {"rater": "oracle", "purpose": "training"})
    assert missing.status_code == 404


def test_an_admins_own_marks_can_be_the_known_ones(admin: Browser, study: Study) -> None:
    everybody = admin.said("GET", "/api/study")["people"]
    admin.said("PATCH", f"/api/people/{everybody[0]['id']}", {"roles": ["admin", "rater"]})
    submits(admin)  # training
    submits(admin, mark(1, 5), mark(2, 7, -1))
    project = admin.said("GET", "/api/study")["projects"][0]["id"]
    (first,) = [each for each in listed(admin, project) if each["name"] == "e0"]
    me = admin.said("GET", "/api/me")["id"]
    admin.said("PUT", f"/api/gold/{first['id']}", {"rater": me, "purpose": "quality"})
    gold_episodes = admin.said("GET", f"/api/projects/{project}/measures")["gold_episodes"]
    assert [(g["name"], g["source"], g["marks"], g["purpose"]) for g in gold_episodes][0] == ("e0", me, 2, "quality")
    admin.said("DELETE", f"/api/gold/{first['id']}")
    assert len(admin.said("GET", f"/api/projects/{project}/measures")["gold_episodes"]) == 2
