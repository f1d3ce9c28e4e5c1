"""Inferring goals: what is a demonstration, its film, the choices, and goals that are exported."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotation.server.clock import now
from annotation.server.security.visitors import Role
from annotation.server.services.items import list_items
from annotation.server.study import Study
from annotation.tasks import INFERRING as TASK
from annotation.viewer.drawing import CHUNK_STEPS
from annotation.viewer.frames_file import unpack_frames
from rlhf.records.preferences import InferredGoal, goal_text
from rlhf.replay.demonstrations import demonstrated_goal
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.demonstrations import write_demonstrations
from tests.unit.annotation.server.kinds import INFERRING, Enter, record_of
from worlds.household.tasks.sets import PREDICATES


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


def test_goals_are_exported_exactly(enter: Enter, folder: Path, goals: dict[str, dict[str, int]], study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    pseudonym, expected = ann.said("GET", "/api/me")["id"], set()
    for number in range(3):
        place = INFERRING.begin(ann)
        name = record_of(study, place).item.episode.episode_id
        said = goals[name] if number else {}
        kept = INFERRING.say(ann, place, {"goal": said | {"sit_sofa": 0}}, active_sec=30.5)
        assert kept["goal"] == {name: count for name, count in said.items() if name != "sit_sofa"}
        ann.said("POST", f"{place}/submit", {"revision": 1})
        steps = len(open_store(folder / "shown").read(name))
        expected.add(InferredGoal(name, 0, steps, goal_text(kept["goal"]), pseudonym, 30.5, False))
    assert set(INFERRING.written(folder, 3)) == expected and len({one.episode_id for one in expected}) == 3


def test_a_rater_sees_the_choices_and_nothing_that_names_the_goal(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = INFERRING.begin(ann)
    found = ann.said("GET", place)
    names = [choice["name"] for group in found["choices"] for choice in group["choices"]]
    assert sorted(names) == sorted(PREDICATES)
    assert [group["group"] for group in found["choices"]][0] == "on the kitchen table"
    assert found["choices"][0]["choices"][0] == {"name": "on_plate_kitchentable", "words": "plates", "most": 4}
    record = record_of(study, place).item.episode
    assert record.episode_id not in str(found)
    assert found["steps"] == record.steps and found["steps_per_second"] == 4.0


def test_the_film_comes_in_chunks_and_shows_every_step(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = INFERRING.begin(ann)
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
    place = INFERRING.begin(ann)
    until = time.monotonic() + PATIENCE_SEC
    while (answer := ann.ask("GET", f"{place}/frames?view=seen&begin=0")).status_code == 202:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert answer.status_code == 409 and "cannot be shown here" in answer.json()["error"]


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"on_piano_kitchentable": 1}, "there is no predicate 'on_piano_kitchentable' to choose"),
        ({"on_plate_kitchentable": 5}, "the count of 'on_plate_kitchentable' is from 0 to 4, not 5"),
    ],
)
def test_what_cannot_be_said_is_named(goal: dict[str, int], message: str, enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = INFERRING.begin(ann)
    answer = ann.ask("PUT", f"{place}/answers", {"answers": [INFERRING.edit(place, {"goal": goal})]})
    assert answer.status_code == 422 and message in answer.json()["error"]


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
    list_items(study.database, study.datasets, TASK, now())
    (project,) = enter(Role.ADMIN, "eve").said("GET", "/api/tasks/inferring/projects")["projects"]
    assert project["items"] == 4


def test_a_dataset_that_was_empty_is_watched_once_it_has_demonstrations(
    enter: Enter, folder: Path, study: Study
) -> None:
    other = open_store(folder / "later", create=True)
    list_items(study.database, study.datasets, TASK, now())  # the server has seen it without an episode
    store = open_store(folder / "shown")
    other.write(store.read(store.ids()[0]))
    store.drop(store.ids())
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    found = {one["dataset"]: one["items"] for one in admin.said("GET", "/api/tasks/inferring/projects")["projects"]}
    assert found == {"shown": 0, "later": 1}
    assert ann.said("GET", INFERRING.begin(ann))["steps_per_second"] == 4.0
