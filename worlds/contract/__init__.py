"""The contract every world keeps: two players, one clock, one set of actions.

A world is a PettingZoo ``ParallelEnv`` with the agents ``"setter"`` and ``"solver"``. Everything is
addressed by integer *step* (one decision of a player) or *tick* (one control period); seconds are for
people to read. Text stays text here: tokens are the agent's business.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NotRequired, Protocol, TypedDict, runtime_checkable

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from worlds.errors import UserError
from worlds.spaces.action import UTTERANCE_MAX_CHARS, ActionSpec, Discrete, FreeText, InvalidSpace
from worlds.spaces.as_gym import gym_action_space, gym_movement_space, gym_observation_space
from worlds.spaces.observation import Image, ObservationSpec, PlayerSpec

TICKS_PER_SECOND = 30
TICKS_PER_STEP = 8
STEPS_PER_SECOND = TICKS_PER_SECOND / TICKS_PER_STEP

SETTER = "setter"
SOLVER = "solver"

# The body of the Playhouse. Values are in units of the component's largest rate; those of the hand are codes.
MOVEMENT: tuple[Discrete, ...] = (
    Discrete("forward", ("back", "stay", "forward"), 1, (-1.0, 0.0, 1.0)),
    Discrete("strafe", ("left", "stay", "right"), 1, (-1.0, 0.0, 1.0)),
    # Counter-clockwise, seen from above, is positive.
    Discrete("turn", ("right", "slightly right", "stay", "slightly left", "left"), 2, (-1.0, -0.3, 0.0, 0.3, 1.0)),
    Discrete("look", ("down", "stay", "up"), 1, (-1.0, 0.0, 1.0)),
    Discrete("hand", ("keep", "grab", "release"), 0, (0.0, 1.0, 2.0)),  # grabs what is under the crosshair
    Discrete("reach", ("nearer", "keep", "farther"), 1, (-1.0, 0.0, 1.0)),  # of the held thing
)
MOVEMENT_BINS = np.array([component.count for component in MOVEMENT], dtype=np.int64)
MOVEMENT_NAMES = tuple(component.name for component in MOVEMENT)
HAND_KEEP, HAND_GRAB, HAND_RELEASE, HAND_THROW = 0, 1, 2, 3
BODY = ActionSpec(MOVEMENT, TICKS_PER_STEP, 1 / TICKS_PER_SECOND, FreeText(UTTERANCE_MAX_CHARS))

# The same body with full hands: what it holds can also be thrown, and rotated as its holder sees it. Forward tilts the
# top away from the holder, spins it counter-clockwise seen from above, and rolls it to the right.
_ROTATION = ("back", "keep", "forward")
FULL_MOVEMENT: tuple[Discrete, ...] = (
    *(
        Discrete("hand", (*part.bins, "throw"), part.neutral, (*part.values, float(HAND_THROW)))
        if part.name == "hand"
        else part
        for part in MOVEMENT
    ),
    *(Discrete(name, _ROTATION, 1, (-1.0, 0.0, 1.0)) for name in ("tilt", "spin", "roll")),
)
FULL_BODY = ActionSpec(FULL_MOVEMENT, TICKS_PER_STEP, 1 / TICKS_PER_SECOND, FreeText(UTTERANCE_MAX_CHARS))
BODIES = (BODY, FULL_BODY)  # that people play with the Playhouse's keys and mouse


def neutral_movement() -> np.ndarray:
    """Return the movement of one step that does nothing: int8 [TICKS_PER_STEP, components]."""
    return np.tile(np.array([component.neutral for component in MOVEMENT], dtype=np.int8), (TICKS_PER_STEP, 1))


class Observation(TypedDict):
    """Observation of a player at one step."""

    image: np.ndarray  # uint8 [height, width, 3], first-person view
    setter_text: str  # what the setter last said, "" before its first word
    solver_text: str  # what the solver last said, "" before its first word
    previous_movement: np.ndarray  # int8 [TICKS_PER_STEP, components], this player's own last movement


class Action(TypedDict):
    """Action of a player during one step."""

    movement: np.ndarray  # int8 [TICKS_PER_STEP, components], bin indices, one row a tick
    utterance: str  # "" is silence
    continuous: NotRequired[np.ndarray]  # float32 [ticks, continuous components], of spaces that have some


def silent(movement: np.ndarray | None = None) -> Action:
    """Return an action without words; without an argument, the action that does nothing."""
    return {"movement": neutral_movement() if movement is None else movement, "utterance": ""}


def observation_space(height: int, width: int) -> spaces.Dict:
    """Return the space of the observations of a player with the body of the Playhouse."""
    return gym_observation_space(body_spec(height, width))


def movement_space() -> spaces.MultiDiscrete:
    """Return the space of the movement of one step, int8 [TICKS_PER_STEP, components]."""
    return gym_movement_space(BODY)


def action_space() -> spaces.Dict:
    """Return the space of the actions of a player with the body of the Playhouse."""
    return gym_action_space(BODY)


def body_spec(height: int, width: int, body: ActionSpec = BODY) -> PlayerSpec:
    """Return the spaces of a player that sees a picture of ``height`` x ``width`` pixels and has a body of the
    Playhouse.
    """
    return PlayerSpec(ObservationSpec(image=Image(height, width)), body)


def with_body(action: Action, body: ActionSpec) -> Action:
    """Return ``action`` for ``body``; components that BODY lacks do nothing."""
    movement, still = action["movement"], body.neutral_movement()
    if movement.shape[1] == still.shape[1]:
        return action
    still[:, : movement.shape[1]] = movement
    return {**action, "movement": still}


class WorldError(UserError, ValueError):
    """A world that cannot be built, entered or played. The message is one line with what is wrong and the fix."""


class World(ParallelEnv):
    """Two players in one simulated place.

    ``reset(seed=..., options={"config": {...}})`` rebuilds exactly the given place; without a configuration one is
    sampled from the seed. From the same configuration, the same actions lead to bit-identical observations, whatever
    the world played before. :meth:`snapshot`, :meth:`restore` and :class:`TickWise` are optional.

    A player without an action stands still and is silent. Utterances are cut after ``UTTERANCE_MAX_CHARS``. Raises
    WorldError if the configuration is invalid or a movement does not exist. ``rlhf world check`` and
    ``tests/contracts`` try all of this; :class:`worlds.contract.tick_world.TickWorld` does most of it.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "world", "render_modes": ["rgb_array"]}
    possible_agents: ClassVar[list[str]] = [SETTER, SOLVER]
    body: ActionSpec = BODY  # of both players, where :meth:`spec` is not written

    @property
    @abstractmethod
    def config(self) -> dict[str, Any]:
        """The JSON-serialisable initial configuration from which this episode is rebuilt."""

    @property
    @abstractmethod
    def step_index(self) -> int:
        """Number of steps taken since the reset."""

    def spec(self, agent: str) -> PlayerSpec:
        """Return the spaces of a player; by default those of a picture and of ``body``.

        Raises:
          InvalidSpace: they are not written here, and there is no picture in the observation space.
        """
        space: Any = self.observation_space(agent)
        image = space.spaces.get("image") if isinstance(space, spaces.Dict) else None
        shape = () if image is None else image.shape or ()
        if len(shape) != 3:
            raise InvalidSpace("no picture is observed; write spec(), which declares what is")
        return body_spec(*shape[:2], self.body)

    def snapshot(self) -> Any:
        """Return an opaque, in-process copy of everything that influences the future; NotImplementedError without."""
        raise NotImplementedError("this world offers no snapshots; replay it from its configuration")

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        """Return to ``snapshot``; what follows is bit-identical to what followed it."""
        raise NotImplementedError("this world offers no snapshots; replay it from its configuration")


