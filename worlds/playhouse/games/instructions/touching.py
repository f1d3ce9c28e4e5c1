"""Touch, hit or push something with something else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from worlds.playhouse.games import nouns, reaching
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.geometry import is_on_floor, touches
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Doing
from worlds.playhouse.games.prompts import ACTIVITY
from worlds.playhouse.games.registry import LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import anything, ask_for_two, loose, read_two
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.house.record import FLOOR
from worlds.playhouse.world import Playhouse

_WORDS = patterns_of("touching")
TOUCH_WITH = Templates(*_WORDS["touch with"])
HIT_WITH = Templates(*_WORDS["hit with"])
PUSH_WITH = Templates(*_WORDS["push with"])
SWING = 0.08  # metres that the thing in hand moves at least in the step in which it hits something
KNOCK = 0.03  # metres that what is hit moves at least in a step, where that is seen instead
PUSHED = 0.3  # metres that something has to be pushed


class With(Doing):
    """A game of one thing in hand and another: ``things`` names what is in hand, ``target`` what it is done to.

    Taking the right thing is progress and so is bringing it to the right other; taking another thing, dropping the
    right one and touching what was not meant is regress.
    """

    def begin(self, world: Playhouse) -> None:
        self.things, self.targets = Choice.of(self.spec.arguments), Choice.of(self.spec.arguments, "target")
        self.touched: set[str] = set()  # of the targets, by what is in hand at the last step
        self._reached = False

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        if self.taken is not None:
            yield (1, "takes a right thing") if self.taken in self.things.among else (-1, "takes a wrong thing")
        if self.held in self.things.among:
            now = {i for i in self.targets.among if i != self.held and touches(world, self.held, i)}
            yield from self._judge_touch(world, now)
            self.touched = now
        else:
            if self.let_go in self.things.among:
                yield -1, "lets a right thing go"
            self.touched = set()

    def _judge_touch(self, world: Playhouse, now: set[str]) -> Iterator[tuple[int, str]]:
        why = next((why for i in sorted(now) if (why := self.success(world, i))), None)
        if why is not None:
            yield self._succeed(why)
        elif now and not self._reached:
            self._reached = True
            yield 1, "brings it to the right thing"

    def success(self, world: Playhouse, target: str) -> str | None:
        """Return the reason for which touching a target now is what was asked for; None if it is not yet."""
        raise NotImplementedError


class TouchWith(With):
    """Touching with: what is in hand touches the target."""

    def success(self, world: Playhouse, target: str) -> str | None:
        return "has touched the right thing"


class HitWith(With):
    """Hitting with: what is in hand comes to touch the target in a swing, or knocks it along."""

    def success(self, world: Playhouse, target: str) -> str | None:
        assert self.held is not None
        swings = target not in self.touched and self.moved(self.held) >= SWING
        return "has hit the right thing" if swings or self.moved(target) >= KNOCK else None


class PushWith(With):
    """Pushing with: what is in hand has moved the target ``PUSHED`` metres, and is at it.

    Only what the target moves from a touch until it lies still is pushed: kicks and what a hand carries are not.
    """

    def begin(self, world: Playhouse) -> None:
        super().begin(world)
        self._pushed = {i: np.zeros(3) for i in self.targets.among}  # metres by which each has been pushed
        self._rolling: set[str] = set()  # those that have moved ever since they were touched

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        if self.taken in self.targets.among and self.taken not in self.things.among:
            yield -1, "takes what is to be pushed"
        for target in self.targets.among:
            if target == self.held:
                self._pushed[target] = np.zeros(3)
            elif self._is_being_pushed(world, target):
                self._pushed[target] += world.object_position(target) - self._last[target]
        yield from super().judge(world)

    def _is_being_pushed(self, world: Playhouse, target: str) -> bool:
        if self.held in self.things.among and touches(world, self.held, target):
            self._rolling.add(target)
        elif self.lies_still(world, target):
            self._rolling.discard(target)
        return target in self._rolling

    def success(self, world: Playhouse, target: str) -> str | None:
        pushed = float(np.linalg.norm(self._pushed[target][:2]))
        return "has pushed the right thing" if pushed >= PUSHED else None


def _propose(
    templates: Templates,
    furniture: bool,
    situation: Situation,
    rng: np.random.Generator,
    modifier: Modifier | None,
) -> Iterator[Request]:
    def fits(things: Choice, target: Choice) -> bool:
        able = [i for i in things.among if situation.can_be_taken(i)]
        (touched,) = target.among
        if not able or any(touches(situation.world, i, touched) for i in things.among):
            return False
        return all(_can_touch(situation, i, touched) for i in able)

    pieces = [f.id for f in situation.house.furniture if f.spec.in_the_way] if furniture else []
    targets = [*situation.free, *pieces]
    things = nouns.singles(situation, rng, modifier)
    yield from ask_for_two(templates, rng, things, lambda: nouns.named_things(situation, rng, targets, modifier), fits)


def _can_touch(situation: Situation, thing: str, target: str) -> bool:
    """Return True if there is a place, and a way to it, from which a target can be touched with a thing."""
    piece, boxes = situation.house.furniture_by_id.get(target), situation.house.objects
    if piece is None and any(situation.world.inside(target, b.id) for b in boxes if b.spec.inside and b.id != target):
        return False
    if piece is None:
        spots = reaching.places_to_touch_from(situation, thing, target)
    else:
        spots = reaching.places_to_touch_piece_from(situation, thing, piece)
    return any(situation.can_be_reached(*spot, within=0.1) for spot in spots)


def _propose_push(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    house = situation.house

    def fits(things: Choice, target: Choice) -> bool:
        able = [i for i in things.among if situation.can_be_taken(i)]
        (pushed,) = target.among
        lies_in = situation.facts.by_id[pushed].holder != FLOOR  # as in a tray
        if not able or lies_in or not is_on_floor(house, pushed, situation.positions[pushed]):
            return False
        return all(reaching.place_to_push_from(situation, i, pushed) is not None for i in able)

    things = nouns.singles(situation, rng, modifier)
    targets = situation.free
    yield from ask_for_two(PUSH_WITH, rng, things, lambda: nouns.named_things(situation, rng, targets, modifier), fits)


register(
    LanguageGame(
        name="touch with",
        prompt="Ask the other player to touch an object using another object.",
        propose=partial(_propose, TOUCH_WITH, True),
        reads=lambda words, situation: read_two(TOUCH_WITH, words, situation, anything),
        check=TouchWith,
        steps=steps(120),
    )
)
register(
    LanguageGame(
        name="hit with",
        prompt=ACTIVITY,
        propose=partial(_propose, HIT_WITH, False),
        reads=lambda words, situation: read_two(HIT_WITH, words, situation, loose),
        check=HitWith,
        steps=steps(120),
    )
)
register(
    LanguageGame(
        name="push with",
        prompt="Ask the other player to push an object around using another object.",
        propose=_propose_push,
        reads=lambda words, situation: read_two(PUSH_WITH, words, situation, loose),
        check=PushWith,
        steps=steps(140),
    )
)
