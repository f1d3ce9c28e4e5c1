"""A full disk, a locked database, a clock that jumps, a browser that takes nothing: told, and nothing lost."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from typing import Any, cast
from unittest.mock import AsyncMock, Mock

import pytest
from sqlalchemy import event
from sqlalchemy.pool import ConnectionPoolEntry

from annotation.server import clock, sockets
from annotation.server.db import database
from annotation.server.study import Study
from annotation.session.states import Role as Player
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server.conftest import STEPS, Browser
from tests.unit.annotation.server.kinds import MARKING, mark, say

YEAR_SEC = 365 * 24 * 3600.0


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SEC", 0.1)


@pytest.fixture
def place(ann: Browser) -> str:
    """The address of an episode that has no marks yet."""
    return MARKING.begin(ann)


def kept(browser: Browser, place: str) -> list[int]:
    return [mark["step"] for mark in browser.said("GET", place)["answers"]]


def test_a_locked_database_is_reported_and_the_mark_can_be_sent_again(ann: Browser, place: str, study: Study) -> None:
    other = sqlite3.connect(study.config.data / "annotation.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = ann.ask("PUT", f"{place}/answers", {"answers": [mark(1, 3)]})
    assert answer.status_code == 503 and "busy: this is not saved yet" in answer.json()["error"]
    assert int(answer.headers["retry-after"]) >= 1
    assert kept(ann, place) == []  # reading goes on
    other.execute("ROLLBACK")
    say(ann, place, mark(1, 3))
    assert kept(ann, place) == [3]


def test_a_full_disk_is_reported_and_saved_marks_stay(ann: Browser, place: str, study: Study) -> None:
    def many(number: int) -> dict[str, Any]:
        return {"answers": [mark(100 * number + k, k % STEPS) for k in range(100)]}

    ann.said("PUT", f"{place}/answers", many(0))
    limit = fill_the_disk(study)
    answers = [ann.ask("PUT", f"{place}/answers", many(number)) for number in range(1, 41)]
    full = [answer for answer in answers if answer.status_code != 200]
    assert full and {answer.status_code for answer in full} == {507}
    assert "disk is full: this is not saved yet" in full[0].json()["error"]
    saved = 100 * (1 + len(answers) - len(full))
    limit["pages"] = 2**30  # there is space again
    assert len(kept(ann, place)) == saved
    ann.said("PUT", f"{place}/answers", many(99))
    assert len(kept(ann, place)) == saved + 100


def fill_the_disk(study: Study) -> dict[str, int]:
    """From now on the database may grow by ten pages, as SQLite's own limit says; the answer can be changed."""
    with study.database.reading() as session:
        limit = {"pages": int(session.connection().exec_driver_sql("PRAGMA page_count").scalar_one()) + 10}

    @event.listens_for(study.database._engine, "checkout")
    def _(connection: sqlite3.Connection, entry: ConnectionPoolEntry, proxy: Any) -> None:
        connection.execute(f"PRAGMA max_page_count={limit['pages']}")

    return limit


@pytest.mark.parametrize("jump", [-YEAR_SEC, -3600.0, 3600.0])
def test_marks_are_kept_over_a_clock_that_jumps(
    ann: Browser, place: str, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    say(ann, place, mark(1, 1))
    real = time.time
    monkeypatch.setattr(clock.time, "time", lambda: real() + jump)
    say(ann, place, mark(2, 2))
    assert MARKING.begin(ann) == place
    ann.said("POST", f"{place}/submit", {"answers": 2})
    assert kept(ann, place) == [1, 2]
    assert MARKING.begin(ann) != place


def test_a_browser_to_which_nothing_can_be_sent_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its other end has vanished: nothing comes, and what is sent waits for ever."""
    monkeypatch.setattr(sockets, "WATCH_SEC", 0.05)
    monkeypatch.setattr(sockets, "SILENT_SEC", 0.2)

    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    async def views() -> AsyncIterator[Any]:
        yield view
        await never()

    async def served() -> sockets.End:
        player = sockets.PlayerSocket(cast("Any", gone), game, Player.SOLVER, lambda: None)
        return await asyncio.wait_for(player.serve(), PATIENCE_SEC)

    gone = AsyncMock(send_bytes=never, send_text=never, receive=never)
    view, game = Mock(), Mock()
    view.message.return_value, view.parts.return_value = b"view", [view]
    game.game.screen.return_value.views = views
    assert asyncio.run(served()) == sockets.SILENT
