"""What the four rater tasks have in common, over HTTP: queue, blindness, answers out of order, submission, export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import AnswerRecord, Assignment, ItemRecord
from annotation.server.export.submitted import NotExported, export_everything
from annotation.server.security.visitors import Role
from annotation.server.services.items import item_of
from annotation.server.study import Study
from annotation.tasks import TASKS
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import unpack_frames
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from tests.patience import until
from tests.unit.annotation.server.conftest import Browser, Enter
from tests.unit.annotation.server.kinds import (
    AGENTS,
    COMPARING,
    INFERRING,
    JUDGING,
    KINDS,
    MARKING,
    Kind,
    record_of,
    write_items,
)

# Two kinds have all that differs in SQL: many answers to an item, and items of two episodes.
both_databases = pytest.mark.parametrize(
    ("kind", "database_url"),
    [*((kind, "sqlite") for kind in KINDS), (MARKING, "postgres"), (COMPARING, "postgres")],
    indirect=True,
    ids=lambda value: value if isinstance(value, str) else value.name,
)
EVERY_PAGE = {"id", "steps", "steps_per_second", "answers", "position", "active_sec", "submitted"}
TRUTH = ("agent", "5u1te", "s000", "s001", "synthetic", "scripted", "household", "test_1", *AGENTS)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
def folder(tmp_path: Path, kind: Kind, played: Path) -> Path:
    write_items(tmp_path / "study", kind, played)
    return tmp_path / "study"


@pytest.fixture
def admin(enter: Enter, kind: Kind) -> Browser:
    """The leader of a study in which there are items."""
    admin = enter(Role.ADMIN, "eve")
    assert kind.project(admin, **dict(kind.settings))["items"] == kind.items
    return admin


@pytest.fixture
def ann(admin: Browser, enter: Enter, kind: Kind) -> Browser:
    return enter(kind.role, "ann")


@both_databases
def test_submitted_work_is_written_once_also_after_a_crash(
    ann: Browser, kind: Kind, folder: Path, study: Study
) -> None:
    for number in range(kind.items):
        kind.submit(ann, kind.begin(ann), number % 3, active_sec=30.5)
    assert kind.begin(ann) == kind.nothing
    assert ann.said("GET", f"/api/tasks/{kind.name}") == {"submitted": kind.items, "begun": False}
    found = kind.written(folder, kind.items)
    name = ann.said("GET", "/api/me")["id"]
    assert {getattr(one, "judge", getattr(one, "rater", "")) for one in found} == {name}
    assert not any(one.scripted for one in found) and {getattr(one, "seconds", 30.5) for one in found} == {30.5}
    study.exporter.stop()  # when it has noted that
    with study.database.writing() as session:  # as if it had died before noting what it wrote
        session.execute(update(Assignment).values(exported=None))
    assert export_everything(study.database, study.datasets, 1.0) == kind.items
    assert export_everything(study.database, study.datasets, 2.0) == 0
    assert kind.records(open_store(folder / kind.dataset)) == found


def test_a_rater_sees_nothing_that_says_whose_play_it_is_or_what_others_said(
    ann: Browser, enter: Enter, kind: Kind, study: Study
) -> None:
    bob = enter(kind.role, "bob")
    kind.submit(bob, kind.begin(bob))
    place = kind.begin(ann)
    found = ann.said("GET", place)
    assert found.keys() == EVERY_PAGE | kind.shown
    assert (found["answers"], found["active_sec"], found["submitted"]) == ([], 0.0, False)
    pictures = ann.ask("GET", f"{place}/frames?begin=0")
    item = record_of(study, place).item
    known = [word for record in item.episodes for word in (record.id, record.episode_id)]
    said = f"{pictures.headers} {found | {'words': [], 'clips': [], 'choices': []}}"
    for word in (*TRUTH, *known, item.id, bob.said("GET", "/api/me")["id"]):
        assert word not in said, word
    kept = {column.name for column in ItemRecord.__table__.columns}
    assert kept == {"id", "kind", "project_id", "episode_id", "other_id", "number", "shown", "facts"}
    assert item.facts.keys() <= {"step", "request_step", "request", "steps", "begins", "requests"}


@pytest.mark.parametrize("kind", [MARKING, JUDGING, COMPARING], indirect=True, ids=lambda kind: kind.name)
def test_pictures_come_as_recorded_and_in_chunks(ann: Browser, kind: Kind, study: Study) -> None:
    place = kind.begin(ann)
    given = record_of(study, place)
    clips = TASKS[kind.name].clips(item_of(given.item, None), given.rater_id)
    store = study.datasets.store(kind.dataset)
    recorded = np.concatenate([store.read(clip.episode_id).pictures()[clip.begin : clip.end] for clip in clips])
    assert ann.said("GET", place)["steps"] == len(recorded)
    whole, chunk = (ann.ask("GET", f"{place}/frames{query}") for query in ("", "?begin=0"))
    assert np.array_equal(decode_frames(unpack_frames(whole.content)), recorded)
    assert unpack_frames(chunk.content) == unpack_frames(whole.content)[:CHUNK_STEPS]
    assert chunk.headers["etag"] != whole.headers["etag"] and "immutable" in chunk.headers["cache-control"]
    again = ann.ask("GET", f"{place}/frames", headers={"If-None-Match": whole.headers["etag"]})
    assert again.status_code == 304 and again.content == b""
    for wrong in ("begin=1", f"begin={1000 * CHUNK_STEPS}", "begin=0&view=best"):
        assert ann.ask("GET", f"{place}/frames?{wrong}").status_code == 422

    def cannot_be_drawn() -> bool:
        answer = ann.ask("GET", f"{place}/frames?begin=0&view=sharp")
        assert answer.status_code in (202, 204) and answer.headers["cache-control"] == "no-store"
        return answer.status_code == 204

    until(cannot_be_drawn, "the end of drawing a made-up episode")


@both_databases
def test_the_order_and_number_of_sayings_do_not_matter(ann: Browser, kind: Kind, study: Study) -> None:
    place, (first, second, third) = kind.begin(ann), kind.answers
    for revision, answer in ((2, second), (1, first), (3, third), (3, third), (2, second)):
        saved = kind.say(ann, place, answer, revision, position=3, active_sec=20.0 * revision)
    assert saved == kind.edit(place, third, 3)
    assert kind.begin(ann) == place  # nothing else before this one is done
    found = ann.said("GET", place)
    assert (found["answers"], found["position"], found["active_sec"]) == ([saved], 3, 60.0)
    assert export_everything(study.database, study.datasets, 1.0) == 0, "a draft is not exported"


def test_two_windows_do_not_say_different_things_in_one_revision(ann: Browser, kind: Kind) -> None:
    place, (first, second, _) = kind.begin(ann), kind.answers
    for _ in range(2):
        kind.say(ann, place, first)
    other = ann.ask("PUT", f"{place}/answers", {"answers": [kind.edit(place, second)]})
    assert other.status_code == 409 and "load the page again" in other.json()["error"]
    assert ann.said("GET", place)["answers"] == [kind.edit(place, first)]
    assert kind.say(ann, place, second, 2) == kind.edit(place, second, 2)  # the window that was told goes on


def test_answers_can_be_changed_until_they_are_submitted(ann: Browser, kind: Kind, folder: Path) -> None:
    place, (first, second, _) = kind.begin(ann), kind.answers
    early = ann.ask("POST", f"{place}/submit", kind.ending())
    assert early.status_code == 409 and kind.missing in early.json()["error"]
    kind.say(ann, place, first)
    kind.say(ann, place, second, 2)
    stale = ann.ask("POST", f"{place}/submit", {"answers": 2} if kind.many else {"revision": 1})
    assert stale.status_code == 409 and "load" in stale.json()["error"]
    for _ in range(2):  # an answer that was lost on its way
        assert ann.said("POST", f"{place}/submit", kind.ending(2)) == {}
    assert kind.say(ann, place, second, 2) == kind.edit(place, second, 2)  # and the one before it
    late = ann.ask("PUT", f"{place}/answers", {"answers": [kind.edit(place, first, 3)]})
    assert late.status_code == 409 and late.json()["error"]
    assert kind.begin(ann) != place and len(kind.written(folder, 1)) == 1


@pytest.mark.parametrize("taken_out", [False, True])
def test_what_is_not_ones_own_is_out_of_reach(
    taken_out: bool, admin: Browser, enter: Enter, kind: Kind, folder: Path
) -> None:
    ann, bob = enter(kind.role, "ann"), enter(kind.role, "bob")
    place = kind.begin(ann)
    kind.say(ann, place, kind.answers[0])
    person = admin.person("ann")["id"]
    if taken_out:
        open_store(folder / "other", create=True)
        admin.said("PATCH", f"/api/people/{person}", {"projects": [admin.projects()["other"]["id"]]})
    stranger = ann if taken_out else bob
    for method, path, body in (
        ("GET", place, None), ("GET", f"{place}/frames?begin=0", None), ("POST", f"{place}/submit", kind.ending()),
        ("PUT", f"{place}/answers", {"answers": [kind.edit(place, kind.answers[1], 2)]}),
    ):  # fmt: skip
        assert stranger.ask(method, path, body).status_code == 404
    wrong_kind = "comparing" if kind is MARKING else "marking"
    assert ann.ask("GET", f"/api/tasks/{wrong_kind}/{place.rpartition('/')[2]}").status_code in (403, 404)
    admin.said("PATCH", f"/api/people/{person}", {"projects": []})
    assert kind.begin(ann) == place and ann.said("GET", place)["answers"] == [kind.edit(place, kind.answers[0])]


def test_wrong_answers_and_wrong_work_are_refused_and_nothing_kept(ann: Browser, kind: Kind) -> None:
    place, right = kind.begin(ann), kind.answers[0]
    beside = [kind.edit(place, right) | {"id": "00000000-0000-0000-0000-000000000002"}] if kind.many else []
    work = ({"active_sec": -1}, {"position": -1}, {"seen": [[3, 1]]}, {"answers": "all"})
    for body in (
        *({"answers": [*beside, kind.edit(place, right) | wrong]} for wrong in kind.wrong),
        *({"answers": [kind.edit(place, right)]} | wrong for wrong in work),
    ):
        refused = ann.ask("PUT", f"{place}/answers", body)
        assert refused.status_code == 422 and refused.json()["error"], body
    assert ann.said("GET", place)["answers"] == []


@both_databases
def test_an_item_goes_to_as_many_raters_as_wanted(admin: Browser, enter: Enter, kind: Kind, folder: Path) -> None:
    kind.project(admin, overlap=2)
    ann, bob, cid = (enter(kind.role, name) for name in ("ann", "bob", "cid"))
    assert len(kind.submit_all(ann)) == kind.items
    kind.say(bob, first := kind.begin(bob), kind.answers[0])
    found = kind.project(admin)
    assert (found["wanted"], found["submitted"], found["begun"]) == (2 * kind.items, kind.items, 1)
    bob.said("POST", f"{first}/submit", kind.ending())
    assert len(kind.submit_all(bob)) == kind.items - 1 and kind.begin(cid) == kind.nothing
    kind.written(folder, 2 * kind.items)
    kind.project(admin, overlap=3, open=False)
    assert kind.begin(cid) == kind.nothing
    kind.project(admin, open=True)
    begun = kind.begin(cid)
    id = kind.project(admin)["id"]
    for is_open in (False, True):
        admin.said("PATCH", f"/api/projects/{id}", {"open": is_open})
        assert kind.begin(cid) == (begun if is_open else kind.nothing)


def test_settings_of_projects_without_such_items_are_refused(admin: Browser, kind: Kind) -> None:
    others = [one["id"] for dataset, one in admin.projects().items() if dataset != kind.dataset]
    for id in ("0" * 32, *(others if kind in (JUDGING, INFERRING) else ())):
        assert admin.ask("PATCH", f"{kind.projects}/{id}", {"overlap": 2}).status_code == 404
    id = kind.project(admin)["id"]
    for wrong in ({"overlap": 0}, {"overlap": True}, {"open": "yes"}, {"speed": 1}):
        assert admin.ask("PATCH", f"{kind.projects}/{id}", wrong).status_code == 422


@both_databases
def test_a_lease_expires_and_the_work_is_kept(
    admin: Browser, enter: Enter, kind: Kind, folder: Path, study: Study
) -> None:
    ann, bob = enter(kind.role, "ann"), enter(kind.role, "bob")
    place = kind.begin(ann)
    kind.say(ann, place, kind.answers[0])
    with study.database.writing() as session:
        session.execute(update(Assignment).values(locked_until=0.0))
    assert len(kind.submit_all(bob)) == kind.items  # ann's, too
    assert kind.begin(ann) == place and ann.said("GET", place)["answers"] == [kind.edit(place, kind.answers[0])]
    ann.said("POST", f"{place}/submit", kind.ending())
    kind.written(folder, kind.items + 1)


@pytest.mark.parametrize("kind", [MARKING, JUDGING, INFERRING], indirect=True, ids=lambda kind: kind.name)
def test_what_is_recorded_while_serving_is_handed_out_as_its_kind_alone(
    admin: Browser, ann: Browser, kind: Kind, folder: Path
) -> None:
    later = open_store(folder / "later", create=True)
    assert admin.projects()["later"]["episodes"] == 0  # listed before anything is in it
    assert len(kind.submit_all(ann)) == kind.items
    store = open_store(folder / kind.dataset)
    for episode in kind.more(store):
        store.write(episode)
        later.write(episode)
    assert len(kind.submit_all(ann)) == 2
    marked = {name: one["marking"] for name, one in admin.projects().items()}
    assert marked == {"play": True, kind.dataset: kind is MARKING, "later": kind is MARKING}


def test_work_on_a_dropped_episode_stays_in_the_database(ann: Browser, kind: Kind, folder: Path, study: Study) -> None:
    study.exporter.stop()  # exported by hand below
    places = kind.submit_all(ann)
    store = open_store(folder / kind.dataset)
    lost = record_of(study, places[0]).item.episode.episode_id
    touched = [place for place in places if lost in [one.episode_id for one in record_of(study, place).item.episodes]]
    store.drop([lost])
    with pytest.raises(NotExported, match=f"{lost} is no longer in {kind.dataset}") as refused:
        export_everything(study.database, study.datasets, 1.0)
    assert len(refused.value.reasons) == len(touched)
    assert len(kind.records(open_store(folder / kind.dataset))) == kind.items - len(touched)
    assert kind.begin(ann) not in places  # which lists the episodes again
    assert all(record_of(study, place).submitted is not None for place in places)


def test_a_dropped_episode_is_given_to_nobody(admin: Browser, enter: Enter, kind: Kind, folder: Path) -> None:
    kind.project(admin, overlap=2)
    kind.submit_all(enter(kind.role, "ann"))
    store, bob = open_store(folder / kind.dataset), enter(kind.role, "bob")
    store.drop(store.ids()[:2])
    while (place := kind.begin(bob)) != kind.nothing:
        assert bob.ask("GET", place).status_code == 200
        kind.submit(bob, place)
    found = kind.project(admin)
    assert kind is COMPARING or found["submitted"] == found["wanted"] == 2 * (kind.items - 2)


def test_answers_are_deleted_with_their_rater(
    admin: Browser, enter: Enter, kind: Kind, folder: Path, study: Study
) -> None:
    kind.project(admin, overlap=2)
    ann, bob = enter(kind.role, "ann"), enter(kind.role, "bob")
    for browser in (ann, bob):
        kind.submit(browser, kind.begin(browser))
    kind.written(folder, 2)
    name = ann.said("GET", "/api/me")["id"]
    admin.said("POST", f"/api/people/{admin.person('ann')['id']}/removal", {"episodes": False})
    (left,) = kind.written(folder, 1)
    assert name not in str(left)
    with study.database.reading() as session:
        assert len(session.scalars(select(Assignment)).all()) == len(session.scalars(select(AnswerRecord)).all()) == 1
    assert kind.project(admin)["items"] == kind.items  # for others


def test_a_dataset_that_is_taken_away_keeps_no_rater_and_no_server(ann: Browser, kind: Kind, folder: Path) -> None:
    place = kind.begin(ann)
    (folder / kind.dataset).rename(folder.parent / "away")
    assert kind.begin(ann) == kind.nothing
    open_study(ServeConfig(data=folder)).database.close()
    (folder.parent / "away").rename(folder / kind.dataset)
    assert kind.begin(ann) == place


def test_what_cannot_be_written_keeps_nothing_else_back(
    ann: Browser, enter: Enter, kind: Kind, folder: Path, study: Study
) -> None:
    """The other work is marks of the dataset of play, or of another one."""
    if kind.dataset == "play":
        open_store(folder / "more", create=True).write(open_store(folder / "play").read("synthetic-000000"))
    study.exporter.stop()
    kind.submit(ann, place := kind.begin(ann))
    rater, other = enter(Role.RATER, "bob"), place
    while (elsewhere := record_of(study, other).item.episode.project.dataset) == kind.dataset:
        MARKING.submit(rater, other := MARKING.begin(rater))
    (folder / kind.dataset).rename(folder.parent / "away")
    with pytest.raises(NotExported, match=kind.dataset):
        export_everything(study.database, study.datasets, 1.0)
    assert len(open_store(folder / elsewhere).marks()) == 1
    (folder.parent / "away").rename(folder / kind.dataset)
    assert export_everything(study.database, study.datasets, now()) >= 1
    assert kind.records(open_store(folder / kind.dataset))
