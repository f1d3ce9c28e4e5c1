"""An oracle judges requests of language games: none is ambiguous, impossible, done already, or answered wrong.

    python -m benchmarks.requests --requests 10000

Requests are asked in flats, whole houses and furnished rooms in turn, half of them with a modifier. The oracle
(``benchmarks/oracle``) shares no code with those who ask: it reads words by patterns of its own and computes where
things are from the record of the house. What it cannot judge it says, and why. Prints a table and ends with 1 if a
request is wrong, or if more than a twentieth could not be judged.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.oracle.judging import Oracle
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse
from worlds.playhouse.games.asking import Asker
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.registry import games

PLACES: Mapping[str, Mapping[str, Any]] = {
    "flat": {"preset": "flat"},
    "house": {"preset": "house"},
    "room": {"style": "furnished", "rooms": (1, 1)},
}
FAULTS = ("ambiguous", "impossible", "done already", "wrong answer")
MOST_UNJUDGED = 0.05
FIRST_SEED = 800_000


@dataclass
class Count:
    """What the oracle found about requests.

    Args:
      verdicts: by (game, verdict); a verdict is "right", the first word of a fault, "unjudged" or "nothing".
      unjudged: by reason.
      wrong: a line about each fault.
    """

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def of(self, verdict: str, names: Sequence[str]) -> int:
        """How many requests of some games have a verdict."""
        return sum(self.verdicts[name, verdict] for name in names)

    @property
    def judged(self) -> int:
        """How many requests there were."""
        return sum(number for (_, verdict), number in self.verdicts.items() if verdict != "nothing")


def asked(world: Playhouse, seed: int, names: Sequence[str], each: int) -> Iterator[tuple[str, TaskSpec | None]]:
    """Yield (game, request) for so many requests of each game in the house of a seed, every second with a modifier."""
    world.reset(seed=seed)
    asker = Asker(world)
    for number, name in enumerate(names):
        for i in range(each):
            rng = np.random.default_rng([seed, number, i])
            modifier = tuple(MODIFIERS)[int(rng.integers(len(MODIFIERS)))] if i % 2 else None
            spec = asker.ask(name, rng, modifier=modifier)
            yield name, spec if spec is not None or modifier is None else asker.ask(name, rng)


def judge(world: Playhouse, seed: int, names: Sequence[str], each: int, count: Count) -> None:
    """Judge requests of games in the house of a seed."""
    oracle: Oracle | None = None
    for name, spec in asked(world, seed, names, each):
        if spec is None:
            count.verdicts[name, "nothing"] += 1
            continue
        oracle = oracle or Oracle(world)
        verdict = oracle.judge(spec)
        count.unjudged[verdict.unjudged] += bool(verdict.unjudged)
        found = verdict.faults[0].split(":")[0] if verdict.faults else "unjudged" if verdict.unjudged else "right"
        count.verdicts[name, found] += 1
        count.wrong += [f"{seed} {name}: {spec.instruction!r}: {fault}" for fault in verdict.faults]


def table(count: Count, names: Sequence[str]) -> str:
    """Verdicts by game, in Markdown."""
    known = ("right", *FAULTS, "unjudged", "nothing")
    others = sorted({verdict for _, verdict in count.verdicts} - set(known))
    columns = ("right", *FAULTS, *others, "unjudged", "nothing")
    lines = [f"| game | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    for label, of in (*((name, (name,)) for name in names), ("all", tuple(names))):
        lines.append(f"| {label} | " + " | ".join(str(count.of(column, of)) for column in columns) + " |")
    return "\n".join(lines)


def main() -> int:
    """Judge, print, and return 1 if a request is wrong or too many could not be judged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--requests", type=int, default=10_000, help="in all, at least")
    parser.add_argument("--each", type=int, default=4, help="of each game in a house")
    parser.add_argument("--place", action="append", choices=tuple(PLACES), help="flat, house and room in turn")
    parser.add_argument("--game", action="append")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    arguments = parser.parse_args()
    places = arguments.place or list(PLACES)
    worlds = [Playhouse(height=6, width=8, views=(), settings=dict(PLACES[p]), hands="full") for p in places]
    names, count, house = arguments.game or list(games()), Count(), 0
    while count.judged < arguments.requests:
        before = len(count.wrong)
        judge(worlds[house % len(worlds)], arguments.first_seed + house, names, arguments.each, count)
        for line in count.wrong[before:]:
            print(f"{places[house % len(places)]} {line}", flush=True)
        house += 1
    print(table(count, names))
    unjudged = sum(count.unjudged.values())
    reasons = ", ".join(f"{number} {why}" for why, number in count.unjudged.most_common()) or "none"
    print(f"{count.judged} requests in {house} houses; not judged: {unjudged} ({reasons})")
    return 1 if count.wrong or unjudged > MOST_UNJUDGED * count.judged else 0


if __name__ == "__main__":
    sys.exit(main())
