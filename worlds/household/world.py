"""The household as a world: two persons in an apartment, who act at the same step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.known_settings import check_flags
from worlds.contract.step_world import StepWorld
from worlds.errors import UserError
from worlds.household import homes, rules
from worlds.household.drawing.camera import Pictures
from worlds.household.navigation.ways import Ways
from worlds.household.observing.entities import ENTITIES, entities
from worlds.household.observing.words import hands, surroundings
from worlds.household.rules.legal import legal_mask
from worlds.household.state.home import MOST_THINGS, NO_ROW, Home, State
from worlds.household.state.tables import Tables, tables
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks import sample
from worlds.household.tasks.goals import task_of
from worlds.spaces.action import ActionSpec, Discrete, FreeText, Pointer
from worlds.spaces.observation import Image, ObservationSpec, PlayerSpec

MAX_STEPS = 250  # of an episode, as published
HANDS = (int(Held.RIGHT_HAND), int(Held.LEFT_HAND))
PICTURE = 72, 96  # height and width in pixels, where they are not set
SCREEN = 270, 360  # of each of the two views that render() shows
PERSON = {SETTER: 0, SOLVER: 1}  # number of each player's body

ACTIONS = ActionSpec(
    (
        Discrete("verb", tuple(verb.name.lower() for verb in Verb), Verb.WAIT),
        Pointer("thing", MOST_THINGS),
        Discrete("hand", ("right", "left")),
    ),
    speech=FreeText(),
    masked=True,
)


@dataclass
class Moment:
    """A home at one moment of an episode. Feedback says why each person's last action failed, "" if it succeeded."""

    home: Home
    state: State
    seed: int
    feedback: tuple[str, str] = ("", "")
    acts: tuple[rules.Act, rules.Act] = (rules.WAITING, rules.WAITING)

    @cached_property
    def tables(self) -> Tables:
        """The arrays of the home and of its state."""
        return tables(self.home, self.state)

    @cached_property
    def ways(self) -> Ways:
        """The floor plan of the home."""
        return Ways(self.home, self.state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Moment:
        return Moment(self.home, self.state.copy(), self.seed, self.feedback, self.acts)


class HouseholdWorld(StepWorld):
    """An apartment of some 350 things and two persons: the setter is Alice, the solver Bob.

    Both have the same body, a verb, a thing that they point at, and a hand, and see the same way: things as entities,
    of which the i-th is the one at which a pointer's value i points, and in words why their last action failed.

    Args:
      height: height of pictures, pixels.
      width: width of pictures, pixels.
      views: players whose view is drawn; the others' pictures are black, which saves time.
      max_steps: length of an episode.
      full: both persons see everything, through walls and in closed containers, and walk to it.
      text: observations also say in words what is there and what is in the hands, for language models.
      picture: observations also show what is before the person's eyes; walls and closed containers hide what is behind
        them, also in the pictures of persons who otherwise see everything.

    Raises:
      WorldError: a size is not a whole number above zero, a player does not exist, or a setting is not true or false.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "household", "render_modes": ["rgb_array"]}
    state: Moment

    def __init__(
        self,
        height: int | None = None,
        width: int | None = None,
        views: Sequence[str] = (),
        max_steps: int = MAX_STEPS,
        full: bool = False,
        text: bool = False,
        picture: bool = False,
    ) -> None:
        super().__init__(height, width, views, max_steps)
        check_flags(full=full, text=text, picture=picture)
        self.full, self._text = full, text
        image = Image(height or PICTURE[0], width or PICTURE[1]) if picture else None
        self._pictures = Pictures(image.height, image.width) if image else None
        self._screen: Pictures | None = None
        self.solver_spec = self.setter_spec = player_spec(text, image)
        self._rows: dict[str, np.ndarray] = {}  # rows of the things that each player observes

    def sample(self, seed: int) -> dict[str, Any]:
        """Return the configuration of the place of a seed, of which all else is left to chance."""
        return sample(seed)

    def begin(self, config: Mapping[str, Any]) -> Moment:
        """Return the first moment of an episode in a place. Raises WorldError for what is no place of a home."""
        if "home" not in config:
            raise WorldError("the configuration of a household's place names no home")
        try:
            home, state = homes.place(config)
        except WorldError:
            raise
        except UserError as error:
            raise WorldError(str(error)) from error
        task_of(config, home)
        return Moment(home, state, int(config.get("seed", 0)))

    def play(self, actions: Mapping[str, Any]) -> None:
        """Let both persons act."""
        now = self.state
        hers, his = (self._act(player, actions[player]["movement"][0].tolist()) for player in PERSON)
        now.acts = hers, his
        now.feedback = rules.apply(now.home, now.state, now.ways, now.acts, now.seed, self.full)

    def see(self, player: str) -> dict[str, Any]:
        """Return what a person observes."""
        now, number = self.state, PERSON[player]
        rows, categories, values = entities(now.home, now.tables, number, self.full)
        self._rows[player] = rows
        seen = {
            "entity_categories": categories,
            "entity_values": values,
            "legal": legal_mask(now.tables, number, rows),
            "feedback": now.feedback[number],
        }
        if self._text:
            seen |= self._words(number, rows)
        if self._pictures:
            seen["image"] = self._picture(self._pictures, player)
        return seen

    def render(self) -> np.ndarray:
        """Return the solver's view and the home seen from above, side by side: uint8 [270, 720, 3]."""
        return self._views_of(SOLVER)

    def film(self) -> np.ndarray:
        """Return the setter's view and the home seen from above, side by side: uint8 [270, 720, 3]."""
        return self._views_of(SETTER)

    def observed_rows(self, player: str) -> np.ndarray:
        """Return the rows of the things that a player observes now, in the order in which it points at them."""
        return self._rows[player]

    def row_at(self, player: str, pointer: int) -> int:
        """Return the row of the thing at which a pointer of the player points now; NO_ROW for nothing."""
        return int(self._rows[player][pointer - 1]) if pointer else NO_ROW

    def pointer_to(self, player: str, row: int) -> int | None:
        """Return the pointer's value for a thing; None if the player does not observe it now."""
        place = int(np.searchsorted(self._rows[player], row))
        found = place < len(self._rows[player]) and self._rows[player][place] == row
        return place + 1 if found else None

    def _views_of(self, player: str) -> np.ndarray:
        if self._screen is None:
            self._screen = Pictures(*SCREEN)
        now = self.state
        eyes = self._screen.from_eyes(now.home, now.state, PERSON[player])
        return np.concatenate([eyes, self._screen.from_above(now.home, now.state)], axis=1)

    def _picture(self, pictures: Pictures, player: str) -> np.ndarray:
        if player not in self.views:
            return np.zeros((pictures.height, pictures.width, 3), np.uint8)
        return pictures.from_eyes(self.state.home, self.state.state, PERSON[player], self.state.tables)

    def _act(self, player: str, movement: list[int]) -> rules.Act:
        verb, pointer, hand = movement
        return verb, self.row_at(player, pointer), HANDS[hand]

    def _words(self, number: int, rows: np.ndarray) -> dict[str, str]:
        now, person = self.state, self.state.home.persons[number]
        return {
            "surroundings": surroundings(now.home, now.state, person, rows),
            "hands": hands(now.home, now.state, person),
        }


def player_spec(text: bool = False, image: Image | None = None) -> PlayerSpec:
    """Return the spaces of both players."""
    texts = ("feedback", "surroundings", "hands") if text else ("feedback",)
    return PlayerSpec(ObservationSpec(image, entities=ENTITIES, texts=texts), ACTIONS)
