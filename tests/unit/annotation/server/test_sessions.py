"""Links that work once, sessions, passwords."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import BrowserSession, Invitation, Person
from annotation.server.security import sessions
from annotation.server.security.sessions import COOKIE, Signer, load_secret
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.server.study import Study
from pipelines.cli.main import main
from tests.unit.annotation.server.conftest import ORIGIN, Browser
from worlds.errors import UserError

Enter, Visit = Callable[..., Browser], Callable[[], Browser]


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
    for name, status in ((" ann ", 409), ("  ", 422), ("a\nb", 422), ("x" * 81, 422)):
        assert visit().ask("POST", "/api/sign-in/link", {"token": token, "name": name}).status_code == status
    visit().join(token, "bob")


def test_a_link_expires(study: Study, visit: Visit) -> None:
    token = link(study)
    with study.database.writing() as session:
        session.execute(update(Invitation).values(expires=now() - 1))
    assert visit().ask("POST", "/api/sign-in/link", {"token": token, "name": "ann"}).status_code == 404


def test_a_withdrawn_link_does_not_work(enter: Enter, visit: Visit) -> None:
    admin = enter(Role.ADMIN, "eve")
    made = admin.said("POST", "/api/invitations", {"role": "rater", "note": "for ann"})
    (listed,) = admin.said("GET", "/api/study")["invitations"]
    assert listed["note"] == "for ann" and made["token"] not in str(listed)
    admin.said("DELETE", f"/api/invitations/{made['id']}")
    assert visit().ask("POST", "/api/sign-in/link", {"token": made["token"], "name": "ann"}).status_code == 404


def test_the_terminals_link_makes_an_admin_and_later_signs_the_same_one_in(study: Study, visit: Visit) -> None:
    tokens = []
    for _ in range(2):
        with study.database.writing() as session:
            tokens.append(people.admin_link(session, now()))
    assert visit().ask("POST", "/api/sign-in/look", {"token": tokens[0]}).status_code == 404  # void since the second
    first = visit().join(tokens[1], "eve").said("GET", "/api/me")
    with study.database.writing() as session:
        again = people.admin_link(session, now())
    me = visit().join(again).said("GET", "/api/me")
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


def test_letters_beyond_english_are_letters(enter: Enter, visit: Visit, study: Study) -> None:
    enter(Role.RATER, "Åsa Łoś").said("POST", "/api/me/password", {"password": "correct horse battery"})
    for name in ("Åsa Łoś", "åsa łoś", "A\u030asa ŁOŚ"):
        visit().said("POST", "/api/sign-in/password", {"name": name, "password": "correct horse battery"})
        answer = visit().ask("POST", "/api/sign-in/link", {"token": link(study), "name": name})
        assert answer.status_code == 409 and "called" in answer.json()["error"]


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "\u2060 \ufeff"])
def test_a_name_that_cannot_be_seen_is_refused(name: str, visit: Visit, study: Study) -> None:
    answer = visit().ask("POST", "/api/sign-in/link", {"token": link(study), "name": name})
    assert answer.status_code == 422 and answer.json()["error"] == "give a name"


def test_passwords_are_checked_two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, most, lock = 0, 0, threading.Lock()

    class Slow:
        def verify(self, *_: str) -> bool:
            nonlocal now, most
            with lock:
                now, most = now + 1, max(most, now + 1)
            time.sleep(0.05)
            with lock:
                now -= 1
            return True

    monkeypatch.setattr(sessions, "_hasher", Slow())
    threads = [threading.Thread(target=sessions.password_matches, args=("kept", "said")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_cookies_are_kept_from_scripts_and_other_sites(study: Study, visit: Visit) -> None:
    answer = visit().ask("POST", "/api/sign-in/link", {"token": link(study), "name": "ann"})
    said = answer.headers["set-cookie"].lower()
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
    person = next(person for person in admin.said("GET", "/api/study")["people"] if person["name"] == "cid")
    admin.said("PATCH", f"/api/people/{person['id']}", {"active": False})
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


def test_a_command_gives_a_new_admin_link_while_the_server_runs(
    study: Study, visit: Visit, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["people", "link", "--data", str(folder), "--url", "https://study.example.org/"]) == 0
    url, _, token = capsys.readouterr().out.strip().rpartition(" ")[2].partition("/join#")
    assert url == "https://study.example.org"
    assert visit().join(token, "eve").said("GET", "/api/me")["roles"] == ["admin"]


def test_a_study_keeps_an_admin(enter: Enter) -> None:
    admin = enter(Role.ADMIN, "eve")
    (me,) = admin.said("GET", "/api/study")["people"]
    for change in ({"roles": ["rater"]}, {"active": False}):
        assert admin.ask("PATCH", f"/api/people/{me['id']}", change).status_code == 409
    enter(Role.ADMIN, "flo")
    admin.said("PATCH", f"/api/people/{me['id']}", {"roles": ["rater"]})
    assert admin.said("GET", "/api/me")["roles"] == ["rater"]
    assert admin.ask("GET", "/api/study").status_code == 403


@pytest.mark.parametrize("forged", ["", "x", "x.y", "eyJhIjoxfQ.c2lnbmF0dXJl", "\u00e9"])
def test_a_forged_cookie_signs_nobody_in(forged: str) -> None:
    assert Signer("a" * 32).token(forged) is None
    assert Signer("a" * 32).token(Signer("b" * 32).cookie("token")) is None
    assert Signer("a" * 32).token(Signer("a" * 32).cookie("token")) == "token"


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
