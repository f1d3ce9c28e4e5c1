"""The scripted solver: a stand-in for a person who does what is asked, with a person's imperfections.

It understands the words it hears and knows from the world's ground truth where things are, but acts on what it
could see: it turns to look for what is not in view and walks with its eyes on the target. What it does wrong, and
how often, is configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from worlds.contract import HAND_RELEASE, MOVEMENT, SOLVER, Action, Observation, WorldError, silent, with_body
from worlds.contract.known_settings import check_known
from worlds.playhouse.games.registry import games, readings
from worlds.playhouse.players import game_play
from worlds.playhouse.players.asking.talking import mistaken_for
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.setting_numbers import MOST_STEPS, is_number, is_whole
from worlds.playhouse.players.steering import FORWARD, TURN, with_hand
from worlds.playhouse.requests import remarks
from worlds.playhouse.requests.ground_truth import describe_all
from worlds.playhouse.requests.language import is_courtesy
from worlds.playhouse.requests.remarks import Correction
from worlds.playhouse.world import Playhouse


@dataclass(frozen=True)
class Imperfection:
    """Imperfections of the scripted solver; all are probabilities unless stated otherwise.

    Args:
      reaction: most steps it waits after hearing a request; the number is uniform from 0.
      hesitation: per step, of standing still for that step.
      wrong_object: per request, of going for a wrong thing first.
      notice: of noticing that and turning to the right thing after all.
      drop: per thing that it grabs, of letting go of it within a few steps.
      wrong_answer: per question.
      careless: per thing put on another, of letting it go off the middle, where it may fall.
      motor_noise: per tick, of turning one bin more or less than meant, or of not walking.
    """

    reaction: int = 2
    hesitation: float = 0.03
    wrong_object: float = 0.25
    notice: float = 0.5
    drop: float = 0.1
    wrong_answer: float = 0.15
    motor_noise: float = 0.03
    careless: float = 0.15

    def __post_init__(self) -> None:
        if not (is_whole(self.reaction) and 0 <= self.reaction < MOST_STEPS):
            raise WorldError(f"solver setting reaction: {self.reaction!r} steps; give a whole number from 0 on")
        for name in (f.name for f in fields(self) if f.name != "reaction"):
            value = getattr(self, name)
            if not is_number(value) or not 0.0 <= value <= 1.0:
                raise WorldError(f"solver setting {name}: {value!r} is not a probability between 0 and 1")


NONE = Imperfection(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
LONGEST_GRIP = 4  # steps after which a thing that will be dropped has been
NOT_UNDERSTOOD, NOT_FOUND = "sorry, i did not understand", "sorry, i know no such thing here"


class ScriptedSolver:
    """A solver that does what the setter asks for, deliberately imperfectly by default.

    Args:
      imperfection: settings of :class:`Imperfection` by name, e.g. ``ScriptedSolver(wrong_object=0.1)``.

    Raises:
      WorldError: a setting that does not exist or is no probability.
    """

    def __init__(self, **imperfection: Any) -> None:
        check_known(imperfection, [f.name for f in fields(Imperfection)], "solver")
        self.imperfection = replace(Imperfection(), **imperfection)

    @classmethod
    def perfect(cls) -> ScriptedSolver:
        return cls(**{f.name: getattr(NONE, f.name) for f in fields(Imperfection)})

    def reset(self, world: Playhouse, seed: int) -> None:
        self._rng = np.random.default_rng([seed, 1])
        self._world, self._body = world, Body(world, SOLVER, self._rng)
        self._heard = self._request = ""
        self._correction: Correction | None = None  # of the request
        self._mistaken: str | None = None  # what it had in hand, or looked at, when it was corrected
        self._actions: Iterator[Action] = iter(())
        self._wait = 0
        self._held: str | None = None
        self._grip: int | None = None  # steps left until it drops what it holds

    def act(self, observation: Observation) -> Action:
        """The next action; nothing once what was asked for is done."""
        self._body.sense()
        if observation["setter_text"] != self._heard:
            self._heard = observation["setter_text"]
            if not remarks.is_remark(self._heard):
                self._listen(self._heard)
        hesitates = self._wait > 0 or self._rng.random() < self.imperfection.hesitation
        self._wait = max(0, self._wait - 1)
        action = None if hesitates else next(self._actions, None)
        if action is None:
            self._body.stand()
            action = silent()
        return with_body(self._spoil(action), self._world.body)

    def _listen(self, words: str) -> None:
        """Begin to do what is asked, or, after words of a correction, what has been asked but with another thing."""
        self._correction = remarks.read_correction(words)
        if self._correction is None:
            self._request = words
        else:
            self._mistaken = mistaken_for(self._body, self._body.held)
        self._wait = int(self._rng.integers(self.imperfection.reaction + 1))
        self._actions = iter(self._follow(self._request))

    def objection(self, words: str) -> str:
        """Return what it says to a person's words that it cannot follow; "" to those it can, and to what is no request:
        courtesies, remarks, and corrections of a request."""
        if remarks.is_remark(words) or remarks.read_correction(words) is not None or is_courtesy(words):
            return ""
        if next(readings(words, self._body.situation()), None) is not None:
            return ""
        return NOT_FOUND if any(game.names_things(words) for game in games().values()) else NOT_UNDERSTOOD

    def _follow(self, words: str) -> Iterator[Action]:
        """Do what words ask for, as far as a correction allows."""
        chances, corrected = self.imperfection, self._correction is not None
        mistakes = chances.wrong_object, chances.notice, chances.careless, chances.wrong_answer
        if not is_courtesy(words):
            yield from game_play.respond(self._body, words, Manner(self._rng, *mistakes, corrected), self._meant)

    def _meant(self, among: Sequence[str]) -> tuple[str, ...]:
        """Which of some things are meant, by the last correction if there has been one since the request."""
        if self._correction is None:
            return tuple(among)
        return self._correction.meant(among, describe_all(self._world), self._mistaken)

    # -- what goes wrong ------------------------------------------------------------------------------------

    def _spoil(self, action: Action) -> Action:
        """Let the thing in hand fall when its time has come, and let muscles miss."""
        held = self._body.held
        if held != self._held:
            self._held = held
            drops = held is not None and self._rng.random() < self.imperfection.drop
            self._grip = int(self._rng.integers(1, LONGEST_GRIP + 1)) if drops else None
        movement = action["movement"]
        if self._grip is not None:
            self._grip -= 1
            if self._grip == 0:
                movement, self._grip = with_hand(movement.copy(), HAND_RELEASE), None
        return {"movement": self._with_noise(movement), "utterance": action["utterance"]}

    def _with_noise(self, movement: np.ndarray) -> np.ndarray:
        slips = self._rng.random(len(movement)) < self.imperfection.motor_noise
        if not slips.any():
            return movement
        movement = movement.copy()
        sides = self._rng.choice((-1, 1), size=len(movement))
        turned = np.clip(movement[:, TURN] + sides, 0, len(MOVEMENT[TURN].values) - 1)
        movement[slips, TURN] = turned[slips]
        movement[slips, FORWARD] = MOVEMENT[FORWARD].neutral
        return movement


def make_solver(perfect: bool = False, **imperfection: Any) -> ScriptedSolver:
    return ScriptedSolver.perfect() if perfect else ScriptedSolver(**imperfection)
