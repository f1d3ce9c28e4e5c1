"""What a setter says besides requests: corrections, praise, the request in other words, encouragement, small talk."""

from __future__ import annotations

import math

import numpy as np

from worlds.contract import SETTER, SOLVER, Event
from worlds.playhouse.games import registry
from worlds.playhouse.games.topics import main_things
from worlds.playhouse.players.asking.settings import SetterSettings, Steps
from worlds.playhouse.players.body import Body
from worlds.playhouse.requests import remarks
from worlds.playhouse.requests.ground_truth import bearing, describe_all, distance
from worlds.playhouse.requests.success import PlayhouseTask

WRONG = ("takes a wrong thing", "goes to a wrong thing")  # regress after which the setter says what it meant
WRONG_ANSWER = "answers wrong"
ASIDE = math.radians(40.0)  # angle from straight ahead within which a solver is taken to look at a thing
STILL = (0.1, math.radians(8.0))  # metres and angle that a solver may move in a step and still seem to do nothing


class Talker:
    """Chooses a setter's remarks: each is due at some step, and is dropped when something new is asked for.

    Args:
      settings: the setter's settings, of which those about talking decide.
      rng: of the remarks only, so that they change no request.
    """

    def __init__(self, body: Body, settings: SetterSettings, rng: np.random.Generator) -> None:
        self._body, self._world, self._settings, self._rng = body, body.world, settings, rng
        self._task: PlayhouseTask | None = None
        self._due: dict[str, int] = {}  # step at which a kind of remark is to be made
        self._seen: Event | None = None
        self._asked = self._last = ""
        self._idle_since = self._idle_for = 0
        self._pose = np.zeros(3)

    def asked(self, step: int, task: PlayhouseTask) -> None:
        """Take note of a request made at ``step``, which ends whatever was still to be said."""
        self._task, self._due, self._seen = task, {}, None
        self._asked = self._last = task.spec.instruction
        self._begin_to_wait(step)

    def pause(self, step: int, until: int) -> None:
        """Take note that nothing is asked between ``step`` and ``until``: now and then it just talks."""
        if self._rng.random() < self._settings.talk and until > step:
            self._due["talk"] = int(self._rng.integers(step, until))

    def say(self, step: int, waits: bool) -> str:
        """Return what it says at this step besides requests; "" for nothing.

        Args:
          waits: whether it still waits for what it asked for, and has not given it up.
        """
        self._notice(step, waits)
        kind = next((kind for kind, at in self._due.items() if step >= at), None)
        words = "" if kind is None else self._correction() if kind == "correction" else self._remark(kind)
        if kind is not None:
            del self._due[kind]
        if not words and waits:
            words = self._about_idleness(step)
        if words:
            self._last = words
            self._begin_to_wait(step)
        return words

    def _notice(self, step: int, waits: bool) -> None:
        """Take in what has happened to the request, and decide what to say about it, and when."""
        event = self._task.latest if self._task is not None else None
        if event is None or event is self._seen:
            return
        assert self._task is not None
        self._seen, ways = event, self._settings
        self._due.pop("correction", None)
        self._begin_to_wait(step)
        if self._task.succeeded:
            self._maybe("praise", ways.praise, step, ways.praise_after)
            if "praise" in self._due and "talk" in self._due:  # first things first
                self._due["talk"] = max(self._due["talk"], self._due["praise"] + 1)
        elif event.reason == WRONG_ANSWER:
            self._maybe("denial", ways.correct, step, ways.correct_after)
        elif event.reason in WRONG and waits and main_things(self._task.spec):
            self._maybe("correction", ways.correct, step, ways.correct_after)

    def _maybe(self, kind: str, chance: float, step: int, after: Steps) -> None:
        if self._rng.random() < chance:
            self._due[kind] = step + self._some(after)

    def _some(self, steps: Steps) -> int:
        return int(self._rng.integers(steps[0], steps[1] + 1))

    def _remark(self, kind: str) -> str:
        return remarks.say(kind, self._rng, self._last)

    def _correction(self) -> str:
        """Words that say what was meant; none if it is over, or if the right thing is in hand by now."""
        assert self._task is not None
        things, solver = describe_all(self._world), self._world.avatar(SOLVER)
        right = [i for i in main_things(self._task.spec) if i in things]
        if self._task.over or not right or solver.held in right:
            return ""
        wrong = mistaken_for(self._body, solver.held)
        if wrong in right:
            return ""
        return remarks.correct((things[i] for i in right), things.get(wrong or ""), self._rng, self._last)

    # -- when nothing happens -------------------------------------------------------------------------------

    def _begin_to_wait(self, step: int) -> None:
        self._idle_since, self._idle_for = step, self._some(self._settings.idle_after)
        self._pose = self._solver_pose()

    def _about_idleness(self, step: int) -> str:
        """The request in other words, or encouragement, after the solver has long done nothing; else nothing."""
        if not (self._settings.ask_again or self._settings.encourage) or self._task is None or self._task.over:
            return ""
        pose, last = self._solver_pose(), self._pose
        self._pose = pose
        turned = abs((pose[2] - last[2] + math.pi) % (2 * math.pi) - math.pi)
        if distance(pose, last) > STILL[0] or turned > STILL[1]:
            self._idle_since = step
        if step - self._idle_since < self._idle_for:
            return ""
        self._begin_to_wait(step)
        if self._rng.random() < self._settings.ask_again:
            return self._in_other_words()
        return self._remark("encouragement") if self._rng.random() < self._settings.encourage else ""

    def _solver_pose(self) -> np.ndarray:
        solver = self._world.avatar(SOLVER)
        return np.array([solver.position[0], solver.position[1], solver.yaw])

    def _in_other_words(self) -> str:
        """The request once more, framed or phrased otherwise, as far as it can still be understood so."""
        assert self._task is not None
        name = self._task.spec.name
        options = registry.get(name).in_other_words(self._asked)
        options = [words for words in options if words != self._last and registry.is_short(words)]
        for i in self._rng.permutation(len(options)):
            if name not in registry.language_games() or self._is_still(name, options[i]):
                return options[i]
        return ""

    def _is_still(self, name: str, words: str) -> bool:
        """Return True if words are understood as a request of language game ``name``."""
        found = registry.understand(words, self._body.situation())
        return found is not None and found[0].name == name


def mistaken_for(body: Body, held: str | None) -> str | None:
    """Return the id of what a solver seems to take for what was meant: what is in hand, else what it looks at."""
    if held is not None:
        return held
    solver, positions = body.world.avatar(SOLVER), body.world.object_positions()
    ahead = [i for i, at in positions.items() if abs(bearing(solver, at)) < ASIDE]
    in_hand = body.world.avatar(SETTER).held
    return min((i for i in ahead if i != in_hand), key=lambda i: distance(solver.position, positions[i]), default=None)
