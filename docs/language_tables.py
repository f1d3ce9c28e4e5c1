"""Print the tables of the Playhouse's language, with examples from its houses, which the site shows.

python -m docs.language_tables
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np

from worlds.playhouse import Playhouse
from worlds.playhouse.games import registry
from worlds.playhouse.games.asking import Asker
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.requests import relations
from worlds.playhouse.requests.facts import facts_of
from worlds.playhouse.requests.lexicon import RELATION_FORMS
from worlds.playhouse.requests.reading import words_of
from worlds.playhouse.requests.referring import Referrer

PAGE = Path(__file__).parent / "language.md"
SEEDS = range(3)
DEGREES = {
    "next to": (relations.NEXT_TO, "at most {} m"),
    "near": (relations.NEAR, "at most {} m"),
    "far from": (relations.FAR, "at least {} m"),
    "left of": (relations.BESIDE, "at most {} m"),
    "right of": (relations.BESIDE, "at most {} m"),
    "in front of": (relations.BESIDE, "at most {} m"),
    "behind": (relations.BESIDE, "at most {} m"),
    "between": (relations.BETWEEN, "at most {} m from the line"),
}
TYPED = (
    "Place the toy car on the wardrode?",
    "two tissue roils in the bath room",
    "small bjects on the floor n living romm",
    "the arm chair which isn’t near to the bed",
)


@cache
def _house(seed: int) -> Playhouse:
    world = Playhouse(height=6, width=8, views=(), settings={"preset": "flat"}, hands="full")
    world.reset(seed=seed)
    return world


def relations_table() -> str:
    """Return the table of relations."""

    def row(name: str) -> tuple[str, ...]:
        forms = RELATION_FORMS[name]
        clear, possible = "it is", "it is, by way of something else"
        if name in DEGREES:
            degrees, text = DEGREES[name]
            clear, possible = (text.format(value) for value in (degrees.clear, degrees.possible))
        return ", ".join(forms.said), ", ".join(forms.understood), clear, possible

    return _table(("said", "understood, too", "clearly", "possibly"), map(row, relations.RELATIONS))


def modifiers_table() -> str:
    """Return the table of the paper's modifiers, each with a request."""
    rows = ((name, modifier.prompt, _request("pick up", name)) for name, modifier in MODIFIERS.items())
    return _table(("modifier", "the paper's words", "a request"), rows)


def questions_table() -> str:
    """Return the table of the questions, with two of each."""
    questions = [game for game in registry.language_games().values() if game.kind == "question"]
    rows = ((g.name, g.prompt, _request(g.name, None, 0), _request(g.name, None, 1)) for g in questions)
    return _table(("game", "the paper's words", "a request", "another one"), rows)


def names_table() -> str:
    """Return names that the same few things get."""
    facts = facts_of(_house(0))
    rows = []
    for thing in facts.of("object")[:3]:
        named = (Referrer(facts, np.random.default_rng(i)).the(thing.id) for i in range(20))
        names = dict.fromkeys(found.words for found in named if found is not None)
        rows.append((f"{thing.size} {thing.colour} {thing.kind}", ", ".join(list(names)[:4])))
    return _table(("thing", "names"), rows)


def typed_table() -> str:
    """Return texts as typed, and set right."""
    return _table(("typed", "read as"), ((f"`{text}`", " ".join(words_of(text))) for text in TYPED))


def _request(game: str, modifier: str | None, turn: int = 0) -> str:
    """The words of a request of a game in the first flat that has one."""
    for seed in SEEDS:
        spec = Asker(_house(seed)).ask(game, np.random.default_rng([seed, turn]), modifier=modifier)
        if spec is not None:
            return f"`{spec.instruction}`"
    return "-"


TABLES: dict[str, Callable[[], str]] = {
    "relations": relations_table,
    "names": names_table,
    "modifiers": modifiers_table,
    "questions": questions_table,
    "typed": typed_table,
}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in line)} |" for line in lines)


if __name__ == "__main__":
    print("\n\n".join(table() for table in TABLES.values()))
