"""Routes of comparing: the next pair of clips, its frames and words, the answer; and a study's settings of it.

Nothing that a rater gets reveals whose play it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response

from annotation.server.clock import now
from annotation.server.db.comparing_tables import ComparedProject, Comparison
from annotation.server.routes.schema import AnswerBody, ComparedProjectBody, FramesQuery, OpaqueId, RevisionBody
from annotation.server.security.policies import ADMINS, RATERS, Asking, Routes, Served
from annotation.server.security.visitors import Visitor
from annotation.server.services import comparing
from annotation.server.services.clip_pairs import change_settings, draw_missing
from annotation.server.services.datasets import Shown
from annotation.server.services.frames import ShownClip, clips_response
from annotation.server.services.members import project_of
from annotation.server.study import Study
from worlds.errors import UserError

ROUTES = Routes("/api")
_Id = Annotated[OpaqueId, Path()]


@ROUTES.add("GET", "/comparing", RATERS)
def progress(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the rater's progress."""
    with study.database.reading() as session:
        return comparing.progress_of(session, visitor.person_id)


@ROUTES.add("POST", "/comparing/next", RATERS)
def next_pair(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the pair of clips to compare: the one begun, or a new one; null when all are compared."""
    found = _open_next(study, visitor, study.datasets.names())
    # Episodes may have been recorded, or dropped, meanwhile.
    if found is None or not all(study.datasets.holds(record) for record, *_ in comparing.sides(found)):
        with suppress(UserError):  # of one dataset; the study's leader is notified, and there may be work in others
            draw_missing(study.database, study.datasets, now())
        found = _open_next(study, visitor, study.datasets.readable())
    return {"assignment": found.id if found else None}


def _open_next(study: Study, visitor: Visitor, there: Sequence[str]) -> Comparison | None:
    with study.database.writing() as session:
        return comparing.open_next(session, visitor, there, now(), 60 * study.config.lock_minutes)


@ROUTES.add("GET", "/comparing/{assignment_id}", RATERS)
def pair(assignment_id: _Id, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return what was asked and said in both clips, left and right, and the rater's own answer."""
    with study.database.reading() as session:
        found = comparing.own_comparison(session, assignment_id, visitor)
        project = project_of(session, visitor, found.pair.project_id)
    clips, steps = comparing.sides(found), found.pair.steps
    shown = [study.datasets.shown(record) for record, *_ in clips]
    return {
        "id": found.id,
        "steps": 2 * steps,  # of the pictures: those of the left clip, then those of the right one
        "steps_per_second": study.datasets.store(project.dataset).description.steps_per_second,
        "clips": [
            {"request": request, **_clip(episode, begin, steps)}
            for (_, begin, request), episode in zip(clips, shown, strict=True)
        ],
        "pictured": all(episode.frames is not None for episode in shown),
        "title": project.title,
        "instructions": project.instructions,
        "answer": comparing.answer_of(found),
        "active_sec": found.active_sec,
        "submitted": found.submitted is not None,
    }


def _clip(episode: Shown, begin: int, steps: int) -> dict[str, Any]:
    """Return what was said in a clip, and before it since the request; steps count from the clip's first.

    In a world with declared spaces, also what the solver did at every step.
    """
    words = [said for said in episode.words if said[0] < begin + steps]
    requests = [step for step, who, _ in words if who == "setter" and step < begin]
    since = requests[-1] if requests else -1
    found = [(step, who, said) for step, who, said in words if step > since or (step == since and who == "solver")]
    clip: dict[str, Any] = {"words": [{"step": step - begin, "who": who, "words": said} for step, who, said in found]}
    return clip if episode.actions is None else clip | {"actions": episode.actions[begin : begin + steps]}


@ROUTES.add("GET", "/comparing/{assignment_id}/frames", RATERS)
def frames(
    assignment_id: _Id, study: Served, visitor: Asking, asked: Annotated[FramesQuery, Query()], request: Request
) -> Response:
    """Return the pictures of the left clip, then those of the right one; browsers keep them."""
    with study.database.reading() as session:
        found = comparing.own_comparison(session, assignment_id, visitor)
        dataset = project_of(session, visitor, found.pair.project_id).dataset
    clips = [ShownClip(record, begin, found.pair.steps) for record, begin, _ in comparing.sides(found)]
    return clips_response(study, clips, dataset, asked, request, found.id)


@ROUTES.add("PUT", "/comparing/{assignment_id}/answer", RATERS)
def answer(assignment_id: _Id, body: AnswerBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Save the answer; it is on disk when this answers. Sending it twice changes nothing."""
    with study.database.writing() as session:
        found = comparing.own_comparison(session, assignment_id, visitor)
        comparing.answer(found, body.answer, body.revision, now())
        if found.submitted is None:
            found.locked_until = now() + 60 * study.config.lock_minutes
            found.active_sec = max(found.active_sec, body.active_sec)
        return {"answer": comparing.answer_of(found)}


@ROUTES.add("POST", "/comparing/{assignment_id}/submit", RATERS)
def submit(assignment_id: _Id, body: RevisionBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Submit the answer: it goes to the dataset and cannot be changed any more."""
    with study.database.writing() as session:
        comparing.submit(comparing.own_comparison(session, assignment_id, visitor), body.revision, now())
    study.exporter.wake()
    return {}


@ROUTES.add("GET", "/comparisons", ADMINS)
def compared_projects(study: Served) -> dict[str, Any]:
    """Return every project with its pairs of clips: settings, progress and agreement."""
    trouble = ""
    try:
        draw_missing(study.database, study.datasets, now())
    except UserError as error:
        trouble = str(error)
    with study.database.reading() as session:
        return {"projects": comparing.compared_projects(session, now()), "trouble": trouble}


@ROUTES.add("PATCH", "/comparisons/{project_id}", ADMINS)
def change(project_id: _Id, body: ComparedProjectBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Change how clips of a project are compared; the next answer of this server has pairs of the new settings."""
    with study.database.writing() as session:
        project = project_of(session, visitor, project_id)
        compared = session.get(ComparedProject, project.id)
        if compared is None:
            compared = comparing.new_compared(project.id)
            session.add(compared)
        change_settings(session, compared, body.model_dump(exclude_none=True))
    return {}
