"""Judging over HTTP: a blind queue, verdicts that arrive twice or out of order, resuming, export."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, update

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.judging_tables import Continuation, JudgingAssignment
from annotation.server.db.tables import Project
from annotation.server.export.judgements import export_judgements
from annotation.server.export.marks import export_everything
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services import judging, people
from annotation.server.study import Study
from rlhf.records.marks import Judgement
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.test_marking import unpack
from tests.unit.rlhf.declared_spaces import GRID
from worlds.errors import UserError

STEPS, TAKES_OVER = 20, 8
AGENTS = ("zaphod", "recorded")
Enter = Callable[..., Browser]
BOTH_DATABASES = True


def continuation(seed: int, agent: str, number: int = 0) -> Any:
    about = {
        "suite": "5u1te", "name": f"s{seed:03d}", "agent": agent, "number": number, "step": TAKES_OVER,
        "request_step": TAKES_OVER - 1, "request": f"lift number {seed}", "kind": "instruction-following",
        "limit": STEPS - TAKES_OVER, "episode": f"of-{seed}", "player": f"agent:{agent}",
    }  # fmt: skip
    made = synthetic_episode(100 * seed + AGENTS.index(agent) * 10 + number, steps=STEPS, height=12, width=16)
    return replace(
        made, episode_id=f"sts-5u1te-s{seed:03d}-{agent}-{number}", solver=f"agent:{agent}", notes={"scenario": about}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with one dataset of four continuations, and one of play."""
    store = open_store(tmp_path / "study" / "sts", create=True)
    for agent in AGENTS:
        for seed in range(2):
            store.write(continuation(seed, agent))
    open_store(tmp_path / "study" / "play", create=True).write(synthetic_episode(7, steps=12, height=12, width=16))
    return tmp_path / "study"


def begin(browser: Browser) -> str:
    """The address of the continuation that the judge gets."""
    return f"/api/judging/{browser.said('POST', '/api/judging/next')['assignment']}"


def say(browser: Browser, place: str, success: bool | None, step: int | None = None, revision: int = 1) -> Any:
    return browser.said("PUT", f"{place}/verdict", {"revision": revision, "success": success, "step": step})


def judge_all(browser: Browser, success: bool = False) -> list[str]:
    """The requests of all that a judge gets, in order."""
    seen = []
    while (place := begin(browser)) != "/api/judging/None":
        seen.append(f"{browser.said('GET', place)['request']} {frames_hash(browser, place)}")
        say(browser, place, success, TAKES_OVER if success else None)
        browser.said("POST", f"{place}/submit", {"revision": 1})
    return seen


def frames_hash(browser: Browser, place: str) -> int:
    return hash(browser.ask("GET", f"{place}/frames").content)


def exported(folder: Path, until: int) -> list[Judgement]:
    deadline = time.monotonic() + PATIENCE_SEC
    while len(found := open_store(folder / "sts").judgements()) < until and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def test_judgements_are_exported_exactly(enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.JUDGE, "ann")
    expected = set()
    pseudonym = ann.said("GET", "/api/me")["id"]
    for number in range(4):
        place = begin(ann)
        success, step = number % 2 == 0, TAKES_OVER + number if number % 2 == 0 else None
        say(ann, place, success, step)
        ann.said("POST", f"{place}/submit", {"revision": 1})
        with study.database.reading() as session:
            found = session.get_one(JudgingAssignment, place.rpartition("/")[2])
        expected.add(Judgement(found.continuation.episode.episode_id, pseudonym, success, step, scripted=False))
    assert begin(ann) == "/api/judging/None" and ann.said("GET", "/api/judging") == {"submitted": 4, "begun": False}
    assert set(exported(folder, 4)) == expected and len(expected) == 4


def test_a_continuation_without_pictures_is_drawn_from_what_was_observed(enter: Enter, folder: Path) -> None:
    shutil.rmtree(folder / "sts")
    notes = {"scenario": continuation(0, AGENTS[0]).notes["scenario"]}
    open_store(folder / "sts", create=True).write(replace(synthetic_play(1, GRID, STEPS, "grids"), notes=notes))
    place = begin(ann := enter(Role.JUDGE, "ann"))
    found = ann.said("GET", place)
    assert found["pictured"] is False and len(found["actions"]) == STEPS
    frames = unpack(ann.ask("GET", f"{place}/frames?view=seen&begin=0").content)
    assert len(frames) == STEPS and len(set(frames)) > 1
    say(ann, place, True, TAKES_OVER)
    ann.said("POST", f"{place}/submit", {"revision": 1})
    assert exported(folder, 1)[0].success


