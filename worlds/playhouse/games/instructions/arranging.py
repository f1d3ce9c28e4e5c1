"""Move a group of things into a simple arrangement, and put specific things in a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.games import nouns, places
from worlds.playhouse.games.arrangements import (
    CIRCLE,
    FEWEST,
    MOST,
    ROW,
    SQUARE,
    TRIANGLE,
    forms,
    is_sorted,
    order_in_row,
)
from worlds.playhouse.games.choices import Choice, whole
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.moving import Moving
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.roles import loose
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import Templates, patterns_of
from worlds.playhouse.world import Playhouse

SHAPES = (ROW, CIRCLE, TRIANGLE, SQUARE)
_WORDS = patterns_of("arranging")
ARRANGE = {shape: Templates(*(pattern.replace("{shape}", shape) for pattern in _WORDS["arrange"])) for shape in SHAPES}
LINES = Templates(*_WORDS["lines"])
SORTED = Templates(*_WORDS["sorted"])
LINE_UP = Templates(*_WORDS["line up"])
NAMED = (3, 4)  # things that are named one by one
BY_SIZE = 0.2  # chance of asking for a row by size
MOST_TRIED = 12  # candidates of which subsets are looked at
STEPS_EACH = 75


class Arrange(Moving):
    """Arranging: so many of the things lie still, let go, at one height, in the shape; one of them was carried.

    Taking one of the things is progress, and so is bringing it near another one.
    """

    done_reason = "has arranged them"

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self.shape: str = spec.arguments["shape"]
        self.by_size: bool = spec.arguments.get("by_size", False)
        self._placed: set[str] = set()

    def is_done(self, world: Playhouse, object_id: str) -> bool:
        """One thing alone is no arrangement."""
        return False

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        if self.taken is not None:
            yield (1, "takes a right thing") if self.taken in self.things.among else (-1, "takes a wrong thing")
        if self.taken in self._placed:
            self._placed.discard(self.taken or "")
        still = [i for i in self.things.among if self.lies_still(world, i)]
        fresh = [i for i in still if i in self.carried and i not in self._placed]
        if fresh:
            self._placed |= set(fresh)
            if is_arranged(world, self.shape, still, self.carried, self.things.number, self.by_size):
                yield self._succeed(self.done_reason)
            elif len(self._placed) > 1:
                yield 1, "puts one more down"


def is_arranged(
    world: Playhouse, shape: str, things: Sequence[str], moved: set[str], number: int, by_size: bool = False
) -> bool:
    """Return True if ``number`` of some things, one of them ``moved``, form a shape at one height."""
    positions, records = world.object_positions(), world.house.objects_by_id
    tried = sorted(things, key=lambda i: i not in moved)[:MOST_TRIED]
    for chosen in combinations(tried, number):
        bottoms = [float(positions[i][2]) - records[i].height / 2 for i in chosen]
        points = np.array([positions[i] for i in chosen])
        if moved.isdisjoint(chosen) or max(bottoms) - min(bottoms) > LEVEL or not forms(shape, points):
            continue
        if not by_size or is_sorted([volume(world, i) for i in chosen], order_in_row(points)):
            return True
    return False


def volume(world: Playhouse, object_id: str) -> float:
    """Side (m) of a cube as large as a thing's upright box: by what things are sorted by size."""
    record = world.house.objects_by_id[object_id]
    return float(np.prod(record.spec.extent)) ** (1 / 3) * record.scale


def _can_be_arranged(situation: Situation, shape: str, things: Choice) -> bool:
    """Return True if enough of the things can be taken, there is room for the shape, and they do not form it yet."""
    able = [i for i in things.among if situation.can_be_taken(i)]
    here = all(situation.room_of(i) == situation.room for i in things.among)
    if len(able) < things.number or not here or len(things.among) > MOST_TRIED:
        return False
    if is_arranged(situation.world, shape, things.among, set(things.among), things.number):
        return False
    return places.for_arrangement(situation, shape, able, things.number) is not None


