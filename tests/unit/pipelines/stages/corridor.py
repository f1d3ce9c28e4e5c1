"""A world in a file of its own that describes itself in words: a corridor with a ball and a door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.contract import SOLVER
from worlds.contract.tiers import EXACT
from worlds.instructed_world import InstructedWorld
from worlds.registry import register
from worlds.spaces.action import ActionSpec, Discrete
from worlds.spaces.observation import ObservationSpec, PlayerSpec

LENGTH = 7


class Corridor(InstructedWorld):
    """Seven cells in a row; the solver goes to the thing that is asked for."""

    metadata = {"name": "corridor", "render_modes": []}
    solver_spec = PlayerSpec(
        ObservationSpec(texts=("around",)), ActionSpec((Discrete("act", ("left", "right", "stay"), 2),))
    )
    instructions = ("go to the ball", "go to the door")
    time_limit = 8

    @staticmethod
    def sample(seed: int) -> dict[str, Any]:
        return {"place": seed}

    def begin(self, config: Mapping[str, Any]) -> dict[str, Any]:
        cells = np.random.default_rng(config["place"]).permutation(LENGTH)
        return {"at": int(cells[0]), "ball": int(cells[1]), "door": int(cells[2])}

    def play(self, actions: Mapping[str, Any]) -> None:
        move = (-1, 1, 0)[int(actions[SOLVER]["movement"][0, 0])]
        self.state["at"] = min(max(self.state["at"] + move, 0), LENGTH - 1)

    def see(self, player: str) -> dict[str, Any]:
        if player != SOLVER:
            return {}
        return {"around": "; ".join(self._side(thing) for thing in ("ball", "door"))}

    def _side(self, thing: str) -> str:
        way = self.state[thing] - self.state["at"]
        return f"{thing} " + ("here" if not way else "to the right" if way > 0 else "to the left")

    def advise(self, words: str) -> Any:
        way = self.state[words.split()[-1]] - self.state["at"]
        if not way:
            return None
        action = self.solver_spec.action.silent()
        action["movement"][0, 0] = 1 if way > 0 else 0
        return action

    def judge(self, words: str, utterance: str) -> tuple[int, str]:
        return (1, "there") if self.state[words.split()[-1]] == self.state["at"] else (0, "")


register(Corridor.entry("corridor", tier=EXACT))
