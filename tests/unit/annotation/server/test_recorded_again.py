"""An episode that is recorded again with other content: it has none of the old one's marks, pictures and steps."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from annotation.server.db.tables import EpisodeRecord
from annotation.server.export.submitted import NotExported, export_everything
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from annotation.viewer.frames_file import unpack_frames
from rlhf.store import ParquetStore, open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode
from tests.unit.annotation.server.conftest import EPISODES, STEPS, Browser, Enter, both_databases
from tests.unit.annotation.server.kinds import MARKING, mark, say

NEW_STEPS = 5


@pytest.fixture
def ann(enter: Enter, study: Study) -> Browser:
    study.exporter.stop()  # exported by hand
    return enter(Role.RATER, "ann")


@pytest.fixture
def begun(ann: Browser) -> str:
    """The address of an episode with a mark; another one with two marks is submitted."""
    submitted = MARKING.begin(ann)
    say(ann, submitted, mark(1, 3), mark(2, 9))
    ann.said("POST", f"{submitted}/submit", {"answers": 2})
    begun = MARKING.begin(ann)
    say(ann, begun, mark(3, 4, -1))
    return begun


def record_again(folder: Path) -> ParquetStore:
    """Record other, shorter play in pictures of another size under the same ids; what was there is kept beside."""
    names = open_store(folder / "play").ids()
    (folder / "play").rename(folder.parent / "old")
    store = open_store(folder / "play", create=True)
    for seed, name in enumerate(names):
        store.write(synthetic_episode(50 + seed, steps=NEW_STEPS, height=24, width=32, episode_id=name))
    return store


def test_people_get_the_new_content_without_the_old_marks(
    admin: Browser, ann: Browser, begun: str, folder: Path
) -> None:
    look = f"/api/look/{admin.projects()['play']['id']}/episodes"
    before = {one["id"] for one in admin.said("GET", look)["episodes"]}
    seen = ann.ask("GET", f"{begun}/frames")
    store = record_again(folder)
    for path in (begun, f"{begun}/frames", f"{begun}/frames?begin=0&view=sharp"):
        answer = ann.ask("GET", path, headers={"If-None-Match": seen.headers["etag"]})
        assert answer.status_code == 409 and "recorded again with other content" in answer.json()["error"]
    say(ann, begun, mark(4, 8))  # sent by a browser that has the old one open
    for name in store.ids():
        place = MARKING.begin(ann)
        found = ann.said("GET", place)
        assert found["answers"] == [] and found["steps"] == NEW_STEPS and found["position"] == 0
        frames = ann.ask("GET", f"{place}/frames")
        assert frames.headers["etag"] != seen.headers["etag"] and place != begun
        assert np.array_equal(decode_frames(unpack_frames(frames.content)), store.read(name).pictures())
        ann.said("POST", f"{place}/submit", {"answers": 0})
    assert MARKING.begin(ann) == MARKING.nothing
    assert ann.said("GET", "/api/tasks/marking") == {"submitted": EPISODES + 1, "begun": False}
    listed = admin.said("GET", look)["episodes"]
    assert not before.intersection(one["id"] for one in listed)
    for one in listed:
        shown = admin.said("GET", f"{look}/{one['id']}")
        assert (one["steps"], shown["steps"]) == (5, 5) and not any(rater["marks"] for rater in shown["raters"])


@both_databases
def test_old_marks_are_neither_exported_nor_lost(
    admin: Browser, ann: Browser, begun: str, study: Study, folder: Path
) -> None:
    store = record_again(folder)
    name = store.ids()[0]
    with pytest.raises(NotExported, match=f"{name} was recorded again in play, with other content"):
        export_everything(study.database, study.datasets, 1.0)
    (project,) = admin.said("GET", "/api/study")["projects"]
    assert (project["episodes"], project["submitted"]) == (EPISODES, 0)
    (kept,) = admin.said("GET", f"/api/projects/{project['id']}/submissions")["submissions"]
    assert kept["episode"].startswith(f"{name}@") and (kept["marks"], kept["steps"]) == (2, STEPS)
    with pytest.raises(NotExported, match=f"{name}@.* is no longer in play"):
        export_everything(study.database, study.datasets, 2.0)
    assert store.marks() == []
    shutil.rmtree(folder / "play")
    (folder.parent / "old").rename(folder / "play")
    assert MARKING.begin(ann) == begun and ann.said("GET", begun)["answers"] == [mark(3, 4, -1)]
    assert export_everything(study.database, study.datasets, 3.0) == 1
    assert [one.step for one in open_store(folder / "play").marks()] == [3, 9]
    with study.database.reading() as session:
        assert sorted(session.scalars(select(EpisodeRecord.episode_id))) == store.ids()


def test_the_same_play_recorded_again_keeps_its_marks(ann: Browser, begun: str, study: Study, folder: Path) -> None:
    old = open_store(folder / "play")
    again = [replace(old.read(name), created="2001-01-01T00:00:00+00:00") for name in old.ids()]
    shutil.rmtree(folder / "play")
    store = open_store(folder / "play", create=True)
    for episode in again:
        store.write(episode)
    assert MARKING.begin(ann) == begun and ann.said("GET", begun)["answers"] == [mark(3, 4, -1)]
    assert export_everything(study.database, study.datasets, 1.0) == 1 and len(store.marks()) == 2
