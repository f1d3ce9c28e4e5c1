"""Routes of the page *Teach*: how far teaching has come, and the beginning of training and of the next round."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from sqlalchemy import update

from annotation.server.clock import now
from annotation.server.db.tables import TaskProject
from annotation.server.export.submitted import NotExported
from annotation.server.security.policies import ADMINS, RATERS, Asking, Routes, Served
from annotation.server.services.items import compare_by_place
from annotation.server.study import Study
from annotation.server.teacher import Teacher
from annotation.tasks import COMPARING, MARKING

ROUTES = Routes("/api/teach")


@ROUTES.add("GET", "", RATERS)
def state(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return how far teaching has come."""
    return asdict(_teacher(study).state(visitor.pseudonym))


@ROUTES.add("POST", "/train", ADMINS)
def train(study: Served) -> dict[str, Any]:
    """Begin to train the agent on all that was said so far."""
    with suppress(NotExported):  # of single clips, which the study's leader is told
        study.exporter.now()
    teacher = _teacher(study)
    with study.database.writing() as session:
        compare_by_place(session, *teacher.comparison(), now())
    teacher.train()
    return {}


@ROUTES.add("POST", "/again", ADMINS)
def again(study: Served) -> dict[str, Any]:
    """Begin the next round; clips and pairs of those before are handed out no more."""
    _teacher(study).again()
    kinds = (MARKING.kind, COMPARING.kind)
    with study.database.writing() as session:
        session.execute(update(TaskProject).where(TaskProject.kind.in_(kinds)).values(open=False))
    return {}


def _teacher(study: Study) -> Teacher:
    assert study.teacher is not None  # without one there are no such routes
    return study.teacher
