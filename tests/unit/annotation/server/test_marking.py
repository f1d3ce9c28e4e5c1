"""Marking over HTTP: queue, marks that arrive twice or out of order, submission, export."""

from __future__ import annotations

import io
import itertools
import random
import shutil
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import update

from annotation.server.db.tables import AnswerRecord, Assignment
from annotation.server.export import submitted
from annotation.server.export.submitted import export_everything
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import pack_frames
from pipelines.cli.main import main
from rlhf.records.marks import Mark
from rlhf.replay.views import plain_views
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.patience import PATIENCE_SEC, until
from tests.unit.annotation.server.conftest import EPISODES, STEPS, Browser
from tests.unit.rlhf.declared_spaces import GRID
from worlds.contract.plain_pictures import SIZE
from worlds.errors import UserError

Enter = Callable[..., Browser]
BOTH_DATABASES = True


def mark(number: int, step: int, sign: int = 1, revision: int = 1, deleted: bool = False) -> dict[str, Any]:
    return {"id": str(UUID(int=number)), "revision": revision, "step": step, "sign": sign, "deleted": deleted}


def begin(browser: Browser) -> str:
    """The address of the episode that the rater gets."""
    return f"/api/tasks/marking/{browser.said('POST', '/api/tasks/marking/next')['assignment']}"


def say(browser: Browser, place: str, *marks: dict[str, Any]) -> Any:
    return browser.said("PUT", f"{place}/answers", {"answers": list(marks)})


def exported(folder: Path, until: int) -> list[Mark]:
    """The dataset's marks, once there are as many as wanted."""
    deadline = time.monotonic() + PATIENCE_SEC
    while len(marks := open_store(folder / "play").marks()) < until and time.monotonic() < deadline:
        time.sleep(0.02)
    return marks


