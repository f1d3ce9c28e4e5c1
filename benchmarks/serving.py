"""Servers of the web app with simulated users, for its benchmarks and tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import update

from annotation.server.clock import now
from annotation.server.config import ServeConfig
from annotation.server.db.database import Database
from annotation.server.db.tables import TaskProject
from annotation.server.security.sessions import COOKIE, Signer, load_secret
from annotation.server.security.visitors import Role
from annotation.server.services import people
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode

PATIENCE_SEC = 900.0  # it only ends what would hang for ever
TAKES_OVER = 8  # the step at which the agent takes over in a continuation


def make_study(folder: Path, episodes: int, steps: int) -> None:
    """Create a study's folder with a dataset of synthetic play."""
    store = open_store(folder / "play", create=True)
    for seed in range(episodes):
        store.write(synthetic_episode(seed, steps=steps, height=72, width=96))


def make_suite(folder: Path, continuations: int, steps: int) -> dict[str, str]:
    """Create a study's folder with a dataset of continuations to judge; return their ids by request."""
    store, asked = open_store(folder / "sts", create=True), {}
    for number in range(continuations):
        request = f"lift number {number}"
        about = {
            "suite": "suite", "name": f"s{number:03d}", "agent": "made-up", "number": 0, "step": TAKES_OVER,
            "request_step": TAKES_OVER - 1, "request": request, "kind": "instruction-following",
            "limit": steps - TAKES_OVER, "episode": f"of-{number}", "player": "agent:made-up",
        }  # fmt: skip
        made = synthetic_episode(number, steps=steps, height=72, width=96)
        store.write(replace(made, notes={"scenario": about}))
        asked[request] = made.episode_id
    return asked


def ask_everybody(folder: Path, people: int) -> None:
    """Set the number of people who mark, or judge, every episode; no server may be running."""
    database = Database(ServeConfig(data=folder).database_url)
    with database.writing() as session:
        session.execute(update(TaskProject).values(overlap=people))
    database.close()


@contextmanager
def served(folder: Path, *settings: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Yield process, URL and admin's link of a running server of ``folder``, which is killed at the end."""
    with running("serve", folder, *settings) as found:
        yield found


@contextmanager
def running(verb: str, folder: Path, *settings: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Do the same as :func:`served` for any command that prints a link."""
    process = start([verb, "--data", str(folder), "--port", "0", *settings])
    try:
        link = printed_link(process)
        yield process, link.partition("/join#")[0], link
    finally:
        process.kill()
        process.communicate()


def start(words: list[str]) -> subprocess.Popen[str]:
    """Start `rlhf` with the arguments ``words``; its standard output is a pipe."""
    command = [sys.executable, "-m", "pipelines.cli.main", *words]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def printed_link(process: subprocess.Popen[str]) -> str:
    """Return the link that a server prints when it listens. Raises RuntimeError if it ends before."""
    assert process.stdout is not None
    for line in process.stdout:
        if "/join#" in line:
            return "http" + line.strip().partition("http")[2]
    raise RuntimeError(f"the server ended with status {process.wait()} before it served")


def new_people(folder: Path, role: Role, count: int) -> list[str]:
    """Return cookies of ``count`` new people with ``role``, created in the database; a server may be running."""
    return [new_person(folder, role) for _ in range(count)]


def new_person(folder: Path, role: Role, name: str = "") -> str:
    """Return the cookie of a new person with ``role``; without a name they get a unique one."""
    config = ServeConfig(data=folder)
    database, signer = Database(config.database_url), Signer(load_secret(folder))
    with database.writing() as session:
        token = people.invite(session, role, now())[1]
        cookie = signer.cookie(people.accept(session, token, name or f"{role} {token[:8]}", now()))
    database.close()
    return cookie


class RaterClient:
    """A rater or judge who sends the requests of a browser."""

    def __init__(self, url: str, cookie: str) -> None:
        self._client = httpx.Client(base_url=url, cookies={COOKIE: cookie}, timeout=PATIENCE_SEC)
        self._client.headers["X-CSRF-Token"] = self.ask("GET", "/api/me").json()["csrf"]

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Return the server's answer. Raises httpx.HTTPError if there is none or it is an error."""
        return self._client.request(method, path, json=body).raise_for_status()

    def begin(self) -> str | None:
        """Return the path of the next episode; None if there is none."""
        found = self.ask("POST", "/api/tasks/marking/next").json()["assignment"]
        return found and f"/api/tasks/marking/{found}"

    def close(self) -> None:
        """Close its connections."""
        self._client.close()
