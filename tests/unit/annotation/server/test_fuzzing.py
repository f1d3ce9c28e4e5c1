"""Requests that the schema of the API makes up (schemathesis), right and wrong: none ends in an error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from sqlalchemy import select
from starlette.testclient import TestClient

from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.tables import Base
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.server.study import Study
from tests.unit.annotation.server.conftest import ORIGIN

schemathesis = pytest.importorskip("schemathesis")

from schemathesis import Case, GenerationMode  # noqa: E402

EXAMPLES = 5  # of every operation, for everybody who asks


class Stranger:
    """Sends any request, as a person with ``role`` or as nobody."""

    def __init__(self, study: Study, client: TestClient, role: Role | None) -> None:
        self._study, self._client, self._role = study, client, role
        self._token = self._sign_in()

    def _sign_in(self) -> str:
        if self._role is None:
            return ""
        with self._study.database.writing() as session:
            link = people.invite(session, self._role, now())[1]
            return people.accept(session, link, f"the {self._role.value} {link[:8]}", now())

    def send(self, case: Case) -> int:
        """The status of the answer. Whatever is refused is refused in a sentence, and nothing is our fault."""
        options = case.as_transport_kwargs(base_url=ORIGIN)
        options["headers"] = {"Origin": ORIGIN, "X-CSRF-Token": self._study.signer.csrf(self._token)} | {
            name: value for name, value in (options.get("headers") or {}).items() if name.lower() != "x-csrf-token"
        }
        options["cookies"] = None
        self._client.cookies.clear()
        if self._token:
            self._client.cookies.set(COOKIE, self._study.signer.cookie(self._token))
        answer = self._client.request(**options)
        assert answer.status_code < 500 and answer.status_code != 429, (options, answer.status_code, answer.text)
        if answer.status_code >= 400:
            assert answer.json()["error"], options
        if answer.status_code == 401 and self._role is not None:  # it has signed out, or closed its own account
            self._token = self._sign_in()
        return answer.status_code


@pytest.fixture
def fuzzed(folder: Path) -> Iterator[tuple[Study, TestClient]]:
    """A study whose server never says "too many requests"."""
    study = open_study(ServeConfig(data=folder, requests_per_second=1e6))
    with TestClient(create_app(study), base_url=ORIGIN, raise_server_exceptions=False) as client:
        yield study, client


def known_ids(study: Study) -> list[str]:
    """Ids of what the database holds, so that requests reach what lies behind "there is no such thing"."""
    with study.database.reading() as session:
        tables = [table for table in Base.metadata.sorted_tables if "id" in table.columns]
        return [str(id) for table in tables for id in session.scalars(select(table.c.id).limit(5))]


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_request_breaks_the_server(fuzzed: tuple[Study, TestClient], mode: GenerationMode) -> None:
    """Send the same requests as an admin, as a rater and as nobody: to make them up takes longer than to answer."""
    study, client = fuzzed
    strangers = {role: Stranger(study, client, role) for role in (Role.ADMIN, Role.RATER, None)}
    statuses: dict[Role | None, set[int]] = {role: set() for role in strangers}
    schema = schemathesis.openapi.from_dict(create_app(study).openapi())
    for operation in (result.ok() for result in schema.get_all_operations()):

        @seed(0)
        @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode), choice=st.none() | st.integers(0, 10**6))
        def ask(case: Case, choice: int | None) -> None:
            made_up = case.path_parameters
            for role, stranger in strangers.items():
                if choice is not None and made_up:
                    ids = known_ids(study)
                    case.path_parameters = {name: ids[choice % len(ids)] for name in made_up}
                statuses[role].add(stranger.send(case))

        with suppress(Unsatisfiable):  # there is nothing in it that could be wrong
            ask()
    for role, found in statuses.items():
        assert {422} <= found if mode is GenerationMode.NEGATIVE else {200} <= found or role is None