def test_a_judge_sees_the_request_and_nothing_that_names_the_agent(enter: Enter, study: Study) -> None:
    ann, bob = enter(Role.JUDGE, "ann"), enter(Role.JUDGE, "bob")
    bob_place = begin(bob)
    say(bob, bob_place, True, TAKES_OVER + 1)
    bob.said("POST", f"{bob_place}/submit", {"revision": 1})
    for _ in range(3):
        place = begin(ann)
        found = ann.said("GET", place)
        assert found.keys() == {
            "id", "steps", "steps_per_second", "words", "takes_over", "request_step", "request", "verdict", "position",
            "active_sec", "submitted",
        }  # fmt: skip
        assert (found["takes_over"], found["request_step"], found["steps"]) == (TAKES_OVER, TAKES_OVER - 1, STEPS)
        assert (
            found["verdict"] == {"revision": 0, "success": None, "step": None, "left_out": ""}
            and found["position"] == 7
        )
        answer = ann.ask("GET", f"{place}/frames")
        with study.database.reading() as session:
            record = session.get_one(JudgingAssignment, found["id"]).continuation.episode
        episode = study.datasets.store("sts").read(record.episode_id)
        assert np.array_equal(decode_frames(unpack(answer.content)), episode.image)
        said = f"{answer.headers} {found}"
        for word in (*AGENTS, "agent", "sts", "5u1te", "s000", "s001", record.id, record.episode_id):
            assert word not in said.replace(f"{found['words']}", ""), word
        again = ann.ask("GET", f"{place}/frames", headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304 and again.content == b""
        say(ann, place, False)
        ann.said("POST", f"{place}/submit", {"revision": 1})


def test_each_judge_has_an_order_of_their_own(folder: Path) -> None:
    """Eight judges who judge everything have eight orders, and either agent comes first for some of forty judges."""
    store = open_store(folder / "sts")
    for number in range(1, 3):
        for agent in AGENTS:
            for seed in range(2):
                store.write(continuation(seed, agent, number))
    study = open_study(ServeConfig(data=folder))
    with study.database.writing() as session:
        for project in session.scalars(select(judging.JudgedProject)):
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
    while found := judging.open_next(session, visitor, study.datasets.names(), now(), 60.0):
        if len(order) == judged:
            break
        order.append(found.continuation.episode.episode_id)
        judging.say(found, judging.SaidVerdict(1, False, None), now())
        judging.submit(found, 1, now())
        session.flush()
    assert len(order) == judged
    return tuple(order)


def test_a_continuation_goes_to_as_many_judges_as_wanted(enter: Enter, folder: Path) -> None:
    admin = enter(Role.ADMIN, "eve")
    (suite,) = admin.said("GET", "/api/suites")["suites"]
    assert suite["dataset"] == "sts" and suite["continuations"] == 4 and suite["wanted"] == 4
    admin.said("PATCH", f"/api/suites/{suite['id']}", {"overlap": 2})
    judges = [enter(Role.JUDGE, name) for name in ("ann", "bob", "cid")]
    seen = [judge_all(judge) for judge in judges]
    assert [len(own) for own in seen] == [4, 4, 0] and sorted(seen[0]) == sorted(seen[1])
    assert len(exported(folder, 8)) == 8
    (suite,) = admin.said("GET", "/api/suites")["suites"]
    assert (suite["submitted"], suite["wanted"], suite["begun"]) == (8, 8, 0)
    admin.said("PATCH", f"/api/suites/{suite['id']}", {"overlap": 3, "open": False})
    assert judge_all(judges[2]) == []
    admin.said("PATCH", f"/api/suites/{suite['id']}", {"open": True})
    assert len(judge_all(judges[2])) == 4


def test_a_closed_project_gives_judges_nothing(enter: Enter) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.JUDGE, "ann")
    projects = {project["dataset"]: project["id"] for project in admin.said("GET", "/api/study")["projects"]}
    begun = begin(ann)
    admin.said("PATCH", f"/api/projects/{projects['sts']}", {"open": False})
    assert begin(ann) == begin(enter(Role.JUDGE, "bob")) == "/api/judging/None"
    admin.said("PATCH", f"/api/projects/{projects['sts']}", {"open": True})
    assert begin(ann) == begun != "/api/judging/None"


