"""Routes of signing in and out."""

from __future__ import annotations

from typing import Any

from fastapi import Request, Response
from sqlalchemy import select

from annotation.server.clock import now
from annotation.server.db.tables import BrowserSession, Person
from annotation.server.errors import Refused
from annotation.server.routes.schema import LinkBody, PasswordBody, SignInBody
from annotation.server.security.policies import ANYBODY, ARRIVING, SIGNED_IN, Asking, Routes, Served
from annotation.server.security.sessions import (
    BROWSER_SEC,
    COOKIE,
    SESSION_SEC,
    hash_password,
    password_matches,
    token_hash,
)
from annotation.server.services import people
from annotation.server.study import Study
from rlhf.records.marks import rater_key

ROUTES = Routes()


@ROUTES.add("GET", "/me", ARRIVING)
def me(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return who is signed in, and the token that changes must carry."""
    roles = sorted(visitor.roles)
    return {
        "name": visitor.name, "id": visitor.pseudonym, "roles": roles,
        "csrf": study.signer.csrf(visitor.session), "viewing": study.config.viewing,
        "teaching": study.teacher is not None,
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
        person_id = session.get_one(BrowserSession, token_hash(token)).person_id
    _set_cookies(study, response, person_id, token)
    return {}


@ROUTES.add("POST", "/sign-in/password", ANYBODY)
def sign_in_by_password(body: SignInBody, study: Served, request: Request, response: Response) -> dict[str, Any]:
    """Sign in by name and password."""
    with study.database.reading() as session:
        person = session.scalar(select(Person).where(people.is_named(body.name), Person.active))
    browser = study.signer.browser(request.cookies, person.id) if person else None
    address = request.client.host if request.client else "unknown"
    right = request.app.state.guesses.begin(rater_key(body.name), address, browser)
    if not password_matches(person.password if person else None, body.password) or person is None:
        raise Refused(403, "the name or the password is wrong")
    right()
    with study.database.writing() as session:
        token = people.sign_in(session, person.id, now())
    _set_cookies(study, response, person.id, token)
    return {}


@ROUTES.add("POST", "/me/password", SIGNED_IN)
def set_password(body: PasswordBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Set the visitor's password."""
    hashed = hash_password(body.password)
    with study.database.writing() as session:
        people.set_password(session, visitor.person_id, hashed, visitor.session, now())
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


def _set_cookies(study: Study, response: Response, person_id: str, token: str) -> None:
    signer = study.signer
    for name, value, lasts in (
        (signer.cookie_name, signer.cookie(token), SESSION_SEC),
        (signer.browser_cookie_name, signer.browser_cookie(person_id), BROWSER_SEC),
    ):
        response.set_cookie(
            name, value, max_age=int(lasts), path=study.config.cookie_path, httponly=True, samesite="lax",
            secure=study.config.secure,
        )  # fmt: skip
