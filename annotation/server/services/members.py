"""Which projects a person may see: those they are restricted to, or, if to none, every one. Admins see all.

Whoever looks up a project on behalf of somebody does it here.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.orm import Session

from annotation.server.db.tables import InvitationProject, Membership, Project
from annotation.server.errors import Refused
from annotation.server.security.visitors import Role, Visitor

UNKNOWN = "there is no such project"


def visible_to(person_id: str) -> ColumnElement[bool]:
    """For queries of projects: those that a person who is no admin may see."""
    own = select(Membership.project_id).where(Membership.person_id == person_id)
    return or_(~own.exists(), Project.id.in_(own))


def project_of(session: Session, visitor: Visitor, project_id: str) -> Project:
    """The project, if ``visitor`` may see it. Raises Refused (404) if it does not exist or they are not of it."""
    query = select(Project).where(Project.id == project_id)
    if Role.ADMIN not in visitor.roles:
        query = query.where(visible_to(visitor.person_id))
    project = session.scalar(query)
    if project is None:
        raise Refused(404, UNKNOWN)
    return project


def projects_of(session: Session, visitor: Visitor) -> list[Project]:
    """Every project that ``visitor`` may see, the oldest first."""
    query = select(Project).order_by(Project.created, Project.dataset)
    if Role.ADMIN not in visitor.roles:
        query = query.where(visible_to(visitor.person_id))
    return list(session.scalars(query))


def restrict(session: Session, person_id: str, project_ids: Iterable[str]) -> None:
    """Restrict a person to these projects; to none lifts every restriction. Raises Refused if one does not exist."""
    known = _known(session, project_ids)
    session.execute(delete(Membership).where(Membership.person_id == person_id))
    session.add_all(Membership(project_id=project_id, person_id=person_id) for project_id in known)


def restrict_invitation(session: Session, invitation_id: str, project_ids: Iterable[str]) -> None:
    """Restrict whoever will use an invitation. Raises Refused if a project does not exist."""
    for project_id in _known(session, project_ids):
        session.add(InvitationProject(invitation_id=invitation_id, project_id=project_id))


def projects_of_invitation(session: Session, invitation_id: str) -> list[str]:
    """Ids of the projects that an invitation restricts to."""
    query = select(InvitationProject.project_id).where(InvitationProject.invitation_id == invitation_id)
    return list(session.scalars(query))


def _known(session: Session, project_ids: Iterable[str]) -> set[str]:
    wanted = set(project_ids)
    known = set(session.scalars(select(Project.id).where(Project.id.in_(wanted))))
    if known != wanted:
        raise Refused(404, UNKNOWN)
    return known
