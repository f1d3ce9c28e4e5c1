"""Which projects somebody may see. Whoever looks up a project on behalf of somebody does it here."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from annotation.server.errors import Refused
from annotation.server.policies import Visitor
from annotation.server.tables import Project


def project_of(session: Session, visitor: Visitor, project_id: str) -> Project:
    """The project. Raises Refused (404) if it does not exist or ``visitor`` is not of it."""
    project = session.get(Project, project_id)
    if project is None:
        raise Refused(404, "there is no such project")
    return project


def projects_of(session: Session, visitor: Visitor) -> list[Project]:
    """Every project that ``visitor`` may see, the oldest first."""
    return list(session.scalars(select(Project).order_by(Project.created, Project.dataset)))
