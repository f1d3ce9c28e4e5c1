"""The scripted solver: a stand-in for a person who does what is asked, with a person's imperfections.

It understands the words it hears and knows from the world's ground truth where things are, but acts on what it
could see: it turns to look for what is not in view and walks with its eyes on the target. What it does wrong, and
how often, is configuration.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from worlds.contract import HAND_RELEASE, MOVEMENT, SOLVER, Action, Observation, WorldError, silent, with_body
from worlds.contract.known_settings import check_known
from worlds.playhouse.players import behaviours, building, game_play
from worlds.playhouse.players.asking.talking import mistaken_for
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.manner import ASKEW, Manner
from worlds.playhouse.players.setting_numbers import MOST_STEPS, is_number, is_whole
from worlds.playhouse.players.steering import FORWARD, TURN, with_hand
from worlds.playhouse.requests import language, remarks
from worlds.playhouse.requests.ground_truth import describe_all, distance
from worlds.playhouse.requests.language import NUMBERS, Described, Understood
from worlds.playhouse.requests.remarks import Correction
from worlds.playhouse.requests.tower import FLAT, LOWEST, can_be_base
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
SECOND_THOUGHTS = (2, 5)  # steps between doing a wrong thing and noticing
LIKELIER = 3.0  # times as likely to be mistaken for the target: a thing of its colour or of its kind
ACTS = {"go", "lift", "position", "tower"}
NOT_UNDERSTOOD, NOT_FOUND = "sorry, i did not understand", "sorry, i know no such thing here"
TWO_PLACES = {"position", "tower"}  # acts in which a thing is put somewhere


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
        """Return a solver that makes no mistakes."""
        return cls(**{f.name: getattr(NONE, f.name) for f in fields(Imperfection)})

    def reset(self, world: Playhouse, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
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
        if remarks.is_remark(words) or remarks.read_correction(words) is not None:
            return ""
        objection = self._objection_to_task(words)
        return "" if objection and game_play.can_play(self._body, words) else objection

    def _follow(self, words: str) -> Iterator[Action]:
        """Do what words ask for, of a probe task or the tower if they are of these, else of a language game."""
        if self._objection_to_task(words):
            chances = self.imperfection
            wrong_object = 0.0 if self._correction is not None else chances.wrong_object
            manner = Manner(self._rng, wrong_object, chances.notice, chances.careless, chances.wrong_answer)
            yield from game_play.respond(self._body, words, manner, self._meant)
        else:
            yield from self._respond(language.understand(words))

    def _objection_to_task(self, words: str) -> str:
        """See :meth:`objection`, as far as probe tasks and the tower are concerned."""
        request = language.understand(words)
        if request is None:
            return "" if language.is_courtesy(words) else NOT_UNDERSTOOD
        named = [request.slots[slot] for slot in ("x", "y") if slot in request.slots]
        if request.name in ("count", "exist") or (request.name == "tower" and "y" not in request.slots):
            return "" if all(language.combination(expression) for expression in named) else NOT_UNDERSTOOD
        things = list(describe_all(self._world).values())
        return "" if all(language.resolve(expression, things) for expression in named) else NOT_FOUND

    # -- what it does ---------------------------------------------------------------------------------------

    def _respond(self, request: Understood | None) -> Iterator[Action]:
        """Everything it does about one request, step by step."""
        if request is None:
            return
        things = list(describe_all(self._world).values())
        target, beside = (self._find(request.slots.get(slot), things, slot == "x") for slot in ("x", "y"))
        if self._body.held not in (None, target.id if target else None):
            yield from behaviours.put_down(self._body)
        if request.name not in ACTS:
            yield from self._answer(request, things, target)
            return
        if request.name == "tower" and "y" not in request.slots:
            yield from self._build(request, things)
            return
        if target is None or (request.name in TWO_PLACES and beside is None):
            return
        spared = {target.id, beside.id if beside else None, self._body.held}
        if (yield from self._err(request.name, target, beside, spared)):
            yield from self._do(request.name, target, beside)

    def _err(
        self, name: str, target: Described, beside: Described | None, spared: Collection[str | None]
    ) -> Generator[Action, None, bool]:
        """Now and then do it with a wrong thing first, none of the ``spared``. Whether to do it with the right one."""
        if self._correction is None and self._rng.random() < self.imperfection.wrong_object:
            wrong = self._temptation(target, spared)
            if wrong is not None:
                yield from self._do(name, wrong, beside)
                if self._rng.random() >= self.imperfection.notice:
                    return False
                yield from self._pause(int(self._rng.integers(SECOND_THOUGHTS[0], SECOND_THOUGHTS[1] + 1)))
        return True

    def _do(self, name: str, target: Described, beside: Described | None) -> Iterator[Action]:
        if name == "go":
            yield from behaviours.go(self._body, target.id)
        elif name == "lift":
            yield from behaviours.lift(self._body, target.id)
        elif beside is not None and name == "tower":
            yield from building.stack(self._body, target.id, beside.id, self._aside)
        elif beside is not None:
            yield from behaviours.place(self._body, target.id, beside.id)

    def _build(self, request: Understood, things: list[Described]) -> Iterator[Action]:
        """A tower of whatever the request leaves open: what stands free on the floor below, large before small."""
        colour, kind = language.combination(request.slots.get("x", "")) or (None, None)
        fitting = [t for t in things if _fits(t, colour, kind) and t.kind in FLAT and t.room != "another room"]
        fitting = [t for t in fitting if behaviours.reachable(self._body, t.id)]
        radius = {t.id: self._world.house.objects_by_id[t.id].radius for t in fitting}
        if len(fitting) < LOWEST:
            return
        free = {i for i in radius if can_be_base(self._world, i, max(radius.values()))}
        free = {i for i in free if building.can_stand_at(self._body, i)}
        fitting.sort(key=lambda t: (t.id not in free, -radius[t.id]))
        spared = {self._body.held, *(t.id for t in fitting)}
        if (yield from self._err(request.name, fitting[1], fitting[0], spared)):
            height = NUMBERS.index(request.slots.get("n", NUMBERS[LOWEST]))
            yield from building.build(self._body, [t.id for t in fitting], height, self._aside)

    def _aside(self) -> float:
        """By which share of the half-width of what is below it lets a thing go off the middle."""
        if self._rng.random() >= self.imperfection.careless:
            return 0.0
        return float(self._rng.uniform(*ASKEW) * self._rng.choice((-1, 1)))

    def _pause(self, steps: int) -> Iterator[Action]:
        for _ in range(steps):
            self._body.stand()
            yield silent()

    def _meant(self, among: Sequence[str]) -> tuple[str, ...]:
        """Which of some things are meant, by the last correction if there has been one since the request."""
        if self._correction is None:
            return tuple(among)
        return self._correction.meant(among, describe_all(self._world), self._mistaken)

    def _find(self, expression: str | None, things: list[Described], corrected: bool) -> Described | None:
        """The nearest of the things that an expression fits, as far as a correction allows where it is about them."""
        fitting = language.resolve(expression, things) if expression else []
        if corrected and self._correction is not None:
            meant = self._meant([thing.id for thing in fitting])
            fitting = [thing for thing in fitting if thing.id in meant]
        here = self._body.me.position
        return min(fitting, key=lambda t: distance(self._body.where(t.id), here), default=None)

    def _temptation(self, target: Described, spared: Collection[str | None]) -> Described | None:
        """A wrong thing in this room, none of the ``spared``, that it might take for the target."""
        others = [t for t in describe_all(self._world).values() if t.id not in spared and t.room != "another room"]
        reachable = [t for t in others if behaviours.reachable(self._body, t.id)]
        if not reachable:
            return None
        alike = np.array([t.colour == target.colour or t.kind == target.kind for t in reachable])
        weights = np.where(alike, LIKELIER, 1.0)
        return reachable[self._rng.choice(len(reachable), p=weights / weights.sum())]

    # -- what it says ---------------------------------------------------------------------------------------

    def _answer(self, request: Understood, things: list[Described], target: Described | None) -> Iterator[Action]:
        """Look for what the question is about, then say the answer, or now and then a wrong one."""
        truth: str | None
        if request.name == "color":
            truth = target.colour if target else None
            if target:
                yield from behaviours.approach(self._body, target.id, behaviours.READ_COLOUR)
        else:
            spoken_of = language.combination(request.slots["x"])
            here = [t for t in things if t.room != "another room"]
            fitting = [t for t in here if spoken_of and _fits(t, *spoken_of)]
            truth = NUMBERS[min(len(fitting), len(NUMBERS) - 1)] if spoken_of else None
            if request.name == "exist":
                truth = language.YES if fitting else language.NO
                yield from self._look_for(fitting)
            else:
                yield from behaviours.look_around(self._body)
        if truth is not None:
            wrong = self._rng.random() < self.imperfection.wrong_answer
            yield behaviours.answer(self._body, self._wrong_answer(request.name, truth) if wrong else truth)

    def _look_for(self, fitting: list[Described]) -> Iterator[Action]:
        yield from behaviours.look_around(self._body, lambda: any(self._body.sees(t.id) for t in fitting))
        seen = next((t for t in fitting if self._body.sees(t.id)), None)
        if seen is not None:
            yield from behaviours.face(self._body, seen.id)

    def _wrong_answer(self, name: str, truth: str) -> str:
        """A plausible wrong answer: a neighbouring number, another color of this house, the opposite."""
        if name == "count":
            number = NUMBERS.index(truth)
            return NUMBERS[max(0, number + (1 if number == 0 or self._rng.random() < 0.5 else -1))]
        here = {o.colour for o in self._world.house.objects}
        options = [language.YES, language.NO] if name == "exist" else sorted(here)
        options = [o for o in options if o != truth] or [o for o in language.answers_to(name) if o != truth]
        return options[self._rng.integers(len(options))]

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


def _fits(thing: Described, colour: str | None, kind: str | None) -> bool:
    return colour in (None, thing.colour) and kind in (None, thing.kind)


def make_solver(perfect: bool = False, **imperfection: Any) -> ScriptedSolver:
    """A scripted solver with the given imperfections, or one without any."""
    return ScriptedSolver.perfect() if perfect else ScriptedSolver(**imperfection)
