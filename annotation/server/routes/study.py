"""Routes of the study leader's page: projects, people, invitations, measures, submissions, gold episodes, export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from annotation.games.places import DEFAULT_WORLD, KnownPlaces, choose_places
from annotation.server.clock import now
from annotation.server.db.tables import EpisodeRecord, GoldEpisode, Invitation, Person, Project, Removal
from annotation.server.errors import Refused
from annotation.server.routes.schema import (
    GoldBody,
    InvitationBody,
    PathId,
    PersonBody,
    ProjectBody,
    RemovalBody,
    ReturnBody,
)
from annotation.server.security import consent
from annotation.server.security.policies import ADMINS, Asking, Routes, Served
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services import gold, measuring, members, people, progress, removing, submissions, viewer
from annotation.server.services.datasets import check_project_places, game_sources, recorded_places
from annotation.server.services.listing import list_episodes
from annotation.server.services.members import project_of
from worlds.errors import UserError

ROUTES = Routes()


@ROUTES.add("GET", "/study", ADMINS)
def study_page(study: Served) -> dict[str, Any]:
    """Return everything that the first tab of the page shows."""
    with study.database.writing() as session:
        troubles = list_episodes(session, study.datasets, now())
    played = study.datasets.episodes_played()
    with study.database.reading() as session:
        recorded = recorded_places(study.datasets)
        lines = {project.id: _places(project, recorded) for project in session.scalars(select(Project))}
        return {
            "projects": [project | {"places": lines[project["id"]]} for project in progress.projects(session, now())],
            "people": progress.people(session, played),
            "invitations": progress.invitations(session, now()),
            "dataset_troubles": troubles,
            "export_trouble": study.exporter.trouble,
            "consent_version": found.version if (found := consent.present(session)) else 0,
            "removals": session.scalar(select(func.count()).select_from(Removal)) or 0,
            "removal_trouble": study.remover.trouble,
        }


def _places(project: Project, recorded: Mapping[str, KnownPlaces]) -> str:
    """Return a sentence on where games without an agent are played."""
    sources = game_sources(project, recorded)
    return choose_places(sources.dataset.world or DEFAULT_WORLD, sources).line


@ROUTES.add("GET", "/projects/{project_id}/measures", ADMINS)
def measures(project_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return a project's measures as last computed: agreement, bias, gold episodes."""
    with study.database.reading() as session:
        project = project_of(session, visitor, project_id)
        episodes = progress.gold_episodes(session, project)
        state = measuring.state_of(session, project)
    return study.measuring.of(project_id, state) | {"gold_episodes": episodes}


