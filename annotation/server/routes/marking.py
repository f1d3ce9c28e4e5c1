"""Routes of marking: the next episode, its frames and words, marks, submission."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request, Response

from annotation.agreement.gold import TRAINING
from annotation.server.clock import now
from annotation.server.db.tables import MarkRecord
from annotation.server.routes.schema import FramesQuery, MarksBody, OpaqueId, SubmitBody
from annotation.server.security.policies import RATERS, Asking, Routes, Served
from annotation.server.services import marking
from annotation.server.services.frames import frames_response
from annotation.server.services.listing import list_episodes

ROUTES = Routes("/api/marking")
_Id = Annotated[OpaqueId, Path()]


@ROUTES.add("GET", "", RATERS)
def work(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return how many episodes the rater has submitted."""
    with study.database.reading() as session:
        return marking.progress_of(session, visitor.person_id)


@ROUTES.add("POST", "/next", RATERS)
def next_episode(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the episode to mark: the one begun, or a new one; null when everything is marked."""
    when, lock_sec = now(), 60 * study.config.lock_minutes
    with study.database.writing() as session:
        found = marking.open_next(session, visitor, study.datasets.names(), when, lock_sec)
        # Some may have been recorded, or dropped, meanwhile.
        if found is None or not study.datasets.holds(found.episode):
            list_episodes(session, study.datasets, when)
            session.expire_all()
            found = marking.open_next(session, visitor, study.datasets.readable(), when, lock_sec)
        return {"assignment": found.id if found else None}


@ROUTES.add("GET", "/{assignment_id}", RATERS)
def episode(assignment_id: _Id, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the words of the episode and the rater's own marks; neither its truth nor other raters' marks."""
    with study.database.reading() as session:
        found = marking.own_assignment(session, assignment_id, visitor)
        marks = marking.marks_of(session, assignment_id)
    record = found.episode
    shown = study.datasets.shown(record)
    return {
        "id": found.id,
        "steps": record.steps,
        "steps_per_second": study.datasets.store(record.project.dataset).description.steps_per_second,
        "words": [{"step": step, "who": who, "words": said} for step, who, said in shown.words],
        **shown.declared,
        "marks": [_mark(mark) for mark in marks],
        "position": found.position,
        "active_sec": found.active_sec,
        "seen": found.seen_steps or [],
        "returned": found.return_reason,
        "submitted": found.submitted is not None,
        "training": found.gold == TRAINING,
        "title": record.project.title,
        "instructions": record.project.instructions,
    }


@ROUTES.add("GET", "/{assignment_id}/frames", RATERS)
def frames(
    assignment_id: _Id, study: Served, visitor: Asking, asked: Annotated[FramesQuery, Query()], request: Request
) -> Response:
    """The solver's view at every step, as one file or in chunks, as recorded or drawn again; browsers keep it."""
    with study.database.reading() as session:
        record = marking.own_assignment(session, assignment_id, visitor).episode
    return frames_response(study, record, record.project.dataset, asked, request, record.id)


@ROUTES.add("PUT", "/{assignment_id}/marks", RATERS)
def save(assignment_id: _Id, body: MarksBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Save marks; they are on disk when this answers. Saving them twice has the effect of once."""
    said = [marking.MarkEdit(**mark.model_dump()) for mark in body.marks]
    with study.database.writing() as session:
        found = marking.own_assignment(session, assignment_id, visitor)
        kept = marking.save(session, found, said, now())
        if found.submitted is None:
            found.locked_until = max(found.locked_until, now() + 60 * study.config.lock_minutes)
        marking.note_work(found, body.position, body.active_sec, body.seen)
        return {"marks": [_mark(mark) for mark in kept]}


@ROUTES.add("POST", "/{assignment_id}/submit", RATERS)
def submit(assignment_id: _Id, body: SubmitBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Submit the episode: its marks go to the dataset and do not change any more."""
    with study.database.writing() as session:
        found = marking.own_assignment(session, assignment_id, visitor)
        marking.note_work(found, body.position, body.active_sec, body.seen)
        marking.submit(session, found, body.marks, now())
    study.exporter.wake()
    return {}


def _mark(mark: MarkRecord) -> dict[str, Any]:
    return {
        "id": mark.id, "revision": mark.revision, "step": mark.step, "sign": mark.sign, "deleted": mark.deleted,
    }  # fmt: skip
