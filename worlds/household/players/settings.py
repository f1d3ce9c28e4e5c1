"""Settings of planners."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.contract import WorldError
from worlds.contract.known_settings import check_chances
from worlds.household.players.belief import Prior


@dataclass(frozen=True)
class PlannerSettings:
    """Settings of a planner. Numbers of the search are Watch-And-Help's.

    Args:
      simulations: paths of the tree search.
      rollout: most sub-goals tried at random from a leaf of the tree on.
      depth: most sub-goals in a row in the tree.
      prior: prior of the belief, "uniform" or "reference" (explained in Belief).
      chance_open: probability that a container that has not been seen is open.
      metre_cost: cost of walking a metre; 0 for the reference's costs, which are the same for all ways.
      closes: close containers that are no longer needed.
      body_stays: a fault of the reference, whose helper plans as if it stayed where it is and its partner walked.
      doubts: look again at what has been done, if nothing seems to be left to do.
    """

    simulations: int = 100
    rollout: int = 5
    depth: int = 5
    prior: Prior = "uniform"
    chance_open: float = 0.5
    metre_cost: float = 0.0
    closes: bool = True
    body_stays: bool = False
    doubts: bool = True

    def __post_init__(self) -> None:
        for name in ("simulations", "rollout", "depth"):
            if getattr(self, name) < 1:
                raise WorldError(f"planner setting {name}: {getattr(self, name)!r} is below 1")
        if self.prior not in ("uniform", "reference"):
            raise WorldError(f"planner setting prior: {self.prior!r} is neither 'uniform' nor 'reference'")
        check_chances("planner setting", chance_open=self.chance_open)
        if not 0 <= self.metre_cost < float("inf"):
            raise WorldError(f"planner setting metre_cost: {self.metre_cost!r} is no cost from 0 up")
