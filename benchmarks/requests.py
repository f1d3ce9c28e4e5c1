"""An oracle judges requests of language games: none is ambiguous, impossible, done already, or answered wrong.

    python -m benchmarks.requests --requests 10000

Requests are asked in flats, furnished rooms and whole houses in turn, half of them with a modifier. The oracle
(``benchmarks/oracle``) shares no code with those who ask: it reads words by patterns of its own and computes where
things are from the record of the house. What it cannot judge it says, and why. Prints two tables, of verdicts and of
phrasings (:mod:`benchmarks.phrasings`), and ends with 1 if a request is wrong, if more than a twentieth could not be
judged, or if a game is worded in too few ways.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks import phrasings
from benchmarks.oracle.judging import Oracle
from benchmarks.phrasings import PLACES, Phrasings
from benchmarks.timing import options
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.situation import Situation

FAULTS = ("ambiguous", "impossible", "done already", "wrong answer")
IN_TURN = ("flat", "room", "flat", "room", "house")
MOST_UNJUDGED = 0.05
MOST_HOUSES = 600
FIRST_SEED = 800_000


@dataclass
class Count:
    """What the oracle found about requests.

    Args:
      verdicts: by (game, verdict); a verdict is "right", the first word of a fault, "unjudged" or "nothing".
      wrong: a line about each fault.
      phrasings: of the first requests of each game, see :mod:`benchmarks.phrasings`.
    """

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    phrasings: dict[str, Phrasings] = field(default_factory=dict)
    draws: int = 200

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
    situation = Situation(world)  # one for all, for nothing moves
    for number, name in enumerate(names):
        for i in range(each):
            rng = np.random.default_rng([seed, number, i])
            modifier = tuple(MODIFIERS)[int(rng.integers(len(MODIFIERS)))] if i % 2 else None
            spec = registry.ask(name, situation, rng, modifier=modifier)
            yield name, spec if spec is not None or modifier is None else registry.ask(name, situation, rng)


def judge(world: Playhouse, seed: int, names: Sequence[str], each: int, count: Count) -> None:
    """Judge requests of games in the house of a seed."""
    for name in names:
        drawn = count.phrasings.setdefault(name, Phrasings())
        drawn.houses += drawn.draws < count.draws
    oracle: Oracle | None = None
    for name, spec in asked(world, seed, names, each):
        if spec is None:
            count.verdicts[name, "nothing"] += 1
            continue
        oracle = oracle or Oracle(world)
        verdict, drawn = oracle.judge(spec), count.phrasings[name]
        if drawn.draws < count.draws:
            drawn.add(spec, verdict)
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
    """Judge, print, and return 1 if a request is wrong, too many could not be judged, or a game has few phrasings."""
    arguments = options(
        __doc__,
        requests=(10_000, "in all, at least"),
        draws=(200, "of each game, of which phrasings are counted; 0: none"),
        each=(6, "of each game in a house"),
        place=(None, "in turn; " + ", ".join(IN_TURN), {"action": "append", "choices": tuple(PLACES)}),
        game=(None, "", {"action": "append"}),
        first_seed=FIRST_SEED,
    )
    places = arguments.place or IN_TURN
    worlds = {p: Playhouse(height=6, width=8, views=(), settings=dict(PLACES[p]), hands="full") for p in set(places)}
    names, count, house = arguments.game or list(registry.language_games()), Count(draws=arguments.draws), 0
    left = names
    while left:
        place, before = places[house % len(places)], len(count.wrong)
        judge(worlds[place], arguments.first_seed + house, left, arguments.each, count)
        for line in count.wrong[before:]:
            print(f"{place} {line}", flush=True)
        house += 1
        if count.judged >= arguments.requests:  # seldom ones until there are enough to count their phrasings
            left = [name for name in names if count.phrasings[name].draws < arguments.draws and house < MOST_HOUSES]
        print(f"{house} houses, {count.judged} requests", file=sys.stderr, flush=True)
    print(table(count, names), phrasings.table(count.phrasings), sep="\n\n")
    unjudged = sum(count.unjudged.values())
    reasons = ", ".join(f"{number} {why}" for why, number in count.unjudged.most_common() if number) or "none"
    print(f"{count.judged} requests in {house} houses, {len(count.wrong)} faults; not judged: {unjudged} ({reasons})")
    poor = [name for name, of in count.phrasings.items() if arguments.draws and not of.are_many]
    return 1 if count.wrong or poor or unjudged > MOST_UNJUDGED * count.judged else 0


if __name__ == "__main__":
    sys.exit(main())
