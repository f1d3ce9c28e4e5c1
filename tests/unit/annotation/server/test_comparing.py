"""Comparing clips over HTTP: pairs that are drawn, sides, answers out of order, export, settings, agreement."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from annotation.server.app import open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.comparing_tables import ClipPairRecord, Comparison
from annotation.server.export.clip_pairs import export_clip_pairs
from annotation.server.export.marks import export_everything
from annotation.server.security.visitors import Role
from annotation.server.services import comparing
from annotation.server.services.clip_pairs import draw_missing
from annotation.server.study import Study
from annotation.viewer.frames_file import unpack_frames
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.conftest import Browser
from tests.unit.rlhf.declared_spaces import GRID
from worlds.errors import UserError

STEPS, CLIP = 60, 15  # 15 steps are 4 seconds
EPISODES = 4
Enter = Callable[..., Browser]
both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with one dataset, of which two episodes at least have one request."""
    store = open_store(tmp_path / "study" / "play", create=True)
    for seed in range(EPISODES):
        store.write(synthetic_episode(seed, steps=STEPS, height=12, width=16))
    return tmp_path / "study"


def compare(admin: Browser, **settings: Any) -> dict[str, Any]:
    """Change the settings; return the project as it is then."""
    (project,) = admin.said("GET", "/api/comparisons")["projects"]
    admin.said("PATCH", f"/api/comparisons/{project['id']}", settings)
    (project,) = admin.said("GET", "/api/comparisons")["projects"]
    return project


@pytest.fixture
def admin(enter: Enter) -> Browser:
    """The study's leader, who wants six pairs."""
    admin = enter(Role.ADMIN, "eve")
    assert compare(admin, pairs=6)["drawn"] == 6
    return admin


def begin(browser: Browser) -> str:
    """The address of the pair that the rater gets."""
    return f"/api/comparing/{browser.said('POST', '/api/comparing/next')['assignment']}"


NOTHING = "/api/comparing/None"


def say(browser: Browser, place: str, answer: str, revision: int = 1, active_sec: float = 3.5) -> Any:
    body = {"revision": revision, "answer": answer, "active_sec": active_sec}
    return browser.said("PUT", f"{place}/answer", body)["answer"]


def compare_all(browser: Browser, answer: str = "left") -> list[str]:
    """Addresses of all that a rater gets, in order."""
    seen = []
    while (place := begin(browser)) != NOTHING:
        seen.append(place)
        say(browser, place, answer)
        browser.said("POST", f"{place}/submit", {"revision": 1})
    return seen


def record_of(study: Study, place: str) -> Comparison:
    with study.database.reading() as session:
        return session.get_one(Comparison, place.rpartition("/")[2])


def exported(folder: Path, until: int) -> list[ClipPair]:
    deadline = time.monotonic() + PATIENCE_SEC
    while len(found := open_store(folder / "play").preferences(ClipPair)) < until and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


