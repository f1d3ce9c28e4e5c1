"""The viewer over HTTP: filters, search, every rater's marks, traces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ViewConfig
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.viewer.frames_file import unpack_frames
from annotation.viewer.scorer import Scorer
from rlhf.records.episode import AGENT
from rlhf.records.marks import Judgement, Mark
from rlhf.store import open_store
from rlhf.store.columns.png import decode_frames
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from tests.unit.annotation.server.conftest import ORIGIN, Browser, Enter
from tests.unit.annotation.server.kinds import MARKING, mark, say


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four episodes of different kinds, players, lengths and words."""
    store = open_store(tmp_path / "study" / "play", create=True)
    alone = np.zeros(20, np.uint8) + AGENT
    made: list[dict[str, Any]] = [
        {"setter": "human:pa", "solver": "human:pb", "notes": {"kind": "human-human"}}
        | {"requests": (), "success_step": ()},
        {"setter": "scripted", "solver": "agent:bc", "success_step": (None,), "controller": alone},
        {"setter": "human:pa", "solver": "agent:bc", "split": "held_out"},
        {"setter": "scripted", "solver": "scripted", "controller": alone},
    ]
    for number, changes in enumerate(made):
        steps = 20 if "controller" in changes else 12
        episode = synthetic_episode(number, steps=steps, height=12, width=16, episode_id=f"e{number}")
        said = [*episode.utterance[:-1], f"I see 100% of_it ({number})" if number else "Straße"]
        store.write(replace(episode, utterance=tuple(said), **changes))
    store.write_marks([Mark("e1", "robot", 3, 1, True), Mark("e1", "pz", 4, -1, False)])
    store.write_judgements([Judgement("e1", "pz", False, None, False)])
    return tmp_path / "study"


@pytest.fixture
def place(admin: Browser) -> str:
    """The address of the dataset's episodes."""
    return f"/api/look/{admin.said('GET', '/api/look')['datasets'][0]['id']}"


def episodes(admin: Browser, place: str, query: str = "") -> dict[str, dict[str, Any]]:
    """The episodes that a query finds, by name."""
    answer = admin.said("GET", f"{place}/episodes?{query}")
    assert answer["missing"] == 0 and answer["total"] == len(answer["episodes"])
    return {each["name"]: each for each in answer["episodes"]}


FOUND = (
    ("", ["e3", "e2", "e1", "e0"]),
    ("kind=human-human", ["e0"]), ("kind=scripted-agent", ["e1"]), ("kind=human-agent%2Bco-pilot", ["e2"]),
    ("player=human:pa", ["e2", "e0"]), ("player=agent:bc", ["e2", "e1"]), ("player=human:p", []),
    ("task=lift", ["e3", "e2", "e1"]), ("task=lif", []),
    ("outcome=succeeded", ["e3", "e2"]), ("outcome=failed", ["e1"]), ("outcome=none", ["e0"]),
    ("split=held_out", ["e2"]), ("shortest=13", ["e3", "e1"]), ("longest=19", ["e2", "e0"]),
    ("marks=yes", ["e1"]), ("marks=no", ["e3", "e2", "e0"]),
    ("words=SEE", ["e3", "e2", "e1"]), ("words=strasse", ["e0"]), ("words=100%25", ["e3", "e2", "e1"]),
    ("words=of_it", ["e3", "e2", "e1"]), ("words=ofxit", []), ("words=see+please", []),
    ("words=%25", ["e3", "e2", "e1"]),
    ("words=please+lift&shortest=13&outcome=failed", ["e1"]), ("words=\\", []), ("words='", []),
)  # fmt: skip


def test_filters_find_the_episodes_that_they_name(admin: Browser, place: str) -> None:
    assert {query: list(episodes(admin, place, query)) for query, _ in FOUND} == dict(FOUND)


def test_hits_lead_to_their_moment(admin: Browser, place: str, folder: Path) -> None:
    said = open_store(folder / "play").read("e3").utterance
    step = next(step for step, words in enumerate(said) if "100%" in words)
    hits = episodes(admin, place, "words=see+100")["e3"]["hits"]
    assert hits == [{"step": step, "who": "solver", "words": "I see 100% of_it (3)"}]


def test_choices_of_the_filters(admin: Browser, place: str) -> None:
    assert admin.said("GET", place) == {
        "kinds": ["human-agent+co-pilot", "human-human", "scripted-agent", "scripted-scripted"],
        "splits": ["held_out", "train"],
        "players": ["agent:bc", "human:pa", "human:pb", "scripted"],
        "tasks": ["lift"],
    }


def test_episodes_come_and_go(admin: Browser, place: str, folder: Path) -> None:
    assert len(episodes(admin, place)) == 4
    store = open_store(folder / "play")
    store.drop(["e1"])
    store.write(synthetic_episode(9, steps=12, height=12, width=16, episode_id="e9"))
    assert list(episodes(admin, place)) == ["e9", "e3", "e2", "e0"]


