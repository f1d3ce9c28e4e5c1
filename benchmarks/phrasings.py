"""In how many ways is each game asked for, and are all of them short?

    python -m benchmarks.phrasings --draws 200

``python -m benchmarks.requests`` counts the same of its requests. Here requests are asked in flats and furnished rooms
in turn until a game has so many. A *sentence* is one distinct text. A *template* is the text as the oracle of
``benchmarks/oracle`` reads it: without words of politeness, one letter for each phrase that names things and for each
place, whatever it names and wherever that is, and another for a number, a colour or a shape. Ends with 1 if a game has
fewer than 30 templates or a request of more than 25 words.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.oracle.judging import Oracle, Verdict
from benchmarks.oracle.words import COLOUR_WORDS, NUMBER_WORDS
from benchmarks.timing import options
from worlds.contract import TaskSpec
from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation

PLACES: Mapping[str, Mapping[str, Any]] = {
    "flat": {"preset": "flat"},
    "house": {"preset": "house"},
    "room": {"style": "furnished", "rooms": (1, 1)},
}
FEWEST, LONGEST = 30, 25
FIRST_SEED = 900_000
WHERE = ("flat", "room")
IN_A_HOUSE = 4  # draws of each game
MOST_HOUSES = 600  # after which a game is given up
_VALUES = re.compile(rf"\b(?:{'|'.join((*NUMBER_WORDS, *COLOUR_WORDS, 'row', 'line', 'circle', 'triangle'))}|square)\b")


@dataclass
class Phrasings:
    """What was drawn of a game."""

    draws: int = 0
    sentences: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    longest: int = 0
    houses: int = 0

    def add(self, spec: TaskSpec, verdict: Verdict) -> None:
        """Count a request; one that the oracle cannot read has no template."""
        self.draws += 1
        self.sentences.add(spec.instruction)
        self.longest = max(self.longest, len(spec.instruction.split()))
        self.templates.update(map(template, verdict.skeletons))

    @property
    def are_many(self) -> bool:
        """Whether there are as many templates as there ought to be, and no long request."""
        return len(self.templates) >= FEWEST and self.longest <= LONGEST


def template(skeleton: str) -> str:
    """A skeleton with one letter for every number, colour and shape, and one pronoun."""
    return re.sub(r"\bthem\b", "it", _VALUES.sub("v", skeleton))


def draw(names: Sequence[str], draws: int) -> Mapping[str, Phrasings]:
    """Draw so many requests of each game."""
    found = {name: Phrasings() for name in names}
    worlds = [Playhouse(height=6, width=8, views=(), settings=dict(PLACES[p]), hands="full") for p in WHERE]
    for house in range(MOST_HOUSES):
        left = [name for name in names if found[name].draws < draws]
        if not left:
            break
        world = worlds[house % len(worlds)]
        world.reset(seed=FIRST_SEED + house)
        situation, oracle = Situation(world), Oracle(world)
        for name in left:
            found[name].houses += 1
            for i in range(min(IN_A_HOUSE, draws - found[name].draws)):
                spec = registry.ask(name, situation, np.random.default_rng([house, i]))
                if spec is not None:
                    found[name].add(spec, oracle.judge(spec))
    return found


def table(found: Mapping[str, Phrasings]) -> str:
    """Phrasings by game, in Markdown, and how many games have enough of them."""
    lines = ["| game | draws | houses | sentences | templates | longest, words |", "|---|---:|---:|---:|---:|---:|"]
    for name, of in found.items():
        numbers = (of.draws, of.houses, len(of.sentences), len(of.templates), of.longest)
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} |")
    many = sum(of.are_many for of in found.values())
    lines.append(f"{many} of {len(found)} games: {FEWEST} templates or more, no request of more than {LONGEST} words")
    return "\n".join(lines)


def main() -> int:
    """Draw, print, and return 1 if a game has too few templates or too long a request."""
    arguments = options(__doc__, draws=(200, "of each game"), game=(None, "", {"action": "append"}))
    found = draw(arguments.game or list(registry.language_games()), arguments.draws)
    print(table(found))
    return 0 if all(of.are_many for of in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
