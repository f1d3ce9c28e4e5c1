"""Phrases of requests, as templates; they are entries of ``data/phrases.json`` and ``data/activities.json``.

A request is one clause for each activity. Slots of a clause:

- ``{things}``: what is to be placed, e.g. "two plates and a fork".
- ``{there}``: where, with its preposition, e.g. "on the kitchen table".
- ``{place}``: the same without, e.g. "the fridge".
- ``{held}``: what is to be held or read, e.g. "a book".
- ``{seat}``: where to sit, e.g. "the sofa".

:mod:`worlds.household.tasks.language.understanding` reads them all back. It knows VERBS_OF_HOLDING, VERBS_OF_SITTING
and FILLED; further ones belong there, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from worlds.data_files import read_entries


@dataclass(frozen=True)
class _Activity:
    commands: tuple[str, ...]
    statements: tuple[str, ...]


_DATA = Path(__file__).parent / "data"
_PHRASES = read_entries(_DATA / "phrases.json", tuple[str, ...])
_ACTIVITIES = read_entries(_DATA / "activities.json", _Activity)

FRAMES = _PHRASES["frames"]  # a whole request, around clauses that are commands
SEPARATORS = _PHRASES["separators"]  # between two clauses; no other words of requests separate clauses

COMMANDS = _PHRASES["commands"]
STATEMENTS = _PHRASES["statements"]  # whole requests that are no commands
COMMANDS_OF: Mapping[str, tuple[str, ...]] = {name: each.commands for name, each in _ACTIVITIES.items()}
STATEMENTS_OF: Mapping[str, tuple[str, ...]] = {name: each.statements for name, each in _ACTIVITIES.items()}

READING = _PHRASES["reading"]  # the solver reads
READING_WITH = _PHRASES["reading with"]  # with a snack
OWN_READING = _PHRASES["own reading"]  # the setter reads, and the solver helps
OWN_READING_WITH = _PHRASES["own reading with"]
HOLDING = _PHRASES["holding"]
SITTING = _PHRASES["sitting"]

VERBS_OF_HOLDING = ("read", "reading", "hold", "holding")
VERBS_OF_SITTING = ("sit", "sit down", "settle", "rest")
FILLED = ("load", "fill", "stock")  # what is before "the dishwasher with ..."
SET_TABLE = ("set the table", "lay the table")  # before "with ..." or "for dinner with ..."
