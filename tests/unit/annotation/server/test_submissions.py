"""The care with which work was done, and work that is sent back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.server.security.visitors import Role
from annotation.server.serve import CollectConfig, collect
from annotation.server.services.seen import merge_ranges, seen_share
from annotation.server.services.submissions import doubts
from annotation.server.study import Study
from rlhf.store import open_store
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.conftest import STEPS, Browser
from tests.unit.annotation.server.test_marking import begin, exported, mark, say

Enter = Callable[..., Browser]
BOTH_DATABASES = True


def submit(rater: Browser, place: str, *steps: int, **work: Any) -> None:
    say(rater, place, *(mark(number + 1, step) for number, step in enumerate(steps)))
    rater.said("POST", f"{place}/submit", {"answers": len(steps), **work})


def listed(admin: Browser) -> list[dict[str, Any]]:
    project = admin.said("GET", "/api/study")["projects"][0]["id"]
    return admin.said("GET", f"/api/projects/{project}/submissions")["submissions"]


def send_back(admin: Browser, submission: dict[str, Any], to: str, reason: str = "Watch all of it.") -> None:
    admin.said("POST", f"/api/submissions/{submission['id']}/return", {"reason": reason, "to": to})


def marked_steps(folder: Path) -> list[int]:
    return [found.step for found in open_store(folder / "play").marks()]


def test_ranges_of_steps_are_merged() -> None:
    assert merge_ranges([(5, 7), (0, 1)], [(2, 3), (6, 9)]) == [[0, 3], [5, 9]]
    assert seen_share([[0, 3], [2, 5]], 12) == 0.5 and seen_share([], 12) == 0.0 and seen_share(None, 12) is None


def test_careless_submissions_are_named() -> None:
    assert doubts(14, 0.9, 200.0, 300.0) == [] and doubts(14, None, 75.0, 300.0) == []
    assert doubts(0, 0.1, 1.0, 300.0) == ["no marks", "barely seen", "faster than it plays"]


def test_the_share_seen_and_the_time_are_kept_and_exported(
    enter: Enter, study: Study, folder: Path, tmp_path: Path
) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    place = begin(ann)
    ann.said("PUT", f"{place}/answers", {"answers": [mark(1, 3)], "seen": [[0, 2]], "active_sec": 2.0, "position": 2})
    assert ann.said("GET", place)["seen"] == [[0, 2]]
    ann.said("POST", f"{place}/submit", {"answers": 1, "seen": [[2, 5]], "active_sec": 7.5})
    submit(ann, begin(ann), seen=[[0, 99]])
    careless, careful = listed(admin)
    assert careful["seen"] == 0.5 and careful["active_sec"] == 7.5 and careful["marks"] == 1
    assert careful["doubts"] == [] and careful["steps"] == STEPS
    assert careless["seen"] == 1.0 and careless["doubts"] == ["no marks", "faster than it plays"]
    exported(folder, 1)
    study.exporter.stop()
    collect(CollectConfig(folder, study.config.database, submissions=tmp_path / "submissions.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "submissions.jsonl").read_text().splitlines()]
    assert [(line["rater"], line["marks"], line["seen"]) for line in lines] == [
        (careful["rater"], 1, 0.5),
        (careful["rater"], 0, 1.0),
    ]


@pytest.mark.parametrize("wrong", [[[3, 1]], [[-1, 2]], [[0]], [["a", 2]], [[0, 1]] * 2001, [["0", "1"]], [[True, 2]]])
def test_wrong_ranges_are_refused(wrong: Any, enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    assert ann.ask("POST", f"{begin(ann)}/submit", {"answers": 0, "seen": wrong}).status_code == 422


def test_work_goes_back_to_its_rater_with_the_reason(enter: Enter, folder: Path) -> None:
    admin, ann, bob = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    place = begin(ann)
    submit(ann, place, 3, 5)
    exported(folder, 2)
    (submission,) = listed(admin)
    send_back(admin, submission, "rater")
    assert begin(ann) == place and ann.said("GET", place)["returned"] == "Watch all of it."
    assert bob.said("GET", begin(bob))["id"] not in place  # it stays with ann
    (submission,) = listed(admin)
    assert submission["submitted"] is None and submission["reason"] == "Watch all of it."
    ann.said("PUT", f"{place}/answers", {"answers": [mark(1, 3, revision=2, deleted=True), mark(9, 8)]})
    ann.said("POST", f"{place}/submit", {"answers": 2})
    wait_for(lambda: marked_steps(folder) == [5, 8])  # and no longer 3
    assert begin(ann) != place
    assert admin.ask("POST", f"/api/submissions/{'0' * 32}/return", {"reason": "x", "to": "rater"}).status_code == 404


@pytest.mark.parametrize("reason", ["", " \n ", "\u200b\u2060", "x" * 1001, "a\x00b"])
def test_work_is_not_sent_back_without_a_reason(reason: str, enter: Enter) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    submit(ann, begin(ann), 3)
    place = f"/api/submissions/{listed(admin)[0]['id']}/return"
    assert admin.ask("POST", place, {"reason": reason, "to": "rater"}).status_code == 422
    assert listed(admin)[0]["submitted"] is not None


def test_work_goes_to_another_rater(enter: Enter, folder: Path) -> None:
    admin, ann, bob = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    place = begin(ann)
    submit(ann, place, 3)
    exported(folder, 1)
    (submission,) = listed(admin)
    send_back(admin, submission, "another")
    wait_for(lambda: marked_steps(folder) == [])
    assert begin(ann) != place and ann.ask("POST", f"{place}/submit", {"answers": 1}).status_code == 409
    other = begin(bob)
    assert bob.said("GET", other)["answers"] == [] and bob.said("GET", other)["returned"] == ""
    submit(bob, other, 7)
    wait_for(lambda: marked_steps(folder) == [7])
    found = {one["rater"]: one for one in listed(admin)}
    assert found[submission["rater"]]["to_another"] and len(found) == 2
    assert {one["episode"] for one in found.values()} == {submission["episode"]}
    (project,) = admin.said("GET", "/api/study")["projects"]
    assert project["submitted"] == 1


def test_marks_of_returned_work_leave_the_dataset_also_after_a_crash(enter: Enter, study: Study, folder: Path) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    submit(ann, begin(ann), 3)
    exported(folder, 1)
    study.exporter.stop()  # as if the server had died before it withdrew them
    send_back(admin, listed(admin)[0], "rater")
    assert marked_steps(folder) == [3]
    collect(CollectConfig(folder, study.config.database))
    assert marked_steps(folder) == []


def wait_for(reached: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SEC
    while not reached() and time.monotonic() < until:
        time.sleep(0.02)
    assert reached()