@both_databases
def test_answers_are_exported_by_clip_and_not_by_side(admin: Browser, enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    pseudonym = ann.said("GET", "/api/me")["id"]
    expected, swapped = set(), Counter[bool]()
    for answer in ("left", "right", "same", "cannot tell", "left", "right"):
        place = begin(ann)
        say(ann, place, answer)
        ann.said("POST", f"{place}/submit", {"revision": 1})
        found = record_of(study, place)
        swapped[found.swapped] += 1
        clips = {"left": "ba"[not found.swapped], "right": "ab"[not found.swapped]}
        pair = found.pair
        expected.add(
            ClipPair(
                pair.of_a.episode_id, pair.begin_a, pair.begin_a + CLIP, pair.of_b.episode_id, pair.begin_b,
                pair.begin_b + CLIP, clips.get(answer, answer), pseudonym, 3.5, False,
            )
        )  # fmt: skip
    assert begin(ann) == NOTHING and ann.said("GET", "/api/comparing") == {"submitted": 6, "begun": False}
    assert set(exported(folder, 6)) == expected and len(expected) == 6
    assert {pair.answer for pair in expected} >= {"same", "cannot tell"}
    assert export_clip_pairs(study.database, study.datasets, now()) == 0  # once


def test_a_rater_sees_both_clips_and_nothing_that_names_the_player(admin: Browser, enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    found = ann.said("GET", place)
    assert found.keys() == {
        "id", "steps", "steps_per_second", "clips", "pictured", "title", "instructions", "answer", "active_sec",
        "submitted",
    }  # fmt: skip
    assert found["steps"] == 2 * CLIP and found["answer"] == {"revision": 0, "answer": ""}
    answer = ann.ask("GET", f"{place}/frames?begin=0")
    sides = comparing.sides(record_of(study, place))
    views = []
    for (record, begins, _), clip in zip(sides, found["clips"], strict=True):
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
    headers = str(answer.headers)
    for word in ("agent", "synthetic", "play", *(record.id for record, *_ in sides)):
        assert word not in f"{headers} {found}", word
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
    project = next(one for one in admin.said("GET", "/api/comparisons")["projects"] if one["dataset"] == "grids")
    admin.said("PATCH", f"/api/comparisons/{project['id']}", {"pairs": 1, "clip_seconds": 0.5})
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    found = ann.said("GET", place)
    assert not found["pictured"] and len(found["clips"][0]["actions"]) == found["steps"] / 2 > 1
    answer = ann.ask("GET", f"{place}/frames?begin=0")
    assert len(unpack_frames(answer.content)) == found["steps"]


def test_sides_are_random_for_each_rater() -> None:
    for pair in ("a", "b"):
        assert 80 < sum(comparing.swapped(pair, f"rater {number}") for number in range(200)) < 120
    assert 80 < sum(comparing.swapped(f"pair {number}", "ann") for number in range(200)) < 120


def test_the_order_and_number_of_answers_do_not_matter_until_they_are_submitted(admin: Browser, enter: Enter) -> None:
    ann, bob = enter(Role.RATER, "ann"), enter(Role.RATER, "bob")
    place = begin(ann)
    for revision, answer in ((2, "right"), (1, "left"), (3, "same"), (3, "same"), (2, "right")):
        saved = say(ann, place, answer, revision)
    assert saved == {"revision": 3, "answer": "same"} == ann.said("GET", place)["answer"]
    assert begin(ann) == place  # nothing else before this one is done
    assert say(ann, place, "", 4) == {"revision": 4, "answer": ""}
    assert "give an answer first" in ann.ask("POST", f"{place}/submit", {"revision": 4}).json()["error"]
    say(ann, place, "left", 5)
    assert "load the page again" in ann.ask("POST", f"{place}/submit", {"revision": 4}).json()["error"]
    for method, path, body in (
        ("GET", place, None), ("GET", f"{place}/frames", None), ("POST", f"{place}/submit", {"revision": 5}),
        ("PUT", f"{place}/answer", {"revision": 6, "answer": "right"}),
    ):  # fmt: skip
        assert bob.ask(method, path, body).status_code == 404  # another's
    ann.said("POST", f"{place}/submit", {"revision": 5})
    ann.said("POST", f"{place}/submit", {"revision": 5})  # an answer that was lost on its way
    late = ann.ask("PUT", f"{place}/answer", {"revision": 6, "answer": "right"})
    assert late.status_code == 409 and "stays as it is" in late.json()["error"]
    assert begin(ann) != place


@both_databases
def test_two_windows_do_not_give_different_answers_in_one_revision(admin: Browser, enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    for _ in range(6):  # whichever side clip A is on
        place = begin(ann)
        for _ in range(2):
            say(ann, place, "left")
        other = ann.ask("PUT", f"{place}/answer", {"revision": 1, "answer": "right"})
        assert other.status_code == 409 and "in another window; load the page again" in other.json()["error"]
        assert say(ann, place, "right", 2) == {"revision": 2, "answer": "right"}
        ann.said("POST", f"{place}/submit", {"revision": 2})


@pytest.mark.parametrize("wrong", [{"answer": "a"}, {"answer": None}, {"revision": 0}, {"active_sec": -1}, {"clip": 1}])
def test_a_wrong_answer_is_refused_and_nothing_kept(wrong: dict[str, Any], admin: Browser, enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    answer = ann.ask("PUT", f"{place}/answer", {"revision": 1, "answer": "left"} | wrong)
    assert answer.status_code == 422 and answer.json()["error"]
    assert ann.said("GET", place)["answer"] == {"revision": 0, "answer": ""}


@both_databases
def test_a_pair_goes_to_as_many_raters_as_wanted_and_their_agreement_is_shown(admin: Browser, enter: Enter) -> None:
    project = compare(admin, overlap=2)
    assert (project["wanted"], project["submitted"], project["agreement"]["pairs"]) == (12, 0, 0)
    ann, bob, cid = (enter(Role.RATER, name) for name in ("ann", "bob", "cid"))
    assert len(compare_all(ann, "same")) == 6
    first = begin(bob)
    assert compare(admin)["begun"] == 1
    say(bob, first, "left")
    bob.said("POST", f"{first}/submit", {"revision": 1})
    assert len(compare_all(bob, "same")) == 5 and compare_all(cid) == []
    project = compare(admin)
    assert (project["submitted"], project["begun"]) == (12, 0)
    agreement = project["agreement"]
    assert agreement["pairs"] == 6 and agreement["value"] == pytest.approx(5 / 6)
    assert agreement["low"] < 5 / 6 < agreement["high"]
    compare(admin, overlap=3, open=False)
    assert begin(cid) == NOTHING
    compare(admin, open=True)
    assert len(compare_all(cid)) == 6


@both_databases
def test_pairs_that_nobody_has_opened_follow_the_settings(admin: Browser, enter: Enter, study: Study) -> None:
    def pairs() -> dict[str, tuple[int, str, str, int]]:
        with study.database.reading() as session:
            found = session.scalars(select(ClipPairRecord).order_by(ClipPairRecord.number)).all()
        return {pair.id: (pair.number, pair.episode_a, pair.episode_b, pair.steps) for pair in found}

    ann = enter(Role.RATER, "ann")
    opened = record_of(study, begin(ann)).pair_id
    before = pairs()
    assert compare(admin, pairs=9)["drawn"] == 9 and pairs().items() > before.items()  # more of the same draw
    assert compare(admin, pairs=4)["drawn"] == 4 and opened in pairs()
    project = compare(admin, clip_seconds=2.0, within_share=1.0)
    assert (project["drawn"], project["clip_seconds"], project["within_share"]) == (4, 2.0, 1.0)
    after = pairs()
    assert after[opened] == before[opened]
    new = [pair for id, pair in after.items() if id != opened]
    assert len(new) == 3 and {(pair[1] == pair[2], pair[3]) for pair in new} == {(True, 8)}  # 7.5 steps, rounded
    assert compare(admin, pairs=0)["drawn"] == 1 and begin(ann).endswith(record_of(study, begin(ann)).id)
    assert compare(admin, pairs=5, clip_seconds=60.0)["drawn"] == 1  # no stretch of one request is as long


def test_the_draw_is_the_same_for_the_same_seed(folder: Path, tmp_path: Path) -> None:
    """In two studies of equal episodes; another seed has other pairs."""

    def drawn(name: str, seed: int) -> list[tuple[Any, ...]]:
        study = open_study(ServeConfig(data=folder, database=f"sqlite:///{tmp_path / name}"))
        with study.database.writing() as session:
            (project,) = session.scalars(select(comparing.Project))
            compared = comparing.new_compared(project.id)
            compared.pairs, compared.seed = 8, seed
            session.add(compared)
        draw_missing(study.database, study.datasets, now())
        with study.database.reading() as session:
            found = session.scalars(select(ClipPairRecord).order_by(ClipPairRecord.number)).all()
            return [(pair.of_a.episode_id, pair.begin_a, pair.of_b.episode_id, pair.begin_b) for pair in found]

    first = drawn("one", 0)
    assert len(first) == 8 and first == drawn("two", 0) != drawn("three", 1)
    assert all(pair[:2] != pair[2:] for pair in first)


def test_new_episodes_are_drawn_from_and_dropped_ones_leave(admin: Browser, enter: Enter, folder: Path) -> None:
    ann, store = enter(Role.RATER, "ann"), open_store(folder / "play")
    assert compare(admin, clip_seconds=20.0)["drawn"] == 0 and begin(ann) == NOTHING  # longer than every episode
    store.write(synthetic_episode(20, steps=200, height=12, width=16))
    place = begin(ann)
    assert ann.said("GET", place)["steps"] == 2 * 75 and compare(admin)["drawn"] == 6
    store.drop([store.ids()[-1]])
    assert begin(ann) == NOTHING and ann.ask("GET", place).status_code == 404
    assert compare(admin)["drawn"] == 0


def test_a_rater_who_is_deleted_leaves_no_answer(admin: Browser, enter: Enter, folder: Path, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    compare_all(ann)
    assert len(exported(folder, 6)) == 6
    (person,) = [one["id"] for one in admin.said("GET", "/api/study")["people"] if one["name"] == "ann"]
    admin.said("POST", f"/api/people/{person}/removal", {"episodes": False})
    deadline = time.monotonic() + PATIENCE_SEC
    while open_store(folder / "play").preferences(ClipPair) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert open_store(folder / "play").preferences(ClipPair) == []
    with study.database.reading() as session:
        assert session.scalars(select(Comparison)).all() == []
    assert compare(admin)["drawn"] == 6  # for others


def test_answers_to_lost_episodes_stay_and_the_others_are_exported(
    admin: Browser, enter: Enter, folder: Path, study: Study
) -> None:
    ann = enter(Role.RATER, "ann")
    study.exporter.stop()
    places = compare_all(ann)
    first = record_of(study, places[0]).pair
    lost = first.of_a.episode_id
    touched = sum(
        lost in (pair.of_a.episode_id, pair.of_b.episode_id)
        for pair in (record_of(study, place).pair for place in places)
    )
    open_store(folder / "play").drop([lost])
    with pytest.raises(UserError, match="no longer in play"):
        export_everything(study.database, study.datasets, now())
    assert len(open_store(folder / "play").preferences(ClipPair)) == 6 - touched < 6
    admin.said("GET", "/api/study")  # which lists the episodes again
    assert record_of(study, places[0]).answer
