"""The episode viewer: for admins, who see the marks of every rater."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response

from annotation.server.db.tables import EpisodeRecord, GoldEpisode, Project
from annotation.server.routes.schema import FramesQuery, LookQuery, PathId, TraceBody
from annotation.server.security.policies import ADMINS, Asking, Routes, Served
from annotation.server.services import viewer
from annotation.server.services.frames import frames_response
from annotation.server.services.gold import gold_in
from annotation.server.services.members import project_of, projects_of
from annotation.viewer.index import Filters
from annotation.viewer.scorer import TraceRequest

ROUTES = Routes("/api/look")


def _project(project_id: PathId, study: Served, visitor: Asking) -> Project:
    """Return the project of the path. Raises Refused (404) if the visitor may not see it."""
    with study.database.reading() as session:
        return project_of(session, visitor, project_id)


_Looked = Annotated[Project, Depends(_project)]


def _episode(project: _Looked, episode_id: PathId, study: Served) -> EpisodeRecord:
    """Return the episode of the path. Raises Refused (404) if the project has none."""
    with study.database.reading() as session:
        return viewer.episode_of(session, project, episode_id)


_Shown = Annotated[EpisodeRecord, Depends(_episode)]


@ROUTES.add("GET", "", ADMINS)
def datasets(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return the datasets and the reward models."""
    with study.database.reading() as session:
        projects = projects_of(session, visitor)
    there = set(study.datasets.names())
    return {
        "datasets": [
            {
                "id": project.id,
                "dataset": project.dataset,
                "title": project.title,
                "episodes": len(store),
                "steps_per_second": store.description.steps_per_second,
            }
            for project in projects
            if project.dataset in there
            for store in (study.datasets.store(project.dataset),)
        ],
        "models": [model.name for model in study.viewer.models.all()],
        "study": not study.config.viewing,
    }


@ROUTES.add("GET", "/{project_id}", ADMINS)
def choices(project: _Looked, study: Served) -> dict[str, Any]:
    """Return the values of the filters of a dataset's episodes."""
    study.viewer.indexer.missing(project.dataset, study.datasets.store(project.dataset))
    return study.viewer.index.choices(project.dataset)


@ROUTES.add("GET", "/{project_id}/episodes", ADMINS)
def episodes(project: _Looked, asked: Annotated[LookQuery, Query()], study: Served) -> dict[str, Any]:
    """Return a page of the episodes that pass the filters, the latest first, with hits of the searched words."""
    with study.database.reading() as session:
        purposes = {gold.episode_id: gold.purpose for gold in gold_in(session, project.id)}
    store, services = study.datasets.store(project.dataset), study.viewer
    missing = services.indexer.missing(project.dataset, store)
    filters = Filters(**asked.model_dump(exclude={"marks", "page"}))
    total, found, counts = viewer.page_of(services, store, project, filters, asked.marks, asked.page)
    ids = viewer.ids_of(study.database, study.datasets, project, found)
    names = [each.row.episode_id for each in found]
    hits = services.index.hits(project.dataset, names, asked.words, viewer.HITS) if asked.words.strip() else {}
    return {
        "total": total,
        "pages": -(-total // viewer.PAGE_EPISODES),
        "missing": missing,
        "episodes": [
            viewer.listed(each, id, counts.get(name, 0), purposes.get(id, ""), hits.get(name, []))
            for name, each in zip(names, found, strict=True)
            if (id := ids.get(name)) is not None
        ],
    }


@ROUTES.add("GET", "/{project_id}/episodes/{episode_id}", ADMINS)
def episode(project: _Looked, record: _Shown, study: Served) -> dict[str, Any]:
    """Return dialogue, players and outcomes of an episode, and its marks and judgements."""
    store = study.datasets.store(project.dataset)
    with study.database.reading() as session:
        marks = viewer.marks_of_all(session, store, record)
        raters = viewer.by_rater(marks, viewer.submitters(session, record))
        gold = session.get(GoldEpisode, record.id)
    transcript = store.read_transcript(record.episode_id)
    row = next(row for row in store.rows() if row.episode_id == record.episode_id)
    return {
        "id": record.id,
        "name": record.episode_id,
        "steps": record.steps,
        "steps_per_second": store.description.steps_per_second,
        "setter": row.setter,
        "solver": row.solver,
        "split": row.split,
        "created": row.created,
        **study.datasets.shown(record).page,
        "requests": [
            {"step": request.step, "task": request.task.name, "words": request.task.instruction, "success": success}
            for request, success in zip(transcript.requests, transcript.success_step, strict=False)
        ],
        "raters": raters,
        "judgements": viewer.judged(store.judgements(record.episode_id)),
        "gold": gold.purpose if gold else "",
    }


@ROUTES.add("GET", "/{project_id}/episodes/{episode_id}/frames", ADMINS)
def frames(
    project: _Looked, record: _Shown, study: Served, asked: Annotated[FramesQuery, Query()], request: Request
) -> Response:
    """The solver's view at every step, as one file or in chunks, as recorded or drawn again; browsers keep it."""
    return frames_response(study, record, project.dataset, asked, request, record.id)


@ROUTES.add("POST", "/{project_id}/episodes/{episode_id}/trace", ADMINS)
def trace(project: _Looked, record: _Shown, body: TraceBody, study: Served) -> dict[str, Any]:
    """Return utility and reward at every step by a reward model, or the state of their computation."""
    study.datasets.check(record)
    folder = study.datasets.store(project.dataset).folder.absolute()
    wanted = TraceRequest(study.viewer.model(body.model), folder, record.episode_id, record.fingerprint)
    return study.viewer.scorer.ask(wanted, body.again)
