"""Routes of every rater task: the next item, its page and pictures, answers, submission; and the leader's settings.

Nothing that a rater gets says whose play it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import BaseModel

from annotation.agreement.gold import TRAINING
from annotation.server.clock import now
from annotation.server.db.tables import AnswerRecord, Assignment, EpisodeRecord, TaskProject
from annotation.server.errors import Refused
from annotation.server.routes.schema import (
    AnswersBody,
    CountBody,
    FramesQuery,
    PathId,
    RevisionBody,
    WorkBody,
    answers_body,
    settings_body,
)
from annotation.server.security.policies import ADMINS, JUDGES, RATERS, Asking, Routes, Served
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services import gold, tasks
from annotation.server.services.frames import ShownClip, clips_response, film_response
from annotation.server.services.items import change_draw, item_of, list_items
from annotation.server.services.members import project_of
from annotation.server.study import Study
from annotation.tasks import TASKS
from annotation.tasks.contract import Item, RaterTask
from worlds.errors import UserError

ROUTES = Routes("/api/tasks")
_POLICIES = {Role.RATER: RATERS, Role.JUDGE: JUDGES}
_ONE = "/{assignment_id}"


def projects(task: RaterTask, study: Served) -> dict[str, Any]:
    """Return every project with such items: settings, progress and, in comparing, agreement."""
    trouble = ""
    try:
        list_items(study.database, study.datasets, task, now())
    except UserError as error:
        trouble = str(error)
    with study.database.reading() as session:
        return {"projects": tasks.projects_of(session, task, now()), "trouble": trouble}


def change(task: RaterTask, project_id: PathId, body: BaseModel, study: Served, visitor: Asking) -> dict[str, Any]:
    """Change how such items of a project go to raters, and the settings of the task."""
    changes = body.model_dump(exclude_none=True)
    with study.database.writing() as session:
        found = session.get(TaskProject, (project_of(session, visitor, project_id).id, task.kind))
        if found is None:
            raise Refused(404, task.absent)
        before = task.Settings(**found.settings)
        found.overlap, found.open = changes.pop("overlap", found.overlap), changes.pop("open", found.open)
        found.settings = {**found.settings, **changes}
        if task.drawn:
            change_draw(session, found, before)
    return {}


def progress(task: RaterTask, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return how many items the rater has submitted, and whether one is begun."""
    with study.database.reading() as session:
        return tasks.progress_of(session, task, visitor.person_id)