def test_marks_are_exported_exactly(enter: Enter, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    say(ann, place, mark(1, 3), mark(2, 5, -1), mark(3, 7))
    say(ann, place, mark(3, 7, revision=2, deleted=True), mark(2, 6, -1, revision=2))
    ann.said("POST", f"{place}/submit", {"answers": 2})
    rater = ann.said("GET", "/api/me")["id"]
    name = "synthetic-000000"
    assert exported(folder, 2) == [Mark(name, rater, 3, 1, False), Mark(name, rater, 6, -1, False)]


def test_the_order_and_number_of_sayings_do_not_matter(enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    revisions = ((1, 2, 1), (2, 4, -1), (3, 4, -1), (4, 9, 1))
    history = [mark(1, step, sign, revision, deleted=revision == 3) for revision, step, sign in revisions]
    sayings = [*history, *history]
    random.Random(0).shuffle(sayings)
    for said in sayings:
        say(ann, place, said)
    assert ann.said("GET", place)["answers"] == [history[-1]]


def test_a_rater_sees_words_and_frames_and_nothing_of_the_truth(enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    episode = synthetic_episode(0, steps=STEPS, height=12, width=16)
    found = ann.said("GET", place)
    assert found.keys() == {
        "id", "steps", "steps_per_second", "words", "answers", "position", "active_sec", "submitted", "training",
        "title", "instructions", "seen", "returned",
    }  # fmt: skip
    said = [
        {"step": step, "who": who, "words": words}
        for step in range(STEPS)
        for who, words in (("setter", episode.setter_utterance[step]), ("solver", episode.utterance[step]))
        if words
    ]
    assert found["words"] == said and found["steps"] == STEPS
    answer = ann.ask("GET", f"{place}/frames")
    assert "immutable" in answer.headers["cache-control"]
    assert np.array_equal(decode_frames(unpack(answer.content)), episode.pictures())
    again = ann.ask("GET", f"{place}/frames", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304 and again.content == b""


def test_play_without_pictures_is_drawn_from_what_was_observed(enter: Enter, folder: Path) -> None:
    shutil.rmtree(folder / "play")
    episode = synthetic_play(1, GRID, 50, "grids")
    open_store(folder / "grids", create=True).write(episode)
    place = begin(ann := enter(Role.RATER, "ann"))
    found = ann.said("GET", place)
    assert found["pictured"] is False and found["steps_per_second"] == 4.0
    named = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
    assert found["actions"] == [named[bin] for bin in episode.movement[:, 0, 0]]
    frames = unpack(ann.ask("GET", f"{place}/frames?view=seen&begin=40").content)
    assert len(frames) == 10
    picture = np.asarray(Image.open(io.BytesIO(frames[3])).convert("RGB"))
    ((_, drawn),) = plain_views(episode, SIZE, 43, 44)
    assert picture.shape == drawn.shape and np.abs(picture.astype(int) - drawn).mean() < 2, "a palette is not exact"
    sharp = f"{place}/frames?view=sharp&begin=0"
    until(lambda: ann.ask("GET", sharp).status_code == 204, "the answer that its world is not here")


def test_frames_come_in_chunks_and_as_recorded_where_they_cannot_be_drawn(enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    whole = ann.ask("GET", f"{place}/frames")
    chunk = ann.ask("GET", f"{place}/frames?begin=0")
    assert unpack(chunk.content) == unpack(whole.content)[:CHUNK_STEPS]
    assert chunk.headers["etag"] != whole.headers["etag"] and "immutable" in chunk.headers["cache-control"]
    for wrong, status in (("begin=1", 422), (f"begin={1000 * CHUNK_STEPS}", 422), ("begin=0&view=best", 422)):
        assert ann.ask("GET", f"{place}/frames?{wrong}").status_code == status

    def drawn() -> int:
        answer = ann.ask("GET", f"{place}/frames?begin=0&view=sharp")
        assert answer.status_code in (202, 204) and answer.headers["cache-control"] == "no-store"
        return answer.status_code == 204

    until(drawn, "the end of drawing a made-up episode")


def unpack(file: bytes) -> list[bytes]:
    (count,) = struct.unpack_from("<I", file, 4)
    places = struct.unpack_from(f"<{count + 1}I", file, 8)
    return [file[start:end] for start, end in itertools.pairwise(places)]


def test_packed_frames_are_the_frames() -> None:
    frames = [b"", b"one", b"three" * 100]
    assert unpack(pack_frames(frames)) == frames and pack_frames(frames).startswith(b"RLF1")


def test_an_episode_goes_to_as_many_raters_as_wanted(enter: Enter) -> None:
    admin = enter(Role.ADMIN, "eve")
    (project,) = admin.said("GET", "/api/study")["projects"]
    admin.said("PATCH", f"/api/tasks/marking/projects/{project['id']}", {"overlap": 2, "strategy": "depth"})
    raters = [enter(Role.RATER, name) for name in ("ann", "bob", "cid", "dan", "fay", "gus", "hal")]
    places = [browser.said("POST", "/api/tasks/marking/next")["assignment"] for browser in raters]
    assert places[6] is None and len(set(places[:6])) == 2 * EPISODES
    words = [raters[i].said("GET", f"/api/tasks/marking/{places[i]}")["words"] for i in range(6)]
    assert words[0] == words[1] and words[2] == words[3] and words[4] == words[5] and words[0] != words[2]


def test_a_submission_with_marks_missing_is_refused(enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    say(ann, place, mark(1, 3))
    answer = ann.ask("POST", f"{place}/submit", {"answers": 2})
    assert answer.status_code == 409 and "has 1 mark of" in answer.json()["error"]
    assert ann.said("GET", place)["submitted"] is False


def test_export_is_idempotent_and_resumes_after_a_crash(enter: Enter, study: Study, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    say(ann, place, mark(1, 3), mark(2, 3), mark(3, 9, -1))  # two at one step are one mark in the dataset
    ann.said("POST", f"{place}/submit", {"answers": 3})
    marks = exported(folder, 2)
    assert [(mark.step, mark.sign) for mark in marks] == [(3, 1), (9, -1)]
    study.exporter.stop()  # when it has noted that
    with study.database.writing() as session:  # as if it had died before noting what it wrote
        session.execute(update(Assignment).values(exported=None))
    assert export_everything(study.database, study.datasets, 1.0) == 1
    assert export_everything(study.database, study.datasets, 2.0) == 0
    assert open_store(folder / "play").marks() == marks


def test_drafts_are_not_exported(enter: Enter, study: Study, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    say(ann, begin(ann), mark(1, 3))
    assert export_everything(study.database, study.datasets, 1.0) == 0
    assert open_store(folder / "play").marks() == []


def test_episodes_recorded_while_serving_are_handed_out(enter: Enter, folder: Path) -> None:
    admin, ann, bob = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    for _ in range(EPISODES):
        ann.said("POST", f"{begin(ann)}/submit", {"answers": 0})
    open_store(folder / "play").write(synthetic_episode(77, steps=STEPS, height=12, width=16))
    open_store(folder / "more", create=True).write(synthetic_episode(78, steps=STEPS, height=12, width=16))
    begin(bob)
    listed = admin.said("GET", "/api/study")["projects"]
    assert [(project["dataset"], project["episodes"]) for project in listed] == [("play", EPISODES + 1), ("more", 1)]
    ann.said("POST", f"{begin(ann)}/submit", {"answers": 0})
    assert ann.said("POST", "/api/tasks/marking/next") == {"assignment": None}


def test_a_bad_submission_is_named_and_keeps_no_other_back(
    enter: Enter, study: Study, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submitted, "BATCH_SIZE", 1)  # a bad one is not met again and again either
    study.exporter.stop()  # exported by hand below
    ann, wrong = enter(Role.RATER, "ann"), ({"step": 99}, {"sign": 3}, {})
    for number, values in enumerate(wrong):
        place = begin(ann)
        say(ann, place, mark(number, 3))
        ann.said("POST", f"{place}/submit", {"answers": 1})
        with study.database.writing() as session:
            damaged = update(AnswerRecord).where(AnswerRecord.id == str(UUID(int=number)))
            session.execute(damaged.values(revision=2, said={"step": 3, "sign": 1, "deleted": False} | values))
    database = ["--database", study.config.database] if study.config.database else []
    submissions = folder.parent / "submissions.jsonl"
    words = ["marks", "collect", "--data", str(folder), "--submissions", str(submissions), *database]
    assert main(words) == 1
    rater, names = ann.said("GET", "/api/me")["id"], open_store(folder / "play").ids()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("the marks and judgements of 1 newly submitted") and "3 submissions" in lines[1]
    kept = f"what {rater} submitted of {{}} stays in the database: "
    assert lines[2] == kept.format(names[0]) + f"episode {names[0]} has steps 0 to {STEPS - 1}, not 99; count from 0"
    assert lines[3] == kept.format(names[1]) + "a mark's sign is +1 or -1, not 3"
    assert lines[4].startswith("error: not everything is exported, for the reasons above") and len(lines) == 5
    assert open_store(folder / "play").marks() == [Mark(names[2], rater, 3, 1, False)]
    with study.database.writing() as session:
        session.execute(update(AnswerRecord).values(said={"step": 3, "sign": 1, "deleted": False}))
    assert export_everything(study.database, study.datasets, 2.0) == 2
    assert len(open_store(folder / "play").marks()) == 3 and len(submissions.read_text().splitlines()) == 3


def test_an_episode_that_is_dropped_keeps_no_rater_and_no_export(enter: Enter, study: Study, folder: Path) -> None:
    ann, store = enter(Role.RATER, "ann"), open_store(folder / "play")
    study.exporter.stop()  # exported by hand below
    kept = store.ids()
    for number in range(2):
        place = begin(ann)
        say(ann, place, mark(number, 3))
        ann.said("POST", f"{place}/submit", {"answers": 1})
    say(ann, begin(ann), mark(1, 3))
    store.drop(kept[::2])  # one is submitted, one is begun
    assert ann.said("POST", "/api/tasks/marking/next")["assignment"] is None
    with pytest.raises(UserError, match=f"{kept[0]} is no longer in play"):
        export_everything(study.database, study.datasets, 1.0)
    assert [found.episode_id for found in open_store(folder / "play").marks()] == [kept[1]]


def test_a_dataset_that_is_being_copied_keeps_nobody_from_the_others(enter: Enter, folder: Path) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    copied = folder / "copied"
    shutil.copytree(folder / "play", folder.parent / "whole")
    copied.mkdir()
    shutil.copy(folder.parent / "whole" / "dataset.json", copied)
    assert ann.ask("GET", begin(ann)).status_code == 200
    page = admin.said("GET", "/api/study")
    assert [project["dataset"] for project in page["projects"]] == ["play"]
    (trouble,) = page["dataset_troubles"]
    assert str(copied) in trouble
    shutil.copytree(folder.parent / "whole", copied, dirs_exist_ok=True)
    page = admin.said("GET", "/api/study")
    assert page["dataset_troubles"] == []
    assert [project["dataset"] for project in page["projects"]] == ["play", "copied"]


def test_a_dataset_that_is_taken_away_keeps_no_rater(enter: Enter, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    open_store(folder / "away", create=True).write(synthetic_episode(99, steps=STEPS, height=12, width=16))
    enter(Role.ADMIN, "eve").said("GET", "/api/study")
    begun = ann.said("POST", "/api/tasks/marking/next")["assignment"]
    (folder / "play").rename(folder.parent / "elsewhere")
    other = ann.said("POST", "/api/tasks/marking/next")["assignment"]
    assert other != begun and ann.said("GET", f"/api/tasks/marking/{other}")["steps"] == STEPS
    (folder.parent / "elsewhere").rename(folder / "play")
    assert ann.said("POST", "/api/tasks/marking/next")["assignment"] in (begun, other)
