"""The projects that a person may see: those they are restricted to, or, if to none, every one. Admins see all.

Every look-up of a project for a person is done here.
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
    """Return the condition on projects that a person who is not an admin may see."""
    own = select(Membership.project_id).where(Membership.person_id == person_id)
    return or_(~own.exists(), Project.id.in_(own))


def project_of(session: Session, visitor: Visitor, project_id: str) -> Project:
    """Return the project. Raises Refused (404) if it does not exist or ``visitor`` may not see it."""
    query = select(Project).where(Project.id == project_id)
    if Role.ADMIN not in visitor.roles:
        query = query.where(visible_to(visitor.person_id))
    project = session.scalar(query)
    if project is None:
        raise Refused(404, UNKNOWN)
    return project


def projects_of(session: Session, visitor: Visitor) -> list[Project]:
    """Return every project that ``visitor`` may see, the oldest first."""
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
    """Restrict the person who will use an invitation. Raises Refused if a project does not exist."""
    for project_id in _known(session, project_ids):
        session.add(InvitationProject(invitation_id=invitation_id, project_id=project_id))


def projects_of_invitation(session: Session, invitation_id: str) -> list[str]:
    """Return ids of the projects that an invitation restricts to."""
    query = select(InvitationProject.project_id).where(InvitationProject.invitation_id == invitation_id)
    return list(session.scalars(query))


def _known(session: Session, project_ids: Iterable[str]) -> set[str]:
    wanted = set(project_ids)
    known = set(session.scalars(select(Project.id).where(Project.id.in_(wanted))))
    if known != wanted:
        raise Refused(404, UNKNOWN)
    return known