StepResult = tuple[
    dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


@runtime_checkable
class TickWise(Protocol):
    """Optional part of a world: play of a few ticks at a time, with views in between.

    For people, who see and steer more often than once a step. A step played in parts ends in the same bits as the
    same step played at once, however many views were drawn. Until it has ended, the world refuses ``step`` and
    ``snapshot``; a reset abandons it. People who play a world without this see one picture a step.
    """

    def play_ticks(self, movement: Mapping[str, np.ndarray]) -> None:
        """Play the next n ticks of the present step.

        Args:
          movement: int8 [n, components] by player, with the same n, at most the ticks left of the step. A missing
            player stands still; without players, nothing happens.

        Raises:
          WorldError: the episode is over, or a movement is not one.
        """
        ...

    def end_step(self, utterances: Mapping[str, str]) -> StepResult:
        """End the step after its last tick, and return what ``step`` returns.

        Raises:
          WorldError: the episode is over, ticks of the step have not been played yet, or an utterance is no text.
        """
        ...

    def view(self, agent: str, height: int, width: int) -> np.ndarray:
        """Return what ``agent`` sees now, in an array of the caller's own: uint8 [height, width, 3], of any size."""
        ...


@runtime_checkable
class SeenFromOutside(Protocol):
    """Optional part of a world that is :class:`TickWise`: views for people from other places than a player's eyes."""

    def view_from(self, angle: str, agent: str, height: int, width: int) -> np.ndarray:
        """Return a view of a player from behind ("third") or of everything from above ("above"): uint8 [height, width,
        3].

        The array is the caller's own.
        """
        ...


@dataclass(frozen=True)
class GrabFailure:
    """A grab that took nothing.

    Args:
      tick: ticks played since the reset.
      reason: words for the player, e.g. "the red ball is 0.4 m out of reach: go nearer".
    """

    tick: int
    reason: str


@runtime_checkable
class GrabHints(Protocol):
    """Optional part of a world: hints about grabbing for the pages on which people play.

    Agents never see them. Asking changes nothing in what is played, also in the middle of a step.
    """

    def graspable(self, agent: str) -> str | None:
        """Return words for what a grab by ``agent`` would take now, e.g. "the red ball"; None if it would fail."""
        ...

    def last_grab_failure(self, agent: str) -> GrabFailure | None:
        """Return the last failed grab of ``agent`` in :meth:`TickWise.play_ticks`; None since a grab that succeeded."""
        ...


class ThingInView(NamedTuple):
    """A loose thing in a picture: the pixels that show it, and the metres from the eye to its middle."""

    colour: str
    kind: str
    pixels: int
    distance: float


@runtime_checkable
class ThingsInView(Protocol):
    """Optional part of a world: the truth about its pictures, to measure what agents make out in them.

    Agents never see it. Asking changes nothing in what is played.
    """

    def things_in_view(self, agent: str) -> tuple[ThingInView, ...]:
        """Return every loose thing of which the picture that ``agent`` observes now shows a pixel or more."""
        ...


@runtime_checkable
class Filmed(Protocol):
    """Optional part of a world: pictures for people who watch what the setter does."""

    def film(self) -> np.ndarray:
        """Return what people see of the setter now, in an array of the caller's own: uint8 [height, width, 3]."""
        ...


@runtime_checkable
class WindingDown(Protocol):
    """Optional part of a turn-based world whose episodes go on for some steps after their task has ended.

    People who play are not waited for in these steps.
    """

    @property
    def ended(self) -> bool:
        """True once the task has ended, in success or failure."""
        ...


@runtime_checkable
class SaysWhatIsLegal(Protocol):
    """Optional part of a world: which actions are legal now, also where agents do not observe it."""

    def legal_now(self, agent: str) -> np.ndarray | None:
        """Return which values of all discrete components are legal, bool; None if the world does not say."""
        ...


def legal_values(world: World, player: str) -> np.ndarray | None:
    """Return which values are legal now, bool [values of all discrete components]; None if the world does not say."""
    found: Any = getattr(world, "legal_now", None)  # of SaysWhatIsLegal, which isinstance takes long to find
    return None if found is None else found(player)


@dataclass(frozen=True)
class Event:
    """Something a task's ground truth counts as progress (+1) or regress (-1).

    For evaluation and scripted raters only; an agent never sees it.
    """

    step: int
    sign: int
    reason: str


@dataclass(frozen=True)
class TaskSpec:
    """A request in words and for the task's success check; JSON-serialisable."""

    name: str  # the task's registered name, e.g. "lift"
    instruction: str
    arguments: Mapping[str, Any]
    max_steps: int


class Task(Protocol):
    """The hard-coded success check of one instruction, followed step by step.

    A task may also have an attribute ``over``, true once it has succeeded or no longer can, such as a question that was
    answered wrongly. Play that ends after success (:class:`rlhf.replay.play.Plan`) ends after that, too.
    """

    spec: TaskSpec

    def update(self, world: World, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """Look at the world after one step in which the solver said ``utterance``.

        Returns True if the task has succeeded at this step or before, and the events of this step.
        """
        ...


class Setter(Protocol):
    """Plays the setter's side of one world: asks for things."""

    @property
    def task(self) -> Task | None:
        """The task asked for at present; None before the first request."""
        ...

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        ...

    def act(self, observation: Observation) -> Action:
        """The setter's action at this step."""
        ...


class Solver(Protocol):
    """Plays the solver's side of one world: does things."""

    def reset(self, world: World, seed: int) -> None:
        """Begin to play in ``world``, which has just been reset or, for a co-pilot, is in the middle of an episode."""
        ...

    def act(self, observation: Observation) -> Action:
        """The solver's action at this step."""
        ...