def _propose_arrange(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    for things in nouns.several(situation, rng, (3, 4, 5), modifier):
        number = things.choice.number
        shapes = [shape for shape in SHAPES if FEWEST[shape] <= number <= MOST[shape]]
        shape = shapes[int(rng.integers(len(shapes)))]
        if not _can_be_arranged(situation, shape, things.choice):
            continue
        arguments = {"things": things.choice.to_json(), "shape": shape, "said": things.said}
        if shape == ROW and rng.random() < BY_SIZE and _sizes_differ(situation, things.choice):
            arguments |= {"by_size": True}
            yield Request(SORTED.say(rng, x=things.words), arguments)
        elif shape == ROW and rng.random() < 0.3:
            yield Request(LINES.say(rng, x=things.words), arguments)
        else:
            yield Request(ARRANGE[shape].say(rng, x=things.words), arguments)


def _sizes_differ(situation: Situation, things: Choice) -> bool:
    sizes = sorted(volume(situation.world, i) for i in things.among)
    return all(b - a > CLEARLY_LARGER for a, b in zip(sizes, sizes[1:], strict=False))


def _propose_line_up(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    here = [i for i in situation.here if i in situation.free]
    for _ in range(TRIES):
        number = int(rng.integers(NAMED[0], NAMED[1] + 1))
        found = [n for n, _ in zip(nouns.named_things(situation, rng, here, modifier), range(number), strict=False)]
        if len(found) < number:
            return
        ids = [n.choice.among[0] for n in found]
        if _can_be_arranged(situation, ROW, whole(ids)):
            words = [n.words for n in found]
            said = [pair for n in found for pair in n.said]
            listed = f"{', '.join(words[:-1])} and {words[-1]}"
            arguments = {"things": whole(ids).to_json(), "shape": ROW, "said": said}
            yield Request(LINE_UP.say(rng, list=listed), arguments)


def _read_arrange(words: str, situation: Situation) -> Arguments | None:
    kinds = [(SORTED, ROW, True), (LINES, ROW, False), *((ARRANGE[shape], shape, False) for shape in SHAPES)]
    for templates, shape, by_size in kinds:
        for slots in templates.readings(words):
            things = loose(slots["x"], situation)
            if things is not None and things.number >= FEWEST[shape]:
                return {"things": things.to_json(), "shape": shape} | ({"by_size": True} if by_size else {})
    return None


def _read_line_up(words: str, situation: Situation) -> Arguments | None:
    for slots in LINE_UP.readings(words):
        ids = read_list(slots["list"], situation)
        if ids is not None and len(ids) >= FEWEST[ROW]:
            return {"things": whole(ids).to_json(), "shape": ROW}
    return None


def read_list(words: str, situation: Situation) -> list[str] | None:
    """Return the things that words such as "the mug the book and two red balls" list; None if they list none."""
    split = words.split()
    if not split:
        return []
    for end in range(len(split), 0, -1):
        first = loose(" ".join(split[:end]), situation)
        rest = split[end:]
        if first is None or (rest and rest[0] not in ("and", "the", "a", "an", "one")):
            continue
        others = read_list(" ".join(rest[1:] if rest and rest[0] == "and" else rest), situation)
        if others is not None:
            chosen = [i for i in first.among if i not in others]
            if len(chosen) >= first.number:
                return [*chosen[: first.number], *others]
    return None


LEVEL = 0.1  # metres by which the undersides of things in an arrangement may differ
CLEARLY_LARGER = 0.03  # metres between the sides of cubes as large as things that are to be sorted
TRIES = 12

register(
    LanguageGame(
        name="arrange",
        prompt="Ask the other player to move a group of objects into a simple arrangement.",
        propose=_propose_arrange,
        reads=_read_arrange,
        check=Arrange,
        steps=steps(90, each=STEPS_EACH),
    )
)
register(
    LanguageGame(
        name="line up",
        prompt="Ask the other player to put three or more specific objects in a row.",
        propose=_propose_line_up,
        reads=_read_line_up,
        check=Arrange,
        steps=steps(90, each=STEPS_EACH),
    )
)
