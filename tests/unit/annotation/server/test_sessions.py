"""Links that work once, sessions, passwords."""

from __future__ import annotations

import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import BrowserSession, Invitation, Person
from annotation.server.security import sessions
from annotation.server.security.guesses import Guesses
from annotation.server.security.sessions import COOKIE, Signer, load_secret
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.server.study import Study
from pipelines.cli.main import main
from tests.unit.annotation.server.conftest import ORIGIN, Browser, Enter, Visit
from worlds.errors import UserError


def link(study: Study, role: Role = Role.RATER) -> str:
    with study.database.writing() as session:
        return people.invite(session, role, now())[1]


def test_a_link_works_once(study: Study, visit: Visit) -> None:
    token = link(study)
    assert visit().said("POST", "/api/sign-in/look", {"token": token}) == {"role": "rater", "new": True}
    visit().join(token, "ann")
    for path, body in (("look", {"token": token}), ("link", {"token": token, "name": "bob"})):
        answer = visit().ask("POST", f"/api/sign-in/{path}", body)
        assert answer.status_code == 404 and "ask for a new one" in answer.json()["error"]


def test_a_refused_name_leaves_the_link_unused(study: Study, visit: Visit) -> None:
    visit().join(link(study), "Ann")
    token = link(study)
    unseen = ("", "  ", "\u200b", "\u2060 \ufeff")
    for name, status in ((" ann ", 409), ("a\nb", 422), ("x" * 81, 422), *((name, 422) for name in unseen)):
        assert visit().ask("POST", "/api/sign-in/link", {"token": token, "name": name}).status_code == status
    visit().join(token, "bob")


def test_an_expired_and_a_withdrawn_link_do_not_work(study: Study, enter: Enter, visit: Visit) -> None:
    expired, admin = link(study), enter(Role.ADMIN, "eve")
    with study.database.writing() as session:
        session.execute(update(Invitation).values(expires=now() - 1))
    made = admin.said("POST", "/api/invitations", {"role": "rater", "note": "for ann"})
    listed = admin.said("GET", "/api/study")["invitations"]
    assert [one["note"] for one in listed if one["note"]] == ["for ann"] and made["token"] not in str(listed)
    admin.said("DELETE", f"/api/invitations/{made['id']}")
    for token in (expired, made["token"]):
        assert visit().ask("POST", "/api/sign-in/link", {"token": token, "name": "ann"}).status_code == 404


