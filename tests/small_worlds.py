"""Worlds of a few lines, of every tier and with other spaces than the Playhouse's.

In each the solver goes where the setter asks it to. In those of ``WORLDS`` everything follows from a configuration and
the actions to the last bit:

- ``small-grid``: a map of 5x5 cells, seven actions, one tick a step, free speech.
- ``small-things``: a set of three to six things, a verb and a pointer with legal values, a further text, and answers
  from a finite grammar.
- ``small-arm``: six numbers, two continuous components at two ticks a step; the solver is silent.

Those of ``TIERS`` keep less, or more:

- ``small-film``: the map, of which there are recordings only.
- ``small-wind``: the map, on which a wind blows that no seed rules.
- ``small-walk``: a picture and two numbers, three ticks a step, which can be played in parts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from worlds import registry
from worlds.contract import SETTER, SOLVER, Action, Event, Observation, StepResult, TaskSpec, WorldError
from worlds.contract.step_world import StepWorld
from worlds.contract.tiers import EXACT, RECORDED, SEEDED, TICK_WISE
from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.observation import Category, Entities, Grid, Image, ObservationSpec, PlayerSpec, Vector

WORDS = FreeText(40)
SETTER_SPEC = PlayerSpec(ObservationSpec(), ActionSpec((), speech=WORDS))
LIMIT = 12  # steps in which a request can be done


class SmallWorld(StepWorld):
    """What they have in common: places by seed, and what can be asked for."""

    setter_spec = SETTER_SPEC
    goals: tuple[str, ...]  # what can be asked for

    def __init__(
        self, height: int | None = None, width: int | None = None, views: tuple[str, ...] = (), max_steps: int = 60
    ) -> None:
        super().__init__(height, width, views, max_steps)

    @staticmethod
    def sample(seed: int) -> dict[str, Any]:
        return {"place": seed}

    def begin(self, config: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(config["place"], int):
            raise WorldError(f"{config} is no place of this world")
        return self.place(np.random.default_rng(config["place"]))

    def play(self, actions: Mapping[str, Any]) -> None:
        self.advance(actions[SOLVER])

    def see(self, player: str) -> dict[str, Any]:
        return self.seen()

    @abstractmethod
    def place(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return the state in which an episode begins, in a place that ``rng`` draws."""

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


class SmallGrid(SmallWorld):
    """Walls at random cells, three colours at others, and the solver."""

    metadata = {"name": "small-grid", "render_modes": []}
    solver_spec = PlayerSpec(
        ObservationSpec(grid=Grid(5, 5, (3, 4))),
        ActionSpec((Discrete("act", ("left", "right", "up", "down", "pick", "drop", "stay"), 6),), speech=WORDS),
    )
    goals = ("go to red", "go to green", "go to blue")
    _moves = ((0, -1), (0, 1), (-1, 0), (1, 0))

    def place(self, rng: np.random.Generator) -> dict[str, Any]:
        cells = [divmod(int(cell), 5) for cell in rng.permutation(25)]
        return {"solver": np.array(cells[0]), "targets": [np.array(cell) for cell in cells[1:4]]}

    def advance(self, action: Mapping[str, Any]) -> None:
        act = int(action["movement"][0, 0])
        if act < len(self._moves):
            self.state["solver"] = np.clip(self.state["solver"] + self._moves[act], 0, 4)

    def seen(self) -> dict[str, Any]:
        grid = np.zeros((5, 5, 2), np.int16)
        for number, target in enumerate(self.state["targets"]):
            grid[(*target,)] = 1, 1 + number
        grid[(*self.state["solver"], 0)] = 2
        return {"grid": grid}

    def there(self, goal: int) -> bool:
        return bool((self.state["solver"] == self.state["targets"][goal]).all())

    def towards(self, goal: int) -> dict[str, Any]:
        action, way = self.solver_spec.action.silent(), self.state["targets"][goal] - self.state["solver"]
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

    def place(self, rng: np.random.Generator) -> dict[str, Any]:
        count = int(rng.integers(3, 7))
        return {
            "kind": np.concatenate([np.arange(3), rng.integers(3, size=count - 3)]),
            "x": rng.uniform(-1, 1, count).astype(np.float32),
            "taken": np.zeros(count, bool),
            "at": np.float32(0),
        }

    def advance(self, action: Mapping[str, Any]) -> None:
        verb, pointer = action["movement"][0].tolist()
        if pointer and verb == 1:
            self.state["at"] = self.state["x"][pointer - 1]
        elif pointer and verb == 2 and self._near()[pointer - 1]:
            self.state["taken"][pointer - 1] = True

    def _near(self) -> np.ndarray:
        return np.abs(self.state["x"] - self.state["at"]) < 0.6

    def seen(self) -> dict[str, Any]:
        legal = np.zeros(3 + 7, np.bool_)
        legal[:4] = True
        legal[4 : 4 + len(self.state["x"])] = ~self.state["taken"]
        held = [self.goals[kind][5:] for kind in self.state["kind"][self.state["taken"]]]
        return {
            "entity_categories": np.stack([self.state["kind"], self.state["taken"]], axis=1).astype(np.int16),
            "entity_values": np.stack([self.state["x"] - self.state["at"], np.full_like(self.state["x"], 0.1)], axis=1),
            "legal": legal,
            "hands": " and ".join(held),
        }

    def there(self, goal: int) -> bool:
        return bool((self.state["taken"] & (self.state["kind"] == goal)).any())

    def towards(self, goal: int) -> dict[str, Any]:
        action = self.solver_spec.action.silent()
        if not self.there(goal):
            thing = int(np.argmax(self.state["kind"] == goal))
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

    def place(self, rng: np.random.Generator) -> dict[str, Any]:
        return {"point": np.zeros(2, np.float32), "targets": rng.uniform(-1, 1, (2, 2)).astype(np.float32)}

    def advance(self, action: Mapping[str, Any]) -> None:
        for move in action["continuous"]:
            self.state["point"] = self.state["point"] + np.float32(0.2) * move

    def seen(self) -> dict[str, Any]:
        return {"vector": np.concatenate([self.state["point"], self.state["targets"].ravel()]).astype(np.float32)}

    def there(self, goal: int) -> bool:
        return float(np.abs(self.state["point"] - self.state["targets"][goal]).max()) < 0.15

    def towards(self, goal: int) -> dict[str, Any]:
        action, far = self.solver_spec.action.silent(), self.state["targets"][goal] - self.state["point"]
        action["continuous"][:] = np.clip(far / 0.4, (-1.0, -0.5), 1.0)
        return action


