"""Worlds of a few lines with other spaces than the Playhouse's: a grid, things to point at, and an arm.

In each the solver goes where the setter asks it to. They are exact: from a configuration and the actions everything
follows to the last bit.

- ``small-grid``: a map of 5x5 cells, seven actions, one tick a step, free speech.
- ``small-things``: a set of three to six things, a verb and a pointer with legal values, a further text, and answers
  from a finite grammar.
- ``small-arm``: six numbers, two continuous components at two ticks a step; the solver is silent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from worlds import registry
from worlds.contract import SETTER, SOLVER, Action, Event, Observation, StepResult, TaskSpec, World, WorldError
from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar, InvalidAction, Pointer
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.observation import Category, Entities, Grid, ObservationSpec, PlayerSpec, Vector
from worlds.tiers import EXACT

WORDS = FreeText(40)
SETTER_SPEC = PlayerSpec(ObservationSpec(), ActionSpec((), speech=WORDS))
LIMIT = 12  # steps in which a request can be done


class SmallWorld(World):
    """What the three have in common: places by seed, words, the check of actions, and the end.

    Args:
      height: not used, as there are no pictures.
      width: not used.
      views: not used.
      max_steps: steps after which an episode is cut.
    """

    solver_spec: PlayerSpec
    goals: tuple[str, ...]  # what can be asked for

    def __init__(
        self, height: int | None = None, width: int | None = None, views: tuple[str, ...] = (), max_steps: int = 60
    ) -> None:
        self.max_steps = max_steps
        self.agents: list[str] = []

    def spec(self, agent: str) -> PlayerSpec:
        return SETTER_SPEC if agent == SETTER else self.solver_spec

    def observation_space(self, agent: str) -> Any:
        return gym_observation_space(self.spec(agent))

    def action_space(self, agent: str) -> Any:
        return gym_action_space(self.spec(agent).action)

    @property
    def config(self) -> dict[str, Any]:
        return dict(self._config)

    @property
    def step_index(self) -> int:
        return self._step

    @abstractmethod
    def begin(self, rng: np.random.Generator) -> None:
        """Set up the place that ``rng`` draws."""

    @abstractmethod
    def advance(self, action: Mapping[str, Any]) -> None:
        """Play one step of the solver."""

    @abstractmethod
    def seen(self) -> dict[str, Any]:
        """Return the declared parts of the solver's observation, in new arrays."""

    @abstractmethod
    def there(self, goal: int) -> bool:
        """Return True if the solver has reached goal number ``goal``."""

    @abstractmethod
    def towards(self, goal: int) -> dict[str, Any]:
        """Return an action that leads to goal number ``goal``."""

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict]]:
        self._config = dict((options or {}).get("config") or {"place": seed or 0})
        if not isinstance(self._config.get("place"), int):
            raise WorldError(f"{self._config} is no place of this world")
        self.begin(np.random.default_rng(self._config["place"]))
        self.agents, self._step = [SETTER, SOLVER], 0
        self._text, self._own = {SETTER: "", SOLVER: ""}, self.solver_spec.action.silent()
        return self._observed(), {player: {} for player in self.agents}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        if not self.agents:
            raise WorldError("the episode is over; call reset()")
        for player, action in actions.items():
            try:
                self.spec(player).action.check(action, len(self.seen().get("entity_values", ())) or None)
            except InvalidAction as error:
                raise WorldError(f"action of the {player}: {error}") from None
            self._text[player] = action["utterance"] or self._text[player]
        self._own = {**self.solver_spec.action.silent(), **actions.get(SOLVER, {})}
        self.advance(self._own)
        self._step += 1
        over = self._step >= self.max_steps
        self.agents = [] if over else self.agents
        players = (SETTER, SOLVER)
        return (
            self._observed(), dict.fromkeys(players, 0.0), dict.fromkeys(players, False), dict.fromkeys(players, over),
            {player: {} for player in players},
        )  # fmt: skip

    def close(self) -> None:
        pass

    def _observed(self) -> dict[str, Observation]:
        words = {"setter_text": self._text[SETTER], "solver_text": self._text[SOLVER]}
        own: dict[str, Any] = {"previous_movement": self._own["movement"].copy()}
        if "continuous" in self._own:
            own["previous_continuous"] = self._own["continuous"].copy()
        still = {"previous_movement": SETTER_SPEC.action.neutral_movement()}
        return {SETTER: {**words, **still}, SOLVER: {**self.seen(), **words, **own}}  # type: ignore[typeddict-item]


