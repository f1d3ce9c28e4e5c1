"""Deleting a person: nothing of them is left in any file or table, whatever died in between."""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from annotation.server.app import open_study
from annotation.server.config import ServeConfig
from annotation.server.db.tables import Person, Removal
from annotation.server.security.visitors import Role
from annotation.server.serve import DeleteConfig, delete_person
from annotation.server.services import people, removing
from annotation.server.study import Study
from rlhf.records.marks import Judgement, Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import until
from tests.processes import rlhf
from tests.unit.annotation.server.conftest import STEPS, Browser, Enter
from tests.unit.annotation.server.kinds import MARKING, mark, say, submit
from worlds.errors import UserError


def traces(folder: Path, *wanted: str) -> list[str]:
    """Places where a text is left: in the bytes of any file, in any value of any table, Parquet or not."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        found += [f"{path.name}: {word}" for word in wanted if word.encode() in data]
        if path.suffix == ".parquet":
            text = str(pq.read_table(path).drop_columns(["image"] if path.parent.name == "steps" else []).to_pylist())
            found += [f"{path.name} (rows): {word}" for word in wanted if word in text]
        if data.startswith(b"SQLite format 3"):
            with closing(sqlite3.connect(path)) as connection:
                text = "\n".join(connection.iterdump())
            found += [f"{path.name} (rows): {word}" for word in wanted if word in text]
    return found


def removed(admin: Browser, name: str, episodes: bool) -> None:
    """Delete a person, and wait until nothing of them is left to be deleted."""
    admin.said("POST", f"/api/people/{admin.person(name)['id']}/removal", {"episodes": episodes})
    wait_until_removed(admin)


def wait_until_removed(admin: Browser) -> None:
    until(lambda: not admin.said("GET", "/api/study")["removals"], "the end of a deletion")


@pytest.mark.parametrize("episodes", [False, True])
def test_nothing_is_left(episodes: bool, admin: Browser, enter: Enter, folder: Path) -> None:
    ann, bob = enter(Role.RATER, "Annabella Q"), enter(Role.RATER, "Bobby W")
    name = ann.said("GET", "/api/me")["id"]
    store = open_store(folder / "play")
    for seed, solver in enumerate((f"human:{name}", f"agent:bc+human:{name}", "scripted")):
        played = synthetic_episode(seed + 10, steps=STEPS, height=12, width=16)
        store.write(replace(played, solver=solver, notes={"co_pilot": f"human:{name}"} if "+" in solver else {}))
    ann.said("POST", "/api/me/password", {"password": "correct horse battery"})
    for browser in (ann, bob):
        submit(browser, mark(1, 3), mark(2, 5, -1))
        say(browser, MARKING.begin(browser), mark(1, 4))  # a draft
    MARKING.written(folder, 4)
    store.write_judgements(
        [Judgement(store.ids()[0], name, True, 3, False), Judgement(store.ids()[0], "b", True, 3, False)]
    )
    project = admin.projects()["play"]["id"]
    assert admin.said("GET", f"/api/look/{project}/episodes")["total"] == 6  # fills the index
    assert traces(folder, name, "Annabella Q")
    removed(admin, "Annabella Q", episodes)
    assert ann.ask("GET", "/api/me").status_code == 401
    left = traces(folder, name)
    if episodes:
        assert left == [] and len(store) == 4
        assert admin.said("GET", f"/api/look/{project}/episodes")["total"] == 4
    else:
        assert len(store) == 6 and {trace.split(" ")[0].split(":")[0] for trace in left} <= {
            "index.jsonl", "look.sqlite", "synthetic-000010.parquet", "synthetic-000011.parquet",
        }  # fmt: skip
    assert traces(folder, "Annabella Q") == []
    assert {found.rater for found in store.marks()} == {bob.said("GET", "/api/me")["id"]}
    assert [found.judge for found in store.judgements()] == ["b"]
    assert bob.said("POST", "/api/tasks/marking/next")["assignment"]


def test_known_marks_of_a_deleted_person_are_deleted(admin: Browser, enter: Enter) -> None:
    ann = enter(Role.RATER, "ann")
    submit(ann, mark(1, 3))
    project = admin.projects()["play"]["id"]
    (marked,) = [e for e in admin.said("GET", f"/api/look/{project}/episodes")["episodes"] if e["name"].endswith("00")]
    known = {"rater": ann.said("GET", "/api/me")["id"], "purpose": "training"}
    admin.said("PUT", f"/api/gold/{marked['id']}", known)
    removed(admin, "ann", episodes=False)
    assert admin.said("GET", f"/api/projects/{project}/measures")["gold_episodes"] == []


def test_the_last_admin_stays(admin: Browser) -> None:
    answer = admin.ask("POST", f"/api/people/{admin.person('eve')['id']}/removal", {"episodes": False})
    assert answer.status_code == 409 and "needs an admin" in answer.json()["error"]
    assert admin.ask("POST", f"/api/people/{'0' * 32}/removal", {"episodes": False}).status_code == 404


def new_person(folder: Path, name: str) -> str:
    """Their pseudonym."""
    study = open_study(ServeConfig(data=folder))
    with study.database.writing() as session:
        pseudonym = people.new_person(session, name, Role.RATER, 1.0).pseudonym
    study.database.close()
    return pseudonym


def test_the_command_deletes_by_name_or_pseudonym(folder: Path) -> None:
    store = open_store(folder / "play")

    def deleted(called: str, pseudonym: str) -> None:
        store.write_marks([Mark(store.ids()[0], pseudonym, 3, 1, False)])
        delete_person(DeleteConfig(called, data=folder))
        assert traces(folder, pseudonym, "Annabella Q") == [] and store.marks() == []

    deleted(" annabella  q", new_person(folder, "Annabella Q"))
    pseudonym = new_person(folder, "Annabella Q")
    deleted(pseudonym, pseudonym)
    deleted("e\u0301mile ŽIŽKA", new_person(folder, "Émile Žižka"))
    deleted("pfromelsewhere", "pfromelsewhere")  # who is in the datasets alone
    with pytest.raises(UserError, match="nobody in .* is called Annabella Q"):
        delete_person(DeleteConfig("Annabella Q", data=folder))


def test_a_server_finishes_a_deletion_that_another_one_began(folder: Path, study: Study, admin: Browser) -> None:
    pseudonym = new_person(folder, "Annabella Q")
    store = open_store(folder / "play")
    store.write_marks([Mark(store.ids()[0], pseudonym, 3, 1, False)])
    with study.database.writing() as session:
        found = removing.find_person(session, "Annabella Q")
        assert isinstance(found, Person)
        removing.remove_person(session, found, False, 1.0)
    study.remover.wake()  # as a server does when it starts
    wait_until_removed(admin)
    assert store.marks() == [] and traces(folder, pseudonym) == []


def test_killed_at_any_moment_the_same_command_resumes(folder: Path) -> None:
    """Many files of marks and played episodes, so that there is something to be killed in."""
    pseudonym, rng = new_person(folder, "Annabella Q"), random.Random(0)
    store = open_store(folder / "play")
    first = store.ids()[0]
    for seed in range(20):
        played = synthetic_episode(seed + 100, steps=STEPS, height=12, width=16)
        store.write(replace(played, setter=f"human:{pseudonym}"))
    kept = [Mark(first, "bob", step, 1, False) for step in range(STEPS)]
    for number in range(60):
        store.write_marks([Mark(first, pseudonym, number % STEPS, -1, False), kept[number % STEPS]])
    command = ("people", "delete", "Annabella Q", "--data", str(folder), "--episodes")
    kills = 0
    for _ in range(40):
        process = rlhf(folder.parent, *command)
        while process.status() is None and not changed(folder, pseudonym):
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.06))
        with suppress(ProcessLookupError):  # it has ended
            process.kill()
        status = process.wait()
        kills += status == -signal.SIGKILL
        if status == 0:
            break
        assert status == -signal.SIGKILL, process.errors()
        if kills >= 4:
            break
    done = rlhf(folder.parent, *command)
    # The name is gone if the command was killed after its work; then there is nothing left to resume.
    assert done.wait() == 0 or "nobody in" in done.errors(), done.errors()
    assert changed(folder, pseudonym)  # and closed: a process that was killed leaves SQLite's journal behind
    assert kills >= 1 and traces(folder, pseudonym, "Annabella Q") == []
    assert set(open_store(folder / "play").marks()) == set(kept) and len(open_store(folder / "play")) == 3
    with closing(sqlite3.connect(folder / "annotation.sqlite")) as connection:
        assert connection.execute(f"SELECT count(*) FROM {Removal.__tablename__}").fetchone() == (0,)


def changed(folder: Path, pseudonym: str) -> bool:
    """Return True once the deletion has been noted: from then on a kill is a test."""
    with closing(sqlite3.connect(folder / "annotation.sqlite", timeout=30)) as connection:
        return connection.execute("SELECT count(*) FROM people WHERE pseudonym = ?", (pseudonym,)).fetchone() == (0,)
