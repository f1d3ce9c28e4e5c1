"""An oracle on requests of language games: none is ambiguous, impossible or done already.

    python -m benchmarks.requests --requests 300 --houses 30

It knows requests only as recorded (TaskSpec) and houses only as places and kinds. It shares no code with those who
propose: words are read by a few patterns of its own, ways are found by filling the floor, and what is done is computed
from middles and sizes. Where it cannot judge, it says so; ``unjudged`` counts these. Prints a table and ends with 1 if
any request is wrong.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse import PLAYHOUSE, Playhouse
from worlds.playhouse.games.registry import games
from worlds.playhouse.house.catalogue import COLOURS, OBJECT_KINDS

CELL = 0.15  # metres of the filled floor
BODY = 0.24  # metres that a player keeps from walls and furniture
ARM = 1.9  # metres from which a thing can be got at, at most
PLACED = (
    r"\b(?:on|in|inside|under|underneath|beneath|below|above|near|next|beside|close|left|right|front|behind|between)\b"
)
RELATIVE = re.compile(rf"{PLACED}|\b(?:far|not|nearest|closest|largest|biggest|smallest|isn't|from|of)\b")
ONE_PHRASE = ("pick up", "bring", "hand over", "throw", "arrange")  # games whose words name things once
ADJECTIVES = {"small": "small", "little": "small", "large": "large", "big": "large", "tiny": "small"}


class Oracle:
    """Judges requests in one house as it is."""

    def __init__(self, world: Playhouse) -> None:
        self.house = world.house
        self.at = {i: (float(p[0]), float(p[1]), float(p[2])) for i, p in world.object_positions().items()}
        self.things = {thing.id: thing for thing in world.house.objects}
        self.pieces = {piece.id: piece for piece in world.house.furniture}
        self.hands = {world.avatar(player).held for player in ("setter", "solver")}
        self.solver = tuple(float(c) for c in world.avatar("solver").position[:2])
        self.setter = tuple(float(c) for c in world.avatar("setter").position[:2])
        self.floor = set(self._filled())

    # -- what can be wrong with a request ---------------------------------------------------------------------------

    def faults(self, spec: TaskSpec) -> Iterator[str]:
        """Yield what is wrong with a request."""
        parts = [spec.arguments[role]["arguments"] for role in ("first", "second") if role in spec.arguments]
        for arguments in parts or [spec.arguments]:
            for role in ("things", "target"):
                if isinstance(arguments.get(role), dict):
                    yield from self._wrong_choice(role, arguments[role])
        if not parts:
            yield from ("done already",) if self.is_done(spec) else ()
            yield from self._ambiguous(spec)

    def _wrong_choice(self, role: str, choice: Mapping[str, Any]) -> Iterator[str]:
        among, number = choice["among"], choice["number"]
        known = {*self.things, *self.pieces}
        if not 1 <= number <= len(among) or len(set(among)) != len(among):
            yield f"{role}: {number} of {len(among)}"
        if not set(among) <= known:
            yield f"{role}: unknown things"
        elif sum(self._can_be_got_at(i) for i in among) < number:
            yield f"{role}: out of reach"

    def _can_be_got_at(self, entity: str) -> bool:
        if entity in self.hands:
            return False
        if entity in self.pieces:
            piece = self.pieces[entity]
            x, y, far = piece.x, piece.y, ARM + max(piece.half)
        else:
            (x, y, z), far = self.at[entity], ARM
            if z > 1.3:
                return False
        room = self.house.room_at(x, y)
        return any(math.hypot(x - cx, y - cy) <= far and self.house.room_at(cx, cy) is room for cx, cy in self._spots())

    # -- what is done already ---------------------------------------------------------------------------------------

    def is_done(self, spec: TaskSpec) -> bool:
        """Return True if the house is as the request wants it, as far as middles and sizes tell."""
        arguments = spec.arguments
        if spec.name in ("put on", "put in", "tidy", "put under"):
            targets = arguments["target"]["among"]
            relation = {"put on": self.is_on, "put under": self.is_under}.get(spec.name, self.is_in)
            return self._enough(arguments, lambda i: any(relation(i, target) for target in targets))
        if spec.name in ("take out", "clear"):
            targets = arguments["target"]["among"]
            return self._enough(arguments, lambda i: not any(self.is_on(i, t) or self.is_in(i, t) for t in targets))
        if spec.name in ("bring", "hand over"):
            return self._enough(arguments, lambda i: math.dist(self.at[i][:2], self.setter) <= 1.5)
        if spec.name in ("arrange", "line up") and arguments["shape"] == "row":
            points = [self.at[i][:2] for i in arguments["things"]["among"]]
            return len(points) == arguments["things"]["number"] and self._on_a_line(points)
        if spec.name in ("go somewhere", "stand by") and arguments["place"]["relation"] == "in":
            room = next((r for r in self.house.rooms if r.id == arguments["place"]["anchors"][0]), None)
            return room is not None and room.contains(self.solver[0], self.solver[1], 0.4)
        return False

    def is_on(self, thing: str, target: str) -> bool:
        """Return True if a thing's middle is over a piece's surface, or over a thing that it touches."""
        x, y, z = self.at[thing]
        if target in self.pieces:
            piece = self.pieces[target]
            inside = abs(x - piece.x) <= piece.half[0] and abs(y - piece.y) <= piece.half[1]
            return inside and any(0.0 < z - s.at[2] < 0.9 for s in piece.spec.surfaces)
        (ox, oy, oz), height = self.at[target], self._height(thing) + self._height(target)
        return thing != target and math.hypot(x - ox, y - oy) < 0.12 and abs(z - oz - height / 2) < 0.05

    def is_under(self, thing: str, target: str) -> bool:
        """Return True if a thing is on the floor within a piece's footprint, or bears another thing."""
        x, y, z = self.at[thing]
        if target not in self.pieces:
            return self.is_on(target, thing)
        piece = self.pieces[target]
        return abs(x - piece.x) <= piece.half[0] and abs(y - piece.y) <= piece.half[1] and z < 0.35

    def is_in(self, thing: str, target: str) -> bool:
        """Return True if a thing's middle is between the sides of a container."""
        x, y, z = self.at[thing]
        if target in self.pieces:
            piece = self.pieces[target]
            inside = piece.spec.inside
            near = abs(x - piece.x) <= piece.half[0] and abs(y - piece.y) <= piece.half[1]
            return inside is not None and near and inside.at[2] < z < piece.spec.height
        ox, oy, oz = self.at[target]
        inside, half = OBJECT_KINDS[self.things[target].kind].inside, self._height(target) / 2
        return inside is not None and math.hypot(x - ox, y - oy) < self.things[target].radius and abs(z - oz) < half

    def _height(self, thing: str) -> float:
        return self.things[thing].spec.extent[2] * self.things[thing].scale

    @staticmethod
    def _enough(arguments: Mapping[str, Any], holds: Callable[[str], bool]) -> bool:
        return sum(map(holds, arguments["things"]["among"])) >= arguments["things"]["number"]

    @staticmethod
    def _on_a_line(points: Sequence[tuple[float, float]]) -> bool:
        ends = max(((a, b) for a in points for b in points), key=lambda pair: math.dist(*pair))
        length = math.dist(*ends)
        (ax, ay), (bx, by) = ends
        off = (abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / max(length, 1e-9) for x, y in points)
        return max(off) < 0.1 and length < 1.2 * (len(points) - 1)

    # -- what words can mean ----------------------------------------------------------------------------------------

    def _ambiguous(self, spec: TaskSpec) -> Iterator[str]:
        """Yield a fault if plain words, "the red ball" or "two red balls", fit other things than those that are meant.

        Only requests whose words have nothing but colours, sizes and the name of a kind can be judged.
        """
        if not self.is_plain(spec):
            return
        meant = set(spec.arguments["things"]["among"])
        said = self._said(spec.instruction)
        if said is not None and said != meant:
            yield f"ambiguous: {len(said)} things fit, {len(meant)} are meant"

    def is_plain(self, spec: TaskSpec) -> bool:
        """Return True if this oracle can read the words of a request."""
        return spec.name in ONE_PHRASE and not RELATIVE.search(spec.instruction)

    def _said(self, words: str) -> set[str] | None:
        """Ids of the loose things that the one noun phrase in some words fits; None if there is no kind in it."""
        text = words.lower()
        kinds = [
            k for k in OBJECT_KINDS.values() if re.search(rf"\b(?:{re.escape(k.name)}|{re.escape(k.plural)})\b", text)
        ]
        if not kinds:
            return None
        kind = max(kinds, key=lambda k: len(k.name)).name
        colours = [c for c in COLOURS if re.search(rf"\b{c}\b", text.replace("orange fruit", "fruit"))]
        sizes = {ADJECTIVES[word] for word in text.split() if word in ADJECTIVES}
        found = [t for t in self.things.values() if t.kind == kind]
        found = [t for t in found if not colours or t.colour in colours]
        return {t.id for t in found if not sizes or t.size in sizes}

    # -- ways -------------------------------------------------------------------------------------------------------

    def _free(self, x: float, y: float) -> bool:
        rooms = any(r.contains(x, y, 0.05 + BODY) for r in self.house.rooms)
        doors = any(
            math.hypot(x - d.x, y - d.y) < d.width / 2 - BODY + 0.06
            or (abs((x - d.x) if d.along == "x" else (y - d.y)) < max(d.width / 2 - BODY, 0.1)
                and abs((y - d.y) if d.along == "x" else (x - d.x)) < 0.5)
            for d in self.house.doorways
        )  # fmt: skip
        blocked = any(p.spec.in_the_way and p.gap_to(x, y) < BODY for p in self.house.furniture)
        return (rooms or doors) and not blocked

    def _filled(self) -> Iterator[tuple[int, int]]:
        """Cells that the solver can get to, those next to each other at a time."""
        first = (round(self.solver[0] / CELL), round(self.solver[1] / CELL))
        seen, queue = {first}, deque([first])
        while queue:
            cell = queue.popleft()
            yield cell
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                other = (cell[0] + dx, cell[1] + dy)
                if other not in seen and self._free(other[0] * CELL, other[1] * CELL):
                    seen.add(other)
                    queue.append(other)

    def _spots(self) -> Iterator[tuple[float, float]]:
        return ((x * CELL, y * CELL) for x, y in self.floor)


