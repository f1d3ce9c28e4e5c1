"""Limits on requests, and the headers of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from tests.unit.annotation.server.conftest import ORIGIN, Browser


def test_a_bucket_lets_a_burst_through_and_then_its_rate() -> None:
    time = [0.0]
    rate = RateLimit(per_second=2.0, burst=3.0, clock=lambda: time[0])
    assert [rate.wait("ann") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert rate.wait("ann") == pytest.approx(0.5) and rate.wait("bob") == 0.0
    time[0] = 0.5
    assert rate.wait("ann") == 0.0 and rate.wait("ann") > 0
    time[0] = 100.0
    assert [rate.wait("ann") > 0 for _ in range(4)] == [False, False, False, True]


def test_limits_of_visitors_who_came_once_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_KNOWN_BUCKETS", 10)
    time = [0.0]
    rate = RateLimit(per_second=1.0, burst=3.0, clock=lambda: time[0])
    for number in range(1000):
        time[0] = float(number)
        assert rate.wait(f"address {number}") == 0.0
    assert len(rate._buckets) <= 20


def test_too_many_requests_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standing = RateLimits(*(RateLimit(per_second=0.5, burst=3.0, clock=lambda: 0.0) for _ in range(4)))
    monkeypatch.setattr(RateLimits, "of", lambda _: standing)
    app = create_app(open_study(ServeConfig(data=folder)))
    with TestClient(app, base_url=ORIGIN) as client:
        answers = [client.get("/api/me") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 2
    assert answers[-1].headers["retry-after"] == "2" and "wait" in answers[-1].json()["error"]


def test_a_person_with_many_sign_ins_may_not_do_more(
    study: Study, visit: Callable[[], Browser], monkeypatch: pytest.MonkeyPatch
) -> None:
    with study.database.writing() as session:
        ann, bob = (people.new_person(session, name, Role.RATER, now()).id for name in ("ann", "bob"))

    def sign_in(person_id: str) -> Browser:
        with study.database.writing() as session:
            token = people.sign_in(session, person_id, now())
        browser = visit()
        browser.client.cookies.set(COOKIE, study.signer.cookie(token))
        return browser

    hers, his = [sign_in(ann) for _ in range(3)], sign_in(bob)
    slow = RateLimit(per_second=0.5, burst=4.0, clock=lambda: 0.0)
    monkeypatch.setattr(hers[0].client.app.state, "rates", replace(hers[0].client.app.state.rates, person=slow))  # type: ignore[attr-defined]
    answers = [browser.ask("GET", "/api/me") for _ in range(2) for browser in hers]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2
    assert answers[-1].headers["retry-after"] == "2" and "wait" in answers[-1].json()["error"]
    assert his.ask("GET", "/api/me").status_code == 200


def test_a_large_body_is_refused(enter: Callable[..., Browser]) -> None:
    ann = enter(Role.RATER, "ann")
    answer = ann.ask("POST", "/api/me/password", {"password": "x" * BODY_BYTES})
    assert answer.status_code == 413 and str(BODY_BYTES) in answer.json()["error"]


def test_a_large_body_without_a_length_is_refused(enter: Callable[..., Browser]) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(BODY_BYTES // 1000 + 2):
            yield b" " * 1000

    headers = {"Content-Type": "application/json"}
    client = enter(Role.RATER, "ann").client
    assert client.post("/api/sign-in/look", content=chunks(), headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/", "/api/me", "/static/app.js", "/static/..%2f..%2fpyproject.toml", "/nothing"])
def test_every_answer_carries_the_security_headers(path: str, visit: Callable[[], Browser]) -> None:
    headers = visit().ask("GET", path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["..%2f__init__.py", "%2e%2e/server/app.py", "sources.sha256", "../static/app.js"])
def test_nothing_but_the_pages_files_is_served(path: str, visit: Callable[[], Browser]) -> None:
    assert visit().ask("GET", f"/static/{path}").status_code == 404 or path == "../static/app.js"


def test_answers_about_people_are_not_kept(enter: Callable[..., Browser]) -> None:
    assert enter(Role.RATER, "ann").ask("GET", "/api/me").headers["cache-control"] == "no-store"


def test_a_strange_name_for_this_machine_is_refused(visit: Callable[[], Browser]) -> None:
    answer = visit().ask("GET", "/api/me", headers={"Host": "evil.example"})
    assert answer.status_code == 400 and "name" in answer.json()["error"]


def test_a_strange_name_opens_no_socket(enter: Callable[..., Browser]) -> None:
    client = enter(Role.ADMIN, "ann").client
    with pytest.raises(WebSocketDisconnect) as end:
        with client.websocket_connect(f"ws://evil.example/api/play/games/{'0' * 32}/socket"):
            pass
    assert end.value.code == 1008 and "name" in end.value.reason
