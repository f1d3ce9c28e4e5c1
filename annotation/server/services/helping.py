"""Helped sessions: which task a person plays next, and which helper they meet there without knowing it."""

from __future__ import annotations

from dataclasses import replace

from annotation.games.help_sessions import NOTE, next_task, plan
from annotation.server.config import ServeConfig
from annotation.server.errors import Refused
from annotation.server.services.active_game import GameRequest
from annotation.session.states import Kind
from rlhf.store import EpisodeStore, ParquetStore
from worlds import registry


def is_chosen_from_a_list(world: str) -> bool:
    """Return True if people choose their actions in a world from a list, and use no keys of its own."""
    return world in registry.names() and registry.get(world).live_play is not None


def offers_help(world: str) -> bool:
    """Return True if a world has scripted helpers, and people choose their actions there."""
    return is_chosen_from_a_list(world) and bool(registry.get(world).helpers)


def with_task(request: GameRequest, store: ParquetStore, config: ServeConfig, pseudonym: str) -> GameRequest:
    """Return the request with the next task of a person's session, and with the agent where that is the helper.

    Raises Refused if the dataset's world has no helpers, or the session is over.
    """
    world = store.description.world or ""
    if not offers_help(world):
        raise Refused(409, "no helpers are known in this dataset's world, or nothing is recorded in it yet")
    known = registry.get(world).helpers
    session = plan(pseudonym, config.helpers or known, config.helped_tasks, config.helped_seed)
    task = next_task(session, played_numbers(store, pseudonym, config.helped_seed))
    if task is None:
        raise Refused(409, f"you have played all {len(session)} tasks of the session; thank you")
    return replace(request, prompted=False, task=task, agent="" if task.helper in known else task.helper)


def played_numbers(store: EpisodeStore, pseudonym: str, seed: int) -> set[int]:
    """Return the numbers of the episodes that a person has played of the session of a seed."""
    mine = [row.episode_id for row in store.rows() if row.setter == f"human:{pseudonym}"]
    notes = [store.read_transcript(episode_id).notes for episode_id in mine]
    sessions = [each[NOTE] for each in notes if each.get("kind") == Kind.HELPED and NOTE in each]
    return {int(each["number"]) for each in sessions if each["seed"] == seed}