def judge(seeds: Sequence[int], names: Sequence[str], each: int, world: Playhouse) -> tuple[Counter, list[str]]:
    """Judge requests of games in the houses of some seeds; counts by "game: verdict", and lines about the wrong."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in seeds:
        world.reset(seed=seed)
        oracle = Oracle(world)
        for name in names:
            for i in range(each):
                spec = PLAYHOUSE.probe(name, world, int(np.random.default_rng([seed, i]).integers(2**31)), "train")
                if spec is None:
                    counts[f"{name}: nothing"] += 1
                    continue
                faults = list(oracle.faults(spec))
                counts[f"{name}: {'wrong' if faults else 'right'}"] += 1
                counts[f"{name}: read"] += oracle.is_plain(spec)
                wrong += [f"{seed} {name}: {spec.instruction!r}: {fault}" for fault in faults]
    return counts, wrong


def main() -> int:
    """Judge, print, and return 1 if a request is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--requests", type=int, default=300, help="of each game, at least")
    parser.add_argument("--houses", type=int, default=30)
    parser.add_argument("--game", action="append")
    parser.add_argument("--preset", default="flat")
    arguments = parser.parse_args()
    world = Playhouse(height=6, width=8, views=(), settings={"preset": arguments.preset}, hands="full")
    names = arguments.game or [game.name for game in games().values() if game.kind == "instruction"]
    each = math.ceil(arguments.requests / arguments.houses)
    counts, wrong = judge(range(800_000, 800_000 + arguments.houses), names, each, world)
    print("| game | right | wrong | nothing to ask | words read |\n|---|---:|---:|---:|---:|")
    for name in names:
        print(
            f"| {name} | "
            + " | ".join(str(counts[f"{name}: {v}"]) for v in ("right", "wrong", "nothing", "read"))
            + " |"
        )
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
