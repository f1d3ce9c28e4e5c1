"""Nothing can be done before agreeing to the present consent text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from annotation.server.app import create_app
from annotation.server.db.tables import Consent
from annotation.server.security.policies import ANYBODY, ARRIVING, CONSENT_DUE
from annotation.server.security.visitors import Role
from annotation.server.study import Study
from tests.unit.annotation.server.conftest import Browser
from tests.unit.annotation.server.test_policies import EXPECTED, routes

Enter = Callable[..., Browser]
BEFORE = {("GET", "/api/me"), ("POST", "/api/sign-out"), ("GET", "/api/consent"), ("POST", "/api/consent")}


@pytest.mark.parametrize("role", Role)
def test_every_route_waits_for_consent(role: Role, enter: Enter, study: Study) -> None:
    app = create_app(study)
    waits = {(method, path) for method, path, policy in routes(app) if policy.consented and policy is not ANYBODY}
    assert {route for route, roles in EXPECTED.items() if None not in roles} - waits == BEFORE
    someone, admin = enter(role, "ann"), enter(Role.ADMIN, "eve")
    admin.said("PUT", "/api/consent", {"text": "We keep your marks."})
    for method, path in sorted(waits):
        if role in EXPECTED[method, path] and method != "SOCKET":
            answer = someone.ask(method, path.replace("{", "").replace("}", ""), {} if method != "GET" else None)
            assert answer.status_code == CONSENT_DUE, (method, path, answer.text)
    assert someone.said("GET", "/api/me")["consent_due"] is True
    assert ARRIVING.roles == frozenset(Role)


def test_agreeing_opens_the_study_until_the_text_changes(enter: Enter, study: Study) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    assert ann.said("GET", "/api/consent") == {"version": 0, "text": "", "agreed": None}
    for version, text in ((1, "First."), (2, "Second.")):
        assert admin.said("PUT", "/api/consent", {"text": text}) == {"version": version}
        assert ann.ask("POST", "/api/tasks/marking/next").status_code == CONSENT_DUE
        assert ann.said("GET", "/api/consent")["text"] == text
        for browser in (ann, admin):
            browser.said("POST", "/api/consent", {"version": version})
            browser.said("POST", "/api/consent", {"version": version})  # an answer that was lost on its way
        assert ann.said("POST", "/api/tasks/marking/next")["assignment"]
    with study.database.reading() as session:
        kept = sorted((found.version, found.agreed > 1e9) for found in session.scalars(select(Consent)))
    assert kept == [(1, True), (1, True), (2, True), (2, True)]
    assert all(person["consented"] for person in admin.said("GET", "/api/study")["people"])


def test_nobody_agrees_to_another_version_than_they_have_read(enter: Enter) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    admin.said("PUT", "/api/consent", {"text": "First."})
    admin.said("POST", "/api/consent", {"version": 1})
    admin.said("PUT", "/api/consent", {"text": "Second."})
    for version in (1, 3):
        answer = ann.ask("POST", "/api/consent", {"version": version})
        assert answer.status_code == 409 and "read it again" in answer.json()["error"]


def test_an_empty_text_asks_for_nothing(enter: Enter) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    admin.said("PUT", "/api/consent", {"text": "First."})
    admin.said("POST", "/api/consent", {"version": 1})
    admin.said("PUT", "/api/consent", {"text": "  "})
    assert (
        ann.said("POST", "/api/tasks/marking/next")["assignment"] and ann.said("GET", "/api/me")["consent_due"] is False
    )


def test_marks_that_were_given_before_are_kept_and_can_be_sent_after_agreeing(enter: Enter) -> None:
    admin, ann = enter(Role.ADMIN, "eve"), enter(Role.RATER, "ann")
    place = f"/api/tasks/marking/{ann.said('POST', '/api/tasks/marking/next')['assignment']}"
    mark = {"id": "00000000-0000-0000-0000-000000000001", "revision": 1, "step": 3, "sign": 1}
    admin.said("PUT", "/api/consent", {"text": "First."})
    assert ann.ask("PUT", f"{place}/answers", {"answers": [mark]}).status_code == CONSENT_DUE
    ann.said("POST", "/api/consent", {"version": 1})
    ann.said("PUT", f"{place}/answers", {"answers": [mark]})
    assert len(ann.said("GET", place)["answers"]) == 1
