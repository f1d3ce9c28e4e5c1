"""Gold episodes over HTTP: named, given first or among the others, shown, counted, and not exported."""

from __future__ import annotations

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
from tests.unit.annotation.server.conftest import STEPS, Browser, Enter
from tests.unit.annotation.server.kinds import MARKING, mark, submit

NAMES = [f"e{number}" for number in range(8)]
KNOWN = ((1, 1), (10, -1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with eight episodes, of which a scripted rater has marked the last two."""
    store = open_store(tmp_path / "study" / "play", create=True)
    for seed, name in enumerate(NAMES):
        store.write(synthetic_episode(seed, steps=STEPS, height=12, width=16, episode_id=name))
    store.write_marks(Mark(name, "oracle", step, sign, scripted=True) for name in NAMES[-2:] for step, sign in KNOWN)
    return tmp_path / "study"


@pytest.fixture
def admin(enter: Enter) -> Browser:
    """An admin who has made e7 an episode for training, and e6 one for quality, every third."""
    admin = enter(Role.ADMIN, "eve")
    MARKING.project(admin, gold_every=3, tolerance=2, overlap=5)
    for name, purpose in (("e7", "training"), ("e6", "quality")):
        admin.said("PUT", gold(admin, name), {"rater": "oracle", "purpose": purpose})
    return admin


def gold(admin: Browser, name: str) -> str:
    """The address under which an episode is made gold."""
    place = f"/api/look/{admin.projects()['play']['id']}/episodes"
    return f"/api/gold/{next(one['id'] for one in admin.said('GET', place)['episodes'] if one['name'] == name)}"


def gold_episodes(admin: Browser) -> list[dict[str, Any]]:
    return admin.said("GET", f"/api/projects/{admin.projects()['play']['id']}/measures")["gold_episodes"]


def given(study: Study) -> list[tuple[str, str]]:
    """Episode and purpose of everything that was given, in order."""
    with study.database.reading() as session:
        found = session.scalars(select(Assignment).order_by(Assignment.opened))
        return [(one.item.episode.episode_id, one.gold) for one in found]


def test_training_first_quality_among_the_others(admin: Browser, enter: Enter, study: Study) -> None:
    rater = enter(Role.RATER, "ann")
    for _ in NAMES:
        submit(rater)
    assert given(study) == [
        ("e7", "training"), ("e0", ""), ("e1", ""), ("e6", "quality"), ("e2", ""), ("e3", ""), ("e4", ""), ("e5", ""),
    ]  # fmt: skip
    assert MARKING.begin(rater) == MARKING.nothing


def test_marks_are_shown_beside_the_known_ones_after_training_only(admin: Browser, enter: Enter) -> None:
    rater, other = enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    place = MARKING.begin(rater)
    assert rater.said("GET", place)["training"] is True
    assert rater.ask("GET", f"{place}/feedback").status_code == 404  # not before it is submitted
    submit(rater, mark(1, 3), mark(2, 10, 1))
    assert rater.said("GET", f"{place}/feedback") == {
        "tolerance": 2,
        "matched": [{"step": 3, "known": 1, "sign": 1}],
        "missed": [{"step": 10, "sign": -1}],
        "extra": [{"step": 10, "sign": 1}],
    }
    assert other.ask("GET", f"{place}/feedback").status_code == 404
    pages = []
    for later in [submit(rater), submit(rater), submit(rater)]:
        assert rater.ask("GET", f"{later}/feedback").status_code == 404
        pages.append(rater.said("GET", later))
    assert not any(page["training"] for page in pages), "the last one is for quality, and does not say so"
    assert pages[0].keys() == pages[1].keys() == pages[2].keys()


def test_gold_marks_are_exported_if_that_is_chosen(admin: Browser, enter: Enter, folder: Path) -> None:
    rater = enter(Role.RATER, "ann")
    submit(rater, mark(1, 3))
    submit(rater, mark(1, 4))
    people = {found.episode_id for found in MARKING.written(folder, 5) if not found.scripted}
    assert people == {"e0"}
    project = admin.projects()["play"]
    assert (project["submitted"], project["wanted"], project["gold"]) == (1, 30, 2)  # gold ones are counted apart
    MARKING.project(admin, export_gold=True)
    assert admin.said("POST", "/api/export") == {"submissions": 1}
    assert {found.episode_id for found in MARKING.written(folder, 6) if not found.scripted} == {"e0", "e7"}


def test_an_episode_that_is_gold_no_more_still_wants_its_raters(admin: Browser, enter: Enter, study: Study) -> None:
    MARKING.project(admin, overlap=1)
    submit(enter(Role.RATER, "ann"))  # e7, for training
    admin.said("DELETE", gold(admin, "e7"))
    MARKING.submit_all(enter(Role.RATER, "bob"))
    assert ("e7", "") in given(study)
    project = admin.projects()["play"]
    assert project["submitted"] == project["wanted"] == 7


def test_only_marks_that_are_there_can_be_known_an_admins_own_too(admin: Browser) -> None:
    answer = admin.ask("PUT", gold(admin, "e0"), {"rater": "oracle", "purpose": "training"})
    assert answer.status_code == 422 and "mark it and submit it first" in answer.json()["error"]
    assert admin.ask("PUT", f"/api/gold/{'0' * 32}", {"rater": "oracle", "purpose": "training"}).status_code == 404
    admin.said("PATCH", f"/api/people/{admin.person('eve')['id']}", {"roles": ["admin", "rater"]})
    submit(admin)  # training
    submit(admin, mark(1, 5), mark(2, 7, -1))
    me = admin.said("GET", "/api/me")["id"]
    admin.said("PUT", gold(admin, "e0"), {"rater": me, "purpose": "quality"})
    found = gold_episodes(admin)[0]
    assert (found["name"], found["source"], found["marks"], found["purpose"]) == ("e0", me, 2, "quality")
    admin.said("DELETE", gold(admin, "e0"))
    assert len(gold_episodes(admin)) == 2
