"""The care with which work was done, work that is sent back, and the numbers of the leader's page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select

from annotation.server.db.tables import Assignment, EpisodeRecord, ItemRecord, Person
from annotation.server.security.visitors import Role
from annotation.server.serve import CollectConfig, collect
from annotation.server.services import measuring
from annotation.server.services.seen import merge_ranges, seen_share
from annotation.server.services.submissions import doubts
from annotation.server.study import Study
from rlhf.records.preferences import RequestVerdict
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from tests.unit.annotation.server.conftest import STEPS, Browser, Enter, both_databases
from tests.unit.annotation.server.kinds import MARKING, mark, say, submit
from worlds.spaces.action import ActionSpec, Discrete, FreeText
from worlds.spaces.observation import Image, ObservationSpec, PlayerSpec


def submitted(rater: Browser, *steps: int, **work: Any) -> str:
    """Mark some steps of the episode that a rater gets, and submit it; return its address."""
    return submit(rater, *(mark(number + 1, step) for number, step in enumerate(steps)), **work)


def listed(admin: Browser) -> list[dict[str, Any]]:
    project = admin.said("GET", "/api/study")["projects"][0]["id"]
    return admin.said("GET", f"/api/projects/{project}/submissions")["submissions"]


def send_back(admin: Browser, to: str) -> dict[str, Any]:
    """Send the only submission back, and return it."""
    (submission,) = listed(admin)
    admin.said("POST", f"/api/submissions/{submission['id']}/return", {"reason": "Watch all of it.", "to": to})
    return submission


def marked_steps(folder: Path) -> list[int]:
    return [found.step for found in open_store(folder / "play").marks()]


def test_ranges_of_steps_are_merged() -> None:
    assert merge_ranges([(5, 7), (0, 1)], [(2, 3), (6, 9)]) == [[0, 3], [5, 9]]
    assert seen_share([[0, 3], [2, 5]], 12) == 0.5 and seen_share([], 12) == 0.0 and seen_share(None, 12) is None


def test_careless_submissions_are_named() -> None:
    assert doubts(14, 0.9, 200.0, 300.0) == [] and doubts(14, None, 75.0, 300.0) == []
    assert doubts(0, 0.1, 1.0, 300.0) == ["no marks", "barely seen", "faster than it plays"]


def test_the_share_seen_and_the_time_are_kept_and_exported(
    admin: Browser, ann: Browser, study: Study, folder: Path, tmp_path: Path
) -> None:
    place = MARKING.begin(ann)
    ann.said("PUT", f"{place}/answers", {"answers": [mark(1, 3)], "seen": [[0, 2]], "active_sec": 2.0, "position": 2})
    assert ann.said("GET", place)["seen"] == [[0, 2]]
    for wrong in ([[3, 1]], [[-1, 2]], [[0]], [["a", 2]], [[0, 1]] * 2001, [["0", "1"]], [[True, 2]]):
        assert ann.ask("POST", f"{place}/submit", {"answers": 1, "seen": wrong}).status_code == 422, wrong
    ann.said("POST", f"{place}/submit", {"answers": 1, "seen": [[2, 5]], "active_sec": 7.5})
    submitted(ann, seen=[[0, 99]])
    careless, careful = listed(admin)
    assert careful["seen"] == 0.5 and careful["active_sec"] == 7.5 and careful["marks"] == 1
    assert careful["doubts"] == [] and careful["steps"] == STEPS
    assert careless["seen"] == 1.0 and careless["doubts"] == ["no marks", "faster than it plays"]
    MARKING.written(folder, 1)
    study.exporter.stop()
    collect(CollectConfig(folder, study.config.database, submissions=tmp_path / "submissions.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "submissions.jsonl").read_text().splitlines()]
    rater = careful["rater"]
    assert [(line["rater"], line["marks"], line["seen"]) for line in lines] == [(rater, 1, 0.5), (rater, 0, 1.0)]


def test_work_goes_back_to_its_rater_with_the_reason(admin: Browser, ann: Browser, enter: Enter, folder: Path) -> None:
    place = submitted(ann, 3, 5)
    MARKING.written(folder, 2)
    send_back(admin, "rater")
    assert MARKING.begin(ann) == place and ann.said("GET", place)["returned"] == "Watch all of it."
    assert MARKING.begin(enter(Role.RATER, "bob")) != place, "it stays with ann"
    submission = next(one for one in listed(admin) if one["reason"])
    assert submission["submitted"] is None and submission["reason"] == "Watch all of it."
    say(ann, place, mark(1, 3, revision=2, deleted=True), mark(9, 8))
    ann.said("POST", f"{place}/submit", {"answers": 2})
    until(lambda: marked_steps(folder) == [5, 8])  # and no longer 3
    assert MARKING.begin(ann) != place


def test_work_is_not_sent_back_without_a_reason(admin: Browser, ann: Browser) -> None:
    submitted(ann, 3)
    place = f"/api/submissions/{listed(admin)[0]['id']}/return"
    for reason in ("", " \n ", "\u200b\u2060", "x" * 1001, "a\x00b"):
        assert admin.ask("POST", place, {"reason": reason, "to": "rater"}).status_code == 422, reason
    assert listed(admin)[0]["submitted"] is not None
    assert admin.ask("POST", f"/api/submissions/{'0' * 32}/return", {"reason": "x", "to": "rater"}).status_code == 404


@both_databases
def test_work_goes_to_another_rater(admin: Browser, ann: Browser, enter: Enter, folder: Path) -> None:
    place = submitted(ann, 3)
    MARKING.written(folder, 1)
    submission = send_back(admin, "another")
    until(lambda: marked_steps(folder) == [])
    assert MARKING.begin(ann) != place and ann.ask("POST", f"{place}/submit", {"answers": 1}).status_code == 409
    bob = enter(Role.RATER, "bob")
    other = MARKING.begin(bob)
    assert bob.said("GET", other)["answers"] == [] and bob.said("GET", other)["returned"] == ""
    submitted(bob, 7)
    until(lambda: marked_steps(folder) == [7])
    found = {one["rater"]: one for one in listed(admin)}
    assert found[submission["rater"]]["to_another"] and len(found) == 2
    assert {one["episode"] for one in found.values()} == {submission["episode"]}
    assert admin.projects()["play"]["submitted"] == 1


def test_marks_of_returned_work_leave_the_dataset_also_after_a_crash(
    admin: Browser, ann: Browser, study: Study, folder: Path
) -> None:
    submit(ann, mark(1, 3), {**mark(2, 0, -1), "until": 4})
    MARKING.written(folder, 1)
    (verdict,) = until(lambda: open_store(folder / "play").preferences(RequestVerdict), "the verdict, written last")
    assert (verdict.begin, verdict.end, verdict.answer) == (0, 4, "failure")
    study.exporter.stop()  # as if the server had died before it withdrew them
    send_back(admin, "rater")
    assert marked_steps(folder) == [3]
    collect(CollectConfig(folder, study.config.database))
    assert marked_steps(folder) == [] and not open_store(folder / "play").preferences(RequestVerdict)


# ---- the leader's page


def test_play_marking_and_judging_are_counted(admin: Browser, ann: Browser, study: Study, folder: Path) -> None:
    name = ann.said("GET", "/api/me")["id"]
    store = open_store(folder / "play")
    for seed, solver in enumerate((f"human:{name}", f"agent:bc+human:{name}", "scripted")):
        store.write(replace(synthetic_episode(seed + 10, steps=STEPS, height=12, width=16), solver=solver))
    submit(ann, {**mark(1, 0), "until": STEPS})  # a verdict is no mark
    with study.database.writing() as session:
        episode = session.scalars(select(EpisodeRecord)).first()
        judge = session.scalars(select(Person).where(Person.pseudonym == name)).one()
        assert episode is not None
        item = ItemRecord(kind="judging", project_id=episode.project_id, episode=episode)
        session.add(Assignment(item=item, rater_id=judge.id, opened=1.0, locked_until=1.0, submitted=2.0))
    for person, counts in (("ann", [2, 1, 1]), ("eve", [0, 0, 0])):
        assert [admin.person(person)[what] for what in ("played", "episodes", "judged")] == counts


def test_numbers_that_are_outdated_are_reported_as_such_and_computed_again(enter: Enter, monkeypatch: Any) -> None:
    monkeypatch.setattr(measuring, "LEAST_SEC", 1.0)
    monkeypatch.setattr(measuring, "_ask", measuring.measured)  # not in a process of its own, as in a browser's test
    admin = enter(Role.ADMIN, "eve")
    project = admin.said("GET", "/api/study")["projects"][0]["id"]

    def measures() -> dict[str, Any]:
        return admin.said("GET", f"/api/projects/{project}/measures")

    def settled() -> dict[str, Any]:
        return until(lambda: found if not (found := measures())["outdated"] else None, "the measures")

    first = measures()
    assert first["working"] and first["outdated"] and first["measures"] is None
    computed = settled()
    assert computed["measures"]["submissions"] == 0 and not computed["working"]
    admin.said("PATCH", f"/api/tasks/marking/projects/{project}", {"tolerance": 9})
    assert measures()["outdated"]  # also while it rests
    assert settled()["computed"] > computed["computed"]


def test_durations_follow_the_clock_of_each_dataset(enter: Enter, study: Study, folder: Path) -> None:
    """Half a second a step: twelve steps are six seconds, and a mark in them is fifty in five minutes."""
    made = synthetic_episode(0, steps=STEPS, height=12, width=16)
    action = ActionSpec((Discrete("go", ("stay", "on")),), ticks=2, tick_sec=0.25, speech=FreeText(160))
    still = np.zeros((STEPS, 2, 1), np.int8)
    spaces = EpisodeSpaces(PlayerSpec(ObservationSpec(image=Image(12, 16)), action), action)
    open_store(folder / "slow", create=True).write(
        replace(made, world="other", spaces=spaces, movement=still, setter_movement=still)
    )
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    projects = admin.projects()
    assert {name: each["steps_per_second"] for name, each in projects.items()} == {"play": 3.75, "slow": 2.0}
    admin.said("PATCH", f"/api/projects/{projects['play']['id']}", {"open": False})
    place = MARKING.begin(ann)
    assert ann.said("GET", place)["steps_per_second"] == 2.0
    ann.said("PUT", f"{place}/answers", {"answers": [mark(1, 3)], "active_sec": 1.4, "position": 2})
    ann.said("POST", f"{place}/submit", {"answers": 1})
    (submission,) = admin.said("GET", f"/api/projects/{projects['slow']['id']}/submissions")["submissions"]
    assert submission["doubts"] == ["faster than it plays"]  # 6 s in 1.4 s; at the Playhouse's clock it would be 3.2 s
    assert admin.projects()["slow"]["marks_per_five_minutes"] == 50.0
    assert admin.person("ann")["marks_per_five_minutes"] == 50.0
    listed = {each["dataset"]: each["steps_per_second"] for each in admin.said("GET", "/api/look")["datasets"]}
    assert listed == {"play": 3.75, "slow": 2.0}
