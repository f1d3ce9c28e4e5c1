"""A judge's work: the next continuation, its frames and words, the verdict, and on to the next. Nothing here says whose
continuation it is. And for who runs the study: how many judges each continuation gets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response

from annotation.server.clock import now
from annotation.server.db.judging_tables import JudgedProject, JudgingAssignment
from annotation.server.errors import Refused
from annotation.server.routes.schema import FramesQuery, JudgedProjectBody, OpaqueId, RevisionBody, VerdictBody
from annotation.server.security.policies import ADMINS, JUDGES, Asking, Routes, Served
from annotation.server.security.visitors import Visitor
from annotation.server.services import judging
from annotation.server.services.continuations import list_continuations
from annotation.server.services.frames import frames_response
from annotation.server.services.members import project_of
from annotation.server.study import Study
from worlds.errors import UserError

ROUTES = Routes("/api")
_Id = Annotated[OpaqueId, Path()]


@ROUTES.add("GET", "/judging", JUDGES)
def work(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the judge's progress."""
    with study.database.reading() as session:
        return judging.work_of(session, visitor.person_id)


@ROUTES.add("POST", "/judging/next", JUDGES)
def next_continuation(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the continuation to judge: the one begun, or a new one; null when all are judged."""
    found = _open_next(study, visitor, study.datasets.names())
    # Some may have been played, or dropped, meanwhile.
    if found is None or not study.datasets.holds(found.continuation.episode):
        with suppress(UserError):  # of one dataset; the study's leader is notified, and there may be work in others
            list_continuations(study.database, study.datasets, now())
        found = _open_next(study, visitor, study.datasets.readable())
    return {"assignment": found.id if found else None}


def _open_next(study: Study, visitor: Visitor, there: Sequence[str]) -> JudgingAssignment | None:
    with study.database.writing() as session:
        return judging.open_next(session, visitor, there, now(), 60 * study.config.lock_minutes)


@ROUTES.add("GET", "/judging/{assignment_id}", JUDGES)
def continuation(assignment_id: _Id, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the request, the dialogue, the take-over, and the judge's own verdict."""
    with study.database.reading() as session:
        found = judging.own_assignment(session, assignment_id, visitor)
    about, record = found.continuation, found.continuation.episode
    shown = study.datasets.shown(record)
    return {
        "id": found.id,
        "steps": record.steps,
        "steps_per_second": study.datasets.store(record.project.dataset).description.steps_per_second,
        "words": [{"step": step, "who": who, "words": said} for step, who, said in shown.words],
        **shown.declared,
        "takes_over": about.step,
        "request_step": about.request_step,
        "request": about.request,
        "verdict": judging.verdict_of(found),
        "position": found.position,
        "active_sec": found.active_sec,
        "submitted": found.submitted is not None,
    }


@ROUTES.add("GET", "/judging/{assignment_id}/frames", JUDGES)
def frames(
    assignment_id: _Id, study: Served, visitor: Asking, asked: Annotated[FramesQuery, Query()], request: Request
) -> Response:
    """The solver's view at every step, as one file or in chunks, as recorded or drawn again; browsers keep it."""
    with study.database.reading() as session:
        found = judging.own_assignment(session, assignment_id, visitor)
    record = found.continuation.episode
    return frames_response(study, record, record.project.dataset, asked, request, found.id)


@ROUTES.add("PUT", "/judging/{assignment_id}/verdict", JUDGES)
def say(assignment_id: _Id, body: VerdictBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Save the verdict; it is on disk when this answers. Sending it twice changes nothing."""
    said = judging.SaidVerdict(body.revision, body.success, body.step, body.left_out)
    with study.database.writing() as session:
        found = judging.own_assignment(session, assignment_id, visitor)
        judging.say(found, said, now())
        if found.submitted is None:
            found.locked_until = now() + 60 * study.config.lock_minutes
            found.position = min(body.position, found.continuation.episode.steps - 1)
            found.active_sec = max(found.active_sec, body.active_sec)
        return {"verdict": judging.verdict_of(found)}


@ROUTES.add("POST", "/judging/{assignment_id}/submit", JUDGES)
def submit(assignment_id: _Id, body: RevisionBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Submit the verdict: it goes to the dataset and cannot be changed any more."""
    with study.database.writing() as session:
        judging.submit(judging.own_assignment(session, assignment_id, visitor), body.revision, now())
    study.exporter.wake()
    return {}


@ROUTES.add("GET", "/suites", ADMINS)
def suites(study: Served) -> dict[str, Any]:
    """Return every dataset of continuations, with its progress."""
    list_continuations(study.database, study.datasets, now())
    with study.database.reading() as session:
        return {"suites": judging.suites(session, now())}


@ROUTES.add("PATCH", "/suites/{project_id}", ADMINS)
def change_suite(project_id: _Id, body: JudgedProjectBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Change how continuations of a dataset go to judges."""
    with study.database.writing() as session:
        judged = session.get(JudgedProject, project_of(session, visitor, project_id).id)
        if judged is None:
            raise Refused(404, "nothing of this project is to be judged")
        for name, value in body.model_dump(exclude_none=True).items():
            setattr(judged, name, value)
    return {}
