"""Judging: what is a suite, what a judge sees of a continuation, and the order in which they get them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import ItemRecord, Project, TaskProject
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services import people, tasks
from annotation.server.study import Study
from annotation.tasks import JUDGING as TASK
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.annotation.server.kinds import (
    AGENTS,
    JUDGING,
    STEPS,
    TAKES_OVER,
    Enter,
    continuation,
    record_of,
    verdict,
    write_items,
)
from tests.unit.annotation.server.test_marking import unpack
from tests.unit.rlhf.declared_spaces import GRID
from worlds.errors import UserError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with one dataset of four continuations, and one of play."""
    write_items(tmp_path / "study", JUDGING, tmp_path)
    return tmp_path / "study"


def test_a_continuation_without_pictures_is_drawn_from_what_was_observed(enter: Enter, folder: Path) -> None:
    shutil.rmtree(folder / "sts")
    notes = {"scenario": continuation(0, AGENTS[0]).notes["scenario"]}
    open_store(folder / "sts", create=True).write(replace(synthetic_play(1, GRID, STEPS, "grids"), notes=notes))
    place = JUDGING.begin(ann := enter(Role.JUDGE, "ann"))
    found = ann.said("GET", place)
    assert found["pictured"] is False and len(found["actions"]) == STEPS
    frames = unpack(ann.ask("GET", f"{place}/frames?view=seen&begin=0").content)
    assert len(frames) == STEPS and len(set(frames)) > 1
    JUDGING.submit(ann, place)
    assert JUDGING.written(folder, 1)[0].success


