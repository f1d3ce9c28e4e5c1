"""Routes of signing in and out."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from sqlalchemy import select

from annotation.server.clock import now
from annotation.server.db.tables import Person
from annotation.server.errors import Refused
from annotation.server.routes.schema import LinkBody, PasswordBody, SignInBody
from annotation.server.security.policies import ANYBODY, ARRIVING, SIGNED_IN, Asking, Routes, Served
from annotation.server.security.sessions import COOKIE, SESSION_SEC, hash_password, password_matches
from annotation.server.services import people
from annotation.server.study import Study

ROUTES = Routes()


@ROUTES.add("GET", "/me", ARRIVING)
def me(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return who is signed in, and the token that changes must carry."""
    roles = sorted(visitor.roles)
    return {
        "name": visitor.name, "id": visitor.pseudonym, "roles": roles,
        "csrf": study.signer.csrf(visitor.session), "viewing": study.config.viewing,
        "consent_due": visitor.consent_due,
    }  # fmt: skip


@ROUTES.add("POST", "/sign-in/look", ANYBODY)
def look(body: LinkBody, study: Served) -> dict[str, Any]:
    """Return what a link is for, without using it up."""
    with study.database.reading() as session:
        invitation = people.open_invitation(session, body.token, now())
        return {"role": invitation.role, "new": invitation.person_id is None}


@ROUTES.add("POST", "/sign-in/link", ANYBODY)
def sign_in_by_link(body: LinkBody, study: Served, response: Response) -> dict[str, Any]:
    """Sign in by a link, which is used up."""
    with study.database.writing() as session:
        token = people.accept(session, body.token, body.name, now())
    _set_cookie(study, response, token)
    return {}


@ROUTES.add("POST", "/sign-in/password", ANYBODY)
def sign_in_by_password(body: SignInBody, study: Served, response: Response) -> dict[str, Any]:
    """Sign in by name and password."""
    with study.database.reading() as session:
        person = session.scalar(select(Person).where(people.is_named(body.name), Person.active))
    if not password_matches(person.password if person else None, body.password) or person is None:
        raise Refused(403, "the name or the password is wrong")
    with study.database.writing() as session:
        token = people.sign_in(session, person.id, now())
    _set_cookie(study, response, token)
    return {}


@ROUTES.add("POST", "/me/password", SIGNED_IN)
def set_password(body: PasswordBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Set the visitor's password."""
    hashed = hash_password(body.password)
    with study.database.writing() as session:
        session.get_one(Person, visitor.person_id).password = hashed
    return {}


@ROUTES.add("POST", "/sign-out", ARRIVING)
def sign_out(study: Served, visitor: Asking, response: Response) -> dict[str, Any]:
    """Sign out on this browser."""
    with study.database.writing() as session:
        people.sign_out(session, visitor.session)
    for name in (study.signer.cookie_name, COOKIE):
        response.delete_cookie(
            name, path=study.config.cookie_path, httponly=True, samesite="lax", secure=study.config.secure
        )
    return {}


def _set_cookie(study: Study, response: Response, token: str) -> None:
    response.set_cookie(
        study.signer.cookie_name, study.signer.cookie(token), max_age=int(SESSION_SEC),
        path=study.config.cookie_path, httponly=True, samesite="lax", secure=study.config.secure,
    )  # fmt: skip
