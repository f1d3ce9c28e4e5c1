"""The leader's page: the work of each person, and numbers that follow changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select

from annotation.server.db.tables import Assignment, EpisodeRecord, ItemRecord, Person
from annotation.server.security.visitors import Role
from annotation.server.services import measuring
from annotation.server.study import Study
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.conftest import STEPS, Browser
from tests.unit.annotation.server.test_marking import begin, mark
from worlds.spaces.action import ActionSpec, Discrete, FreeText
from worlds.spaces.observation import Image, ObservationSpec, PlayerSpec

Enter = Callable[..., Browser]


def test_play_marking_and_judging_are_counted(enter: Enter, study: Study, folder: Path) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    name = ann.said("GET", "/api/me")["id"]
    store = open_store(folder / "play")
    for seed, solver in enumerate((f"human:{name}", f"agent:bc+human:{name}", "scripted")):
        store.write(replace(synthetic_episode(seed + 10, steps=STEPS, height=12, width=16), solver=solver))
    ann.said("POST", f"{begin(ann)}/submit", {"answers": 0})
    with study.database.writing() as session:
        episode = session.scalars(select(EpisodeRecord)).first()
        judge = session.scalars(select(Person).where(Person.pseudonym == name)).one()
        assert episode is not None
        item = ItemRecord(kind="judging", project_id=episode.project_id, episode=episode)
        session.add(Assignment(item=item, rater_id=judge.id, opened=1.0, locked_until=1.0, submitted=2.0))
    found = {person["name"]: person for person in admin.said("GET", "/api/study")["people"]}
    assert [found["ann"][what] for what in ("played", "episodes", "judged")] == [2, 1, 1]
    assert [found["eve"][what] for what in ("played", "episodes", "judged")] == [0, 0, 0]


def test_numbers_that_are_outdated_are_reported_as_such_and_computed_again(enter: Enter, monkeypatch: Any) -> None:
    monkeypatch.setattr(measuring, "LEAST_SEC", 1.0)
    admin = enter(Role.ADMIN, "eve")
    project = admin.said("GET", "/api/study")["projects"][0]["id"]

    def measures() -> dict[str, Any]:
        return admin.said("GET", f"/api/projects/{project}/measures")

    def settled() -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_SEC
        while (found := measures())["outdated"] and time.monotonic() < until:
            time.sleep(0.1)
        return found

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
    projects = {each["dataset"]: each for each in admin.said("GET", "/api/study")["projects"]}
    assert {name: each["steps_per_second"] for name, each in projects.items()} == {"play": 3.75, "slow": 2.0}
    admin.said("PATCH", f"/api/projects/{projects['play']['id']}", {"open": False})
    place = begin(ann)
    assert ann.said("GET", place)["steps_per_second"] == 2.0
    ann.said("PUT", f"{place}/answers", {"answers": [mark(1, 3)], "active_sec": 1.4, "position": 2})
    ann.said("POST", f"{place}/submit", {"answers": 1})
    (submission,) = admin.said("GET", f"/api/projects/{projects['slow']['id']}/submissions")["submissions"]
    assert submission["doubts"] == ["faster than it plays"]  # 6 s in 1.4 s; at the Playhouse's clock it would be 3.2 s
    found = admin.said("GET", "/api/study")
    assert next(each for each in found["projects"] if each["dataset"] == "slow")["marks_per_five_minutes"] == 50.0
    assert next(each for each in found["people"] if each["name"] == "ann")["marks_per_five_minutes"] == 50.0
    listed = {each["dataset"]: each["steps_per_second"] for each in admin.said("GET", "/api/look")["datasets"]}
    assert listed == {"play": 3.75, "slow": 2.0}
