"""A study that is served inside the test, and browsers of its people."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from annotation.server import sockets
from annotation.server.app import create_app, open_study
from annotation.server.clock import now
from annotation.server.config import DATABASE_FILE, ServeConfig
from annotation.server.db.database import Database
from annotation.server.security import sessions
from annotation.server.security.sessions import COOKIE
from annotation.server.security.visitors import Role
from annotation.server.services import people
from annotation.server.study import Study
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import PATIENCE_SEC
from tests.unit.annotation.server import postgres

STEPS = 12
EPISODES = 3
ORIGIN = "http://localhost"


class Browser:
    """A person's browser: keeps cookies, and sends the token that changes must carry."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.csrf = ""

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        headers = {"X-CSRF-Token": self.csrf, "Origin": ORIGIN} | options.pop("headers", {})
        return self.client.request(method, path, json=body, headers=headers, **options)

    def said(self, method: str, path: str, body: Any = None) -> Any:
        """The answer's JSON; the request must succeed."""
        answer = self.ask(method, path, body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def projects(self) -> dict[str, dict[str, Any]]:
        """The study's projects by dataset, as its leader sees them."""
        return {found["dataset"]: found for found in self.said("GET", "/api/study")["projects"]}

    def person(self, name: str) -> dict[str, Any]:
        """One of the study's people, as its leader sees them."""
        return next(found for found in self.said("GET", "/api/study")["people"] if found["name"] == name)

    def join(self, token: str, name: str = "") -> Browser:
        """Use a link."""
        self.said("POST", "/api/sign-in/link", {"token": token, "name": name})
        self.csrf = self.said("GET", "/api/me")["csrf"]
        return self


both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)

Enter = Callable[..., Browser]
Visit = Callable[[], Browser]


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hash passwords fast: how slow that is meant to be is argon2's own business."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study's folder with one dataset and an empty database: made once, and copied for every test."""
    made = tmp_path_factory.mktemp("made")
    store = open_store(made / "play", create=True)
    for seed in range(EPISODES):
        store.write(synthetic_episode(seed, steps=STEPS, height=12, width=16))
    Database(ServeConfig(data=made).database_url).close()
    return made


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where demonstrations are kept that were played once."""
    return tmp_path_factory.mktemp("played")


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A study's folder with one dataset."""
    shutil.copytree(made / "play", tmp_path / "study" / "play")
    return tmp_path / "study"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL for these tests: of a study's database that is empty."""
    if postgres.program("initdb") is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs PostgreSQL: apt-get install postgresql")
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    with postgres.running() as url:
        Database(url).close()
        yield url


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """The study's empty database; "" is a file in its folder."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return ""
    return postgres.copied(request.getfixturevalue("postgres_server"))


@pytest.fixture
def tableless_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without any table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'annotation.sqlite'}"
    return postgres.copied(request.getfixturevalue("postgres_server"), "template0")


@pytest.fixture(autouse=True)
def workers_start_at_once(forked_workers: None) -> None:
    """Let the processes that draw pictures and act for agents be forks."""


@pytest.fixture
def study(folder: Path, made: Path, database_url: str) -> Study:
    if not database_url:
        shutil.copy(made / DATABASE_FILE, folder)
    return open_study(ServeConfig(data=folder, database=database_url))


@pytest.fixture
def visit(study: Study) -> Iterator[Visit]:
    """Makes browsers of people who are not signed in."""
    app = create_app(study)
    with TestClient(app, base_url=ORIGIN):  # runs the application's start and end

        def browser() -> Browser:
            return Browser(TestClient(app, base_url=ORIGIN, raise_server_exceptions=True))

        yield browser


@pytest.fixture
def enter(study: Study, visit: Visit) -> Enter:
    """Makes browsers of new people: ``enter(Role.RATER, "ann")``."""

    def signed_in(role: Role, name: str) -> Browser:
        with study.database.writing() as session:
            token = people.accept(session, people.invite(session, role, now())[1], name, now())
        browser = visit()  # signed in already: the server lets nobody use links as fast as tests want to
        browser.client.cookies.set(COOKIE, study.signer.cookie(token))
        browser.csrf = study.signer.csrf(token)
        return browser

    return signed_in


@pytest.fixture
def admin(enter: Enter) -> Browser:
    """The study's leader."""
    return enter(Role.ADMIN, "eve")


@pytest.fixture
def ann(enter: Enter) -> Browser:
    """A rater."""
    return enter(Role.RATER, "ann")


@pytest.fixture
def patient_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """No player is lost because they share a busy process with the server, which compiles its world first."""
    monkeypatch.setattr(sockets, "SILENT_SEC", PATIENCE_SEC)