def test_only_suites_are_judged_and_they_are_not_marked(enter: Enter) -> None:
    admin, ann, rater = enter(Role.ADMIN, "eve"), enter(Role.JUDGE, "ann"), enter(Role.RATER, "bob")
    assert len(judge_all(ann)) == 4
    projects = {project["dataset"]: project for project in admin.said("GET", "/api/study")["projects"]}
    assert not projects["sts"]["marking"] and projects["play"]["marking"]
    place = f"/api/marking/{rater.said('POST', '/api/marking/next')['assignment']}"
    assert rater.said("GET", place)["steps"] == 12
    answer = admin.ask("PATCH", f"/api/suites/{projects['play']['id']}", {"overlap": 2})
    assert answer.status_code == 404 and "to be judged" in answer.json()["error"]
    assert admin.ask("PATCH", f"/api/suites/{'0' * 32}", {"overlap": 2}).status_code == 404


def test_a_suite_that_is_played_while_serving_does_not_go_to_raters(enter: Enter, folder: Path) -> None:
    empty = open_store(folder / "more", create=True)
    enter(Role.ADMIN, "eve").said("GET", "/api/study")  # which lists it before anything is in it
    empty.write(continuation(6, "zaphod"))
    rater = enter(Role.RATER, "bob")
    first = rater.said("POST", "/api/marking/next")["assignment"]
    assert rater.said("GET", f"/api/marking/{first}")["steps"] == 12
    rater.said("POST", f"/api/marking/{first}/submit", {"marks": 0})
    assert rater.said("POST", "/api/marking/next")["assignment"] is None
    assert len(judge_all(enter(Role.JUDGE, "ann"))) == 5


def test_nobody_plays_into_a_suite(enter: Enter, folder: Path, study: Study) -> None:
    setter = enter(Role.SETTER, "ann")
    assert [project["dataset"] for project in setter.said("GET", "/api/play")["projects"]] == ["play"]
    with study.database.reading() as session:
        suite = session.scalars(select(Project.id).where(Project.dataset == "sts")).one()
    request = {"project": suite, "kind": "practice-setting", "role": "setter"}
    answer = setter.ask("POST", "/api/play/games", request)
    assert answer.status_code == 409 and "of a test suite" in answer.json()["error"]


def test_a_judge_who_is_taken_out_of_a_project_reaches_nothing_in_it(enter: Enter) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.JUDGE, "ann")
    place = begin(ann)
    say(ann, place, False)
    page = admin.said("GET", "/api/study")
    (person,) = [person["id"] for person in page["people"] if person["name"] == "ann"]
    other = next(project["id"] for project in page["projects"] if project["dataset"] == "play")
    admin.said("PATCH", f"/api/people/{person}", {"projects": [other]})
    verdict = {"revision": 2, "success": True, "step": TAKES_OVER}
    for method, path, body in (
        ("GET", place, None), ("GET", f"{place}/frames", None), ("PUT", f"{place}/verdict", verdict),
        ("POST", f"{place}/submit", {"revision": 1}),
    ):  # fmt: skip
        assert ann.ask(method, path, body).status_code == 404
    admin.said("PATCH", f"/api/people/{person}", {"projects": []})
    assert begin(ann) == place and ann.said("GET", place)["verdict"]["success"] is False


def test_the_order_and_number_of_sayings_do_not_matter(enter: Enter) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = begin(ann)
    for revision, success, step in ((2, False, None), (1, True, 9), (3, True, 12), (3, True, 12), (2, False, None)):
        saved = say(ann, place, success, step, revision)["verdict"]
    assert saved == {"revision": 3, "success": True, "step": 12, "left_out": ""} == ann.said("GET", place)["verdict"]
    say(ann, place, None, None, 4)
    assert ann.said("GET", place)["verdict"]["success"] is None


def test_two_windows_do_not_say_different_things_in_one_revision(enter: Enter) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = begin(ann)
    say(ann, place, True, 10)
    for others in ({"success": False, "step": None}, {"success": True, "step": 11}):
        other = ann.ask("PUT", f"{place}/verdict", {"revision": 1, **others})
        assert other.status_code == 409 and "in another window; load the page again" in other.json()["error"]
    assert say(ann, place, True, 10)["verdict"]["success"] is True
    assert say(ann, place, False, None, 2)["verdict"]["success"] is False  # the window that was told goes on


