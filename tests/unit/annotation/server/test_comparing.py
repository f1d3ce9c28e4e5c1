"""Comparing: pairs that are drawn, their sides, settings of the draw, and agreement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import ItemRecord, TaskProject
from annotation.server.security.visitors import Role
from annotation.server.services.items import list_items
from annotation.server.study import Study
from annotation.tasks import COMPARING as TASK
from annotation.tasks import comparing
from annotation.viewer.frames_file import unpack_frames
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.kinds import COMPARING, Enter, record_of, write_items
from tests.unit.rlhf.declared_spaces import GRID

CLIP = 15  # steps: 4 seconds
both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with one dataset, of which two episodes at least have one request."""
    write_items(tmp_path / "study", COMPARING, tmp_path)
    return tmp_path / "study"


@pytest.fixture
def admin(enter: Enter) -> Browser:
    """The study's leader, who wants six pairs."""
    admin = enter(Role.ADMIN, "eve")
    assert COMPARING.project(admin, pairs=6)["items"] == 6
    return admin


@both_databases
def test_answers_are_exported_by_clip_and_not_by_side(admin: Browser, enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    pseudonym, expected = ann.said("GET", "/api/me")["id"], set()
    for answer in ("left", "right", "same", "cannot tell", "left", "right"):
        place = COMPARING.begin(ann)
        COMPARING.say(ann, place, {"answer": answer}, active_sec=3.5)
        ann.said("POST", f"{place}/submit", {"revision": 1})
        found = record_of(study, place)
        left_is_b = comparing.swapped(found.item.id, found.rater_id)
        clips = {"left": "ab"[left_is_b], "right": "ba"[left_is_b]}
        (begin_a, begin_b), (a, b) = found.item.facts["begins"], [one.episode_id for one in found.item.episodes]
        said = clips.get(answer, answer)
        expected.add(ClipPair(a, begin_a, begin_a + CLIP, b, begin_b, begin_b + CLIP, said, pseudonym, 3.5, False))
    assert set(COMPARING.written(folder, 6)) == expected and len(expected) == 6
    assert {pair.answer for pair in expected} >= {"same", "cannot tell"}


def test_a_rater_sees_both_clips_and_what_was_said_since_the_request(
    admin: Browser, enter: Enter, study: Study
) -> None:
    ann = enter(Role.RATER, "ann")
    place = COMPARING.begin(ann)
    found, answer = ann.said("GET", place), ann.ask("GET", f"{place}/frames?begin=0")
    assert found["steps"] == 2 * CLIP
    given = record_of(study, place)
    sides = list(zip(given.item.episodes, given.item.facts["begins"], strict=True))
    if comparing.swapped(given.item.id, given.rater_id):
        sides.reverse()
    views = []
    for (record, begins), clip in zip(sides, found["clips"], strict=True):
        episode = study.datasets.store("play").read(record.episode_id)
        assert episode.image is not None
        views.append(episode.image[begins : begins + CLIP])
        assert clip["request"] == episode.setter_text[begins + CLIP - 1].strip() != ""
        asked = min(step for step, words in enumerate(episode.setter_utterance) if words)
        assert [said["step"] + begins for said in clip["words"]] == [
            step for step in range(asked + 1, begins + CLIP) if episode.utterance[step]
        ]  # since the request, which is shown already
        for said in clip["words"]:
            whose = episode.setter_utterance if said["who"] == "setter" else episode.utterance
            assert whose[begins + said["step"]] == said["words"] and said["step"] < CLIP
    assert np.array_equal(decode_frames(unpack_frames(answer.content)), np.concatenate(views))
    assert ann.ask("GET", f"{place}/frames?begin=40").status_code == 422  # there are 30
    assert ann.ask("GET", f"{place}/frames?begin=0&view=sharp").status_code in (202, 204)  # no such world is drawn
    again = ann.ask("GET", f"{place}/frames?begin=0", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_clips_of_a_world_without_pictures_are_drawn_plainly(
    admin: Browser, enter: Enter, folder: Path, study: Study
) -> None:
    store = open_store(folder / "play")
    store.drop(store.ids())
    grids = open_store(folder / "grids", create=True)
    for seed in range(2):
        grids.write(replace(synthetic_play(seed, GRID, steps=40), setter_text=("fetch the ball",) * 40))
    project = next(
        one for one in admin.said("GET", "/api/tasks/comparing/projects")["projects"] if one["dataset"] == "grids"
    )
    admin.said("PATCH", f"/api/tasks/comparing/projects/{project['id']}", {"pairs": 1, "clip_seconds": 0.5})
    ann = enter(Role.RATER, "ann")
    place = COMPARING.begin(ann)
    found = ann.said("GET", place)
    assert not found["pictured"] and len(found["clips"][0]["actions"]) == found["steps"] / 2 > 1
    answer = ann.ask("GET", f"{place}/frames?begin=0")
    assert len(unpack_frames(answer.content)) == found["steps"]


def test_sides_are_random_for_each_rater() -> None:
    for pair in ("a", "b"):
        assert 80 < sum(comparing.swapped(pair, f"rater {number}") for number in range(200)) < 120
    assert 80 < sum(comparing.swapped(f"pair {number}", "ann") for number in range(200)) < 120


def test_two_raters_agreement_is_shown(admin: Browser, enter: Enter) -> None:
    assert COMPARING.project(admin, overlap=2)["agreement"]["pairs"] == 0
    ann, bob = enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    COMPARING.submit_all(ann, 1)
    COMPARING.submit(bob, COMPARING.begin(bob), 0)
    COMPARING.submit_all(bob, 1)
    agreement = COMPARING.project(admin)["agreement"]
    assert agreement["pairs"] == 6 and agreement["value"] == pytest.approx(5 / 6)
    assert agreement["low"] < 5 / 6 < agreement["high"]


@both_databases
def test_pairs_that_nobody_has_opened_follow_the_settings(admin: Browser, enter: Enter, study: Study) -> None:
    def pairs() -> dict[str, tuple[int, str, str, int]]:
        with study.database.reading() as session:
            found = session.scalars(select(ItemRecord).filter_by(kind="comparing").order_by(ItemRecord.number)).all()
        return {pair.id: (pair.number, pair.episode_id, pair.other_id or "", pair.facts["steps"]) for pair in found}

    ann = enter(Role.RATER, "ann")
    opened = record_of(study, COMPARING.begin(ann)).item_id
    before = pairs()
    assert COMPARING.project(admin, pairs=9)["items"] == 9 and pairs().items() > before.items()  # more of the same draw
    assert COMPARING.project(admin, pairs=4)["items"] == 4 and opened in pairs()
    project = COMPARING.project(admin, clip_seconds=2.0, within_share=1.0)
    assert (project["items"], project["clip_seconds"], project["within_share"]) == (4, 2.0, 1.0)
    after = pairs()
    assert after[opened] == before[opened]
    new = [pair for id, pair in after.items() if id != opened]
    assert len(new) == 3 and {(pair[1] == pair[2], pair[3]) for pair in new} == {(True, 8)}  # 7.5 steps, rounded
    assert COMPARING.project(admin, pairs=0)["items"] == 1 and record_of(study, COMPARING.begin(ann)).item_id == opened
    assert COMPARING.project(admin, pairs=5, clip_seconds=60.0)["items"] == 1  # no stretch of one request is as long


def test_the_draw_is_the_same_for_the_same_seed(folder: Path, tmp_path: Path) -> None:
    """In two studies of equal episodes; another seed has other pairs."""

    def drawn(name: str, seed: int) -> list[tuple[Any, ...]]:
        study = open_study(ServeConfig(data=folder, database=f"sqlite:///{tmp_path / name}"))
        with study.database.writing() as session:
            project = session.scalars(select(TaskProject).filter_by(kind="comparing")).one()
            project.settings = {"pairs": 8, "seed": seed}
        list_items(study.database, study.datasets, TASK, now())
        with study.database.reading() as session:
            found = session.scalars(select(ItemRecord).filter_by(kind="comparing").order_by(ItemRecord.number)).all()
            names = [[one.episode_id for one in pair.episodes] for pair in found]
            return [
                tuple(zip(*both, strict=True)) for both in zip(names, (p.facts["begins"] for p in found), strict=True)
            ]

    first = drawn("one", 0)
    assert len(first) == 8 and first == drawn("two", 0) != drawn("three", 1)
    assert all(one != other for one, other in first)


def test_new_episodes_are_drawn_from_and_dropped_ones_leave(admin: Browser, enter: Enter, folder: Path) -> None:
    ann, store = enter(Role.RATER, "ann"), open_store(folder / "play")
    assert (
        COMPARING.project(admin, clip_seconds=20.0)["items"] == 0 and COMPARING.begin(ann) == COMPARING.nothing
    )  # longer than every episode
    store.write(synthetic_episode(20, steps=200, height=12, width=16))
    place = COMPARING.begin(ann)
    assert ann.said("GET", place)["steps"] == 2 * 75 and COMPARING.project(admin)["items"] == 6
    store.drop([store.ids()[-1]])
    assert COMPARING.begin(ann) == COMPARING.nothing and ann.ask("GET", place).status_code == 404
    assert COMPARING.project(admin)["items"] == 0
