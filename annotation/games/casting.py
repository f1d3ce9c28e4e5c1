"""Checks before a game: its stand-ins, and that its episode can be stored."""

from __future__ import annotations

from annotation.games.config import GameConfig
from annotation.games.help_sessions import HelpedTask
from annotation.games.stand_ins import ScriptedPlayer, StandIn
from annotation.session.states import Kind, Player, PlaySession, Role
from rlhf.records.episode import WORLD_OPTIONS
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import EpisodeStore
from worlds import registry
from worlds.contract import Solver
from worlds.errors import UserError


def cast(
    session: PlaySession,
    entry: registry.WorldEntry,
    stand_in: StandIn | None,
    task: HelpedTask | None = None,
    split: str = "train",
) -> dict[Role, StandIn]:
    """Return the stand-ins of a session by role.

    Args:
      task: of a helped session, whose helper may be an agent, too.

    Raises UserError if there is no agent, or the world has no such helper.
    """
    found: dict[Role, StandIn] = {}
    for role, player in session.cast.items():
        if player is Player.SCRIPTED and stand_in is not None:  # an agent as helper
            found[role] = stand_in
        elif player is Player.SCRIPTED:
            if session.kind is Kind.HELPED:
                made = _helper(entry, task.helper if task else "")
            elif role is Role.SOLVER:
                made = entry.make_solver()
            else:
                made = entry.make_setter(tasks=dict.fromkeys(entry.probes, 1.0), split=split)
            found[role] = ScriptedPlayer(made)
        elif player is Player.AGENT:
            if stand_in is None:
                raise UserError(f"a session {session.kind.value} needs an agent to solve; name its folder")
            found[role] = stand_in
    return found


def _helper(entry: registry.WorldEntry, name: str) -> Solver:
    """Return a helper of a world. Raises UserError if it has none of that name."""
    if entry.make_helper is None or name not in entry.helpers:
        known = ", ".join(entry.helpers) or "none"
        raise UserError(f"the world {entry.name} has no helper {name!r}; known: {known}")
    return entry.make_helper(name)


def check_dataset(config: GameConfig, store: EpisodeStore) -> None:
    """Check before play that the store can take the episode. Raises UserError if it cannot."""
    if not registry.is_foreign(config.world) and config.world not in registry.names():
        raise UserError(f"no world named {config.world!r}; known: {', '.join(registry.names())}")
    rows = store.rows()
    if not rows:
        return
    other = store.read(rows[-1].episode_id)
    if config.world != other.world:
        raise UserError(
            f"the game is played in world {config.world}, the dataset holds {other.world}; play into another dataset"
        )
    options = other.notes.get(WORLD_OPTIONS)
    if options is not None and dict(options) != dict(config.world_options):
        raise UserError(
            f"the dataset was recorded with world options {options}, the game has {dict(config.world_options)}; "
            f"play with the same, or into another dataset"
        )


def check_spaces(spaces: EpisodeSpaces, store: EpisodeStore) -> None:
    """Check before play that a world has the spaces of the dataset. Raises UserError, naming the first difference."""
    rows = store.rows()
    declared = store.read(rows[-1].episode_id).spaces if rows else spaces
    if declared != spaces:
        found = spaces.differences(declared, ("the world", "the dataset"))[0]
        raise UserError(f"the game has other spaces than the dataset: {found}; play into another dataset")