def test_a_judge_sees_the_request_and_the_play_and_begins_there(enter: Enter, study: Study) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = JUDGING.begin(ann)
    found = ann.said("GET", place)
    shown = (found["takes_over"], found["request_step"], found["steps"], found["position"])
    assert shown == (TAKES_OVER, TAKES_OVER - 1, STEPS, TAKES_OVER - 1)
    record = record_of(study, place).item.episode
    episode = study.datasets.store("sts").read(record.episode_id)
    assert found["request"] == episode.notes["scenario"]["request"]
    answer = ann.ask("GET", f"{place}/frames")
    assert np.array_equal(decode_frames(unpack(answer.content)), episode.image)
    again = ann.ask("GET", f"{place}/frames", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304 and again.content == b""


def test_each_judge_has_an_order_of_their_own(folder: Path) -> None:
    """Eight judges who judge everything have eight orders, and either agent comes first for some of forty judges."""
    store = open_store(folder / "sts")
    for number in range(1, 3):
        for agent in AGENTS:
            for seed in range(2):
                store.write(continuation(seed, agent, number))
    study = open_study(ServeConfig(data=folder))
    with study.database.writing() as session:
        for project in session.scalars(select(TaskProject)):
            project.overlap = 100
        orders = {_order(study, session, f"judge {number}", judged=12) for number in range(8)}
        firsts = {_order(study, session, f"first {number}", judged=1)[0] for number in range(40)}
    assert len(orders) == 8
    # By chance alone one agent would come first for all forty once in 5e11 runs.
    assert {episode.split("-")[3] for episode in firsts} == set(AGENTS)


def _order(study: Study, session: Any, name: str, judged: int) -> tuple[str, ...]:
    """Episodes in the order in which a new judge gets them, who judges the first `judged` of twelve."""
    person = people.new_person(session, name, Role.JUDGE, now())
    visitor = Visitor(person.id, name, person.pseudonym, frozenset({Role.JUDGE}), "")
    order = []
    while found := tasks.open_next(session, TASK, visitor, study.datasets.names(), now(), 60.0):
        if len(order) == judged:
            break
        order.append(found.item.episode.episode_id)
        found.submitted = now()
        session.flush()
    assert len(order) == judged
    return tuple(order)


def test_only_suites_are_judged_and_they_are_not_marked(enter: Enter) -> None:
    admin, ann, rater = enter(Role.ADMIN, "eve"), enter(Role.JUDGE, "ann"), enter(Role.RATER, "bob")
    assert len(JUDGING.submit_all(ann)) == 4
    projects = {project["dataset"]: project for project in admin.said("GET", "/api/study")["projects"]}
    assert not projects["sts"]["marking"] and projects["play"]["marking"]
    place = f"/api/tasks/marking/{rater.said('POST', '/api/tasks/marking/next')['assignment']}"
    assert rater.said("GET", place)["steps"] == 60
    answer = admin.ask("PATCH", f"/api/tasks/judging/projects/{projects['play']['id']}", {"overlap": 2})
    assert answer.status_code == 404 and "to be judged" in answer.json()["error"]
    assert admin.ask("PATCH", f"/api/tasks/judging/projects/{'0' * 32}", {"overlap": 2}).status_code == 404


def test_a_suite_that_is_played_while_serving_does_not_go_to_raters(enter: Enter, folder: Path) -> None:
    empty = open_store(folder / "more", create=True)
    enter(Role.ADMIN, "eve").said("GET", "/api/study")  # which lists it before anything is in it
    empty.write(continuation(6, "zaphod"))
    rater = enter(Role.RATER, "bob")
    first = rater.said("POST", "/api/tasks/marking/next")["assignment"]
    assert rater.said("GET", f"/api/tasks/marking/{first}")["steps"] == 60
    rater.said("POST", f"/api/tasks/marking/{first}/submit", {"answers": 0})
    assert rater.said("POST", "/api/tasks/marking/next")["assignment"] is None
    assert len(JUDGING.submit_all(enter(Role.JUDGE, "ann"))) == 5


def test_nobody_plays_into_a_suite(enter: Enter, folder: Path, study: Study) -> None:
    setter = enter(Role.SETTER, "ann")
    assert [project["dataset"] for project in setter.said("GET", "/api/play")["projects"]] == ["play"]
    with study.database.reading() as session:
        suite = session.scalars(select(Project.id).where(Project.dataset == "sts")).one()
    request = {"project": suite, "kind": "practice-setting", "role": "setter"}
    answer = setter.ask("POST", "/api/play/games", request)
    assert answer.status_code == 409 and "of a test suite" in answer.json()["error"]


@pytest.mark.parametrize("reason", ["no request", "cannot tell"])
def test_left_out_verdicts_are_exported_as_neither_success_nor_failure(reason: str, enter: Enter, folder: Path) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = JUDGING.begin(ann)
    JUDGING.say(ann, place, verdict(None, None, reason))
    JUDGING.say(ann, place, verdict(None), 2)  # taken back
    refused = ann.ask("POST", f"{place}/submit", {"revision": 2})
    assert refused.status_code == 409 and "give a verdict first" in refused.json()["error"]
    JUDGING.say(ann, place, verdict(None, None, reason), 3)
    ann.said("POST", f"{place}/submit", {"revision": 3})
    (judgement,) = JUDGING.written(folder, 1)
    assert (judgement.success, judgement.step, judgement.left_out) == (False, None, reason)


def test_continuations_played_while_serving_are_handed_out(enter: Enter, folder: Path) -> None:
    ann = enter(Role.JUDGE, "ann")
    assert len(JUDGING.submit_all(ann)) == 4
    open_store(folder / "sts").write(continuation(5, "zaphod", 4))
    open_store(folder / "more", create=True).write(continuation(6, "zaphod"))
    assert len(JUDGING.submit_all(ann)) == 2
    projects = {p["dataset"]: p["marking"] for p in enter(Role.ADMIN, "eve").said("GET", "/api/study")["projects"]}
    assert projects == {"sts": False, "more": False, "play": True}


def test_a_dropped_continuation_goes_unless_it_is_judged(enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.JUDGE, "ann")
    JUDGING.submit(ann, JUDGING.begin(ann))
    JUDGING.written(folder, 1)
    store = open_store(folder / "sts")
    store.drop(store.ids())
    store.write(continuation(3, "zaphod"))
    assert len(JUDGING.submit_all(ann)) >= 1
    with study.database.reading() as session:
        items = session.scalars(select(ItemRecord).filter_by(kind="judging")).all()
        left = {one.episode.episode_id for one in items}
    assert len(left) == 2 and "sts-5u1te-s003-zaphod-0" in left


def test_a_suite_that_is_taken_away_keeps_no_judge_and_no_server(enter: Enter, folder: Path) -> None:
    open_store(folder / "away", create=True).write(continuation(5, "zaphod"))
    enter(Role.ADMIN, "eve").said("GET", "/api/tasks/judging/projects")
    ann = enter(Role.JUDGE, "ann")
    JUDGING.begin(ann)
    for name in ("sts", "away"):
        (folder / name).rename(folder.parent / name)
        assert len(JUDGING.submit_all(ann)) == {"sts": 1, "away": 0}[name]
    open_study(ServeConfig(data=folder)).database.close()


def test_an_episode_among_them_that_is_none_is_named(folder: Path) -> None:
    open_store(folder / "sts").write(synthetic_episode(8, steps=STEPS, height=12, width=16))
    with pytest.raises(UserError, match="synthetic-000008 of sts is no continuation"):
        open_study(ServeConfig(data=folder))
