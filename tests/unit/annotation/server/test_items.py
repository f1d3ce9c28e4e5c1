"""What differs between the four rater tasks, over HTTP: their items, what is peculiar to their pages and settings."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select, update

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import AnswerRecord, ItemRecord, Project
from annotation.server.export import submitted
from annotation.server.export.submitted import export_everything
from annotation.server.security.visitors import Role
from annotation.server.services.items import compare_by_place
from annotation.server.study import Study
from annotation.tasks.contract import spoken
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import unpack_frames
from experiments.watch_and_help.benchmark import task
from pipelines.cli.main import main
from rlhf.records.marks import Mark
from rlhf.replay.demonstrations import demonstrated_goal
from rlhf.replay.views import plain_views
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.patience import until
from tests.unit.annotation.server.conftest import Browser, Enter, both_databases
from tests.unit.annotation.server.kinds import (
    COMPARING,
    INFERRING,
    JUDGING,
    MARKING,
    TAKES_OVER,
    Kind,
    demonstrations,
    mark,
    record_of,
    say,
    write_items,
)
from tests.unit.rlhf.declared_spaces import GRID
from worlds.contract.plain_pictures import SIZE
from worlds.errors import UserError


@pytest.fixture
def kind() -> Kind:
    return MARKING


@pytest.fixture
def folder(tmp_path: Path, kind: Kind, played: Path) -> Path:
    write_items(tmp_path / "study", kind, played)
    return tmp_path / "study"


def of_kind(kind: Kind) -> Any:
    """A study with items of this kind."""
    return pytest.mark.parametrize("kind", [kind], ids=[kind.name])


# ---- marking


def test_marks_are_exported_exactly(enter: Enter, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    place = MARKING.begin(ann)
    say(ann, place, mark(1, 3), mark(2, 5, -1), mark(3, 7))
    say(ann, place, mark(3, 7, revision=2, deleted=True), mark(2, 6, -1, revision=2), mark(4, 3))
    ann.said("POST", f"{place}/submit", {"answers": 3})  # two at one step are one mark in the dataset
    rater, name = ann.said("GET", "/api/me")["id"], "synthetic-000000"
    assert MARKING.written(folder, 2) == [Mark(name, rater, 3, 1, False), Mark(name, rater, 6, -1, False)]


def test_a_rater_sees_all_that_was_said(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    words = spoken(study.datasets.store("play").read_compressed("synthetic-000000"))
    shown = [(said["step"], said["who"], said["words"]) for said in ann.said("GET", MARKING.begin(ann))["words"]]
    assert shown == words and {who for _, who, _ in words} == {"setter", "solver"}


def test_play_without_pictures_is_drawn_from_what_was_observed(enter: Enter, folder: Path) -> None:
    shutil.rmtree(folder / "play")
    episode = synthetic_play(1, GRID, 50, "grids")
    open_store(folder / "grids", create=True).write(episode)
    ann = enter(Role.RATER, "ann")
    place = MARKING.begin(ann)
    found = ann.said("GET", place)
    assert found["pictured"] is False and found["steps_per_second"] == 4.0
    named = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
    assert found["actions"] == [named[bin] for bin in episode.movement[:, 0, 0]]
    frames = unpack_frames(ann.ask("GET", f"{place}/frames?view=seen&begin=40").content)
    assert len(frames) == 10
    picture = np.asarray(Image.open(io.BytesIO(frames[3])).convert("RGB"))
    ((_, drawn),) = plain_views(episode, SIZE, 43, 44)
    assert picture.shape == drawn.shape and np.abs(picture.astype(int) - drawn).mean() < 2, "a palette is not exact"


def test_a_bad_submission_is_named_and_keeps_no_other_back(
    enter: Enter, study: Study, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submitted, "BATCH_SIZE", 1)  # a bad one is not met again and again either
    study.exporter.stop()  # exported by hand below
    ann = enter(Role.RATER, "ann")
    for number, values in enumerate(({"step": 99}, {"sign": 3}, {})):
        place = MARKING.begin(ann)
        say(ann, place, mark(number, 3))
        ann.said("POST", f"{place}/submit", {"answers": 1})
        with study.database.writing() as session:
            damaged = update(AnswerRecord).where(AnswerRecord.id == str(UUID(int=number)))
            session.execute(damaged.values(revision=2, said={"step": 3, "sign": 1, "deleted": False} | values))
    submissions = folder.parent / "submissions.jsonl"
    assert main(["marks", "collect", "--data", str(folder), "--submissions", str(submissions)]) == 1
    rater, names = ann.said("GET", "/api/me")["id"], open_store(folder / "play").ids()
    lines = capsys.readouterr().err.splitlines()
    for line, name, wrong in ((lines[2], names[0], "not 99"), (lines[3], names[1], "+1 or -1, not 3")):
        assert rater in line and name in line and wrong in line
    assert lines[4].startswith("error: not everything is exported") and len(lines) == 5
    assert open_store(folder / "play").marks() == [Mark(names[2], rater, 3, 1, False)]
    with study.database.writing() as session:
        session.execute(update(AnswerRecord).values(said={"step": 3, "sign": 1, "deleted": False}))
    assert export_everything(study.database, study.datasets, 2.0) == 2
    assert len(open_store(folder / "play").marks()) == 3 and len(submissions.read_text().splitlines()) == 3


def test_a_dataset_that_is_being_copied_keeps_nobody_from_the_others(enter: Enter, folder: Path) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    copied = folder / "copied"
    copied.mkdir()
    shutil.copy(folder / "play" / "dataset.json", copied)
    assert ann.ask("GET", MARKING.begin(ann)).status_code == 200
    page = admin.said("GET", "/api/study")
    assert [project["dataset"] for project in page["projects"]] == ["play"]
    (trouble,) = page["dataset_troubles"]
    assert str(copied) in trouble
    shutil.rmtree(copied)
    shutil.copytree(folder / "play", copied)
    page = admin.said("GET", "/api/study")
    assert page["dataset_troubles"] == []
    assert [project["dataset"] for project in page["projects"]] == ["play", "copied"]


# ---- judging


@of_kind(JUDGING)
def test_a_judge_sees_the_request_and_begins_there(enter: Enter, study: Study) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = JUDGING.begin(ann)
    found, record = ann.said("GET", place), record_of(study, place).item.episode
    assert (found["takes_over"], found["request_step"], found["position"]) == (
        TAKES_OVER, TAKES_OVER - 1, TAKES_OVER - 1,
    )  # fmt: skip
    episode = study.datasets.store("sts").read(record.episode_id)
    assert found["request"] == episode.notes["scenario"]["request"]


@of_kind(JUDGING)
def test_each_judge_has_an_order_of_their_own(enter: Enter, study: Study) -> None:
    """By chance alone sixteen judges would begin with the same of four once in a billion runs."""
    JUDGING.project(enter(Role.ADMIN, "eve"), overlap=100)
    places = [JUDGING.begin(enter(Role.JUDGE, f"judge {number}")) for number in range(16)]
    assert len({record_of(study, place).item.id for place in places}) > 1


@of_kind(JUDGING)
def test_nobody_plays_into_a_suite(enter: Enter, study: Study) -> None:
    setter = enter(Role.SETTER, "ann")
    assert [project["dataset"] for project in setter.said("GET", "/api/play")["projects"]] == ["play"]
    with study.database.reading() as session:
        suite = session.scalars(select(Project.id).where(Project.dataset == "sts")).one()
    request = {"project": suite, "kind": "practice-setting", "role": "setter"}
    answer = setter.ask("POST", "/api/play/games", request)
    assert answer.status_code == 409 and "of a test suite" in answer.json()["error"]


@of_kind(JUDGING)
def test_a_verdict_that_was_taken_back_is_not_submitted(enter: Enter, folder: Path) -> None:
    ann = enter(Role.JUDGE, "ann")
    place = JUDGING.begin(ann)
    left_out = JUDGING.answers[2]
    for revision, verdict in ((1, left_out), (2, {"success": None})):
        JUDGING.say(ann, place, verdict, revision)
    refused = ann.ask("POST", f"{place}/submit", {"revision": 2})
    assert refused.status_code == 409 and "give a verdict first" in refused.json()["error"]
    JUDGING.say(ann, place, left_out, 3)
    ann.said("POST", f"{place}/submit", {"revision": 3})
    (found,) = JUDGING.written(folder, 1)
    assert (found.success, found.step, found.left_out) == (False, None, "cannot tell")


@of_kind(JUDGING)
def test_an_episode_of_a_suite_that_is_no_continuation_is_named(folder: Path) -> None:
    open_store(folder / "sts").write(synthetic_episode(8, steps=20, height=12, width=16))
    with pytest.raises(UserError, match="synthetic-000008 of sts is no continuation"):
        open_study(ServeConfig(data=folder))


# ---- comparing


@pytest.fixture
def admin(enter: Enter) -> Browser:
    """The leader of a study in which raters compare six pairs of clips."""
    admin = enter(Role.ADMIN, "eve")
    assert COMPARING.project(admin, pairs=6)["items"] == 6
    return admin


def pairs(study: Study) -> dict[str, tuple[Any, ...]]:
    """Number, episodes, length and places of every pair."""
    with study.database.reading() as session:
        found = session.scalars(select(ItemRecord).filter_by(kind="comparing").order_by(ItemRecord.number)).all()
        return {
            pair.id: (pair.number, pair.episode_id, pair.other_id, pair.facts["steps"], tuple(pair.facts["begins"]))
            for pair in found
        }


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
    drawn = pairs(study)
    for seed, same in ((1, False), (0, True)):
        COMPARING.project(admin, seed=seed)
        assert (list(pairs(study).values()) == list(drawn.values())) is same
    ann = enter(Role.RATER, "ann")
    opened = record_of(study, COMPARING.begin(ann)).item_id
    before = pairs(study)
    assert COMPARING.project(admin, pairs=9)["items"] == 9
    assert pairs(study).items() > before.items(), "more of the same draw"
    assert COMPARING.project(admin, pairs=4)["items"] == 4 and opened in pairs(study)
    project = COMPARING.project(admin, clip_seconds=2.0, within_share=1.0)
    assert (project["items"], project["clip_seconds"], project["within_share"]) == (4, 2.0, 1.0)
    after = pairs(study)
    assert after.pop(opened) == before[opened] and len(after) == 3
    assert all(one in (other, None) and steps == 8 for _, other, one, steps, _ in after.values())  # 7.5 steps, rounded
    assert COMPARING.project(admin, pairs=0)["items"] == 1 and record_of(study, COMPARING.begin(ann)).item_id == opened
    assert COMPARING.project(admin, pairs=5, clip_seconds=60.0)["items"] == 1, "no stretch of one request is as long"


def test_new_episodes_are_drawn_from_and_dropped_ones_leave(admin: Browser, enter: Enter, folder: Path) -> None:
    ann, store = enter(Role.RATER, "ann"), open_store(folder / "play")
    assert COMPARING.project(admin, clip_seconds=20.0)["items"] == 0, "longer than every episode"
    assert COMPARING.begin(ann) == COMPARING.nothing
    store.write(synthetic_episode(20, steps=200, height=12, width=16))
    place = COMPARING.begin(ann)
    assert ann.said("GET", place)["steps"] == 2 * 75 and COMPARING.project(admin)["items"] == 6
    store.drop([store.ids()[-1]])
    assert COMPARING.begin(ann) == COMPARING.nothing and ann.ask("GET", place).status_code == 404
    assert COMPARING.project(admin)["items"] == 0


def test_two_players_are_compared_in_the_same_place(admin: Browser, enter: Enter, folder: Path, study: Study) -> None:
    ann, store = enter(Role.RATER, "ann"), open_store(folder / "play")
    for seed in (50, 51):
        made = synthetic_episode(seed, steps=20, height=12, width=16)
        store.write_group([made, replace(made, episode_id=f"other-{seed}", solver="agent:other")])
    project = COMPARING.project(admin, by_place=True)
    assert project["items"] == 2 and {facts[3:] for facts in pairs(study).values()} == {(20, (0, 0))}
    shown = ann.said("GET", COMPARING.begin(ann))
    assert shown["steps"] == 40 and shown["clips"][0]["request"] == shown["clips"][1]["request"] != ""
    assert "other" not in str(shown) and "synthetic" not in str(shown)


@both_databases
def test_the_last_answer_is_taken_back_and_given_again(admin: Browser, enter: Enter, folder: Path) -> None:
    ann, bob = enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    assert ann.ask("POST", "/api/tasks/comparing/back").status_code == 409
    COMPARING.project(admin, overlap=2)
    COMPARING.submit_all(bob, 1)
    first = COMPARING.begin(ann)
    COMPARING.submit(ann, first)
    second = COMPARING.begin(ann)
    assert first != second and len(COMPARING.written(folder, 7)) == 7
    ann.said("POST", "/api/tasks/comparing/back")
    assert {pair.answer for pair in COMPARING.written(folder, 6)} == {"same"}, "what bob said stays"
    assert COMPARING.begin(ann) == first and ann.said("GET", first)["answers"][0]["answer"] == "left"
    COMPARING.say(ann, first, {"answer": "cannot tell"}, revision=2)
    ann.said("POST", f"{first}/submit", {"revision": 2})
    assert {pair.answer for pair in COMPARING.written(folder, 7)} == {"same", "cannot tell"}
    assert COMPARING.begin(ann) == second


def test_a_dataset_to_come_is_compared_and_not_marked(admin: Browser, enter: Enter, folder: Path, study: Study) -> None:
    COMPARING.project(admin, pairs=0)
    MARKING.project(admin, open=False)
    for _ in range(2):
        with study.database.writing() as session:
            compare_by_place(session, "later", 1, now())
    assert admin.projects()["later"]["episodes"] == 0 and COMPARING.begin(enter(Role.RATER, "ann")) == COMPARING.nothing
    made = synthetic_episode(50, steps=20, height=12, width=16)
    other = replace(made, episode_id="other", solver="agent:other")
    open_store(folder / "later", create=True).write_group([made, other])
    for name in ("bob", "cleo"):
        rater = enter(Role.RATER, name)
        assert MARKING.begin(rater) == MARKING.nothing and len(COMPARING.submit_all(rater)) == 1


# ---- inferring goals


def drawn(browser: Browser, path: str) -> Any:
    """The answer, once pictures are drawn."""
    return until(lambda: answer if (answer := browser.ask("GET", path)).status_code != 202 else None, "the film")


@of_kind(INFERRING)
def test_the_film_comes_in_chunks_and_shows_every_step(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = INFERRING.begin(ann)
    steps = ann.said("GET", place)["steps"]
    frames: list[bytes] = []
    for first in range(0, steps, CHUNK_STEPS):
        answer = drawn(ann, f"{place}/frames?view=seen&begin={first}")
        assert answer.status_code == 200, answer.text
        frames += unpack_frames(answer.content)
    assert len(frames) == steps and len(set(frames)) > steps // 2
    tag = {"If-None-Match": answer.headers["etag"]}
    assert ann.ask("GET", f"{place}/frames?view=seen&begin={first}", headers=tag).status_code == 304
    assert ann.ask("GET", f"{place}/frames?view=sharp&begin=0").status_code == 204
    assert ann.ask("GET", f"{place}/frames?view=seen&begin=7").status_code == 422


@of_kind(INFERRING)
def test_a_demonstration_that_does_not_replay_is_not_shown(enter: Enter, folder: Path, study: Study) -> None:
    store = open_store(folder / "shown")
    episode = store.read(store.ids()[0])
    store.drop(store.ids())
    store.write(replace(episode, texts={"feedback": ("the fridge is closed", *episode.texts["feedback"][1:])}))
    ann = enter(Role.RATER, "ann")
    answer = drawn(ann, f"{INFERRING.begin(ann)}/frames?view=seen&begin=0")
    assert answer.status_code == 409 and "cannot be shown here" in answer.json()["error"]


def test_only_silent_play_of_a_known_goal_is_a_demonstration(played: Path) -> None:
    episode = demonstrations(played)[0]
    assert demonstrated_goal(episode) == dict(task("test_1", 40).goal)
    helped = episode.movement.copy()
    helped[3, 0, 0] = 1
    without_task = {name: value for name, value in episode.config.items() if name != "task"}
    changes: tuple[dict[str, Any], ...] = (
        {"setter_utterance": ("two plates, please", *episode.setter_utterance[1:])},
        {"setter_movement": np.zeros_like(episode.setter_movement)},
        {"movement": helped},
        {"utterance": ("ok", *episode.utterance[1:])},
        {"config": without_task},
        {"config": {**episode.config, "task": {"name": "own", "goal": {"on_book_bookshelf": 1}}}},
    )
    for change in changes:
        assert demonstrated_goal(replace(episode, **change)) is None, change.keys()
    assert demonstrated_goal(synthetic_episode(7, steps=12, height=12, width=16)) is None