def test_an_episode_shows_its_pictures_and_every_raters_marks_also_those_that_are_not_exported(
    admin: Browser, place: str, enter: Enter, folder: Path
) -> None:
    where = {name: f"{place}/episodes/{one['id']}" for name, one in episodes(admin, place).items()}
    rater = enter(Role.RATER, "ann")
    begun = MARKING.begin(rater)
    say(rater, begun, mark(1, 3), mark(2, 5))
    assert admin.said("GET", where["e0"])["raters"] == []  # a draft is nobody's business
    rater.said("POST", f"{begun}/submit", {"answers": 2})
    marks = [{"step": 3, "sign": 1}, {"step": 5, "sign": 1}]
    me = rater.said("GET", "/api/me")["id"]
    assert admin.said("GET", where["e0"])["raters"] == [{"rater": me, "scripted": False, "marks": marks}]
    shown = admin.said("GET", where["e1"])
    assert [(row["rater"], row["scripted"]) for row in shown["raters"]] == [("pz", False), ("robot", True)]
    assert shown["requests"][0]["success"] is None and shown["judgements"][0]["judge"] == "pz"
    frames = unpack_frames(admin.ask("GET", f"{where['e3']}/frames").content)
    assert np.array_equal(decode_frames(frames), open_store(folder / "play").read("e3").pictures())


def test_unknown_projects_and_episodes_are_not_found(admin: Browser, place: str) -> None:
    for path in ("/{0}", "/{0}/episodes", "/{0}/episodes/{0}", "/{1}/episodes/{0}", "/{1}/episodes/{0}/frames"):
        address = "/api/look" + path.format("0" * 32, place.rpartition("/")[2])
        assert admin.ask("GET", address).status_code == 404, address


def trace(admin: Browser, place: str, model: str, again: bool = False) -> dict[str, Any]:
    """The trace of the latest episode, or why there is none."""
    where = f"{place}/episodes/{episodes(admin, place)['e3']['id']}/trace"
    said = admin.said("POST", where, {"model": model, "again": again})

    def settled() -> dict[str, Any] | None:
        found = admin.said("POST", where, {"model": model, "again": False})
        return None if found["state"] == "working" else found

    return until(settled, "the trace") if said["state"] == "working" else said


def test_a_dead_or_slow_scorer_is_reported_and_asked_again(
    admin: Browser, place: str, folder: Path, study: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "models" / "ibt").mkdir(parents=True)
    (folder / "models" / "ibt" / "config.json").write_text('{"model_type": "inter_temporal_reward_model"}')
    (folder / "models" / "ibt" / "model.safetensors").write_bytes(b"0")
    assert admin.said("GET", "/api/look")["models"] == ["models/ibt"]
    scorer: Scorer = study.viewer.scorer
    monkeypatch.setattr(scorer, "_command", ("sh", "-c", "read line; kill -9 $$"))
    said = trace(admin, place, "models/ibt")
    assert said["state"] == "failed" and "died" in said["why"]
    monkeypatch.setattr(scorer, "_command", ("sh", "-c", "sleep 60"))
    monkeypatch.setattr(scorer, "_patience_sec", 0.3)
    assert trace(admin, place, "models/ibt")["why"] == said["why"]  # nobody has asked for it again
    assert "longer than 0 s" in trace(admin, place, "models/ibt", again=True)["why"]
    answer = '{"kind": "IBT", "scale": 1.0, "utility": [1.0], "reward": [0.0]}'
    monkeypatch.setattr(scorer, "_command", ("sh", "-c", f"while read line; do echo '{answer}'; done"))
    monkeypatch.setattr(scorer, "_patience_sec", 60.0)
    assert trace(admin, place, "models/ibt", again=True)["utility"] == [1.0]
    monkeypatch.setattr(scorer, "_command", ("false",))
    assert trace(admin, place, "models/ibt")["state"] == "ready"  # it is kept


def test_datasets_are_looked_at_without_a_study_and_without_a_trace_in_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = sorted(path for path in folder.rglob("*"))
    (tmp_path / "scratch").mkdir()
    study = open_study(ViewConfig(data=folder, scratch=tmp_path / "scratch"))
    with study.database.writing() as session:
        token = people.viewers_link(session, now())
    app = create_app(study)
    with TestClient(app, base_url=ORIGIN):
        viewer = Browser(TestClient(app, base_url=ORIGIN)).join(token)
        assert viewer.said("GET", "/api/me")["viewing"] is True
        place = f"/api/look/{viewer.said('GET', '/api/look')['datasets'][0]['id']}"
        assert list(episodes(viewer, place, "marks=yes")) == ["e1"]
        for method, path in (("GET", "/api/study"), ("POST", "/api/tasks/marking/next"), ("POST", "/api/export")):
            assert viewer.ask(method, path).status_code == 404
    assert sorted(path for path in folder.rglob("*")) == before
