"""The school's episodes as a Gymnasium environment."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from worlds.contract.known_settings import check_known
from worlds.errors import UserError
from worlds.school.drawing.camera import draw_room
from worlds.school.grid.codes import CHANNELS, VIEW
from worlds.school.grid.dialogue import NOUNS, TEMPLATES, Dialogue, sentence
from worlds.school.problems.problem import PRIMITIVES, Problem, Settings
from worlds.school.problems.types import make_problem

Parameters = Mapping[str, str]
Sampler = Callable[[np.random.Generator], Parameters]

NOTHING = -1  # of an action's number: no move, or no speech
TILE = 32  # pixels of a cell of the picture
MISSION = "Hidden"
_COUNTS = (len(PRIMITIVES), len(TEMPLATES), len(NOUNS))
_CHARACTERS = "".join(sorted({chr(code) for code in range(32, 127)} | {"\n"}))
_LONGEST = 65_536  # characters of a dialogue's history


class SchoolEnv(gymnasium.Env[dict[str, Any], np.ndarray]):
    """Episodes of the school: an agent in a room with a scripted peer.

    An action is three numbers: a primitive, left, right, forward, toggle or done; a template and a noun of the grammar.
    -1 or NaN for the primitive is no move, for the other two no speech. Observations have ``image``, the 7x7 cells
    before the agent; ``direction``; ``utterance``, what was heard in this step; ``utterance_history``; ``mission``.

    Args:
      parameters: values by the labels of the parameter tree, or a function that draws them for an episode from the
        environment's generator.
      render_mode: "rgb_array" for pictures, or None.
      settings: fields of :class:`worlds.school.problems.problem.Settings`, by name.

    Attributes:
      problem: the present episode.

    Raises:
      UserError: a setting that does not exist, or a value out of its range.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 4}
    problem: Problem

    def __init__(self, parameters: Parameters | Sampler, render_mode: str | None = None, **settings: Any) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UserError(f"render_mode is {render_mode!r}; known: rgb_array, None")
        self.parameters, self.render_mode = parameters, render_mode
        self.settings = make_settings(settings)
        self.action_space, self.observation_space = action_space(), observation_space()
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode, with options["parameters"] if they are given."""
        super().reset(seed=seed)
        given: Any = (options or {}).get("parameters", self.parameters)
        parameters: Any = given(self.np_random) if callable(given) else given
        self.problem = make_problem(parameters, self.settings, int(self.np_random.integers(2**31)))
        self._begun = True
        return self._observed()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Play a step."""
        if not self._begun or self.problem.ended:
            raise UserError("the episode is over or has not begun; call reset()")
        primitive, utterance = parse_action(action)
        reward = self.problem.step(primitive, utterance)
        observation, info = self._observed()
        over, late = self.problem.ended, self.problem.timed_out
        return observation, reward, over and not late, late, info

    def render(self) -> np.ndarray | None:  # type: ignore[override]
        """Return the room from above, what the agent sees lighter: uint8 [height, width, 3]; None without a mode."""
        if self.render_mode is None or not self._begun:
            return None
        return draw_room(self.problem.room, TILE, self.problem.observe()[1])

    def _observed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        problem = self.problem
        image, seen = problem.observe()
        return observed(image, problem.room.direction, problem.dialogue), problem.information(image, seen)


def action_space() -> spaces.MultiDiscrete:
    """Return the space of actions, those without a move or without speech left out."""
    return spaces.MultiDiscrete(list(_COUNTS))


def observation_space() -> spaces.Dict:
    """Return the space of observations."""
    text = spaces.Text(_LONGEST, min_length=0, charset=_CHARACTERS)
    image = spaces.Box(0, 255, (VIEW, VIEW, CHANNELS), np.uint8)
    texts = dict.fromkeys(("mission", "utterance", "utterance_history"), text)
    return spaces.Dict({"image": image, "direction": spaces.Discrete(4), **texts})


def observed(image: np.ndarray, direction: int, dialogue: Dialogue) -> dict[str, Any]:
    """Return an observation, of what is seen and heard."""
    return {
        "image": image,
        "direction": direction,
        "mission": MISSION,
        "utterance": dialogue.heard,
        "utterance_history": dialogue.history,
    }


def make_settings(settings: Mapping[str, Any]) -> Settings:
    """Return settings by name."""
    check_known(settings, [each.name for each in fields(Settings)], "school")
    return Settings(**settings)


def parse_action(action: Any) -> tuple[int | None, str | None]:
    """Return an action's primitive and utterance; None for no move and for silence."""
    try:
        numbers = action.tolist() if isinstance(action, np.ndarray) else list(action)
        primitive, template, noun = (_number(value, count) for value, count in zip(numbers, _COUNTS, strict=True))
    except (TypeError, ValueError) as error:
        ranges = ", ".join(f"0 to {count - 1}" for count in _COUNTS)
        raise UserError(
            f"action {action!r}: an action is a primitive, a template and a noun, {ranges}, or -1 or NaN for none"
        ) from error
    if (template is None) != (noun is None):
        raise UserError(f"action {action!r}: give template and noun, or neither for silence")
    return primitive, None if template is None or noun is None else sentence(template, noun)


def _number(value: Any, count: int) -> int | None:
    if value is None or (isinstance(value, float) and math.isnan(value)) or value == NOTHING:
        return None
    number = int(value)
    if number != value or not 0 <= number < count:
        raise ValueError(value)
    return number
