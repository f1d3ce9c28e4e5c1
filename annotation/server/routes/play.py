"""Play: the lobby, games that people start and join, and each player's connection."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from fastapi import WebSocket
from sqlalchemy import select

from annotation.games.body_keys import taught_by
from annotation.games.places import DEFAULT_WORLD, UNKNOWN, KnownPlaces, choose_places
from annotation.server.clock import now
from annotation.server.db.tables import Project, TaskProject
from annotation.server.errors import Refused
from annotation.server.routes.schema import DatasetBody, GameBody, JoinBody, PathId, TutorialBody
from annotation.server.security import visitors
from annotation.server.security.policies import ADMINS, IN_GAMES, PLAYERS, RATERS, Asking, Routes, Served, visitor_of
from annotation.server.security.visitors import Visitor
from annotation.server.services import helping, members
from annotation.server.services.active_game import ActiveGame, GameRequest
from annotation.server.services.agents import Agent
from annotation.server.services.datasets import game_sources, recorded_places
from annotation.server.services.games import agent_trouble
from annotation.server.services.listing import list_episodes
from annotation.server.sockets import SIGNED_OUT, TAKEN_OUT, TERMS_CHANGED, End, PlayerSocket
from annotation.server.study import Study
from annotation.session.states import CAST, Kind, Player, Role
from annotation.tasks import JUDGING
from rlhf.store import open_store
from worlds.errors import UserError

ROUTES = Routes("/api/play")
GIVE_UP_SEC = 45.0  # before play, for a person who has closed the page
_OF_STUDY = {
    Role.SETTER: visitors.Role.SETTER,
    Role.SOLVER: visitors.Role.SOLVER,
    Role.CO_PILOT: visitors.Role.CO_PILOT,
}
_waiting: set[asyncio.Task[None]] = set()


@ROUTES.add("GET", "", PLAYERS)
def lobby(study: Served, visitor: Asking) -> dict[str, Any]:
    """Return what a person can play, and the games that wait for players."""
    parts = _parts(visitor)
    agents, recorded = study.games.agents.all(), recorded_places(study.datasets)
    projects = {
        project.id: (project.dataset, _world(study, project.dataset) | _places(study, project, recorded, agents))
        for project in _projects(study, visitor)
    }
    kinds = [kind for kind in Kind if any(CAST[kind].get(part) is Player.PERSON for part in parts)]
    if not any(world["helped"] for _, world in projects.values()):
        kinds = [kind for kind in kinds if kind is not Kind.HELPED]
    return {
        "parts": parts,
        "kinds": {kind: _people(kind, parts) for kind in kinds},
        "projects": [
            {"id": project_id, "dataset": dataset, **world} for project_id, (dataset, world) in projects.items()
        ],
        "agents": [{"name": agent.name, "image": agent.image} for agent in agents],
        "seconds": study.games.seconds,
        "games": [
            _listed(running, visitor, parts)
            for running in study.games.all()
            if running.request.project_id in projects or running.role_of(visitor.person_id)
        ],
    }


@ROUTES.add("POST", "/datasets", ADMINS)
def make_dataset(body: DatasetBody, study: Served) -> dict[str, Any]:
    """Create an empty dataset to play into."""
    names = study.datasets.names()
    if "." in names:
        raise Refused(409, "the study's folder is a dataset itself; play into that")
    if body.name in names:
        raise Refused(409, f"there is a dataset {body.name} already")
    folder = study.config.data / body.name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(409, f"in the study's folder {body.name} is something else already; choose another name")
    open_store(folder, create=True)
    with study.database.writing() as session:
        list_episodes(session, study.datasets, now())
        return {"project": session.scalars(select(Project.id).where(Project.dataset == body.name)).one()}


@ROUTES.add("POST", "/games", PLAYERS)
def start(body: GameBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Join a game that waits for this role with the same settings, or start one."""
    with study.database.reading() as session:
        project = members.project_of(session, visitor, body.project)
    _refuse_other_parts(visitor, body.kind, body.role)
    _refuse_closed(project, visitor)
    if JUDGING.holds(study.datasets.store(project.dataset)):
        raise Refused(409, "this dataset is of a test suite, which judges see; play into another")
    agent = body.agent if Player.AGENT in CAST[body.kind].values() else ""  # or two people would not find each other
    places = game_sources(project, recorded_places(study.datasets))
    request = GameRequest(project.id, project.dataset, body.kind, body.prompted, body.challenge, agent, places=places)
    if body.kind is Kind.HELPED:
        store = study.datasets.store(project.dataset)
        request = helping.with_task(request, store, study.config, visitor.pseudonym)
    return begin(study, visitor, request, body.role)


