"""Limits on requests, and the headers of answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.security import limits
from annotation.server.security.limits import BODY_BYTES, RateLimit, RateLimits
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.server.study import Study
from tests.unit.annotation.server.conftest import ORIGIN, Browser, Enter, Visit


def test_a_bucket_lets_a_burst_through_and_then_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_KNOWN_BUCKETS", 10)
    time = [0.0]
    rate = RateLimit(per_second=2.0, burst=3.0, clock=lambda: time[0])
    assert [rate.wait("ann") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert rate.wait("ann") == pytest.approx(0.5) and rate.wait("bob") == 0.0
    time[0] = 0.5
    assert rate.wait("ann") == 0.0 and rate.wait("ann") > 0
    time[0] = 100.0
    assert [rate.wait("ann") > 0 for _ in range(4)] == [False, False, False, True]
    for number in range(1000):
        time[0] = 100.0 + number
        assert rate.wait(f"address {number}") == 0.0
    assert len(rate._buckets) <= 20, "visitors who came once are forgotten"


def test_too_many_requests_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standing = RateLimits(*(RateLimit(per_second=0.5, burst=3.0, clock=lambda: 0.0) for _ in range(4)))
    monkeypatch.setattr(RateLimits, "of", lambda _: standing)
    app = create_app(open_study(ServeConfig(data=folder)))
    with TestClient(app, base_url=ORIGIN) as client:
        answers = [client.get("/api/me") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 2
    assert answers[-1].headers["retry-after"] == "2" and "wait" in answers[-1].json()["error"]


def test_a_person_with_many_sign_ins_may_not_do_more(
    study: Study, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sign_in(person_id: str) -> Browser:
        with study.database.writing() as session:
            token = people.sign_in(session, person_id, now())
        browser = visit()
        browser.client.cookies.set(COOKIE, study.signer.cookie(token))
        return browser

    with study.database.writing() as session:
        ann, bob = (people.new_person(session, name, Role.RATER, now()).id for name in ("ann", "bob"))
    hers, his = [sign_in(ann) for _ in range(3)], sign_in(bob)
    slow = RateLimit(per_second=0.5, burst=4.0, clock=lambda: 0.0)
    monkeypatch.setattr(hers[0].client.app.state, "rates", replace(hers[0].client.app.state.rates, person=slow))  # type: ignore[attr-defined]
    answers = [browser.ask("GET", "/api/me") for _ in range(2) for browser in hers]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2
    assert his.ask("GET", "/api/me").status_code == 200


def test_a_large_body_is_refused_with_and_without_a_length(enter: Enter) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(BODY_BYTES // 1000 + 2):
            yield b" " * 1000

    ann = enter(Role.RATER, "ann")
    answer = ann.ask("POST", "/api/me/password", {"password": "x" * BODY_BYTES})
    assert answer.status_code == 413 and str(BODY_BYTES) in answer.json()["error"]
    headers = {"Content-Type": "application/json"}
    assert ann.client.post("/api/sign-in/look", content=chunks(), headers=headers).status_code == 413


def test_every_answer_carries_the_security_headers(enter: Enter, visit: Visit) -> None:
    for path in ("/", "/api/me", "/static/app.js", "/static/..%2f..%2fpyproject.toml", "/nothing"):
        headers = visit().ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert enter(Role.RATER, "ann").ask("GET", "/api/me").headers["cache-control"] == "no-store", "it is of a person"


def test_nothing_but_the_pages_files_is_served(visit: Visit) -> None:
    for path in ("..%2f__init__.py", "%2e%2e/server/app.py", "sources.sha256"):
        assert visit().ask("GET", f"/static/{path}").status_code == 404, path


def test_a_strange_name_for_this_machine_is_refused(enter: Enter) -> None:
    ann = enter(Role.ADMIN, "ann")
    answer = ann.ask("GET", "/api/me", headers={"Host": "evil.example"})
    assert answer.status_code == 400 and "name" in answer.json()["error"]
    with pytest.raises(WebSocketDisconnect) as end:
        with ann.client.websocket_connect(f"ws://evil.example/api/play/games/{'0' * 32}/socket"):
            pass
    assert end.value.code == 1008 and "name" in end.value.reason
