"""Routes of gold episodes, which admins choose."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from sqlalchemy.orm import Session

from annotation.server.clock import now
from annotation.server.db.tables import EpisodeRecord, GoldEpisode
from annotation.server.errors import Refused
from annotation.server.routes.schema import GoldBody, OpaqueId
from annotation.server.security.policies import ADMINS, Asking, Routes, Served
from annotation.server.security.visitors import Visitor
from annotation.server.services import gold, viewer
from annotation.server.services.members import project_of

ROUTES = Routes()
_Id = Annotated[OpaqueId, Path()]


@ROUTES.add("PUT", "/gold/{episode_id}", ADMINS)
def make_gold(episode_id: _Id, body: GoldBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Make an episode gold with the marks of one rater, or change its purpose."""
    with study.database.writing() as session:
        record = _known(session, visitor, episode_id)
        study.datasets.check(record)
        marks = viewer.marks_of_all(session, study.datasets.store(record.project.dataset), record)
        gold.make_gold(session, record, marks, body.rater, body.purpose, now())
    return {}


@ROUTES.add("DELETE", "/gold/{episode_id}", ADMINS)
def no_longer_gold(episode_id: _Id, study: Served, visitor: Asking) -> dict[str, Any]:
    """Make an episode an ordinary one again."""
    with study.database.writing() as session:
        found = session.get(GoldEpisode, _known(session, visitor, episode_id).id)
        if found is not None:
            session.delete(found)
    return {}


def _known(session: Session, visitor: Visitor, episode_id: str) -> EpisodeRecord:
    record = session.get(EpisodeRecord, episode_id)
    if record is None:
        raise Refused(404, "there is no such episode")
    project_of(session, visitor, record.project_id)
    return record