class SmallGrid(SmallWorld):
    """Walls at random cells, three colours at others, and the solver."""

    metadata = {"name": "small-grid", "render_modes": []}
    solver_spec = PlayerSpec(
        ObservationSpec(grid=Grid(5, 5, (3, 4))),
        ActionSpec((Discrete("act", ("left", "right", "up", "down", "pick", "drop", "stay"), 6),), speech=WORDS),
    )
    goals = ("go to red", "go to green", "go to blue")
    _moves = ((0, -1), (0, 1), (-1, 0), (1, 0))

    def begin(self, rng: np.random.Generator) -> None:
        cells = [divmod(int(cell), 5) for cell in rng.permutation(25)]
        self.solver, self.targets = np.array(cells[0]), [np.array(cell) for cell in cells[1:4]]

    def advance(self, action: Mapping[str, Any]) -> None:
        act = int(action["movement"][0, 0])
        if act < len(self._moves):
            self.solver = np.clip(self.solver + self._moves[act], 0, 4)

    def seen(self) -> dict[str, Any]:
        grid = np.zeros((5, 5, 2), np.int16)
        for number, target in enumerate(self.targets):
            grid[(*target,)] = 1, 1 + number
        grid[(*self.solver, 0)] = 2
        return {"grid": grid}

    def there(self, goal: int) -> bool:
        return bool((self.solver == self.targets[goal]).all())

    def towards(self, goal: int) -> dict[str, Any]:
        action, way = self.solver_spec.action.silent(), self.targets[goal] - self.solver
        for act, move in enumerate(self._moves):
            if (np.sign(way) * move).sum() > 0:
                action["movement"][0, 0] = act
        return action


class SmallThings(SmallWorld):
    """Things of three kinds on a line; only those near the solver can be taken, and going to one brings it near."""

    metadata = {"name": "small-things", "render_modes": []}
    solver_spec = PlayerSpec(
        ObservationSpec(
            entities=Entities(6, (Category("kind", 3), Category("taken", 2)), ("x", "size"), ("x",)), texts=("hands",)
        ),
        ActionSpec(
            (Discrete("verb", ("wait", "go", "take")), Pointer("thing", 6)),
            tick_sec=0.5,
            speech=Grammar((("I have", "I see"), ("nothing", "a cup", "a pen", "a key"))),
            masked=True,
        ),
    )
    goals = ("take a cup", "take a pen", "take a key")

    def begin(self, rng: np.random.Generator) -> None:
        count = int(rng.integers(3, 7))
        self.kind = np.concatenate([np.arange(3), rng.integers(3, size=count - 3)])
        self.x = rng.uniform(-1, 1, count).astype(np.float32)
        self.taken, self.at = np.zeros(count, bool), np.float32(0)

    def advance(self, action: Mapping[str, Any]) -> None:
        verb, pointer = action["movement"][0].tolist()
        if pointer and verb == 1:
            self.at = self.x[pointer - 1]
        elif pointer and verb == 2 and self._near()[pointer - 1]:
            self.taken[pointer - 1] = True

    def _near(self) -> np.ndarray:
        return np.abs(self.x - self.at) < 0.6

    def seen(self) -> dict[str, Any]:
        legal = np.zeros(3 + 7, np.bool_)
        legal[:4] = True
        legal[4 : 4 + len(self.x)] = ~self.taken
        held = [self.goals[kind][5:] for kind in self.kind[self.taken]]
        return {
            "entity_categories": np.stack([self.kind, self.taken], axis=1).astype(np.int16),
            "entity_values": np.stack([self.x - self.at, np.full_like(self.x, 0.1)], axis=1),
            "legal": legal,
            "hands": " and ".join(held),
        }

    def there(self, goal: int) -> bool:
        return bool((self.taken & (self.kind == goal)).any())

    def towards(self, goal: int) -> dict[str, Any]:
        action = self.solver_spec.action.silent()
        if not self.there(goal):
            thing = int(np.argmax(self.kind == goal))
            action["movement"][0] = (2 if self._near()[thing] else 1), 1 + thing
        return action


