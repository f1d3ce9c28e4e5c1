"""Consent: a text with versions, and who agreed to which version when."""

from __future__ import annotations

from sqlalchemy import ScalarSelect, func, select
from sqlalchemy.orm import Session

from annotation.server.db.tables import Consent, ConsentText
from annotation.server.errors import Refused

_latest = select(func.max(ConsentText.version)).scalar_subquery()


def wanted_version() -> ScalarSelect[int]:
    """Return, for queries, the version that has to be agreed to; null if there is none."""
    query = select(ConsentText.version).where(ConsentText.version == _latest, ConsentText.text != "")
    return query.scalar_subquery()


def present(session: Session) -> ConsentText | None:
    """Return the text that has to be agreed to; None if there is none."""
    return session.scalar(select(ConsentText).where(ConsentText.version == wanted_version()))


def agreed(session: Session, person_id: str) -> Consent | None:
    """Return a person's consent to the present version; None if they have not given it."""
    query = select(Consent).where(Consent.person_id == person_id, Consent.version == wanted_version())
    return session.scalar(query)


def publish(session: Session, text: str, when: float) -> int:
    """Make ``text`` the next version, to which everybody has to agree again; "" asks for nothing. Return its number."""
    version = (session.scalar(select(func.max(ConsentText.version))) or 0) + 1
    session.add(ConsentText(version=version, text=text.strip(), created=when))
    return version


def agree(session: Session, person_id: str, version: int, when: float) -> None:
    """Note that a person agrees. Raises Refused if that version is no longer the present one."""
    wanted = present(session)
    if wanted is None or wanted.version != version:
        raise Refused(409, "the text has changed meanwhile; read it again")
    if session.get(Consent, (person_id, version)) is None:
        session.add(Consent(person_id=person_id, version=version, agreed=when))
