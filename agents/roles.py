"""The roles of an agent: the solver, who does, and the setter, who asks (paper, A.6).

Both are the same network. An agent reads what is said to it and its own last words. A solver hears the setter; a setter
hears the solver, after the prompt that it was given, if it was given one.
"""

from __future__ import annotations

from typing import Any, cast

from worlds.contract import SETTER, SOLVER, Observation
from worlds.errors import UserError

ROLES = (SOLVER, SETTER)
AGENT_PREFIX = "agent:"  # before an agent's folder, where a setting takes other things, too
PROMPT_ENDS = " | "  # between a prompt and what the solver said

_PLAYS = {
    SOLVER: "`rlhf clone` makes solvers",
    SETTER: "`rlhf clone --role setter` makes setters",
}


def heard_by_setter(prompt: str, solver_text: str) -> str:
    """Return what a setter reads besides its own words.

    Args:
      prompt: what it is prompted to ask for, e.g. "Have the other player lift something."; "" without one.
      solver_text: what the solver last said.
    """
    return PROMPT_ENDS.join(filter(None, (prompt, solver_text)))


def read_as_setter(observation: Observation, prompt: str = "") -> Observation:
    """Return a setter's observation as an agent in that role reads it.

    In the place of the setter's words, which solvers hear, is what the setter hears; in that of the solver's own last
    words are its own.

    Args:
      prompt: see :func:`heard_by_setter`.
    """
    texts = {
        "setter_text": heard_by_setter(prompt, observation["solver_text"]),
        "solver_text": observation["setter_text"],
    }
    return cast(Observation, {**cast(dict[str, Any], observation), **texts})


def folder_of(setting: object) -> str | None:
    """Return the folder in a setting such as "agent:runs/setter/agent"; None if it names no agent."""
    text = str(setting)
    return text.removeprefix(AGENT_PREFIX) if text.startswith(AGENT_PREFIX) else None


def check_role(role: str, wanted: str, folder: object) -> None:
    """Refuse an agent of another role than the one in which it is to play.

    Raises:
      UserError: they differ.
    """
    if role != wanted:
        raise UserError(
            f"{folder} holds an agent in the role of the {role}, not of the {wanted}: name the folder of a {wanted} "
            f"({_PLAYS[wanted]})"
        )
