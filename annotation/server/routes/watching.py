"""Routes of watching: the next demonstration, its film, the answer; and a study's demonstrations.

Nothing that a rater gets names the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response

from annotation.server.clock import now
from annotation.server.db.watching_tables import GoalAnswer, WatchedProject
from annotation.server.errors import Refused
from annotation.server.routes.schema import FramesQuery, GoalBody, OpaqueId, RevisionBody, WatchedProjectBody
from annotation.server.security.policies import ADMINS, RATERS, Asking, Routes, Served
from annotation.server.security.visitors import Visitor
from annotation.server.services import watching
from annotation.server.services.demonstrations import choices_of, list_demonstrations
from annotation.server.services.frames import film_response
from annotation.server.services.members import project_of
from annotation.server.study import Study
from worlds.errors import UserError
from worlds.goal_choices import GoalChoices

ROUTES = Routes("/api")
_Id = Annotated[OpaqueId, Path()]


@ROUTES.add("GET", "/watching", RATERS)
def progress(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the rater's progress."""
    with study.database.reading() as session:
        return watching.progress_of(session, visitor.person_id)


@ROUTES.add("POST", "/watching/next", RATERS)
def next_demonstration(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the demonstration to watch: the one begun, or a new one; null when all are answered."""
    found = _open_next(study, visitor, study.datasets.names())
    # Some may have been recorded, or dropped, meanwhile.
    if found is None or not study.datasets.holds(found.demonstration.episode):
        with suppress(UserError):  # of one dataset; the study's leader is notified, and there may be work in others
            list_demonstrations(study.database, study.datasets, now())
        found = _open_next(study, visitor, study.datasets.readable())
    return {"assignment": found.id if found else None}


def _open_next(study: Study, visitor: Visitor, there: Sequence[str]) -> GoalAnswer | None:
    with study.database.writing() as session:
        return watching.open_next(session, visitor, there, now(), 60 * study.config.lock_minutes)


@ROUTES.add("GET", "/watching/{assignment_id}", RATERS)
def demonstration(assignment_id: _Id, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the length of the demonstration, what can be said of it, and the rater's own answer."""
    with study.database.reading() as session:
        found = watching.own_answer(session, assignment_id, visitor)
    record = found.demonstration.episode
    study.datasets.check(record)
    return {
        "id": found.id,
        "steps": record.steps,
        "steps_per_second": study.datasets.store(record.project.dataset).description.steps_per_second,
        "choices": _grouped(choices_of(study.datasets, record.project.dataset)),
        "title": record.project.title,
        "instructions": record.project.instructions,
        "answer": watching.answer_of(found),
        "position": found.position,
        "active_sec": found.active_sec,
        "submitted": found.submitted is not None,
    }


def _grouped(offered: GoalChoices) -> list[dict[str, Any]]:
    """Return the choices by their headings."""
    return [
        {
            "group": group,
            "choices": [{"name": choice.name, "words": choice.words, "most": choice.most} for choice in choices],
        }
        for group, choices in groupby(offered.choices, key=lambda choice: choice.group)
    ]


@ROUTES.add("GET", "/watching/{assignment_id}/frames", RATERS)
def frames(
    assignment_id: _Id, study: Served, visitor: Asking, asked: Annotated[FramesQuery, Query()], request: Request
) -> Response:
    """Return a chunk of the film of the demonstration; browsers keep it."""
    with study.database.reading() as session:
        found = watching.own_answer(session, assignment_id, visitor)
    record = found.demonstration.episode
    return film_response(study, record, record.project.dataset, asked, request, found.id)


@ROUTES.add("PUT", "/watching/{assignment_id}/goal", RATERS)
def say(assignment_id: _Id, body: GoalBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Save the answer; it is on disk when this answers. Sending it twice changes nothing."""
    with study.database.writing() as session:
        found = watching.own_answer(session, assignment_id, visitor)
        record = found.demonstration.episode
        offered = choices_of(study.datasets, record.project.dataset)
        watching.say(found, body.goal, body.revision, offered, now())
        if found.submitted is None:
            found.locked_until = now() + 60 * study.config.lock_minutes
            found.position = min(body.position, record.steps - 1)
            found.active_sec = max(found.active_sec, body.active_sec)
        return {"answer": watching.answer_of(found)}


@ROUTES.add("POST", "/watching/{assignment_id}/submit", RATERS)
def submit(assignment_id: _Id, body: RevisionBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Submit the answer: it goes to the dataset and cannot be changed any more."""
    with study.database.writing() as session:
        watching.submit(watching.own_answer(session, assignment_id, visitor), body.revision, now())
    study.exporter.wake()
    return {}


@ROUTES.add("GET", "/demonstrations", ADMINS)
def watched_projects(study: Served) -> dict[str, Any]:
    """Return every dataset of demonstrations, with its progress."""
    trouble = ""
    try:
        list_demonstrations(study.database, study.datasets, now())
    except UserError as error:
        trouble = str(error)
    with study.database.reading() as session:
        return {"projects": watching.watched_projects(session, now()), "trouble": trouble}


@ROUTES.add("PATCH", "/demonstrations/{project_id}", ADMINS)
def change(project_id: _Id, body: WatchedProjectBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Change how demonstrations of a dataset go to raters."""
    with study.database.writing() as session:
        watched = session.get(WatchedProject, project_of(session, visitor, project_id).id)
        if watched is None:
            raise Refused(404, "this project has no demonstrations to watch")
        for name, value in body.model_dump(exclude_none=True).items():
            setattr(watched, name, value)
    return {}