def test_a_verdict_can_be_changed_until_the_next_is_opened(enter: Enter, folder: Path) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = begin(ann)
    early = ann.ask("POST", f"{place}/submit", {"revision": 1})
    assert early.status_code == 409
    say(ann, place, True, 10)
    say(ann, place, None, None, 2)
    taken_back = ann.ask("POST", f"{place}/submit", {"revision": 2})
    assert taken_back.status_code == 409 and "give a verdict first" in taken_back.json()["error"]
    say(ann, place, False, None, 3)
    stale = ann.ask("POST", f"{place}/submit", {"revision": 2})
    assert stale.status_code == 409 and "load the page again" in stale.json()["error"]
    assert begin(ann) == place  # nothing else before this one is done
    ann.said("POST", f"{place}/submit", {"revision": 3})
    ann.said("POST", f"{place}/submit", {"revision": 3})  # an answer that was lost on its way
    say(ann, place, False, None, 3)  # and the verdict before it
    late = ann.ask("PUT", f"{place}/verdict", {"revision": 4, "success": True, "step": 10})
    assert late.status_code == 409 and "stays as it is" in late.json()["error"]
    (found,) = exported(folder, 1)
    assert not found.success and begin(ann) != place


def test_the_work_of_others_is_out_of_reach(enter: Enter) -> None:
    ann, bob = enter(Role.JUDGE, "ann"), enter(Role.JUDGE, "bob")
    place = begin(ann)
    for method, path, body in (
        ("GET", place, None), ("GET", f"{place}/frames", None), ("POST", f"{place}/submit", {"revision": 1}),
        ("PUT", f"{place}/verdict", {"revision": 1, "success": False, "step": None}),
    ):  # fmt: skip
        assert bob.ask(method, path, body).status_code == 404
    assert ann.said("GET", place)["verdict"]["revision"] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": TAKES_OVER - 1}, {"step": STEPS}, {"step": -1}, {"step": 9.5}, {"step": "9"}, {"step": None},
        {"success": False}, {"success": None}, {"success": 1}, {"revision": 0}, {"revision": 2**31}, {"agent": "x"},
    ],
)  # fmt: skip
def test_a_wrong_verdict_is_refused_and_nothing_kept(wrong: dict[str, Any], enter: Enter) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = begin(ann)
    answer = ann.ask("PUT", f"{place}/verdict", {"revision": 1, "success": True, "step": 9} | wrong)
    assert answer.status_code == 422 and answer.json()["error"]
    assert ann.said("GET", place)["verdict"]["revision"] == 0


@pytest.mark.parametrize("reason", ["no request", "cannot tell"])
def test_left_out_verdicts_are_exported_as_neither_success_nor_failure(reason: str, enter: Enter, folder: Path) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = begin(ann)
    refused = {"revision": 1, "success": False, "step": None, "left_out": reason}
    assert ann.ask("PUT", f"{place}/verdict", refused).status_code == 422
    ann.said("PUT", f"{place}/verdict", {"revision": 1, "success": None, "step": None, "left_out": reason})
    ann.said("POST", f"{place}/submit", {"revision": 1})
    (judgement,) = exported(folder, 1)
    assert (judgement.success, judgement.step, judgement.left_out) == (False, None, reason)


def test_a_lock_expires_and_the_work_is_kept(enter: Enter, study: Study, folder: Path) -> None:
    ann, bob = enter(Role.JUDGE, "ann"), enter(Role.JUDGE, "bob")
    place = begin(ann)
    say(ann, place, True, 10)
    with study.database.writing() as session:
        session.execute(update(JudgingAssignment).values(locked_until=0.0))
    assert len(judge_all(bob)) == 4  # ann's, too
    assert begin(ann) == place
    ann.said("POST", f"{place}/submit", {"revision": 1})
    assert len(exported(folder, 5)) == 5


def test_export_resumes_after_a_crash_and_writes_nothing_twice(enter: Enter, study: Study, folder: Path) -> None:
    judge_all(enter(Role.JUDGE, "ann"), success=True)
    found = exported(folder, 4)
    assert len(found) == 4
    study.exporter.stop()
    with study.database.writing() as session:  # as if it had died before noting what it wrote
        session.execute(update(JudgingAssignment).values(exported=None))
    assert export_judgements(study.database, study.datasets, 1.0) == 4
    assert export_judgements(study.database, study.datasets, 2.0) == 0
    assert open_store(folder / "sts").judgements() == found