class SmallFilm(SmallGrid):
    """The map, of which there are recordings only."""

    metadata = {"name": "small-film", "render_modes": []}

    def begin(self, config: Mapping[str, Any]) -> dict[str, Any]:
        raise WorldError("small-film was filmed; it cannot be entered")


class SmallWind(SmallGrid):
    """The map, on which a wind blows from the west now and then, as chance has it that no seed rules."""

    metadata = {"name": "small-wind", "render_modes": []}

    def advance(self, action: Mapping[str, Any]) -> None:
        super().advance(action)
        if np.random.random() < 0.3:
            self.state["solver"] = np.minimum(self.state["solver"] + (0, 1), 4)


class SmallWalk(SmallWorld):
    """A point that walks over a field of 7x7, seen from above, and can be played in parts of a step."""

    metadata = {"name": "small-walk", "render_modes": ["rgb_array"]}
    render_mode = "rgb_array"
    solver_spec = PlayerSpec(
        ObservationSpec(image=Image(7, 14, 1), vector=Vector(2)),
        ActionSpec((Discrete("east", ("-", "0", "+"), 1), Discrete("south", ("-", "0", "+"), 1)), 3, 0.1, WORDS),
    )
    setter_spec = PlayerSpec(ObservationSpec(), ActionSpec((), ticks=3, tick_sec=0.1, speech=WORDS))
    goals = ("go north", "go west")
    _played: tuple[np.ndarray, ...] = ()  # ticks of the step under way

    def place(self, rng: np.random.Generator) -> dict[str, Any]:
        self._played = ()
        return {"at": rng.integers(2, 7, 2)}

    def advance(self, action: Mapping[str, Any]) -> None:
        for bins in action["movement"]:
            self.state["at"] = (self.state["at"] + bins[::-1] - 1) % 7

    def seen(self) -> dict[str, Any]:
        return {"image": self.view(SOLVER, 7, 14)[..., :1], "vector": self.state["at"].astype(np.float32)}

    def there(self, goal: int) -> bool:
        return int(self.state["at"][goal]) == 0

    def towards(self, goal: int) -> dict[str, Any]:
        action = self.solver_spec.action.silent()
        action["movement"][: self.state["at"][goal], 1 - goal] = 0
        return action

    def play(self, actions: Mapping[str, Any]) -> None:
        if not self._played:  # tick by tick
            super().play(actions)

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        self._check_whole()
        return super().step(actions)

    def snapshot(self) -> Any:
        self._check_whole()
        return super().snapshot()

    def play_ticks(self, movement: Mapping[str, np.ndarray]) -> None:
        ticks = max(map(len, movement.values()), default=0)
        if ticks + len(self._played) > 3 or any(len(bins) != ticks for bins in movement.values()):
            raise WorldError(f"{ticks} ticks are not left of the step, or not of both players; call end_step()")
        for player, bins in movement.items():
            whole = self.spec(player).action.silent()
            left = whole["movement"][ticks:]
            bins = np.concatenate([bins, left]) if isinstance(bins, np.ndarray) else bins
            self._checked(player, whole | {"movement": bins})
        given = movement.get(SOLVER, self.solver_spec.action.neutral_movement()[:ticks])
        self.advance({"movement": given})
        self._played += tuple(given)

    def end_step(self, utterances: Mapping[str, str]) -> StepResult:
        if len(self._played) < 3:
            raise WorldError(f"{3 - len(self._played)} ticks of the step are left; play them before end_step()")
        actions: Any = {each: self.spec(each).action.silent() for each in self.agents}
        actions[SOLVER]["movement"][:] = self._played
        for player, words in utterances.items():
            actions[player]["utterance"] = words
        result = super().step(actions)
        self._played = ()
        return result

    def view(self, agent: str, height: int, width: int) -> np.ndarray:
        row, column = (np.arange(side) * 7 // side for side in (height, width))
        there = (row[:, None] == self.state["at"][0]) & (column == self.state["at"][1])
        return np.repeat(np.uint8(255) * there.astype(np.uint8)[..., None], 3, axis=2)

    def _check_whole(self) -> None:
        if self._played:
            raise WorldError("a part of a step has been played; call end_step() first")


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
TIERS = {"small-film": (SmallFilm, RECORDED), "small-wind": (SmallWind, SEEDED), "small-walk": (SmallWalk, TICK_WISE)}


def register() -> None:
    """Register the worlds, as an import of this module does in workers."""
    for name, (make, tier) in ({name: (make, EXACT) for name, make in WORLDS.items()} | TIERS).items():
        if name not in registry.names():
            registry.register(
                registry.WorldEntry(
                    name=name,
                    make=make,
                    sample_config=make.sample,
                    make_solver=SmallSolver,
                    make_task=Reaching,
                    probe=_probe,
                    probes=("reach",),
                    tier=tier,
                    spaces={SETTER: make.setter_spec, SOLVER: make.solver_spec},
                )
            )
