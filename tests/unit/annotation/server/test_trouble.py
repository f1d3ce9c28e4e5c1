"""A full disk, a locked database, a clock that jumps: a sentence for the person, and nothing lost."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import event
from sqlalchemy.pool import ConnectionPoolEntry

from annotation.server import clock
from annotation.server.db import database
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from tests.unit.annotation.server.conftest import STEPS, Browser

Enter = Callable[..., Browser]
YEAR_SEC = 365 * 24 * 3600.0


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SEC", 0.1)


def marks(*steps: int) -> dict[str, Any]:
    return {"answers": [{"id": str(UUID(int=step)), "revision": 1, "step": step, "sign": 1} for step in steps]}


def begin(browser: Browser) -> str:
    return f"/api/tasks/marking/{browser.said('POST', '/api/tasks/marking/next')['assignment']}"


def kept(browser: Browser, place: str) -> list[int]:
    return [mark["step"] for mark in browser.said("GET", place)["answers"]]


def test_a_locked_database_is_reported_and_the_mark_can_be_sent_again(enter: Enter, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    other = sqlite3.connect(folder / "annotation.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = ann.ask("PUT", f"{place}/answers", marks(3))
    assert answer.status_code == 503 and "busy: this is not saved yet" in answer.json()["error"]
    assert int(answer.headers["retry-after"]) >= 1
    assert kept(ann, place) == []  # reading goes on
    other.execute("ROLLBACK")
    ann.said("PUT", f"{place}/answers", marks(3))
    assert kept(ann, place) == [3]


def test_a_full_disk_is_reported_and_saved_marks_stay(enter: Enter, study: Study) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    ann.said("PUT", f"{place}/answers", marks(1))
    limit = fill_the_disk(study)
    refused = [ann.ask("PUT", f"{place}/answers", many(number)) for number in range(40)]
    full = [answer for answer in refused if answer.status_code != 200]
    assert full and {answer.status_code for answer in full} == {507}
    assert "disk is full: this is not saved yet" in full[0].json()["error"]
    said = sum(len(many(number)["answers"]) for number, answer in enumerate(refused) if answer.status_code == 200)
    limit["pages"] = 2**30  # there is space again
    assert len(kept(ann, place)) == 1 + said
    ann.said("PUT", f"{place}/answers", many(99))
    assert len(kept(ann, place)) == 1 + said + 100


def many(number: int) -> dict[str, Any]:
    """A hundred marks that nobody has given before."""
    ids = [str(UUID(int=10_000 + 100 * number + k)) for k in range(100)]
    return {"answers": [{"id": id, "revision": 1, "step": k % STEPS, "sign": 1} for k, id in enumerate(ids)]}


def fill_the_disk(study: Study) -> dict[str, int]:
    """From now on the database may grow by ten pages, as SQLite's own limit says; the answer can be changed."""
    engine = study.database._engine
    limit = {"pages": 0}
    with study.database.reading() as session:
        limit["pages"] = int(session.connection().exec_driver_sql("PRAGMA page_count").scalar_one()) + 10

    @event.listens_for(engine, "checkout")
    def _(connection: sqlite3.Connection, entry: ConnectionPoolEntry, proxy: Any) -> None:
        connection.execute(f"PRAGMA max_page_count={limit['pages']}")

    return limit


@pytest.mark.parametrize("jump", [-YEAR_SEC, -3600.0, 3600.0])
def test_marks_are_kept_over_a_clock_that_jumps(enter: Enter, monkeypatch: Any, jump: float) -> None:
    ann = enter(Role.RATER, "ann")
    place = begin(ann)
    ann.said("PUT", f"{place}/answers", marks(1))
    real = time.time
    monkeypatch.setattr(clock.time, "time", lambda: real() + jump)
    ann.said("PUT", f"{place}/answers", marks(2))
    assert begin(ann) == place
    ann.said("POST", f"{place}/submit", {"answers": 2})
    assert kept(ann, place) == [1, 2]
    assert begin(ann) != place
