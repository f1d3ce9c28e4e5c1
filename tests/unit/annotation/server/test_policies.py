"""Deny by default: every route, as every role and as nobody."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from annotation.server.app import create_app
from annotation.server.security.policies import Policy, policy_of, refuse_unguarded
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from tests.unit.annotation.server.conftest import Browser

ANYBODY = frozenset(Role) | {None}
SIGNED_IN = frozenset(Role)
ADMIN, RATER, JUDGE = (frozenset({role}) for role in (Role.ADMIN, Role.RATER, Role.JUDGE))
PLAYER = frozenset({Role.ADMIN, Role.SETTER, Role.SOLVER, Role.CO_PILOT})

# Who may use what, said once more and by hand: a new route must be added here, and by that be thought about.
EXPECTED: dict[tuple[str, str], frozenset[Role | None]] = {
    ("GET", "/"): ANYBODY,
    ("GET", "/join"): ANYBODY,
    ("GET", "/mark"): ANYBODY,
    ("GET", "/judge"): ANYBODY,
    ("GET", "/compare"): ANYBODY,
    ("GET", "/watch"): ANYBODY,
    ("GET", "/study"): ANYBODY,
    ("GET", "/play"): ANYBODY,
    ("GET", "/static/{name}"): ANYBODY,
    ("GET", "/service-worker.js"): ANYBODY,
    ("POST", "/api/sign-in/look"): ANYBODY,
    ("POST", "/api/sign-in/link"): ANYBODY,
    ("POST", "/api/sign-in/password"): ANYBODY,
    ("GET", "/api/openapi.json"): SIGNED_IN,
    ("GET", "/api/me"): SIGNED_IN,
    ("POST", "/api/me/password"): SIGNED_IN,
    ("POST", "/api/sign-out"): SIGNED_IN,
    ("GET", "/api/study"): ADMIN,
    ("PATCH", "/api/projects/{project_id}"): ADMIN,
    ("GET", "/api/projects/{project_id}/measures"): ADMIN,
    ("GET", "/api/projects/{project_id}/submissions"): ADMIN,
    ("POST", "/api/submissions/{assignment_id}/return"): ADMIN,
    ("POST", "/api/invitations"): ADMIN,
    ("DELETE", "/api/invitations/{invitation_id}"): ADMIN,
    ("PATCH", "/api/people/{person_id}"): ADMIN,
    ("POST", "/api/people/{person_id}/link"): ADMIN,
    ("POST", "/api/export"): ADMIN,
    ("POST", "/api/people/{person_id}/removal"): ADMIN,
    ("GET", "/api/tasks/marking"): RATER,
    ("POST", "/api/tasks/marking/next"): RATER,
    ("GET", "/api/tasks/marking/{assignment_id}"): RATER,
    ("GET", "/api/tasks/marking/{assignment_id}/frames"): RATER,
    ("PUT", "/api/tasks/marking/{assignment_id}/answers"): RATER,
    ("POST", "/api/tasks/marking/{assignment_id}/submit"): RATER,
    ("GET", "/api/tasks/judging"): JUDGE,
    ("POST", "/api/tasks/judging/next"): JUDGE,
    ("GET", "/api/tasks/judging/{assignment_id}"): JUDGE,
    ("GET", "/api/tasks/judging/{assignment_id}/frames"): JUDGE,
    ("PUT", "/api/tasks/judging/{assignment_id}/answers"): JUDGE,
    ("POST", "/api/tasks/judging/{assignment_id}/submit"): JUDGE,
    ("GET", "/api/tasks/inferring"): RATER,
    ("POST", "/api/tasks/inferring/next"): RATER,
    ("GET", "/api/tasks/inferring/{assignment_id}"): RATER,
    ("GET", "/api/tasks/inferring/{assignment_id}/frames"): RATER,
    ("PUT", "/api/tasks/inferring/{assignment_id}/answers"): RATER,
    ("POST", "/api/tasks/inferring/{assignment_id}/submit"): RATER,
    ("GET", "/api/tasks/comparing"): RATER,
    ("POST", "/api/tasks/comparing/next"): RATER,
    ("GET", "/api/tasks/comparing/{assignment_id}"): RATER,
    ("GET", "/api/tasks/comparing/{assignment_id}/frames"): RATER,
    ("PUT", "/api/tasks/comparing/{assignment_id}/answers"): RATER,
    ("POST", "/api/tasks/comparing/{assignment_id}/submit"): RATER,
    ("GET", "/api/tasks/marking/projects"): ADMIN,
    ("PATCH", "/api/tasks/marking/projects/{project_id}"): ADMIN,
    ("GET", "/api/tasks/inferring/projects"): ADMIN,
    ("PATCH", "/api/tasks/inferring/projects/{project_id}"): ADMIN,
    ("GET", "/api/tasks/comparing/projects"): ADMIN,
    ("PATCH", "/api/tasks/comparing/projects/{project_id}"): ADMIN,
    ("GET", "/api/tasks/judging/projects"): ADMIN,
    ("PATCH", "/api/tasks/judging/projects/{project_id}"): ADMIN,
    ("GET", "/api/tasks/marking/{assignment_id}/feedback"): RATER,
    ("PUT", "/api/gold/{episode_id}"): ADMIN,
    ("DELETE", "/api/gold/{episode_id}"): ADMIN,
    ("GET", "/look"): ANYBODY,
    ("GET", "/consent"): ANYBODY,
    ("GET", "/api/look"): ADMIN,
    ("GET", "/api/look/{project_id}"): ADMIN,
    ("GET", "/api/look/{project_id}/episodes"): ADMIN,
    ("GET", "/api/look/{project_id}/episodes/{episode_id}"): ADMIN,
    ("GET", "/api/look/{project_id}/episodes/{episode_id}/frames"): ADMIN,
    ("POST", "/api/look/{project_id}/episodes/{episode_id}/trace"): ADMIN,
    ("GET", "/api/consent"): SIGNED_IN,
    ("POST", "/api/consent"): SIGNED_IN,
    ("PUT", "/api/consent"): ADMIN,
    ("GET", "/api/play"): PLAYER,
    ("POST", "/api/play/datasets"): ADMIN,
    ("POST", "/api/play/games"): PLAYER,
    ("POST", "/api/play/tutorial"): PLAYER,
    ("GET", "/api/play/games/{game_id}"): PLAYER,
    ("POST", "/api/play/games/{game_id}/join"): PLAYER,
    ("POST", "/api/play/games/{game_id}/leave"): PLAYER,
    ("SOCKET", "/api/play/games/{game_id}/socket"): PLAYER,
}


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
    role: Role | None, study: Study, visit: Callable[[], Browser], enter: Callable[..., Browser]
) -> None:
    last = ("/api/sign-out", "/api/me/password")  # they change who asks
    newcomer = enter(role, "ann") if role else visit()
    for method, path, _ in sorted(routes(create_app(study)), key=lambda route: route[1] in last):
        browser = enter(role, f"{method} {path}") if role and path in last else newcomer
        expected = None if role in EXPECTED[method, path] else 403 if role else 401
        assert refused(browser, method, path) == expected, (method, path, role)


def test_an_unguarded_route_keeps_the_server_from_starting(study: Study) -> None:
    app = create_app(study)
    app.add_api_route("/open", lambda: None)
    with pytest.raises(RuntimeError, match="/open has no policy"):
        refuse_unguarded(app)


def test_a_mounted_application_keeps_the_server_from_starting(study: Study) -> None:
    app = create_app(study)
    app.mount("/files", FastAPI())
    with pytest.raises(RuntimeError, match="/files has no policy"):
        refuse_unguarded(app)


def test_changes_need_the_sessions_token(enter: Callable[..., Browser]) -> None:
    admin, other = enter(Role.ADMIN, "ann"), enter(Role.ADMIN, "bob")
    for token in ("", "wrong", other.csrf, "\u00e9".encode()):
        answer = admin.ask("POST", "/api/invitations", {"role": "rater"}, headers={"X-CSRF-Token": token})
        assert answer.status_code == 403 and "X-CSRF-Token" in answer.json()["error"]
    assert admin.ask("POST", "/api/invitations", {"role": "rater"}).status_code == 200


@pytest.mark.parametrize("path", ["/api/invitations", "/api/sign-in/link"])
def test_changes_from_another_site_are_refused(path: str, enter: Callable[..., Browser]) -> None:
    answer = enter(Role.ADMIN, "ann").ask("POST", path, {"role": "rater"}, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403 and "another site" in answer.json()["error"]