@ROUTES.add("POST", "/tutorial", PLAYERS)
def tutorial(study: Served, visitor: Asking, body: TutorialBody | None = None) -> dict[str, Any]:
    """Start the tutorial; it is not recorded, and every player may play it."""
    world_of = ""
    if body is not None and body.project is not None:
        with study.database.reading() as session:
            world_of = members.project_of(session, visitor, body.project).dataset
    return begin(study, visitor, GameRequest("", "", Kind.PRACTICE_SOLVING, world_of=world_of), Role.SOLVER)


@ROUTES.add("GET", "/games/{game_id}", IN_GAMES)
def about(game_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Describe a game to its players and to those who may join; only its setter gets the prompt."""
    running = _game(study, visitor, game_id)
    role, prompt = running.role_of(visitor.person_id), running.game.config.prompt
    body = running.game.solver_body
    return {
        **_listed(running, visitor, _parts(visitor)),
        "tutorial": running.request.tutorial,
        "taught": running.request.taught is not None,
        "recorded": running.request.recorded,
        "seconds": study.games.seconds,
        "places": running.places,
        "turn_based": running.game.turn_based,
        "own_body": running.game.own_body,
        "full_hands": running.game.full_hands,
        "chooses": running.game.chooses,
        "task": {"number": task.number, "of": task.of} if (task := running.request.task) else None,
        "keys": running.game.keys(role) if role else [],
        "speaks": body.speech is not None,
        "taught_by": taught_by(running.game.config.world, body),
        "prompt": {"text": prompt.text, "modifier": prompt.modifier} if prompt and role is Role.SETTER else None,
    }


@ROUTES.add("POST", "/games/{game_id}/join", PLAYERS)
def join(game_id: PathId, body: JoinBody, study: Served, visitor: Asking) -> dict[str, Any]:
    """Join a game."""
    running = _game(study, visitor, game_id)
    _refuse_other_parts(visitor, running.request.kind, body.role)
    with study.games.entering(visitor.person_id):
        running.join(body.role, visitor.person_id, visitor.pseudonym)
    return {}


@ROUTES.add("POST", "/games/{game_id}/leave", IN_GAMES)
def leave(game_id: PathId, study: Served, visitor: Asking) -> dict[str, Any]:
    """Leave a game for good; what was played is kept if it is long enough."""
    running = study.games.get(game_id)
    role = running.role_of(visitor.person_id)
    if role is None:
        raise Refused(404, "you are not in this game")
    running.leave(role)
    study.games.close_deserted(running)
    return {}


@ROUTES.socket("/games/{game_id}/socket", IN_GAMES)
async def play(websocket: WebSocket, game_id: PathId, study: Served, visitor: Asking) -> None:
    """Serve a player's connection, see :mod:`annotation.server.sockets`."""
    running = study.games.get(game_id)
    role = running.role_of(visitor.person_id)
    if role is None:
        raise Refused(403, "you are not in this game; join it first")

    def barred() -> End | None:
        return _barred(study, visitor_of(websocket), running, role)

    if (end := await asyncio.to_thread(barred)) is not None:
        raise Refused(403, end.said)
    await websocket.accept()
    player = PlayerSocket(websocket, running, role, barred)
    try:
        await player.serve()
    finally:
        task = asyncio.create_task(_clear_up(study, running, role, player.connection))
        _waiting.add(task)
        task.add_done_callback(_waiting.discard)


async def _clear_up(study: Study, running: ActiveGame, role: Role, connection: int) -> None:
    """Before play, free the role of a player who has closed the page and does not return."""
    if not running.deserted:
        await asyncio.sleep(GIVE_UP_SEC)
        await asyncio.to_thread(running.give_up, role, connection)
    await asyncio.to_thread(study.games.close_deserted, running)


def _barred(study: Study, visitor: Visitor | None, running: ActiveGame, role: Role) -> End | None:
    """Return why a player may no longer take part; roles, projects and terms can change during a game."""
    if visitor is None:
        return SIGNED_OUT
    if visitor.consent_due:
        return TERMS_CHANGED
    if running.request.tutorial:
        return None if PLAYERS.admits(visitor.roles) else TAKEN_OUT
    asks = running.request.taught is not None and RATERS.admits(visitor.roles)
    if not asks and role not in _parts(visitor):
        return TAKEN_OUT
    try:
        with study.database.reading() as session:
            members.project_of(session, visitor, running.request.project_id)
    except Refused:
        return TAKEN_OUT
    return None


def begin(study: Study, visitor: Visitor, request: GameRequest, role: Role) -> dict[str, Any]:
    """Join a game that waits for this role with the same settings, or start one; return its id."""
    with study.games.entering(visitor.person_id):
        store = study.datasets.store(request.dataset) if request.dataset else None
        like = study.datasets.store(request.world_of) if request.world_of else None
        running = study.games.enter(request, store, role, visitor.person_id, visitor.pseudonym, like)
    return {"id": running.id}


def _world(study: Study, dataset: str) -> dict[str, Any]:
    """Return what a page needs of a dataset's world; that of the Playhouse if it has none, or cannot be read now.

    Returns:
      ``image``: height and width of its images, or None; ``taught_by``: see :func:`taught_by`, None where people choose
      from a list and have no keys to learn; ``helped``: whether it has helpers.
    """
    with suppress(UserError):
        about = study.datasets.store(dataset).description
        body = None if about.spaces is None else about.spaces.solver.action
        helped, listed = helping.offers_help(about.world or ""), helping.is_chosen_from_a_list(about.world or "")
        taught = None if listed else taught_by(about.world or "", body) if body else ""
        return {"image": about.image_size, "taught_by": taught, "helped": helped}
    return {"image": None, "taught_by": "", "helped": False}


def _places(
    study: Study, project: Project, recorded: Mapping[str, KnownPlaces], agents: Sequence[Agent]
) -> dict[str, Any]:
    """Return where games into a project's dataset are played; empty lines if it cannot be read now.

    Returns:
      ``places``: a sentence for games without an agent; ``with_agents``: by the name of each agent a sentence
      ``places``, and ``trouble``, why it cannot play there ("" if it can).
    """
    with suppress(UserError):
        sources = game_sources(project, recorded)
        world = sources.dataset.world or DEFAULT_WORLD
        bound = sources.dataset if study.datasets.store(project.dataset).ids() else UNKNOWN
        found = {
            agent.name: {
                "places": choose_places(world, replace(sources, agent=agent.places, agent_name=agent.name)).line,
                "trouble": agent_trouble(agent, world, sources.project, bound),
            }
            for agent in agents
        }
        return {"places": choose_places(world, sources).line, "with_agents": found}
    return {"places": "", "with_agents": {}}


def _game(study: Study, visitor: Visitor, game_id: str) -> ActiveGame:
    """Return the game, for its players and for those who may join. Raises Refused for others."""
    running = study.games.get(game_id)
    if running.role_of(visitor.person_id) is None:
        if running.request.tutorial:
            raise Refused(404, "this is the tutorial of another person")
        if not PLAYERS.admits(visitor.roles):
            raise Refused(404, "you are not in this game")
        with study.database.reading() as session:
            _refuse_closed(members.project_of(session, visitor, running.request.project_id), visitor)
    return running


def _refuse_closed(project: Project, visitor: Visitor) -> None:
    """Refuse play in a closed project, except to an admin, who may try it."""
    if not project.open and visitors.Role.ADMIN not in visitor.roles:
        raise Refused(409, "this project is closed; the leader of the study can open it")


def _parts(visitor: Visitor) -> list[Role]:
    """Return the roles that a person may play; an admin may play all."""
    admin = visitors.Role.ADMIN in visitor.roles
    return [part for part, role in _OF_STUDY.items() if admin or role in visitor.roles]


def _people(kind: Kind, parts: list[Role]) -> list[Role]:
    """Return the roles of ``kind`` that a person with these parts can play."""
    return [part for part in parts if CAST[kind].get(part) is Player.PERSON]


def _projects(study: Study, visitor: Visitor) -> list[Project]:
    """Return the projects in which a person can play."""
    with study.database.reading() as session:
        judged = set(session.scalars(select(TaskProject.project_id).where(TaskProject.kind == JUDGING.kind)))
        return [
            project
            for project in members.projects_of(session, visitor)
            if project.id not in judged and (project.open or visitors.Role.ADMIN in visitor.roles)
        ]


def _refuse_other_parts(visitor: Visitor, kind: Kind, role: Role) -> None:
    if role not in _people(kind, list(Role)):
        raise Refused(422, f"no person plays the {role.value} of {kind.value}")
    if role not in _parts(visitor):
        raise Refused(403, f"you do not take part as {role.value.replace('_', '-')}")


def _listed(running: ActiveGame, visitor: Visitor, parts: list[Role]) -> dict[str, Any]:
    """Describe a game to those who may join it, without names of people or agents."""
    now = running.game.session
    return {
        "id": running.id,
        "kind": now.kind,
        "dataset": running.request.dataset,
        "prompted": running.request.prompted,
        "state": now.state,
        "role": running.role_of(visitor.person_id),
        "free": [role for role in running.free() if role in parts],
        "here": sorted(now.here - now.lost),
        "over": running.over,
    }
