"""The scripted setter: asks for something in words, and stands aside or does it herself, together with the solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.contract import SETTER, Action, Observation, TaskSpec, WorldError
from worlds.contract.known_settings import check_flags
from worlds.contract.requests import AskingSetter
from worlds.household.players.acting import PlanningPlayer, action_of, metres_of
from worlds.household.players.planner import Intent
from worlds.household.players.settings import PlannerSettings
from worlds.household.tasks.language.asking import request
from worlds.household.tasks.probes import make_task, probe
from worlds.household.tasks.progress import HORIZON, reached
from worlds.household.tasks.sets import NAMES


class ScriptedSetter(AskingSetter):
    """A setter that asks for goals in words.

    Args:
      tasks: how often each predicate set is asked for, relative to the others. The first request of an episode is of
        the set for which its place was drawn, unless that is never asked for.
      split: "train" or "held_out", of the requests.
      acts: she pursues the goal of the place herself, as Alice, and asks for help; by default she stands still, and
        asks for what the solver alone is to do.
      silent: says nothing while she acts, so that the solver has to see what she wants.
      settings: settings of her planner by name, those of PlannerSettings.

    Attributes:
      note: words about her last step for reports, e.g. that no plan was found; "" for an ordinary one.
    """

    def __init__(
        self,
        tasks: Mapping[str, float],
        split: str = "train",
        acts: bool = False,
        silent: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(probe, make_task, NAMES, tasks, split)
        try:
            self._settings = PlannerSettings(**(settings or {}))
        except TypeError as error:
            raise WorldError(f"setter settings: {error}") from None
        check_flags("setter setting", acts=acts, silent=silent)
        self._acts, self._silent = acts, silent
        self._player: PlanningPlayer | None = None
        self._goal: dict[str, int] = {}
        self._words = ""  # of her first request
        self.note = ""

    def reset(self, world: Any, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        super().reset(world, seed)
        self._alice_rng, self._player, self.note = np.random.default_rng([seed, 5]), None, ""
        if not self._acts:
            return
        now, self._goal = world.state, _own_goal(world)
        self._words = self._own_words()
        metres = metres_of(now.home, now.state, now.ways) if self._settings.metre_cost else None
        self._player = PlanningPlayer(now.home, now.home.persons[0], self._goal, seed, self._settings, metres=metres)

    def act(self, observation: Observation) -> Action:
        """Ask, and where she acts herself, take the next step towards the goal until it is reached."""
        said = super().act(observation)
        if self._player is None:
            return said
        now: Any = self._world.state
        if reached(now.home, now.state, self._goal, now.home.persons[0]):
            self.note = ""
            return action_of(self._world, SETTER, None, "")
        decision = self._player.act(now.state, now.feedback[0])
        self.note = decision.note
        return action_of(self._world, SETTER, decision.act, "" if self._silent else said["utterance"])

    def intent(self) -> Intent | None:
        """Return what she is about to do; None if she stands still."""
        now: Any = self._world.state
        return self._player.intent(now.state) if self._player else None

    def _other_request(self, name: str) -> TaskSpec | None:
        """Return the next request: what the solver is to do, or help with her own goal."""
        if self._player is None:
            return super()._other_request(name if self.task else self._first(name))
        now: Any = self._world.state
        goal = self._goal
        if reached(now.home, now.state, goal, now.home.persons[0]):
            return None
        words, self._words = self._words or self._own_words(), ""
        task: Any = self._world.config["task"]
        return TaskSpec(task["name"], words, {"goal": dict(goal), "whose": SETTER}, HORIZON)

    def _own_words(self) -> str:
        """Return words for her own goal; "" if it takes too many and she says nothing anyway."""
        now: Any = self._world.state
        classes = tuple(each.name for each in now.home.classes)
        try:
            return request(self._goal, self._alice_rng, own=True, classes=classes)
        except WorldError:
            if not self._silent:
                raise
            return ""

    def _first(self, name: str) -> str:
        """Return the set for which the place was drawn, if it is asked for at all; else ``name``."""
        own = (self._world.config.get("task") or {}).get("name", name)
        return own if dict(zip(self._names, self._chances, strict=True)).get(own, 0.0) > 0 else name


def _own_goal(world: Any) -> dict[str, int]:
    """Return the goal of the place. Raises WorldError where it has none."""
    goal = (world.config.get("task") or {}).get("goal")
    if not goal:
        raise WorldError("setter setting acts: the place has no goal of its own to act for")
    return goal
