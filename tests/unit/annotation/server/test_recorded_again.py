"""An episode that is recorded again with other content: it has none of the old one's marks, pictures and steps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, update

from annotation.server.db.tables import EpisodeRecord
from annotation.server.export.submitted import NotExported, export_everything
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from rlhf.store import ParquetStore, open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode
from tests.unit.annotation.server.conftest import EPISODES, STEPS, Browser
from tests.unit.annotation.server.test_marking import begin, mark, say, unpack

Enter = Callable[..., Browser]
BOTH_DATABASES = True
NEW_STEPS = 5


def record_again(folder: Path) -> ParquetStore:
    """Record other, shorter play in pictures of another size under the same ids; what was there is kept beside."""
    names = open_store(folder / "play").ids()
    (folder / "play").rename(folder.parent / "old")
    store = open_store(folder / "play", create=True)
    for seed, name in enumerate(names):
        store.write(synthetic_episode(50 + seed, steps=NEW_STEPS, height=24, width=32, episode_id=name))
    return store


def put_back(folder: Path) -> None:
    shutil.rmtree(folder / "play")
    (folder.parent / "old").rename(folder / "play")


def looked_at(admin: Browser) -> list[dict[str, Any]]:
    """What the viewer shows of every episode, the first recorded first."""
    place = f"/api/look/{admin.said('GET', '/api/study')['projects'][0]['id']}/episodes"
    listed = admin.said("GET", place)["episodes"]
    shown = [{"listed": one, **admin.said("GET", f"{place}/{one['id']}")} for one in listed]
    return sorted(shown, key=lambda one: one["name"])


def begun_and_submitted(ann: Browser) -> tuple[str, str]:
    """Submit one episode with a mark, and begin the next; return the addresses of the second and of the first."""
    submitted = begin(ann)
    say(ann, submitted, mark(1, 3), mark(2, 9))
    ann.said("POST", f"{submitted}/submit", {"answers": 2})
    begun = begin(ann)
    say(ann, begun, mark(3, 4, -1))
    return begun, submitted


def test_raters_get_the_new_content_without_the_old_marks(enter: Enter, study: Study, folder: Path) -> None:
    study.exporter.stop()
    ann = enter(Role.RATER, "ann")
    begun, submitted = begun_and_submitted(ann)
    seen = ann.ask("GET", f"{begun}/frames")
    store = record_again(folder)
    for place in (begun, submitted):
        for path in (place, f"{place}/frames", f"{place}/frames?begin=0&view=sharp"):
            answer = ann.ask("GET", path, headers={"If-None-Match": seen.headers["etag"]})
            assert answer.status_code == 409 and "recorded again with other content" in answer.json()["error"]
    say(ann, begun, mark(4, 8))  # sent by a browser that has the old one open
    places = [begin(ann)]
    while places[-1] is not None and len(places) <= EPISODES:
        found = ann.said("GET", places[-1])
        assert found["answers"] == [] and found["steps"] == NEW_STEPS and found["position"] == 0
        frames = ann.ask("GET", f"{places[-1]}/frames")
        assert frames.headers["etag"] != seen.headers["etag"]
        episode = store.read(store.ids()[len(places) - 1])
        assert np.array_equal(decode_frames(unpack(frames.content)), episode.pictures())
        ann.said("POST", f"{places[-1]}/submit", {"answers": 0})
        places.append(begin(ann))
    assert len(set(places)) == EPISODES + 1 and not {begun, submitted}.intersection(places)
    assert ann.said("GET", "/api/tasks/marking") == {"submitted": EPISODES + 1, "begun": False}


def test_old_marks_are_neither_exported_nor_lost(enter: Enter, study: Study, folder: Path) -> None:
    study.exporter.stop()
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    begun, _ = begun_and_submitted(ann)
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
    put_back(folder)
    assert begin(ann) == begun and ann.said("GET", begun)["answers"] == [mark(3, 4, -1)]
    assert export_everything(study.database, study.datasets, 3.0) == 1
    assert [one.step for one in open_store(folder / "play").marks()] == [3, 9]
    with study.database.reading() as session:
        assert sorted(session.scalars(select(EpisodeRecord.episode_id))) == store.ids()


def test_the_viewer_shows_the_new_content(enter: Enter, study: Study, folder: Path) -> None:
    study.exporter.stop()
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    begun_and_submitted(ann)
    before = looked_at(admin)
    assert before[0]["raters"][0]["marks"] == [{"step": 3, "sign": 1}, {"step": 9, "sign": 1}]
    record_again(folder)
    after = looked_at(admin)
    assert [(one["steps"], one["listed"]["steps"], one["raters"]) for one in after] == [(5, 5, [])] * EPISODES
    assert not {one["id"] for one in before}.intersection(one["id"] for one in after)


def test_the_same_play_recorded_again_keeps_its_marks(enter: Enter, study: Study, folder: Path) -> None:
    study.exporter.stop()
    ann, old = enter(Role.RATER, "ann"), open_store(folder / "play")
    begun, _ = begun_and_submitted(ann)
    again = [replace(old.read(name), created="2001-01-01T00:00:00+00:00") for name in old.ids()]
    shutil.rmtree(folder / "play")
    store = open_store(folder / "play", create=True)
    for episode in again:
        store.write(episode)
    assert begin(ann) == begun and ann.said("GET", begun)["answers"] == [mark(3, 4, -1)]
    assert export_everything(study.database, study.datasets, 1.0) == 1 and len(store.marks()) == 2


def test_episodes_that_an_older_version_listed_keep_their_marks(enter: Enter, study: Study, folder: Path) -> None:
    study.exporter.stop()
    ann = enter(Role.RATER, "ann")
    begun, _ = begun_and_submitted(ann)
    with study.database.writing() as session:
        session.execute(update(EpisodeRecord).values(fingerprint=""))
    enter(Role.ADMIN, "eve").said("GET", "/api/study")
    with study.database.reading() as session:
        found = session.execute(select(EpisodeRecord.episode_id, EpisodeRecord.fingerprint))
        assert {name: one for name, one in found} == open_store(folder / "play").fingerprints()
    assert begin(ann) == begun and export_everything(study.database, study.datasets, 1.0) == 1
