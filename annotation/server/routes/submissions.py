"""Submitted work: listed for the study's leader, and sent back."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path

from annotation.server.clock import now
from annotation.server.routes.schema import OpaqueId, ReturnBody
from annotation.server.security.policies import ADMINS, Asking, Routes, Served
from annotation.server.services import submissions
from annotation.server.services.members import project_of

ROUTES = Routes()
_Id = Annotated[OpaqueId, Path()]


@ROUTES.add("GET", "/projects/{project_id}/submissions", ADMINS)
def listed(project_id: _Id, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return a project's submissions: marks, share seen, time of work, and what looks careless."""
    with study.database.reading() as session:
        return submissions.submissions(session, project_of(session, visitor, project_id))


@ROUTES.add("POST", "/submissions/{assignment_id}/return", ADMINS)
def send_back(assignment_id: _Id, body: ReturnBody, study: Served) -> dict[str, Any]:
    """Send work back to its rater, or give its episode to another; its marks leave the dataset."""
    with study.database.writing() as session:
        submissions.send_back(session, assignment_id, body.reason, body.to == "another", now())
    study.exporter.wake()
    return {}
