"""Which projects somebody works in."""

from __future__ import annotations

from sqlalchemy.orm import Session

from annotation.server.errors import Refused
from annotation.server.policies import Visitor
from annotation.server.tables import Project


def project_of(session: Session, visitor: Visitor, project_id: str) -> Project:
    """The project ``project_id``. Raises Refused if there is none, or the visitor is not of it."""
    project = session.get(Project, project_id)
    if project is None:
        raise Refused(404, "there is no such project")
    return project
