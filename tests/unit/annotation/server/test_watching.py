"""Watching over HTTP: a queue of demonstrations, films, answers that arrive twice or out of order, export, deletion."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.watching_tables import GoalAnswer
from annotation.server.export.inferred_goals import export_inferred_goals
from annotation.server.security.visitors import Role
from annotation.server.services import watching
from annotation.server.services.demonstrations import list_demonstrations
from annotation.server.study import Study
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import unpack_frames
from rlhf.records.preferences import InferredGoal, goal_text
from rlhf.replay.demonstrations import demonstrated_goal
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.demonstrations import write_demonstrations
from worlds.household.tasks.sets import PREDICATES

Enter = Callable[..., Browser]
NOTHING = "/api/watching/None"
both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("played")


@pytest.fixture
def goals(tmp_path: Path, played: Path) -> dict[str, dict[str, int]]:
    """Goals of the three demonstrations of the study."""
    return write_demonstrations(tmp_path / "study" / "shown", played)


@pytest.fixture
def folder(tmp_path: Path, goals: dict[str, dict[str, int]]) -> Path:
    """A study with a dataset of three demonstrations, and one of play."""
    open_store(tmp_path / "study" / "play", create=True).write(synthetic_episode(7, steps=12, height=12, width=16))
    return tmp_path / "study"


def begin(browser: Browser) -> str:
    """The address of the demonstration that the rater gets."""
    return f"/api/watching/{browser.said('POST', '/api/watching/next')['assignment']}"


def say(browser: Browser, place: str, goal: dict[str, int], revision: int = 1, active_sec: float = 30.5) -> Any:
    body = {"revision": revision, "goal": goal, "active_sec": active_sec, "position": 3}
    return browser.said("PUT", f"{place}/goal", body)["answer"]


def record_of(study: Study, place: str) -> GoalAnswer:
    with study.database.reading() as session:
        return session.get_one(GoalAnswer, place.rpartition("/")[2])


def exported(folder: Path, until: int) -> list[InferredGoal]:
    deadline = time.monotonic() + PATIENCE_SEC
    while len(found := open_store(folder / "shown").preferences(InferredGoal)) < until and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


@both_databases
def test_answers_are_exported_exactly(
    enter: Enter, folder: Path, goals: dict[str, dict[str, int]], study: Study
) -> None:
    ann = enter(Role.RATER, "ann")
    pseudonym, expected = ann.said("GET", "/api/me")["id"], set()
    for number in range(3):
        place = begin(ann)
        name = record_of(study, place).demonstration.episode.episode_id
        said = goals[name] if number else {}
        assert say(ann, place, said) == {"revision": 1, "goal": said}
        ann.said("POST", f"{place}/submit", {"revision": 1})
        steps = len(open_store(folder / "shown").read(name))
        expected.add(InferredGoal(name, 0, steps, goal_text(said), pseudonym, 30.5, False))
    assert begin(ann) == NOTHING and ann.said("GET", "/api/watching") == {"submitted": 3, "begun": False}
    assert set(exported(folder, 3)) == expected and len({one.episode_id for one in expected}) == 3
    assert export_inferred_goals(study.database, study.datasets, now()) == 0


def test_a_rater_sees_the_choices_and_nothing_that_names_the_goal(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    found = ann.said("GET", place)
    assert found.keys() == {
        "id", "steps", "steps_per_second", "choices", "title", "instructions", "answer", "position", "active_sec",
        "submitted",
    }  # fmt: skip
    names = [choice["name"] for group in found["choices"] for choice in group["choices"]]
    assert sorted(names) == sorted(PREDICATES)
    assert [group["group"] for group in found["choices"]][0] == "on the kitchen table"
    assert found["choices"][0]["choices"][0] == {"name": "on_plate_kitchentable", "words": "plates", "most": 4}
    record = record_of(study, place).demonstration.episode
    assert record.episode_id not in str(found) and found["answer"] == {"revision": 0, "goal": {}}
    assert found["steps"] == record.steps and found["steps_per_second"] == 4.0


def test_the_film_comes_in_chunks_and_shows_every_step(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    steps = ann.said("GET", place)["steps"]
    frames: list[bytes] = []
    for first in range(0, steps, CHUNK_STEPS):
        until = time.monotonic() + PATIENCE_SEC
        while (answer := ann.ask("GET", f"{place}/frames?view=seen&begin={first}")).status_code == 202:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert answer.status_code == 200, answer.text
        frames += unpack_frames(answer.content)
    assert len(frames) == steps and len(set(frames)) > steps // 2
    tag = {"If-None-Match": answer.headers["etag"]}
    assert ann.ask("GET", f"{place}/frames?view=seen&begin={first}", headers=tag).status_code == 304
    assert ann.ask("GET", f"{place}/frames?view=sharp&begin=0").status_code == 204
    assert ann.ask("GET", f"{place}/frames?view=seen&begin=7").status_code == 422
    assert enter(Role.RATER, "bob").ask("GET", f"{place}/frames?view=seen&begin=0").status_code == 404


def test_a_demonstration_that_does_not_replay_is_not_shown(enter: Enter, folder: Path, study: Study) -> None:
    store = open_store(folder / "shown")
    episode = store.read(store.ids()[0])
    store.drop(store.ids())
    store.write(replace(episode, texts={"feedback": ("the fridge is closed", *episode.texts["feedback"][1:])}))
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    until = time.monotonic() + PATIENCE_SEC
    while (answer := ann.ask("GET", f"{place}/frames?view=seen&begin=0")).status_code == 202:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert answer.status_code == 409 and "cannot be shown here" in answer.json()["error"]


@both_databases
def test_answers_may_arrive_twice_or_out_of_order(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    assert say(ann, place, {"on_plate_kitchentable": 2}, 3)["revision"] == 3
    assert say(ann, place, {"on_plate_kitchentable": 1}, 2, 60.0) == {
        "revision": 3,
        "goal": {"on_plate_kitchentable": 2},
    }
    assert say(ann, place, {"on_plate_kitchentable": 0, "sit_sofa": 1}, 4)["goal"] == {"sit_sofa": 1}
    assert begin(ann) == place  # resumed, with the time of work and the step
    found = ann.said("GET", place)
    assert (found["active_sec"], found["position"], found["answer"]["revision"]) == (60.0, 3, 4)
    answer = ann.ask("POST", f"{place}/submit", {"revision": 3})
    assert answer.status_code == 409 and "load the page again" in answer.json()["error"]
    for _ in range(2):
        assert ann.said("POST", f"{place}/submit", {"revision": 4}) == {}
    assert ann.ask("PUT", f"{place}/goal", {"revision": 5, "goal": {}}).status_code == 409
    assert say(ann, place, {"sit_sofa": 1}, 4)["goal"] == {"sit_sofa": 1}  # the same again changes nothing


@both_databases
def test_two_windows_do_not_say_different_things_in_one_revision(enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    for _ in range(2):
        say(ann, place, {"sit_sofa": 1})
    other = ann.ask("PUT", f"{place}/goal", {"revision": 1, "goal": {}})
    assert other.status_code == 409 and "in another window; load the page again" in other.json()["error"]
    assert say(ann, place, {}, 2)["goal"] == {}  # the window that was told goes on


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"on_piano_kitchentable": 1}, "there is no predicate 'on_piano_kitchentable' to choose"),
        ({"on_plate_kitchentable": 5}, "the count of 'on_plate_kitchentable' is from 0 to 4, not 5"),
        ({"sit_sofa": 2}, "the count of 'sit_sofa' is from 0 to 1, not 2"),
        ({"on_plate_kitchentable": -1}, ""),
        ({"on_plate_kitchentable": 1.5}, ""),
        ({"on_plate_kitchentable": True}, ""),
        (["on_plate_kitchentable"], ""),
        ({"": 1}, ""),
    ],
)
def test_what_cannot_be_said_is_refused(goal: Any, message: str, enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    answer = ann.ask("PUT", f"{place}/goal", {"revision": 1, "goal": goal})
    assert answer.status_code == 422 and message in answer.json()["error"]
    assert ann.said("GET", place)["answer"] == {"revision": 0, "goal": {}}


@both_databases
def test_each_demonstration_goes_to_as_many_raters_as_are_wanted(enter: Enter, study: Study) -> None:
    admin, ann, bob = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    (project,) = admin.said("GET", "/api/demonstrations")["projects"]
    assert (project["dataset"], project["demonstrations"], project["wanted"]) == ("shown", 3, 3)
    for _ in range(3):
        say(ann, place := begin(ann), {})
        ann.said("POST", f"{place}/submit", {"revision": 1})
    assert begin(bob) == NOTHING
    admin.said("PATCH", f"/api/demonstrations/{project['id']}", {"overlap": 2})
    assert begin(bob) != NOTHING
    (project,) = admin.said("GET", "/api/demonstrations")["projects"]
    assert (project["wanted"], project["submitted"], project["begun"]) == (6, 3, 1)
    admin.said("PATCH", f"/api/demonstrations/{project['id']}", {"open": False})
    assert begin(bob) == NOTHING
    other = next(one for one in admin.said("GET", "/api/study")["projects"] if one["dataset"] == "play")
    assert admin.ask("PATCH", f"/api/demonstrations/{other['id']}", {"overlap": 2}).status_code == 404
    assert ann.ask("GET", "/api/demonstrations").status_code == 403


def test_demonstrations_are_watched_and_not_marked(enter: Enter, study: Study) -> None:
    projects = {one["dataset"]: one for one in enter(Role.ADMIN, "eve").said("GET", "/api/study")["projects"]}
    assert not projects["shown"]["marking"] and projects["play"]["marking"]


def test_only_silent_play_of_a_known_goal_is_a_demonstration(folder: Path, goals: dict[str, dict[str, int]]) -> None:
    store = open_store(folder / "shown")
    episode = store.read(store.ids()[0])
    assert demonstrated_goal(episode) == goals[episode.episode_id]
    words = ("two plates, please", *episode.setter_utterance[1:])
    assert demonstrated_goal(replace(episode, setter_utterance=words)) is None
    assert demonstrated_goal(replace(episode, setter_movement=np.zeros_like(episode.setter_movement))) is None
    helped = episode.movement.copy()
    helped[3, 0, 0] = 1
    assert demonstrated_goal(replace(episode, movement=helped)) is None
    assert demonstrated_goal(replace(episode, utterance=("ok", *episode.utterance[1:]))) is None
    config = {name: value for name, value in episode.config.items() if name != "task"}
    assert demonstrated_goal(replace(episode, config=config)) is None
    odd = {**episode.config, "task": {"name": "own", "goal": {"on_book_bookshelf": 1}}}
    assert demonstrated_goal(replace(episode, config=odd)) is None
    assert demonstrated_goal(open_store(folder / "play").read("synthetic-000007")) is None


def test_new_and_other_episodes_of_the_dataset_are_found(enter: Enter, folder: Path, study: Study) -> None:
    store = open_store(folder / "shown")
    episode = store.read(store.ids()[0])
    store.write(replace(episode, episode_id="again"))
    store.write(replace(episode, episode_id="spoken", setter_utterance=("please", *episode.setter_utterance[1:])))
    list_demonstrations(study.database, study.datasets, now())
    (project,) = enter(Role.ADMIN, "eve").said("GET", "/api/demonstrations")["projects"]
    assert project["demonstrations"] == 4


def test_a_dataset_that_was_empty_is_watched_once_it_has_demonstrations(
    enter: Enter, folder: Path, study: Study
) -> None:
    other = open_store(folder / "later", create=True)
    list_demonstrations(study.database, study.datasets, now())  # the server has seen it without an episode
    store = open_store(folder / "shown")
    other.write(store.read(store.ids()[0]))
    store.drop(store.ids())
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    found = {one["dataset"]: one["demonstrations"] for one in admin.said("GET", "/api/demonstrations")["projects"]}
    assert found == {"shown": 0, "later": 1}
    assert ann.said("GET", begin(ann))["steps_per_second"] == 4.0


def test_answers_of_dropped_demonstrations_stay_in_the_database(enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    name = record_of(study, place).demonstration.episode.episode_id
    say(ann, place, {"sit_sofa": 1})
    study.exporter.stop()
    ann.said("POST", f"{place}/submit", {"revision": 1})
    open_store(folder / "shown").drop([name])
    assert begin(ann) != place
    assert record_of(study, place).submitted is not None


def test_answers_are_deleted_with_their_rater(enter: Enter, folder: Path, study: Study) -> None:
    admin, ann, bob = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    for browser in (ann, bob):
        say(browser, place := begin(browser), {"sit_sofa": 1})
        browser.said("POST", f"{place}/submit", {"revision": 1})
    assert len(exported(folder, 2)) == 2
    name = ann.said("GET", "/api/me")["id"]
    who = next(one["id"] for one in admin.said("GET", "/api/study")["people"] if one["name"] == "ann")
    admin.said("POST", f"/api/people/{who}/removal", {"episodes": False})
    until = time.monotonic() + PATIENCE_SEC
    while any(one.rater == name for one in open_store(folder / "shown").preferences(InferredGoal)):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert len(open_store(folder / "shown").preferences(InferredGoal)) == 1
    with study.database.reading() as session:
        assert session.query(GoalAnswer).count() == 1


def test_another_server_resumes_with_what_was_answered(enter: Enter, folder: Path, study: Study) -> None:
    say(ann := enter(Role.RATER, "ann"), place := begin(ann), {"on_plate_kitchentable": 2})
    again = open_study(ServeConfig(data=folder))
    with again.database.reading() as session:
        found = session.get_one(GoalAnswer, place.rpartition("/")[2])
        assert watching.answer_of(found) == {"revision": 1, "goal": {"on_plate_kitchentable": 2}}
    again.database.close()