@ROUTES.add("PATCH", "/projects/{project_id}", ADMINS)
def change_project(project_id: PathId, body: ProjectBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Change a project's title, instructions, the places of its games, or the way its episodes go to raters."""
    changes = body.model_dump(exclude_none=True)
    given = {name: changes[name] for name in ("place_settings", "world_options") if name in changes}
    if any(given.values()):
        with study.database.reading() as session:
            dataset = project_of(session, visitor, project_id).dataset
        try:
            changes |= check_project_places(study.datasets.store(dataset), given)
        except UserError as error:
            raise Refused(422, str(error)) from error
    with study.database.writing() as session:
        project = project_of(session, visitor, project_id)
        for name, value in changes.items():
            setattr(project, name, value)
    return {}


@ROUTES.add("POST", "/invitations", ADMINS)
def invite(body: InvitationBody, study: Served) -> dict[str, Any]:
    """Invite a person; the link's token is returned only this once."""
    with study.database.writing() as session:
        invitation, token = people.invite(session, body.role, now(), note=body.note)
        members.restrict_invitation(session, invitation.id, body.projects)
        return {"id": invitation.id, "token": token, "expires": invitation.expires}


@ROUTES.add("DELETE", "/invitations/{invitation_id}", ADMINS)
def withdraw(invitation_id: PathId, study: Served) -> dict[str, Any]:
    """Withdraw an invitation: its link no longer works."""
    with study.database.writing() as session:
        invitation = session.get(Invitation, invitation_id)
        if invitation is not None:
            session.delete(invitation)
    return {}


@ROUTES.add("PATCH", "/people/{person_id}", ADMINS)
def change_person(person_id: PathId, body: PersonBody, study: Served) -> dict[str, Any]:
    """Change a person's roles or projects, or close or open their account."""
    with study.database.writing() as session:
        person = _known(session, person_id)
        if body.roles is not None:
            people.set_roles(session, person, set(body.roles))
        if body.projects is not None:
            members.restrict(session, person.id, body.projects)
        if body.active is not None:
            if not body.active:
                people.refuse_last_admin(session, person)
                people.close_sessions(session, person.id)
            person.active = body.active
    return {}


@ROUTES.add("POST", "/people/{person_id}/link", ADMINS)
def new_link(person_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return a link by which a known person signs in again."""
    with study.database.writing() as session:
        person = _known(session, person_id)
        if not person.active:
            raise Refused(409, f"the account of {person.name} is closed; open it before you make a link for it")
        if not person.roles:
            raise Refused(409, f"{person.name} has no role; give one before you make a link")
        role = Role(person.roles[0].role)
        invitation, token = people.invite(session, role, now(), person_id=person.id, note=person.name)
        return {"id": invitation.id, "token": token, "expires": invitation.expires}


@ROUTES.add("POST", "/people/{person_id}/removal", ADMINS)
def remove(person_id: PathId, body: RemovalBody, study: Served) -> dict[str, Any]:
    """Delete a person's data for good: from the database before this answers, from the datasets soon after."""
    with study.database.reading() as session:
        people.refuse_last_admin(session, _known(session, person_id))
    study.games.leave(person_id)  # first, or their game would write their name again
    with study.database.writing() as session:
        removing.remove_person(session, _known(session, person_id), body.episodes, now())
    study.measuring.forget()
    study.remover.wake()
    return {}


@ROUTES.add("GET", "/projects/{project_id}/submissions", ADMINS)
def submitted(project_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Return a project's submissions: marks, share seen, time of work, and what looks careless."""
    with study.database.reading() as session:
        return submissions.submissions(session, project_of(session, visitor, project_id))


@ROUTES.add("POST", "/submissions/{assignment_id}/return", ADMINS)
def send_back(assignment_id: PathId, body: ReturnBody, study: Served) -> dict[str, Any]:
    """Send work back to its rater, or give its episode to another; its marks leave the dataset."""
    with study.database.writing() as session:
        submissions.send_back(session, assignment_id, body.reason, body.to == "another", now())
    study.exporter.wake()
    return {}


@ROUTES.add("PUT", "/gold/{episode_id}", ADMINS)
def make_gold(episode_id: PathId, body: GoldBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Make an episode gold with the marks of one rater, or change its purpose."""
    with study.database.writing() as session:
        record = _episode(session, visitor, episode_id)
        study.datasets.check(record)
        marks = viewer.marks_of_all(session, study.datasets.store(record.project.dataset), record)
        gold.make_gold(session, record, marks, body.rater, body.purpose, now())
    return {}


@ROUTES.add("DELETE", "/gold/{episode_id}", ADMINS)
def no_longer_gold(episode_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Make an episode an ordinary one again."""
    with study.database.writing() as session:
        found = session.get(GoldEpisode, _episode(session, visitor, episode_id).id)
        if found is not None:
            session.delete(found)
    return {}


def _episode(session: Session, visitor: Visitor, episode_id: str) -> EpisodeRecord:
    record = session.get(EpisodeRecord, episode_id)
    if record is None:
        raise Refused(404, "there is no such episode")
    project_of(session, visitor, record.project_id)
    return record


@ROUTES.add("POST", "/export", ADMINS)
def export(study: Served) -> dict[str, Any]:
    """Write the marks of submitted work into the datasets now; this happens by itself, too."""
    return {"submissions": study.exporter.now()}


def _known(session: Session, person_id: str) -> Person:
    person = session.get(Person, person_id)
    if person is None:
        raise Refused(404, "there is no such person")
    return person