def test_judgements_that_cannot_be_written_do_not_keep_marks_back(enter: Enter, study: Study, folder: Path) -> None:
    study.exporter.stop()
    judge_all(enter(Role.JUDGE, "ann"))
    rater = enter(Role.RATER, "bob")
    place = f"/api/marking/{rater.said('POST', '/api/marking/next')['assignment']}"
    one = {"id": "00000000-0000-0000-0000-000000000001", "revision": 1, "step": 3, "sign": 1}
    rater.said("PUT", f"{place}/marks", {"marks": [one]})
    rater.said("POST", f"{place}/submit", {"marks": 1})
    (folder / "sts").rename(folder.parent / "away")
    with pytest.raises(UserError, match="sts"):
        export_everything(study.database, study.datasets, 1.0)
    assert len(open_store(folder / "play").marks()) == 1
    (folder.parent / "away").rename(folder / "sts")
    assert export_everything(study.database, study.datasets, 2.0) == 4
    assert len(open_store(folder / "sts").judgements()) == 4


def test_continuations_played_while_serving_are_handed_out(enter: Enter, folder: Path) -> None:
    ann = enter(Role.JUDGE, "ann")
    assert len(judge_all(ann)) == 4
    open_store(folder / "sts").write(continuation(5, "zaphod", 4))
    open_store(folder / "more", create=True).write(continuation(6, "zaphod"))
    assert len(judge_all(ann)) == 2
    projects = {p["dataset"]: p["marking"] for p in enter(Role.ADMIN, "eve").said("GET", "/api/study")["projects"]}
    assert projects == {"sts": False, "more": False, "play": True}


def test_a_dropped_continuation_goes_unless_it_is_judged(enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = begin(ann)
    say(ann, place, False)
    ann.said("POST", f"{place}/submit", {"revision": 1})
    assert len(exported(folder, 1)) == 1
    store = open_store(folder / "sts")
    store.drop(store.ids())
    store.write(continuation(3, "zaphod"))
    assert len(judge_all(ann)) >= 1
    with study.database.reading() as session:
        left = {one.episode.episode_id for one in session.scalars(select(Continuation))}
    assert len(left) == 2 and "sts-5u1te-s003-zaphod-0" in left


def test_a_judged_continuation_that_is_dropped_goes_to_nobody_else(enter: Enter, folder: Path) -> None:
    admin = enter(Role.ADMIN, "eve")
    (suite,) = admin.said("GET", "/api/suites")["suites"]
    admin.said("PATCH", f"/api/suites/{suite['id']}", {"overlap": 2})
    assert len(judge_all(enter(Role.JUDGE, "ann"))) == 4
    store = open_store(folder / "sts")
    store.drop(store.ids()[:3])
    assert len(judge_all(enter(Role.JUDGE, "bob"))) == 1


def test_a_suite_that_is_taken_away_keeps_no_judge_and_no_server(enter: Enter, folder: Path) -> None:
    open_store(folder / "away", create=True).write(continuation(5, "zaphod"))
    enter(Role.ADMIN, "eve").said("GET", "/api/suites")
    ann = enter(Role.JUDGE, "ann")
    begin(ann)
    for name in ("sts", "away"):
        (folder / name).rename(folder.parent / name)
        assert len(judge_all(ann)) == {"sts": 1, "away": 0}[name]
    open_study(ServeConfig(data=folder)).database.close()


def test_a_dropped_continuation_keeps_no_export(enter: Enter, folder: Path, study: Study) -> None:
    study.exporter.stop()  # exported by hand below
    assert len(judge_all(enter(Role.JUDGE, "ann"))) == 4
    store = open_store(folder / "sts")
    store.drop(gone := store.ids()[:1])
    with pytest.raises(UserError, match=f"{gone[0]} is no longer in sts"):
        export_judgements(study.database, study.datasets, 1.0)
    assert len(open_store(folder / "sts").judgements()) == 3


def test_an_episode_among_them_that_is_none_is_named(folder: Path) -> None:
    open_store(folder / "sts").write(synthetic_episode(8, steps=STEPS, height=12, width=16))
    with pytest.raises(UserError, match="synthetic-000008 of sts is no continuation"):
        open_study(ServeConfig(data=folder))


def test_the_database_does_not_name_the_agent_of_a_continuation(study: Study) -> None:
    assert {column.name for column in Continuation.__table__.columns} == {
        "episode_id",
        "step",
        "request_step",
        "request",
    }
    with study.database.reading() as session:
        assert len(session.scalars(select(Continuation)).all()) == 4
