"""Deny by default: every route, as every role, as nobody, and before agreeing to the present consent text."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from sqlalchemy import select
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from annotation.server.app import create_app
from annotation.server.db.tables import Consent
from annotation.server.security.policies import ANYBODY as EVERYBODY
from annotation.server.security.policies import CONSENT_DUE, Policy, policy_of, refuse_unguarded
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from tests.unit.annotation.server.conftest import Browser, Enter, Visit
from tests.unit.annotation.server.kinds import MARKING, mark, say

ANYBODY = frozenset(Role) | {None}
SIGNED_IN = frozenset(Role)
ADMIN, RATER, JUDGE = (frozenset({role}) for role in (Role.ADMIN, Role.RATER, Role.JUDGE))
PLAYER = frozenset({Role.ADMIN, Role.SETTER, Role.SOLVER, Role.CO_PILOT})

_ITEM, _EPISODE, _GAME = "/{assignment_id}", "/{project_id}/episodes/{episode_id}", "/api/play/games/{game_id}"

# Who may use what, said once more and by hand: a new route must be added here, and by that be thought about.
_WHO: list[tuple[frozenset[Role | None], str, str]] = [
    (ANYBODY, "GET", "/ /join /mark /judge /compare /watch /study /play /look /teach /consent"),
    (ANYBODY, "GET", "/static/{name} /service-worker.js"),
    (ANYBODY, "POST", "/api/sign-in/look /api/sign-in/link /api/sign-in/password"),
    (SIGNED_IN, "GET", "/api/openapi.json /api/me /api/consent"),
    (SIGNED_IN, "POST", "/api/me/password /api/sign-out /api/consent"),
    (ADMIN, "GET", "/api/study /api/projects/{project_id}/measures /api/projects/{project_id}/submissions"),
    (ADMIN, "PATCH", "/api/projects/{project_id} /api/people/{person_id}"),
    (ADMIN, "POST", "/api/invitations /api/export /api/people/{person_id}/link /api/people/{person_id}/removal"),
    (ADMIN, "POST", f"/api/submissions{_ITEM}/return /api/play/datasets"),
    (ADMIN, "PUT", "/api/consent /api/gold/{episode_id}"),
    (ADMIN, "DELETE", "/api/invitations/{invitation_id} /api/gold/{episode_id}"),
    (ADMIN, "GET", "/api/look /api/look/{project_id} /api/look/{project_id}/episodes"),
    (ADMIN, "GET", f"/api/look{_EPISODE} /api/look{_EPISODE}/frames"),
    (ADMIN, "POST", f"/api/look{_EPISODE}/trace"),
    (RATER, "GET", f"/api/tasks/marking{_ITEM}/feedback"),
    (RATER, "POST", "/api/tasks/comparing/back"),
    (PLAYER, "GET", "/api/play"),
    (PLAYER, "POST", f"/api/play/games /api/play/tutorial {_GAME}/join"),
    (PLAYER | RATER, "GET", _GAME),
    (PLAYER | RATER, "POST", f"{_GAME}/leave"),
    (PLAYER | RATER, "SOCKET", f"{_GAME}/socket"),
]
for _task, _raters in (("marking", RATER), ("judging", JUDGE), ("comparing", RATER), ("inferring", RATER)):
    _place = f"/api/tasks/{_task}"
    _WHO += [
        (_raters, "GET", f"{_place} {_place}{_ITEM} {_place}{_ITEM}/frames"),
        (_raters, "POST", f"{_place}/next {_place}{_ITEM}/submit"),
        (_raters, "PUT", f"{_place}{_ITEM}/answers"),
        (ADMIN, "GET", f"{_place}/projects"),
        (ADMIN, "PATCH", f"{_place}/projects/{{project_id}}"),
    ]
EXPECTED = {(method, path): roles for roles, method, paths in _WHO for path in paths.split()}


def routes(app: FastAPI) -> Iterator[tuple[str, str, Policy]]:
    """Method ("SOCKET" for WebSockets), path and policy of every route that the application has."""
    for route in app.routes:
        policy = policy_of(route)
        assert policy is not None and isinstance(route, (APIRoute, APIWebSocketRoute))
        for method in route.methods if isinstance(route, APIRoute) else ("SOCKET",):
            yield method, route.path, policy


def refused(browser: Browser, method: str, path: str) -> int | None:
    """401 or 403 if the request is refused for who asks, else None."""
    path = re.sub(r"\{\w+\}", "0" * 32, path)
    if method == "SOCKET":
        try:
            with browser.client.websocket_connect(f"ws://localhost{path}"):
                return None
        except WebSocketDenialResponse as denial:
            return denial.status_code if denial.status_code in (401, 403) else None
        except WebSocketDisconnect as end:
            return 403 if end.code == 1008 else None
    answer = browser.ask(method, path, {} if method != "GET" else None)
    wrong_credentials = answer.status_code == 403 and "password is wrong" in answer.text
    return answer.status_code if answer.status_code in (401, 403) and not wrong_credentials else None


def test_every_route_is_for_whom_it_should_be(study: Study) -> None:
    found = {(method, path): policy for method, path, policy in routes(create_app(study))}
    assert found.keys() == EXPECTED.keys()
    for route, policy in found.items():
        admitted = {role for role in (*Role, None) if policy.admits([role] if role else [])}
        assert admitted == EXPECTED[route], route


@pytest.mark.parametrize("role", [*Role, None])
def test_everybody_is_let_in_where_they_may_and_nowhere_else(
    role: Role | None, study: Study, visit: Visit, enter: Enter
) -> None:
    last = ("/api/sign-out", "/api/me/password")  # they change who asks
    newcomer = enter(role, "ann") if role else visit()
    for method, path, _ in sorted(routes(create_app(study)), key=lambda route: route[1] in last):
        browser = enter(role, f"{method} {path}") if role and path in last else newcomer
        expected = None if role in EXPECTED[method, path] else 403 if role else 401
        assert refused(browser, method, path) == expected, (method, path, role)


def test_what_has_no_policy_keeps_the_server_from_starting(study: Study) -> None:
    route, mounted = create_app(study), create_app(study)
    route.add_api_route("/open", lambda: None)
    mounted.mount("/files", FastAPI())
    for app, path in ((route, "/open"), (mounted, "/files")):
        with pytest.raises(RuntimeError, match=f"{path} has no policy"):
            refuse_unguarded(app)


def test_changes_need_the_sessions_token_and_come_from_the_own_site(enter: Enter) -> None:
    admin, other = enter(Role.ADMIN, "ann"), enter(Role.ADMIN, "bob")
    for token in ("", "wrong", other.csrf, "\u00e9".encode()):
        answer = admin.ask("POST", "/api/invitations", {"role": "rater"}, headers={"X-CSRF-Token": token})
        assert answer.status_code == 403 and "X-CSRF-Token" in answer.json()["error"]
    for path in ("/api/invitations", "/api/sign-in/link"):
        answer = admin.ask("POST", path, {"role": "rater"}, headers={"Origin": "http://evil.example"})
        assert answer.status_code == 403 and "another site" in answer.json()["error"]
    assert admin.ask("POST", "/api/invitations", {"role": "rater"}).status_code == 200


# ---- consent

BEFORE = {("GET", "/api/me"), ("POST", "/api/sign-out"), ("GET", "/api/consent"), ("POST", "/api/consent")}


def test_every_route_waits_for_consent(enter: Enter, study: Study) -> None:
    policies = routes(create_app(study))
    waits = {(method, path) for method, path, policy in policies if policy.consented and policy is not EVERYBODY}
    assert {route for route, roles in EXPECTED.items() if None not in roles} - waits == BEFORE
    people = {role: enter(role, role.value) for role in Role}
    enter(Role.ADMIN, "eve").said("PUT", "/api/consent", {"text": "We keep your marks."})
    for role, someone in people.items():
        for method, path in sorted(waits):
            if role in EXPECTED[method, path] and method != "SOCKET":
                answer = someone.ask(method, path.replace("{", "").replace("}", ""), {} if method != "GET" else None)
                assert answer.status_code == CONSENT_DUE, (role, method, path, answer.text)
        assert someone.said("GET", "/api/me")["consent_due"] is True


def test_agreeing_opens_the_study_until_the_text_changes(enter: Enter, study: Study) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    assert ann.said("GET", "/api/consent") == {"version": 0, "text": "", "agreed": None}
    begun = MARKING.begin(ann)
    for version, text in ((1, "First."), (2, "Second.")):
        assert admin.said("PUT", "/api/consent", {"text": text}) == {"version": version}
        assert ann.ask("PUT", f"{begun}/answers", {"answers": [mark(version, 3)]}).status_code == CONSENT_DUE
        assert ann.said("GET", "/api/consent")["text"] == text
        for other in {0, 1, 3} - {version}:
            answer = ann.ask("POST", "/api/consent", {"version": other})
            assert answer.status_code in (409, 422) and answer.json()["error"], "a version that they have not read"
        for browser in (ann, admin):
            browser.said("POST", "/api/consent", {"version": version})
            browser.said("POST", "/api/consent", {"version": version})  # an answer that was lost on its way
        say(ann, begun, mark(version, 3))  # what was marked before is sent now
        assert len(ann.said("GET", begun)["answers"]) == version
    with study.database.reading() as session:
        kept = sorted((found.version, found.agreed > 1e9) for found in session.scalars(select(Consent)))
    assert kept == [(1, True), (1, True), (2, True), (2, True)]
    assert all(person["consented"] for person in admin.said("GET", "/api/study")["people"])
    admin.said("PUT", "/api/consent", {"text": "  "})
    assert ann.said("GET", "/api/me")["consent_due"] is False, "an empty text asks for nothing"
