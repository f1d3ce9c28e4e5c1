"""Arrange things in a formation, and build a tower of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.games.arrangements import forms, is_sorted, order_in_row
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.geometry import is_on_floor
from worlds.playhouse.games.instructions.arranging import volume
from worlds.playhouse.games.instructions.stacking import is_on
from worlds.playhouse.games.moving import Doing
from worlds.playhouse.games.tower import STABLE_STEPS
from worlds.playhouse.games.whereabouts import Where, is_there
from worlds.playhouse.house.record import Thing
from worlds.playhouse.requests.facts import facts_of
from worlds.playhouse.requests.ground_truth import tallest_tower
from worlds.playhouse.world import Playhouse

MOST_TRIED = 3000  # selections of things looked at in a step
SAME = "same"  # likeness; the other is "different"


class Arranging(Doing):
    """So many things of each group are to be arranged, at least one of them by the solver.

    Arguments: ``groups``, a choice of things for each part of the request; ``likeness``, e.g. {"colour": "same"}.
    Taking one that is meant is progress, taking another thing regress.
    """

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self.groups = [Choice(tuple(g["among"]), g["number"]) for g in spec.arguments["groups"]]
        self.likeness: Mapping[str, str] = spec.arguments.get("likeness", {})

    @property
    def meant(self) -> set[str]:
        """Ids of everything that can be used."""
        return {i for group in self.groups for i in group.among}

    def begin(self, world: Playhouse) -> None:
        """Nothing is noted."""

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        if self.taken is not None:
            yield (1, "takes a right thing") if self.taken in self.meant else (-1, "takes a wrong thing")
        if not self.carried & self.meant:
            return
        still = [i for i in self.meant if self.lies_still(world, i)]
        if self.is_arranged(world, still):
            yield self._succeed("has arranged them")

    @abstractmethod
    def is_arranged(self, world: Playhouse, still: Sequence[str]) -> bool:
        """Return True if enough of the things that lie still are as the request wants them."""

    def selections(self, world: Playhouse, still: Sequence[str]) -> Iterator[tuple[Thing, ...]]:
        """Yield the ways to take as many as are wanted of each group, at least one that was carried among them."""
        ready = set(still)
        ways = [combinations([i for i in group.among if i in ready], group.number) for group in self.groups]
        for parts in islice(product(*ways), MOST_TRIED):
            chosen = [i for part in parts for i in part]
            things = tuple(world.house.objects_by_id[i] for i in chosen)
            if len(set(chosen)) == len(chosen) and self.carried & set(chosen) and is_alike(things, self.likeness):
                yield things


def is_alike(things: Sequence[Thing], likeness: Mapping[str, str]) -> bool:
    """Return True if things have the same, or all different, colours, kinds and the like."""
    for what, how in likeness.items():
        values = {getattr(thing, what) for thing in things}
        if len(values) != (1 if how == SAME else len(things)):
            return False
    return True


class Formation(Arranging):
    """A row, triangle, square or circle, beyond what the game of arranging knows.

    Further arguments: ``shape``; ``floor``, True where the things have to lie on the floor; ``target``, what they have
    to be on; ``place``, where they have to be; ``by_size``, True where a row has to grow from one end to the other.
    """

    def is_arranged(self, world: Playhouse, still: Sequence[str]) -> bool:
        arguments, positions = self.spec.arguments, world.object_positions()
        ready = [i for i in still if self._is_placed(world, i)]
        for chosen in self.selections(world, ready):
            points = np.array([positions[thing.id] for thing in chosen])
            grows = not arguments.get("by_size") or is_sorted(
                [volume(world, thing.id) for thing in chosen], order_in_row(points)
            )
            if grows and forms(arguments["shape"], points):
                return True
        return False

    def _is_placed(self, world: Playhouse, object_id: str) -> bool:
        arguments = self.spec.arguments
        if arguments.get("floor") and not is_on_floor(world.house, object_id, world.object_position(object_id)):
            return False
        if "target" in arguments and not any(
            is_on(world, object_id, target) for target in Choice.of(arguments, "target").among
        ):
            return False
        return "place" not in arguments or is_there(
            Where.of(arguments["place"]), object_id, facts_of(world), world.house
        )


class TowerOf(Arranging):
    """A tower of so many things that stands by itself for ``STABLE_STEPS``."""

    def begin(self, world: Playhouse) -> None:
        self._stood = 0

    def is_arranged(self, world: Playhouse, still: Sequence[str]) -> bool:
        self._stood = self._stood + 1 if self._stands(world, still) else 0
        return self._stood >= STABLE_STEPS

    def _stands(self, world: Playhouse, still: Sequence[str]) -> bool:
        positions = world.object_positions()
        return any(
            len(tallest_tower(world.house, [thing.id for thing in things], positions)) == len(things)
            for things in self.selections(world, still)
        )
