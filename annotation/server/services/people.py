"""People: invited by a link, signed in, called by a pseudonym outside the database."""

from __future__ import annotations

import secrets
import unicodedata

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from annotation.server.db.tables import BrowserSession, Invitation, Person, PersonRole
from annotation.server.errors import Refused
from annotation.server.security.sessions import SESSION_SEC, new_token, token_hash
from annotation.server.security.visitors import Role
from annotation.server.services import members
from rlhf.records.marks import rater_key, rater_name

INVITATION_SEC = 14 * 24 * 3600.0
ADMIN_LINK_SEC = 3600.0
FRESH_SEC = 3600.0  # time after signing in, in which a password can be replaced
_TERMINAL = "printed by rlhf serve"
TEACHER = "teacher"  # name of the first person of `rlhf teach`


def invite(
    session: Session, role: Role, when: float, *, note: str = "", person_id: str | None = None, lasts: float = 0.0
) -> tuple[Invitation, str]:
    """Return a new invitation and the token of its link, which is not kept."""
    token = new_token()
    expires = when + (lasts or INVITATION_SEC)
    invitation = Invitation(
        token=token_hash(token), role=role, person_id=person_id, note=note, created=when, expires=expires
    )
    session.add(invitation)
    session.flush()
    return invitation, token


def admin_link(session: Session, when: float) -> str:
    """Return the token of a link that signs in the first admin, or makes one. Earlier links of this sort are void."""
    session.execute(delete(Invitation).where(Invitation.note == _TERMINAL, Invitation.used.is_(None)))
    query = select(Person).join(PersonRole).where(PersonRole.role == Role.ADMIN, Person.active)
    first = session.scalar(query.order_by(Person.created).limit(1))
    person_id = first.id if first else None
    return invite(session, Role.ADMIN, when, note=_TERMINAL, person_id=person_id, lasts=ADMIN_LINK_SEC)[1]


def viewers_link(session: Session, when: float) -> str:
    """Return the token of the link that `rlhf look` prints; it signs the one viewer in."""
    viewer = new_person(session, "viewer", Role.ADMIN, when)
    return invite(session, Role.ADMIN, when, note=_TERMINAL, person_id=viewer.id, lasts=ADMIN_LINK_SEC)[1]


def teachers_link(session: Session, when: float) -> str:
    """Return the token of the link that `rlhf teach` prints; it signs in the one who marks, and may invite others."""
    teacher = session.scalar(select(Person).where(is_named(TEACHER)))
    teacher = teacher or new_person(session, TEACHER, Role.ADMIN, when)
    set_roles(session, teacher, {Role.ADMIN, Role.RATER})
    return invite(session, Role.ADMIN, when, note=_TERMINAL, person_id=teacher.id, lasts=ADMIN_LINK_SEC)[1]


def open_invitation(session: Session, token: str, when: float) -> Invitation:
    """Return the invitation of a link. Raises Refused if there is none that still works."""
    query = select(Invitation).where(Invitation.token == token_hash(token)).with_for_update()
    invitation = session.scalar(query)
    if invitation is None or invitation.used is not None or invitation.expires < when:
        raise Refused(404, "this link is unknown, has been used, or is too old; ask for a new one")
    return invitation


def accept(session: Session, token: str, name: str, when: float) -> str:
    """Use a link up.

    Returns the token of a new session of the link's person.

    Raises Refused if the link does not work, or a new person gives no name or one that is taken.
    """
    invitation = open_invitation(session, token, when)
    if invitation.person_id is None:
        person = new_person(session, name, Role(invitation.role), when)
        invitation.person_id = person.id
        members.restrict(session, person.id, members.projects_of_invitation(session, invitation.id))
    else:
        person = session.get_one(Person, invitation.person_id)
        if not person.active:
            raise Refused(403, "this account is closed")
    invitation.used = when
    return sign_in(session, person.id, when)


def is_named(name: str) -> ColumnElement[bool]:
    """Return the condition on people called ``name``, in any case."""
    return func.lower(Person.name) == rater_key(name)


def sign_in(session: Session, person_id: str, when: float) -> str:
    """Return the token of a new session; sessions that have expired are deleted."""
    session.execute(delete(BrowserSession).where(BrowserSession.expires < when))
    token = new_token()
    session.add(BrowserSession(id=token_hash(token), person_id=person_id, created=when, expires=when + SESSION_SEC))
    return token


def sign_out(session: Session, token: str) -> None:
    session.execute(delete(BrowserSession).where(BrowserSession.id == token_hash(token)))


def close_sessions(session: Session, person_id: str, but: str = "") -> None:
    """Sign a person out everywhere, except in the session with the token ``but``."""
    theirs = delete(BrowserSession).where(BrowserSession.person_id == person_id)
    session.execute(theirs.where(BrowserSession.id != token_hash(but)))


def set_password(session: Session, person_id: str, hashed: str, token: str, when: float) -> None:
    """Keep the hash of a person's password. Replacing a password ends the person's other sessions.

    Raises Refused if they replace a password and the session ``token`` is old: another person may be using their
    browser.
    """
    person = session.get_one(Person, person_id)
    if person.password is not None:
        if session.get_one(BrowserSession, token_hash(token)).created < when - FRESH_SEC:
            raise Refused(403, "sign out and in again to change your password, or ask for a new link")
        close_sessions(session, person_id, but=token)
    person.password = hashed


def set_roles(session: Session, person: Person, roles: set[Role]) -> None:
    """Make ``roles`` the person's. Raises Refused if the study would be left without an admin."""
    if Role.ADMIN not in roles:
        refuse_last_admin(session, person)
    person.roles = [PersonRole(person_id=person.id, role=role) for role in sorted(roles)]


def refuse_last_admin(session: Session, person: Person) -> None:
    """Raises Refused if nobody but ``person`` is an active admin."""
    others = select(func.count()).select_from(Person).join(PersonRole)
    others = others.where(PersonRole.role == Role.ADMIN, Person.active, Person.id != person.id)
    if any(role.role == Role.ADMIN for role in person.roles) and not session.scalar(others):
        raise Refused(409, "the study needs an admin; give another person that role first")


def new_person(session: Session, name: str, role: Role, when: float) -> Person:
    """Return a new person with a pseudonym for datasets. Raises Refused if the name is empty or taken."""
    name = rater_name(name)
    if all(unicodedata.category(letter)[0] in "CZ" for letter in name):  # nothing that can be seen
        raise Refused(422, "give a name")
    if session.scalar(select(Person.id).where(is_named(name))) is not None:
        raise Refused(409, f"a person here is called {name} already; choose another name")
    person = Person(name=name, pseudonym=f"p{secrets.token_hex(4)}", created=when, active=True)
    person.roles = [PersonRole(role=role)]
    session.add(person)
    session.flush()
    return person
