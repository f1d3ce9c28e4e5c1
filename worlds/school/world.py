"""The school as a world: the agent is the solver, and the peer is on the setter's side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from worlds.contract import SETTER, SOLVER, StepResult, WorldError
from worlds.contract.known_settings import check_flags
from worlds.contract.step_world import PLAYERS, StepWorld
from worlds.errors import UserError
from worlds.school.drawing.camera import draw_room, draw_view, fitted, with_words
from worlds.school.grid.codes import CHANNELS, COLOURS, NO_OP, OBJECTS, PEER_ACT_IDS, PEER_ACTS, VIEW
from worlds.school.grid.dialogue import NOUNS, TEMPLATES
from worlds.school.observing.published_words import published_surroundings
from worlds.school.observing.words import surroundings
from worlds.school.problems.problem import PRIMITIVES, Problem, Settings
from worlds.school.problems.types import make_problem
from worlds.school.sampling import check_place, sample
from worlds.school.tasks import INSTRUCTION
from worlds.spaces.action import ActionSpec, Discrete, FreeText, Grammar
from worlds.spaces.observation import Grid, Image, ObservationSpec, PlayerSpec

MAX_STEPS = 80  # of an episode, as published
AFTER = 4  # steps that are played after the end of an episode, so that its outcome is seen
NO_MOVE = len(PRIMITIVES)
AS_SCRIPTED = 0  # the setter's act that leaves the peer to its script
PICTURE = 288, 288  # height and width of pictures in pixels, where they are not set
TILE = 36  # pixels of a cell of what render() shows

# Numbers that each channel of a cell can be: object, colour, state or type, gaze or countdown, pointing, last act.
GRID = Grid(VIEW, VIEW, (len(OBJECTS), len(COLOURS), 3, 256, 256, len(PEER_ACTS)))
# Names after which pages choose keys. The primitive "done" ends the episode, so that it is not where people wait.
AGENT_ACTS = ActionSpec(
    (Discrete("act", (*PRIMITIVES[:-1], "finish", "stay"), NO_MOVE),), speech=Grammar((TEMPLATES, NOUNS))
)
# The partner's acts by their names here. "point_stop_point" is left out: nothing that the partner does is called so.
PEER_ACT_OF = {
    "forward": "go_forward",
    "turn left": "rotate_left",
    "turn right": "rotate_right",
    "toggle": "toggle_action",
    "point east": "point_E",
    "point south": "point_S",
    "point west": "point_W",
    "point north": "point_N",
    "stop pointing": "stop_point",
    "stay": "no_op",
}
PEER_SPACE = ActionSpec((Discrete("act", ("as scripted", *PEER_ACT_OF), AS_SCRIPTED),), speech=FreeText())
TUTOR_SPACE = ActionSpec((Discrete("act", tuple(PEER_ACT_OF), len(PEER_ACT_OF) - 1),), speech=FreeText())
_ACT_IDS = tuple(PEER_ACT_IDS[name] for name in PEER_ACT_OF.values())


@dataclass
class Moment:
    """An episode at one moment: what the peer said last, and what peer and agent said in this step; "" for nothing."""

    problem: Problem
    heard: str = ""
    reply: str = ""
    said: str = ""
    idle: int = 0


class SchoolWorld(StepWorld):
    """A room with an agent, the solver, and a peer, which is on the setter's side.

    The peer follows its script wherever the setter's act is "as scripted", and what the setter says besides the
    instruction is said by the peer. The agent moves by one of five primitives and speaks a grammar of 64 sentences.
    It observes the 7x7 cells before it, what the peer said last, and on request the whole dialogue and a picture. Some
    steps after the apple has been eaten, the episode ends.

    Args:
      height: height of pictures, pixels.
      width: width of pictures, pixels.
      views: players whose picture is drawn; the others' are black, which saves time.
      max_steps: length of an episode.
      tutored: the setter is the peer: there is no script, and it stands still unless it acts.
      dialogue: the agent also observes all that it has heard.
      picture: observations have a picture: the agent's of its view, the setter's of the room.
      text: observations also say in words what is in view, for language models.
      published_text: these words are those of the published code.

    Raises:
      WorldError: a size is not a whole number above zero, a player does not exist, or a setting is not true or false.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "school", "render_modes": ["rgb_array"]}
    state: Moment

    def __init__(
        self,
        height: int | None = None,
        width: int | None = None,
        views: Sequence[str] = (),
        max_steps: int = MAX_STEPS,
        tutored: bool = False,
        dialogue: bool = False,
        picture: bool = False,
        text: bool = False,
        published_text: bool = False,
    ) -> None:
        super().__init__(height, width, views, max_steps)
        check_flags(tutored=tutored, dialogue=dialogue, picture=picture, text=text, published_text=published_text)
        self._tutored, self._dialogue, self._text = tutored, dialogue, text
        self._in_words = published_surroundings if published_text else surroundings
        self._image = Image(height or PICTURE[0], width or PICTURE[1]) if picture else None
        texts = ("heard", *(("dialogue",) if dialogue else ()), *(("surroundings",) if text else ()))
        self.solver_spec = PlayerSpec(ObservationSpec(self._image, GRID, texts=texts), AGENT_ACTS)
        self.setter_spec = PlayerSpec(
            ObservationSpec(self._image, GRID, texts=texts), TUTOR_SPACE if tutored else PEER_SPACE
        )

    def sample(self, seed: int) -> dict[str, Any]:
        """Return the configuration of the place of a seed, drawn from the whole parameter tree."""
        return sample(seed)

    @property
    def ended(self) -> bool:
        """True once the apple has been eaten, or cannot be any more."""
        return self.state.problem.ended

    def begin(self, config: Mapping[str, Any]) -> Moment:
        """Return the first moment of an episode. Raises WorldError for what is no place of the school."""
        check_place(config)
        try:
            settings = Settings(**{**config["settings"], "max_steps": self.max_steps})
            return Moment(make_problem(config["parameters"], settings, config["seed"]))
        except (UserError, TypeError, ValueError) as error:
            raise WorldError(f"place of the school: {error}") from error

    def step(self, actions: Mapping[str, Any]) -> StepResult:
        """Play one step; see :meth:`worlds.contract.step_world.StepWorld.step`."""
        seen, rewards, terminated, truncated, infos = super().step(actions)
        if self.agents and self.state.idle >= AFTER:
            self.agents = []
            terminated = dict.fromkeys(PLAYERS, True)
        return seen, rewards, terminated, truncated, infos

    def play(self, actions: Mapping[str, Any]) -> None:
        """Let the agent act, and then the peer."""
        now, problem = self.state, self.state.problem
        if problem.ended:
            now.idle += 1
            return
        number, words = int(actions[SOLVER]["movement"][0, 0]), actions[SOLVER]["utterance"]
        primitive, utterance = None if number == NO_MOVE else number, f"{words} " if words else None
        now.said = words
        problem.agent_acts(primitive, utterance)
        act, reply = self._decision(actions[SETTER], utterance)
        problem.peer_acts(primitive, act, reply)
        now.reply = reply or ""
        if reply:  # a colour is said once, and the agents of the paper observe all that was said
            now.heard = f"{problem.peer_name}: {reply}"

    def _decision(self, action: Mapping[str, Any], utterance: str | None) -> tuple[int, str | None]:
        """Return what a peer does and says: what the setter wants, else what the script decides."""
        problem, number = self.state.problem, int(action["movement"][0, 0])
        if problem.script is None:
            return NO_OP, None
        said = self.setter_spec.action.spoken(action["utterance"] if action["utterance"] != INSTRUCTION else "")
        if number == AS_SCRIPTED and not self._tutored:
            act, reply = problem.script.decide(problem, utterance)
            return act, said or reply
        problem.script.meet(problem, utterance)
        return _ACT_IDS[number if self._tutored else number - 1], said or None

    def see(self, player: str) -> dict[str, Any]:
        """Return what a player observes."""
        problem = self.state.problem
        view, lit = problem.observe() if player == SOLVER else problem.observed_by_peer()
        seen: dict[str, Any] = {"grid": view.transpose(1, 0, 2).astype(np.int16), "heard": self.state.heard}
        if self._dialogue:
            seen["dialogue"] = problem.dialogue.history
        if self._text:
            seen["surroundings"] = self._in_words(view)
        if self._image is not None:
            seen["image"] = self._picture(player, lit, self._image)
        return seen

    def _picture(self, player: str, lit: np.ndarray, image: Image) -> np.ndarray:
        if player not in self.views:
            return np.zeros(image.shape, np.uint8)
        room = self.state.problem.room
        if player == SOLVER:
            return fitted(draw_view(room, min(image.height, image.width) // VIEW, lit), image.height, image.width)
        return fitted(draw_room(room, min(image.height // room.height, image.width // room.width)), *image.shape[:2])

    def render(self) -> np.ndarray:
        """Return the agent's view and the room from above, and what was said: uint8 [height, width, 3]."""
        problem = self.state.problem
        seen = problem.observe()[1]
        room, view = draw_room(problem.room, TILE, seen), draw_view(problem.room, TILE, seen)
        side = TILE * max(problem.settings.size, VIEW)
        both = np.concatenate([fitted(view, side, TILE * (VIEW + 1)), fitted(room, side, side)], axis=1)
        said = f"Agent: {self.state.said}" if self.state.said else ""
        return with_words(both, "   ".join(filter(None, (said, self.state.heard))))


assert CHANNELS == len(GRID.categories)
