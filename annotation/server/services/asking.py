"""People ask the agent that they teach themselves: whether they can, into which dataset, and what they mark then."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from annotation.games.body_keys import check_playable
from annotation.server.db.database import Database
from annotation.server.db.tables import Assignment, EpisodeRecord, ItemRecord, Person, Project
from annotation.server.errors import Refused
from annotation.server.services.agents import Agent, agent_in
from annotation.server.services.datasets import Datasets
from annotation.server.services.helping import is_chosen_from_a_list
from annotation.server.services.listing import new_project
from annotation.server.teacher import TaughtAgent
from annotation.tasks import MARKING
from rlhf.records.episode import is_agent
from rlhf.store import EpisodeRow, open_store
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError

_BEFORE_SEC = 0.001  # by which an assignment is older than those that it comes before


def askable(datasets: Datasets, taught: TaughtAgent) -> Agent:
    """Return the agent that people can ask by typing, while it acts.

    Raises Refused if there is none yet, it has not played yet, or in its world nobody can ask like this.
    """
    agent = agent_in(taught.name, taught.folder)
    if agent is None or agent.trouble:
        raise Refused(409, agent.trouble if agent else "there is no agent to ask yet")
    spaces = None
    if taught.play in datasets.names():
        about = datasets.store(taught.play).description
        world, spaces = about.world or "", about.spaces
    if spaces is None:
        raise Refused(409, "the agent plays its first clip; ask it when that is there")
    if spaces.setter.speech is None or is_chosen_from_a_list(world):  # where nothing happens until the setter chooses
        raise Refused(409, f"in the world {world} nobody can ask by typing alone")
    try:
        check_playable(world, {SETTER: spaces.setter, SOLVER: spaces.solver.action})
    except UserError as error:
        raise Refused(409, str(error)) from error
    return agent


def project_of_asked(database: Database, datasets: Datasets, taught: TaughtAgent, when: float) -> Project:
    """Return the project into which people ask an agent; its dataset is created if there is none."""
    open_store(datasets.folder / taught.asked, create=True)
    with database.writing() as session:
        found = session.scalar(select(Project).filter_by(dataset=taught.asked))
        return found or new_project(session, taught.asked, when)


def open_asked(session: Session, dataset: str, row: EpisodeRow, when: float) -> None:
    """Give an episode to mark to the person who has asked an agent in it, before all that they have begun.

    Done again, it is given once. Nothing happens if nobody has asked an agent in it, or they were deleted.
    """
    asker = session.scalar(select(Person).filter_by(pseudonym=row.setter.removeprefix("human:")))
    item = session.scalar(
        select(ItemRecord)
        .join(EpisodeRecord, EpisodeRecord.id == ItemRecord.episode_id)
        .join(Project, Project.id == EpisodeRecord.project_id)
        .where(Project.dataset == dataset, EpisodeRecord.episode_id == row.episode_id)
        .where(ItemRecord.kind == MARKING.kind)
    )
    if asker is None or item is None or not is_agent(row.solver):
        return
    given = Assignment.rater_id == asker.id, ItemRecord.kind == MARKING.kind
    if session.scalar(select(Assignment.id).join(ItemRecord).where(*given, ItemRecord.id == item.id)) is not None:
        return
    query = select(func.min(Assignment.opened)).join(ItemRecord).where(*given, Assignment.submitted.is_(None))
    begun = session.scalar(query)
    opened = when if begun is None else min(when, begun - _BEFORE_SEC)
    session.add(Assignment(item=item, rater_id=asker.id, opened=opened, locked_until=when))
