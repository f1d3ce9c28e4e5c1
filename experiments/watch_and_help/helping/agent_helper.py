"""An agent of ours as Alice's helper: it sees what Bob sees, and hears what she asks for."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agents.acting import AgentSolvers
from agents.agent import InteractiveAgent
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from worlds.contract import SOLVER
from worlds.errors import UserError
from worlds.household.players.acting import holds_something
from worlds.household.players.planner import Decision, Intent
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.language.asking import request
from worlds.household.world import HANDS, HouseholdWorld, Moment, player_spec

_WORDS = 6  # stream of random numbers from which Alice's words are drawn
WEIGHTS = "model.safetensors"


def asked(home: Home, goal: Goal, seed: int) -> str:
    """Return the words in which Alice asks for help with her own goal, as the scripted setter does."""
    rng = np.random.default_rng([seed, _WORDS])
    return request(goal, rng, own=True, classes=tuple(each.name for each in home.classes))


def weights_digest(folder: Path) -> str:
    """Return what tells an agent from another one: episodes of other weights are played again."""
    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()[:16]


class AgentHelper:
    """A helper that an agent plays, which learned in the household from entities; see :class:`Player`.

    Raises:
      UserError: the agent is not of the household's entities, or sees pictures.
    """

    def __init__(self, folder: Path, home: Home, words: str, seed: int) -> None:
        agent, tokenizer = _loaded(folder)
        if agent.config.player != (spec := player_spec()):
            raise UserError(f"{folder}: no agent that learned from the household's entities without pictures")
        self._solvers = AgentSolvers(agent, tokenizer, slots=1, seed=seed)
        self._home, self._body, self._words, self._said = home, spec.action, words, ""
        self._before, self._begins = self._body.neutral_movement(), True
        self._eyes = HouseholdWorld()  # which observes the states that are played elsewhere

    def act(self, state: State, reason: str, intent: Intent | None = None) -> Decision:
        self._eyes.state = Moment(self._home, state, 0, ("", reason))
        seen: dict[str, Any] = self._eyes.see(SOLVER)
        seen |= {"setter_text": self._words, "solver_text": self._said, "previous_movement": self._before}
        action = self._solvers.act([seen], np.array([self._begins]))[0]  # type: ignore[list-item]
        self._begins, self._before = False, np.array(action["movement"])
        self._said = action["utterance"] or self._said
        verb, pointer, hand = self._before[0].tolist()
        row = self._eyes.row_at(SOLVER, pointer) if pointer else NO_ROW
        return Decision((verb, row, HANDS[hand]))

    def intent(self, state: State) -> Intent:
        return Intent(None, not holds_something(state, self._home.persons[1]))


@lru_cache(maxsize=4)
def _loaded(folder: Path) -> tuple[InteractiveAgent, Tokenizer]:
    return load_agent(folder)
