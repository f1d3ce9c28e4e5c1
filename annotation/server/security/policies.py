"""Policies: the roles that may use each route. The server does not start with a route without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from sqlalchemy import and_, bindparam, select
from starlette.requests import HTTPConnection

from annotation.server.clock import now
from annotation.server.db.tables import BrowserSession, Consent, Person, PersonRole
from annotation.server.errors import Refused
from annotation.server.security.consent import wanted_version
from annotation.server.security.limits import TOO_MANY
from annotation.server.security.sessions import CSRF_HEADER, token_hash
from annotation.server.security.visitors import Role, Visitor
from annotation.server.study import Study, study_of

Function = TypeVar("Function", bound=Callable[..., Any])
CONSENT_DUE = 428  # status of a request that is refused until its person has agreed
_SAFE_METHODS = ("GET", "HEAD")
# The person of a session, a row for each of their roles. Every request runs it: built once, and of columns only.
_WHO = (
    select(
        Person.id, Person.name, Person.pseudonym, BrowserSession.expires, wanted_version().label("wanted"),
        Consent.version, PersonRole.role,
    )
    .select_from(Person)
    .join(BrowserSession, BrowserSession.person_id == Person.id)
    .outerjoin(PersonRole, PersonRole.person_id == Person.id)
    .outerjoin(Consent, and_(Consent.person_id == Person.id, Consent.version == wanted_version()))
    .where(BrowserSession.id == bindparam("session"), Person.active)
)  # fmt: skip


@dataclass(frozen=True)
class Policy:
    """The people who may use a route.

    Args:
      roles: roles that may use it; None: anybody, signed in or not.
      consented: only people who have agreed to the present consent text, if there is one.
    """

    name: str
    roles: frozenset[Role] | None
    consented: bool = True

    def admits(self, roles: Iterable[Role]) -> bool:
        """Return whether a person with these roles may use the route; without a person there are none."""
        return self.roles is None or not self.roles.isdisjoint(roles)


ANYBODY = Policy("anybody", None)
SIGNED_IN = Policy("signed in", frozenset(Role))
ARRIVING = Policy("signed in, before agreeing to anything", frozenset(Role), consented=False)
ADMINS = Policy("admins", frozenset({Role.ADMIN}))
RATERS = Policy("raters", frozenset({Role.RATER}))
JUDGES = Policy("judges", frozenset({Role.JUDGE}))
_PLAYING = frozenset({Role.SETTER, Role.SOLVER, Role.CO_PILOT, Role.ADMIN})
PLAYERS = Policy("players", _PLAYING)
IN_GAMES = Policy("players, and raters who ask an agent that they teach", _PLAYING | {Role.RATER})


def visitor_of(connection: HTTPConnection) -> Visitor | None:
    """Return the person whose session the connection belongs to; None if there is none."""
    study = study_of(connection)
    token = study.signer.session(connection.cookies)
    if token is None:
        return None
    with study.database.reading() as session:
        rows = session.execute(_WHO, {"session": token_hash(token)}).all()
    if not rows or rows[0].expires < now():
        return None
    found = rows[0]
    roles = frozenset(Role(row.role) for row in rows if row.role is not None)
    due = found.wanted is not None and found.version is None
    return Visitor(found.id, found.name, found.pseudonym, roles, token, due)


class Guard:
    """The check before every handler: admits by ``policy``, and refuses forged requests and too many."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __call__(self, connection: HTTPConnection) -> None:
        visitor = visitor_of(connection) if self.policy.roles is not None else None
        connection.state.visitor = visitor
        if self.policy.roles is not None:
            if visitor is None:
                raise Refused(401, "sign in first")
            if wait := connection.app.state.rates.person.wait(visitor.person_id):
                raise Refused(429, TOO_MANY, retry_sec=wait)
            if not self.policy.admits(visitor.roles):
                raise Refused(403, "your role does not allow this")
            if visitor.consent_due and self.policy.consented:
                raise Refused(CONSENT_DUE, "agree to the study's terms first")
        if connection.scope.get("method") in _SAFE_METHODS:
            return
        _refuse_strangers(connection)
        if visitor is not None and "method" in connection.scope:
            said = connection.headers.get(CSRF_HEADER, "")
            if not study_of(connection).signer.csrf_matches(visitor.session, said):
                raise Refused(403, f"the header {CSRF_HEADER} is missing or wrong; load the page again")


def _refuse_strangers(connection: HTTPConnection) -> None:
    """Refuse requests and sockets that come from another site, as browsers report it."""
    origin = connection.headers.get("origin")
    if origin is not None and origin not in study_of(connection).origins(connection.headers.get("host", "")):
        raise Refused(403, "the request comes from another site")


async def asking(connection: HTTPConnection) -> Visitor:
    """Return the person, for handlers behind a policy with roles."""
    assert connection.state.visitor is not None
    return connection.state.visitor


async def served(connection: HTTPConnection) -> Study:
    """Return the study, for handlers."""
    return study_of(connection)


Asking = Annotated[Visitor, Depends(asking)]
Served = Annotated[Study, Depends(served)]


class Routes:
    """The routes of one module, each with its policy. They are built once, for every application of a process."""

    def __init__(self, prefix: str = "/api") -> None:
        self._prefix = prefix
        self._router = APIRouter()

    def add(self, method: str, path: str, policy: Policy, **options: Any) -> Callable[[Function], Function]:
        """Register the decorated handler; ``options`` are FastAPI's."""

        def register(handler: Function) -> Function:
            self._router.add_api_route(
                self._prefix + path, handler, methods=[method], dependencies=[Depends(Guard(policy))], **options
            )
            return handler

        return register

    def socket(self, path: str, policy: Policy) -> Callable[[Function], Function]:
        """Register the decorated handler of a WebSocket."""

        def register(handler: Function) -> Function:
            depends = [Depends(Guard(policy))]
            self._router.add_api_websocket_route(self._prefix + path, handler, dependencies=depends)
            return handler

        return register

    def add_to(self, app: FastAPI) -> None:
        """Add the routes to the application, which FastAPI's own way would build again."""
        app.router.routes.extend(self._router.routes)


def policy_of(route: Any) -> Policy | None:
    """Return the policy of ``route``; None if there is none."""
    if not isinstance(route, (APIRoute, APIWebSocketRoute)):
        return None
    guards = [depends.dependency for depends in route.dependencies if isinstance(depends.dependency, Guard)]
    return guards[0].policy if guards else None


def refuse_unguarded(app: FastAPI) -> None:
    """Check all routes. Raises RuntimeError if one has no policy."""
    for route in app.routes:
        if policy_of(route) is None:
            raise RuntimeError(f"the route {getattr(route, 'path', route)} has no policy; register it by Routes")
