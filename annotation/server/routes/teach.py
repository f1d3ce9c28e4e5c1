"""Routes of the page *Teach*: how far teaching has come, and the beginning of games, training and the next round."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from sqlalchemy import update

from annotation.server.clock import now
from annotation.server.db.tables import TaskProject
from annotation.server.errors import Refused
from annotation.server.export.submitted import NotExported
from annotation.server.routes.play import begin
from annotation.server.security.policies import ADMINS, RATERS, Asking, Routes, Served
from annotation.server.services.active_game import GameRequest
from annotation.server.services.asking import askable, project_of_asked
from annotation.server.services.datasets import game_sources, recorded_places
from annotation.server.services.items import compare_by_place
from annotation.server.study import Study
from annotation.server.teacher import Teacher
from annotation.session.states import Kind, Role
from annotation.tasks import COMPARING, MARKING
from worlds.errors import UserError

ROUTES = Routes("/api/teach")


@ROUTES.add("GET", "", RATERS)
def state(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return how far teaching has come, and whether people can ask the agent themselves now."""
    asks = False
    with suppress(Refused, UserError):
        askable(study.datasets, _teacher(study).agent())
        asks = True
    return asdict(_teacher(study).state(visitor.pseudonym)) | {"asks": asks}


@ROUTES.add("POST", "/ask", RATERS)
def ask(study: Served, visitor: Asking) -> dict[str, Any]:
    """Begin a game in which this person asks the agent; it is the next clip that they mark."""
    taught = _teacher(study).agent()
    agent = askable(study.datasets, taught)
    project = project_of_asked(study.database, study.datasets, taught, now())
    places = game_sources(project, recorded_places(study.datasets))
    request = GameRequest(
        project.id, taught.asked, Kind.HUMAN_AGENT, agent=agent.name, world_of=taught.play, taught=agent, places=places
    )
    return begin(study, visitor, request, Role.SETTER)


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