def next_item(task: RaterTask, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the item to work on: the one begun, or a new one; null when everything is done."""
    if study.teacher is not None and study.games.settle(visitor.person_id):
        study.completer.now()  # what this person has asked is the first
    found = _open_next(task, study, visitor, study.datasets.names())
    # Some may have been recorded, or dropped, meanwhile.
    if found is None or not all(study.datasets.holds(record) for record in found.item.episodes):
        with suppress(UserError):  # of one dataset; the study's leader is notified, and there may be work in others
            list_items(study.database, study.datasets, task, now())
        found = _open_next(task, study, visitor, study.datasets.readable())
    return {"assignment": found.id if found else None}


def _open_next(task: RaterTask, study: Study, visitor: Visitor, there: Sequence[str]) -> Assignment | None:
    with study.database.writing() as session:
        return tasks.open_next(session, task, visitor, there, now(), _lock_sec(study))


def _lock_sec(study: Study) -> float:
    return 60 * study.config.lock_minutes


def page(task: RaterTask, assignment_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return what the rater sees of the item, and their own answers; neither its truth nor others' answers."""
    with study.database.reading() as session:
        found = tasks.own_assignment(session, task, assignment_id, visitor)
    record = found.item.episode
    for each in found.item.episodes:
        study.datasets.check(each)
    item, clips = _item(study, found), _clips(task, study, found)
    shown = [] if task.film else [study.datasets.shown(clip.record) for clip in clips]
    about = {
        "id": found.id,
        "steps": sum(clip.steps for clip in clips),  # of the pictures
        "steps_per_second": study.datasets.store(record.project.dataset).description.steps_per_second,
        "answers": [_answer(answer) for answer in found.answers],
        "position": found.position,
        "active_sec": found.active_sec,
        "submitted": found.submitted is not None,
    }
    if task.instructed:
        about |= {"title": record.project.title, "instructions": record.project.instructions}
    if task.gold:
        about |= {
            "training": found.gold == TRAINING, "seen": found.seen_steps or [], "returned": found.return_reason,
        }  # fmt: skip
    return about | task.page(item, found.rater_id, shown)


def frames(
    task: RaterTask,
    assignment_id: PathId,
    study: Served,
    visitor: Asking,
    asked: Annotated[FramesQuery, Query()],
    request: Request,
) -> Response:
    """Return pictures, as one file or in chunks, as recorded or drawn again; browsers keep them."""
    with study.database.reading() as session:
        found = tasks.own_assignment(session, task, assignment_id, visitor)
    dataset = found.item.episode.project.dataset
    if task.film:
        return film_response(study, found.item.episode, dataset, asked, request, found.id)
    return clips_response(study, _clips(task, study, found), dataset, asked, request, found.id)


def save(task: RaterTask, assignment_id: PathId, body: AnswersBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Save answers; they are on disk when this answers. Saving them twice has the effect of once."""
    edits = [tasks.Edit(one.id, one.revision, one) for one in body.answers]
    with study.database.writing() as session:
        found = tasks.own_assignment(session, task, assignment_id, visitor)
        kept = tasks.save(session, task, found, _item(study, found), edits, now())
        if found.submitted is None:
            found.locked_until = max(found.locked_until, now() + _lock_sec(study))
        tasks.note_work(found, body.position, body.active_sec, body.seen)
        return {"answers": [_answer(answer) for answer in kept]}


def submit(task: RaterTask, assignment_id: PathId, body: WorkBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Submit the work: it goes to the dataset and does not change any more."""
    with study.database.writing() as session:
        found = tasks.own_assignment(session, task, assignment_id, visitor)
        tasks.note_work(found, body.position, body.active_sec, body.seen)
        if isinstance(body, CountBody):
            tasks.submit_many(found, body.answers, now())
        elif isinstance(body, RevisionBody):
            tasks.submit_one(task, found, body.revision, now())
    study.exporter.wake()
    return {}


def back(task: RaterTask, study: Served, visitor: Asking) -> dict[str, Any]:
    """Take back what was submitted last: it is the next item again."""
    with study.database.writing() as session:
        tasks.take_back(session, task, visitor)
    study.exporter.wake()
    return {}


def feedback(task: RaterTask, assignment_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the rater's marks of a training episode, compared with the known marks."""
    with study.database.reading() as session:
        return gold.feedback(session, tasks.own_assignment(session, task, assignment_id, visitor))


def _item(study: Study, found: Assignment) -> Item:
    return item_of(found.item, study.datasets.store(found.item.episode.project.dataset).description.world)


def _clips(task: RaterTask, study: Study, found: Assignment) -> list[ShownClip]:
    """Return the play whose pictures are shown."""
    records: dict[str, EpisodeRecord] = {record.episode_id: record for record in found.item.episodes}
    clips = task.clips(_item(study, found), found.rater_id)
    return [ShownClip(records[clip.episode_id], clip.begin, clip.end - clip.begin) for clip in clips]


def _answer(record: AnswerRecord) -> dict[str, Any]:
    return {"id": record.id, "revision": record.revision, **record.said}


def _add(task: RaterTask, method: str, path: str, handler: Callable[..., Any], body: type[BaseModel] | None) -> None:
    """Add a handler for one task; ``body`` is the model of its requests."""

    @wraps(handler)
    def handled(**given: Any) -> Any:
        return handler(task, **given)

    signature = inspect.signature(handler, eval_str=True)
    given = [each.replace(annotation=body) if each.name == "body" else each for each in signature.parameters.values()]
    handled.__signature__ = signature.replace(parameters=given[1:])  # type: ignore[attr-defined]
    policy = ADMINS if path.startswith("/projects") else _POLICIES[task.role]
    ROUTES.add(method, f"/{task.kind}{path}", policy)(handled)


for _task in TASKS.values():
    _add(_task, "GET", "/projects", projects, None)
    _add(_task, "PATCH", "/projects/{project_id}", change, settings_body(_task))
    _add(_task, "GET", "", progress, None)
    _add(_task, "POST", "/next", next_item, None)
    _add(_task, "GET", _ONE, page, None)
    _add(_task, "GET", f"{_ONE}/frames", frames, None)
    _add(_task, "PUT", f"{_ONE}/answers", save, answers_body(_task))
    _add(_task, "POST", f"{_ONE}/submit", submit, CountBody if _task.many else RevisionBody)
    if _task.drawn:
        _add(_task, "POST", "/back", back, None)
    if _task.gold:
        _add(_task, "GET", f"{_ONE}/feedback", feedback, None)