class SmallArm(SmallWorld):
    """A point in the plane that two motors move, and two targets."""

    metadata = {"name": "small-arm", "render_modes": []}
    solver_spec = PlayerSpec(
        ObservationSpec(vector=Vector(6)),
        ActionSpec((Continuous("east", -1.0, 1.0), Continuous("north", -0.5, 1.0)), ticks=2, tick_sec=0.05),
    )
    goals = ("reach one", "reach two")

    def begin(self, rng: np.random.Generator) -> None:
        self.point = np.zeros(2, np.float32)
        self.targets = rng.uniform(-1, 1, (2, 2)).astype(np.float32)

    def advance(self, action: Mapping[str, Any]) -> None:
        for move in action["continuous"]:
            self.point = self.point + np.float32(0.2) * move

    def seen(self) -> dict[str, Any]:
        return {"vector": np.concatenate([self.point, self.targets.ravel()]).astype(np.float32)}

    def there(self, goal: int) -> bool:
        return float(np.abs(self.point - self.targets[goal]).max()) < 0.15

    def towards(self, goal: int) -> dict[str, Any]:
        action, far = self.solver_spec.action.silent(), self.targets[goal] - self.point
        action["continuous"][:] = np.clip(far / 0.4, (-1.0, -0.5), 1.0)
        return action


@dataclass
class Reaching:
    """The one task of these worlds: to reach what was asked for."""

    spec: TaskSpec
    succeeded: bool = False

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        is_new = not self.succeeded and world.there(self.spec.arguments["goal"])
        self.succeeded |= is_new
        return self.succeeded, (Event(world.step_index, 1, "there"),) if is_new else ()


class SmallSolver:
    """Does what was asked, and answers at the first step; errs now and then unless ``perfect``."""

    def __init__(self, perfect: bool = False, error: float = 0.1) -> None:
        self._error = 0.0 if perfect else error

    def reset(self, world: Any, seed: int) -> None:
        self._world, self._rng = world, np.random.default_rng([seed, 1])

    def act(self, observation: Observation) -> Action:
        spec, heard = self._world.spec(SOLVER).action, observation["setter_text"]
        if heard not in self._world.goals or self._rng.random() < self._error:
            return spec.silent()
        action = self._world.towards(self._world.goals.index(heard))
        if not observation["solver_text"]:
            action["utterance"] = spec.spoken("I see nothing")
        return action


def _probe(name: str, world: Any, seed: int, split: str) -> TaskSpec | None:
    goal = seed % len(world.goals)
    return None if world.there(goal) else TaskSpec(name, world.goals[goal], {"goal": goal}, LIMIT)


WORLDS = {"small-grid": SmallGrid, "small-things": SmallThings, "small-arm": SmallArm}


def register() -> None:
    """Register the worlds, as an import of this module does in workers."""
    for name, make in WORLDS.items():
        if name not in registry.names():
            registry.register(
                registry.WorldEntry(
                    name=name,
                    make=make,
                    sample_config=_place,
                    make_solver=SmallSolver,
                    make_task=Reaching,
                    probe=_probe,
                    probes=("reach",),
                    tier=EXACT,
                    spaces={SETTER: SETTER_SPEC, SOLVER: make.solver_spec},
                )
            )


def _place(seed: int) -> dict[str, Any]:
    return {"place": seed}
