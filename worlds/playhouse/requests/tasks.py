"""Tasks that can be asked in a house: feasible, unambiguous instructions for the six probe tasks and for games.

Their success checks are in :mod:`worlds.playhouse.requests.success` and :mod:`worlds.playhouse.requests.tower`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from worlds.contract import SETTER, SOLVER, TaskSpec, WorldError
from worlds.playhouse.house.record import AVATAR_RADIUS
from worlds.playhouse.navigation.floor_plan import FloorPlan, place_to_stand
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.physics.avatar import EYE_HEIGHT
from worlds.playhouse.requests import language
from worlds.playhouse.requests.ground_truth import (
    can_be_seen_over_rim,
    describe_all,
    distance,
    gap,
    grab_distance,
    tallest_tower,
)
from worlds.playhouse.requests.language import NUMBERS, Described, is_held_out
from worlds.playhouse.requests.success import GO_DISTANCE, NEXT_TO, Go, Lift, PlayhouseTask, Position, Question
from worlds.playhouse.requests.tower import HIGHEST, LOWEST, Tower, can_be_base, can_be_stacked, is_meant
from worlds.playhouse.world import Playhouse

TASKS: Mapping[str, type[PlayhouseTask]] = {
    "go": Go,
    "lift": Lift,
    "position": Position,
    "color": Question,
    "count": Question,
    "exist": Question,
    "tower": Tower,
}
GAMES = ("tower",)  # asked for by name only
PROBES = tuple(name for name in TASKS if name not in GAMES)
SPLITS = ("train", "held_out")
TIME_LIMIT: Mapping[str, int] = {
    "go": 60, "lift": 75, "position": 120, "color": 60, "count": 45, "exist": 45, "tower": 130
}  # fmt: skip
ANOTHER_STOREY = 50  # steps more for each thing more than two in a tower
ANOTHER_ROOM = 30  # steps more for each further room of the house, for tasks that may lead out of this one
APART = 0.8  # metres between the targets of "go" and other things, so that it is clear which one the solver is at
FAR_TO_GO = GO_DISTANCE + 0.4  # metres at least to the target of "go"
FAR_TO_CARRY = NEXT_TO + 0.4  # metres at least between two things that are to be put together
HIGHEST_TARGET = 0.95  # metres to the middle of a thing that is to be grabbed
MOST_COUNTED = 6

Arguments = dict[str, Any]
Option = tuple[dict[str, str], Arguments]  # the words for the slots of the instruction, and what they mean


def make_task(spec: TaskSpec) -> PlayhouseTask:
    """Return the success check of ``spec``. Raises WorldError for a task that the Playhouse does not have."""
    if spec.name not in TASKS:
        raise WorldError(f"the playhouse has no task named {spec.name!r}; known: {', '.join(TASKS)}")
    return TASKS[spec.name](spec)


def probe(name: str, world: Playhouse, seed: int, split: str | None = None) -> TaskSpec | None:
    """Return a feasible, unambiguous request of task ``name`` in ``world`` at present; None if there is none.

    Args:
      name: of the task.
      world: the Playhouse, between two steps.
      seed: of the choice among the possible requests.
      split: "train" or "held_out" restricts it to combinations of that split (:func:`language.is_held_out`).

    Raises:
      WorldError: the task or the split does not exist.
    """
    return Asker(world).ask(name, np.random.default_rng(seed), split)


class Asker:
    """Choice of requests in one house; its floor plan is kept from request to request."""

    def __init__(self, world: Playhouse) -> None:
        self.world, self.plan, self.sight = world, FloorPlan.of(world), Sight.of(world)
        self._options: dict[str, Callable[[], Iterator[Option]]] = {
            "go": self._go,
            "lift": self._lift,
            "position": self._position,
            "color": self._color,
            "count": self._count,
            "exist": self._exist,
            "tower": self._tower,
        }

    def ask(
        self,
        name: str,
        rng: np.random.Generator,
        split: str | None = None,
        wanted: Callable[[Arguments], bool] | None = None,
    ) -> TaskSpec | None:
        """See :func:`probe`. Answers to questions are equally likely as far as the house has them, and so are
        towers of named and of any things. Only what is ``wanted`` is asked for, by its arguments."""
        if name not in self._options:
            raise WorldError(f"the playhouse has no task named {name!r}; known: {', '.join(TASKS)}")
        if split not in (None, *SPLITS):
            raise WorldError(f"no split named {split!r}; known: {', '.join(SPLITS)}")
        self.things = describe_all(self.world)
        options = [
            o for o in self._options[name]() if split is None or is_held_out(name, o[1]) == (split == "held_out")
        ]
        options = [o for o in options if wanted is None or wanted(o[1])]
        if not options:
            return None
        sorts = sorted({_sort(o[1]) for o in options})
        drawn = sorts[rng.integers(len(sorts))]
        first = [o for o in options if _sort(o[1]) == drawn]
        others = [o for o in options if _sort(o[1]) != drawn]
        # The costly part of feasibility, the way there, is looked at only for what is about to be asked.
        for slots, arguments in chain(_shuffled(first, rng), _shuffled(others, rng)):
            if self._can_be_done(arguments):
                limit = self._time_limit(name, arguments)
                return TaskSpec(name, language.instruct(name, rng, **slots), arguments, limit)
        return None

    # -- options: the words for the slots of the instruction, and the arguments of its check -----------------

    def _go(self) -> Iterator[Option]:
        positions, here = self.world.object_positions(), self.world.avatar(SOLVER).position
        for thing, words in self._named():
            at = positions[thing.id]
            crowded = any(i != thing.id and distance(p, at) < APART for i, p in positions.items())
            if not crowded and distance(here, at) > FAR_TO_GO:
                yield {"x": words}, _about(thing)

    def _lift(self) -> Iterator[Option]:
        for thing, words in self._named():
            if self.world.object_position(thing.id)[2] < HIGHEST_TARGET:
                yield {"x": words}, _about(thing)

    def _position(self) -> Iterator[Option]:
        named, positions = list(self._named()), self.world.object_positions()
        for thing, words in named:
            if positions[thing.id][2] >= HIGHEST_TARGET:
                continue
            for other, place in named:
                if other.on is None and gap(self.world.house, thing.id, other.id, positions) > FAR_TO_CARRY:
                    beside = {"next_to": other.id, "next_to_colour": other.colour, "next_to_kind": other.kind}
                    yield {"x": words, "y": place}, _about(thing) | beside

    def _color(self) -> Iterator[Option]:
        for thing, words in self._named(say_colour=False):
            yield {"x": words}, _about(thing) | {"answer": thing.colour}

    def _count(self) -> Iterator[Option]:
        here = self._here()
        by_kind, by_colour = {(None, t.kind): 0 for t in here}, {(t.colour, None): 0 for t in here}
        for colour, kind in (*by_kind, *by_colour):
            number = sum(colour in (None, t.colour) and kind in (None, t.kind) for t in here)
            if number <= MOST_COUNTED:
                yield self._slots(language.plural(colour, kind)), _combination(colour, kind, NUMBERS[number])

    def _exist(self) -> Iterator[Option]:
        present = {(t.colour, t.kind): 0 for t in self._here()}
        everything = self.world.house.objects
        kinds, colours = {t.kind: 0 for t in everything}, {t.colour: 0 for t in everything}
        for colour in colours:
            for kind in kinds:
                answer = language.YES if (colour, kind) in present else language.NO
                yield self._slots(language.indefinite(colour, kind)), _combination(colour, kind, answer)

    def _tower(self) -> Iterator[Option]:
        yield from self._tower_of_named()
        here, positions = self._here(), self.world.object_positions()
        pieces = self._pieces()
        for colour, kind in {(c, k): 0 for t in pieces for c in (None, t.colour) for k in (None, t.kind)}:
            meant = {"colour": colour, "kind": kind}
            built = tallest_tower(self.world.house, [t.id for t in here if is_meant(t, meant)], positions)
            number = sum(is_meant(t, meant) for t in pieces)
            for height in range(max(LOWEST, len(built) + 1), min(HIGHEST, number) + 1):
                yield _tower_slots(height, colour, kind), meant | {"height": height}

    def _tower_of_named(self) -> Iterator[Option]:
        pieces, radius = {t.id for t in self._pieces()}, self._radius
        named = [(thing, words) for thing, words in self._named() if thing.id in pieces]
        for thing, words in named:
            for base, place in named:
                if thing.id != base.id and can_be_base(self.world, base.id, radius(thing.id)):
                    on = {"on": base.id, "on_colour": base.colour, "on_kind": base.kind, "height": LOWEST}
                    yield {"x": words, "y": place}, _about(thing) | on

    # -- what holds in this house ---------------------------------------------------------------------------

    def _named(self, say_colour: bool = True) -> Iterator[tuple[Described, str]]:
        """The things that nobody holds and that can be named without ambiguity, with their names."""
        things = list(self.things.values())
        held = {self.world.avatar(SOLVER).held, self.world.avatar(SETTER).held}
        for thing in things:
            words = language.refer(thing, things, say_colour)
            if words is not None and thing.id not in held:
                yield thing, words

    def _here(self) -> list[Described]:
        """The things in the room the solver is in: those that questions without a place are about."""
        return [t for t in self.things.values() if t.room != "another room"]

    def _slots(self, words: str) -> dict[str, str]:
        return {"x": words, "where": " in this room" if len(self.world.house.rooms) > 1 else ""}

    def _can_be_done(self, arguments: Arguments) -> bool:
        """Return True if the solver can get at everything that the instruction needs."""
        if "height" in arguments and "target" not in arguments:
            return self._can_be_built(arguments)
        needed = (arguments[role] for role in ("target", "next_to", "on") if role in arguments)
        if not all(self._within_reach(object_id) for object_id in needed):
            return False
        return "on" not in arguments or self._has_room_to_build(arguments["on"])

    def _can_be_built(self, arguments: Arguments) -> bool:
        """Return True if there are enough things within reach for a tower, and one of them can be its base."""
        pieces = [t.id for t in self._pieces() if is_meant(t, arguments) and self._within_reach(t.id)]
        largest = max(map(self._radius, pieces), default=0.0)
        bases = (i for i in pieces if can_be_base(self.world, i, largest) and self._has_room_to_build(i))
        return len(pieces) >= arguments["height"] and any(bases)

    def _has_room_to_build(self, object_id: str) -> bool:
        """Return True if there is a place to stand from which things can be put on an object, clear of the setter."""
        here, setter = (self.world.avatar(agent).position for agent in (SOLVER, SETTER))
        in_the_way = np.array([[setter[0], setter[1], AVATAR_RADIUS]])
        return place_to_stand(self.plan, here, self.world.object_position(object_id), in_the_way) is not None

    def _pieces(self) -> list[Described]:
        """The things of this room that nobody holds and that can be taken and stacked."""
        held = {self.world.avatar(SOLVER).held, self.world.avatar(SETTER).held}
        positions = self.world.object_positions()
        free = [t for t in self._here() if t.id not in held and positions[t.id][2] < HIGHEST_TARGET]
        return [t for t in free if can_be_stacked(self.world, t.id)]

    def _radius(self, object_id: str) -> float:
        return self.world.house.objects_by_id[object_id].radius

    def _within_reach(self, object_id: str) -> bool:
        """Return True if there is a way to a place from which the object can be seen and taken."""
        at = self.world.object_position(object_id)
        near = grab_distance(self.world.house, object_id, at)
        if not can_be_seen_over_rim(self.world, object_id):
            return False
        route = self.plan.route(self.world.avatar(SOLVER).position, at, near)
        return route is not None and self.sight.clear(np.array([*route[-1], EYE_HEIGHT]), at)

    def _time_limit(self, name: str, arguments: Arguments) -> int:
        stays = name in ("count", "exist")
        limit = TIME_LIMIT[name] + ANOTHER_STOREY * (arguments.get("height", LOWEST) - LOWEST)
        return limit + (0 if stays else ANOTHER_ROOM * (len(self.world.house.rooms) - 1))


def _shuffled(options: Sequence[Option], rng: np.random.Generator) -> Iterator[Option]:
    """Yield options in random order; nothing is drawn before the first is asked for."""
    for i in rng.permutation(len(options)):
        yield options[i]


def _sort(arguments: Arguments) -> str:
    """Return the kind of an option; options of the same kind share one chance."""
    return arguments.get("answer", "named" if "target" in arguments else "open")


def _about(thing: Described) -> Arguments:
    return {"target": thing.id, "colour": thing.colour, "kind": thing.kind}


def _tower_slots(height: int, colour: str | None, kind: str | None) -> dict[str, str]:
    """Return the words of an open request; a tower of any two things is just a tower."""
    if colour is None and kind is None:
        return {} if height == LOWEST else {"n": NUMBERS[height]}
    return {"n": NUMBERS[height], "x": language.plural(colour, kind)}


def _combination(colour: str | None, kind: str | None, answer: str) -> Arguments:
    return {"colour": colour, "kind": kind, "answer": answer}