def test_the_terminals_link_makes_an_admin_and_later_signs_the_same_one_in(
    study: Study, visit: Visit, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = []
    for _ in range(2):
        with study.database.writing() as session:
            tokens.append(people.admin_link(session, now()))
    assert visit().ask("POST", "/api/sign-in/look", {"token": tokens[0]}).status_code == 404  # void since the second
    first = visit().join(tokens[1], "eve").said("GET", "/api/me")
    assert main(["people", "link", "--data", str(folder), "--url", "https://study.example.org/"]) == 0
    url, _, again = capsys.readouterr().out.strip().rpartition(" ")[2].partition("/join#")
    me = visit().join(again).said("GET", "/api/me")
    assert url == "https://study.example.org"
    assert (me["id"], me["name"], me["roles"]) == (first["id"], "eve", ["admin"])


def test_the_database_knows_no_token_and_no_password(study: Study, enter: Enter, folder: Path) -> None:
    ann = enter(Role.RATER, "ann")
    ann.said("POST", "/api/me/password", {"password": "correct horse battery"})
    session_token = study.signer.token(ann.client.cookies[COOKIE])
    assert session_token is not None
    study.database.close()
    kept = b"".join(path.read_bytes() for path in folder.glob("annotation.sqlite*"))
    assert b"ann" in kept and session_token.encode() not in kept and b"correct horse" not in kept


def test_a_password_signs_in(enter: Enter, visit: Visit) -> None:
    enter(Role.RATER, "Ann").said("POST", "/api/me/password", {"password": "correct horse battery"})
    enter(Role.RATER, "without")
    browser = visit()
    for name, password in (("ann", "wrong"), ("without", ""), ("nobody", "correct horse battery")):
        answer = browser.ask("POST", "/api/sign-in/password", {"name": name, "password": password})
        assert answer.status_code == 403 and "wrong" in answer.json()["error"]
    browser.said("POST", "/api/sign-in/password", {"name": "ann", "password": "correct horse battery"})
    assert browser.said("GET", "/api/me")["name"] == "Ann"


GUESSED = {"name": "ann", "password": "a wrong password"}
RIGHT = {"name": " ANN ", "password": "correct horse battery"}


def guess(browser: Browser, body: dict[str, str], address: str = "10.0.0.1") -> int:
    """The status of a sign-in by password from ``address``."""
    transport = browser.client._transport
    transport.client = (address, 50000)  # type: ignore[attr-defined]
    return browser.ask("POST", "/api/sign-in/password", body).status_code


@pytest.fixture
def clock(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the limits on guesses."""
    time = [0.0]
    app = visit().client.app
    monkeypatch.setattr(app.state, "guesses", Guesses(lambda: time[0]))  # type: ignore[attr-defined]
    return time


def test_guesses_of_a_password_are_limited(enter: Enter, visit: Visit, clock: list[float]) -> None:
    hers = enter(Role.RATER, "Ann")
    hers.said("POST", "/api/me/password", {"password": RIGHT["password"]})
    stranger = visit()
    assert [guess(stranger, GUESSED) for _ in range(12)] == [403] * 10 + [429] * 2
    assert guess(stranger, RIGHT) == 429, "a right guess says nothing then"
    answer = stranger.ask("POST", "/api/sign-in/password", GUESSED)
    assert answer.headers["retry-after"] == "60" and "too many wrong passwords" in answer.json()["error"]
    assert [guess(stranger, {**GUESSED, "name": "nobody"}) for _ in range(11)] == [403] * 10 + [429]
    clock[0] = 60.0
    assert [guess(stranger, {**GUESSED, "name": name}) for name in ("Ann", "aNN\u00a0")] == [403, 429]


def test_a_stranger_locks_nobody_out(study: Study, visit: Visit, clock: list[float]) -> None:
    hers = visit().join(link(study), "Ann")
    hers.said("POST", "/api/me/password", {"password": RIGHT["password"]})
    hers.said("POST", "/api/sign-out")
    strangers, elsewhere = [f"10.0.0.{number}" for number in range(1, 9)], "10.0.1.1"
    for address in strangers[:3]:
        assert [guess(visit(), GUESSED, address) for _ in range(11)][-1] == 429
    assert guess(visit(), RIGHT, elsewhere) == 200
    statuses = [guess(visit(), GUESSED, address) for address in strangers[3:] for _ in range(11)]
    assert statuses.count(403) == 60 - 30, "the guesses from all addresses together"
    assert guess(visit(), RIGHT, elsewhere) == 429
    assert guess(hers, RIGHT, strangers[0]) == 200, "a browser that she has used has guesses of its own"
    assert [guess(hers, GUESSED) for _ in range(11)] == [403] * 10 + [429]
    his = visit().join(link(study), "Bob")
    assert guess(his, GUESSED) == 429, "his browser is no browser of hers"
    clock[0] = 20.0
    assert guess(visit(), RIGHT, elsewhere) == 200


def test_right_passwords_are_no_guesses(enter: Enter, visit: Visit, clock: list[float]) -> None:
    enter(Role.RATER, "Ann").said("POST", "/api/me/password", {"password": RIGHT["password"]})
    assert [guess(visit(), RIGHT) for _ in range(15)] == [200] * 15


def test_guesses_at_once_are_no_more(enter: Enter, visit: Visit, clock: list[float]) -> None:
    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda _: guess(visit(), GUESSED), range(30)))
    assert sorted(statuses) == [403] * 10 + [429] * 20


def test_a_changed_password_signs_out_elsewhere_and_wants_a_fresh_sign_in(
    study: Study, enter: Enter, visit: Visit, clock: list[float]
) -> None:
    hers = enter(Role.RATER, "Ann")
    hers.said("POST", "/api/me/password", {"password": RIGHT["password"]})
    other = visit()
    other.said("POST", "/api/sign-in/password", RIGHT)
    with study.database.writing() as session:
        session.execute(update(BrowserSession).values(created=now() - people.FRESH_SEC - 1))
    answer = hers.ask("POST", "/api/me/password", {"password": "another password"})
    assert answer.status_code == 403 and "sign out and in again" in answer.json()["error"]
    with study.database.writing() as session:
        session.execute(update(BrowserSession).values(created=now()))
    hers.said("POST", "/api/me/password", {"password": "another password"})
    assert hers.ask("GET", "/api/me").status_code == 200 and other.ask("GET", "/api/me").status_code == 401
    for said, status in ((RIGHT["password"], 403), ("another password", 200)):
        assert guess(visit(), {**RIGHT, "password": said}) == status


def test_letters_beyond_english_are_letters(enter: Enter, visit: Visit, study: Study) -> None:
    enter(Role.RATER, "Åsa Łoś").said("POST", "/api/me/password", {"password": "correct horse battery"})
    for name in ("Åsa Łoś", "åsa łoś", "A\u030asa ŁOŚ"):
        visit().said("POST", "/api/sign-in/password", {"name": name, "password": "correct horse battery"})
        answer = visit().ask("POST", "/api/sign-in/link", {"token": link(study), "name": name})
        assert answer.status_code == 409 and "called" in answer.json()["error"]


def test_passwords_are_checked_two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once, most = [], []

    class Slow:
        def verify(self, *_: str) -> bool:
            at_once.append(1)
            most.append(len(at_once))
            time.sleep(0.05)
            at_once.pop()
            return True

    monkeypatch.setattr(sessions, "_hasher", Slow())
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: sessions.password_matches("kept", "said"), range(8)))
    assert max(most) == 2


def test_cookies_are_kept_from_scripts_and_other_sites(study: Study, visit: Visit) -> None:
    answer = visit().ask("POST", "/api/sign-in/link", {"token": link(study), "name": "ann"})
    cookies = answer.headers.get_list("set-cookie")
    assert len(cookies) == 2
    for said in map(str.lower, cookies):
        assert "httponly" in said and "samesite=lax" in said and "path=/" in said


def test_a_session_ends(enter: Enter, study: Study) -> None:
    out, expired, closed = (enter(Role.RATER, name) for name in ("ann", "bob", "cid"))
    admin = enter(Role.ADMIN, "eve")
    cookie = out.client.cookies[COOKIE]
    out.said("POST", "/api/sign-out")
    out.client.cookies.set(COOKIE, cookie)  # a copy of it was kept
    with study.database.writing() as session:
        bob = session.scalars(select(Person).where(Person.name == "bob")).one()
        session.execute(update(BrowserSession).where(BrowserSession.person_id == bob.id).values(expires=now() - 1))
    admin.said("PATCH", f"/api/people/{admin.person('cid')['id']}", {"active": False})
    for browser in (out, expired, closed):
        assert browser.ask("GET", "/api/me").status_code == 401


def test_two_studies_on_one_host_leave_each_other_signed_in(study: Study, visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = open_study(ServeConfig(data=tmp_path / "other"))
    ann = visit().join(link(study), "ann")
    with TestClient(create_app(other), base_url=ORIGIN) as client:
        there = Browser(client)
        for name, cookie in ann.client.cookies.items():  # one browser: its cookies do not depend on ports
            client.cookies.set(name, cookie)
        there.join(link(other), "ann")
        for name, cookie in client.cookies.items():
            ann.client.cookies.set(name, cookie)
        assert there.ask("GET", "/api/me").status_code == 200
    assert ann.ask("GET", "/api/me").status_code == 200


def test_a_study_keeps_an_admin(admin: Browser, enter: Enter) -> None:
    place = f"/api/people/{admin.person('eve')['id']}"
    for change in ({"roles": ["rater"]}, {"active": False}):
        assert admin.ask("PATCH", place, change).status_code == 409
    enter(Role.ADMIN, "flo")
    admin.said("PATCH", place, {"roles": ["rater"]})
    assert admin.said("GET", "/api/me")["roles"] == ["rater"]
    assert admin.ask("GET", "/api/study").status_code == 403


@pytest.mark.parametrize("forged", ["", "x", "x.y", "eyJhIjoxfQ.c2lnbmF0dXJl", "\u00e9"])
def test_a_forged_cookie_signs_nobody_in(forged: str) -> None:
    assert Signer("a" * 32).token(forged) is None
    assert Signer("a" * 32).token(Signer("b" * 32).cookie("token")) is None
    assert Signer("a" * 32).token(Signer("a" * 32).cookie("token")) == "token"
    signer, other = Signer("a" * 32), Signer("b" * 32)
    browsers = [forged, other.browser_cookie("ann"), signer.browser_cookie("bob"), signer.cookie("ann")]
    assert [signer.browser({signer.browser_cookie_name: cookie}, "ann") for cookie in browsers] == [None] * 4
    assert signer.token(signer.browser_cookie("ann")) is None


def test_the_secret_is_made_once_and_for_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLHF_SERVE_SECRET", raising=False)
    secret = load_secret(tmp_path)
    assert len(secret) >= 32 and load_secret(tmp_path) == secret
    (kept,) = tmp_path.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    monkeypatch.setenv("RLHF_SERVE_SECRET", "e" * 40)
    assert load_secret(tmp_path) == "e" * 40
    monkeypatch.setenv("RLHF_SERVE_SECRET", "short")
    with pytest.raises(UserError, match="32 random"):
        load_secret(tmp_path)
