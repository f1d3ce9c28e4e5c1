"""Entries of data files become records; what does not fit is named by file, entry and field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from worlds.data_files import read_entries
from worlds.errors import UserError
from worlds.playhouse.house.kinds import ObjectKind
from worlds.playhouse.house.shapes import parts_of


@dataclass(frozen=True)
class Inner:
    at: tuple[float, float]


@dataclass(frozen=True)
class Record:
    name: str
    size: float
    inner: Inner | None = None
    words: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    side: Literal["left", "right"] = "left"
    counts: Mapping[str, int] | None = None
    flag: bool = False
    free: Any = None


def read(folder: Path, text: str, kind: Any = Record) -> Any:
    file = folder / "table.json"
    file.write_text(text, encoding="utf-8")
    return read_entries(file, kind, {"parts": parts_of} if kind is ObjectKind else None)


def test_entries_are_records_in_the_order_of_the_file(tmp_path):
    text = """{
      "b": {"size": 1, "inner": {"at": [0, 2]}, "words": ["x", "y"], "tags": ["t"], "side": "right"},
      "a": {"size": 0.5, "counts": {"n": 3}, "flag": true, "free": [1]}
    }"""
    first = Record("b", 1.0, Inner((0.0, 2.0)), ("x", "y"), frozenset({"t"}), "right")
    found = read(tmp_path, text)
    assert list(found.items()) == [("b", first), ("a", Record("a", 0.5, counts={"n": 3}, flag=True, free=[1]))]
    assert type(found["b"].size) is float and type(found["b"].inner.at[1]) is float


def test_entries_can_be_plain_values(tmp_path):
    assert read(tmp_path, '{"a": [1, 2.5]}', tuple[float, float]) == {"a": (1.0, 2.5)}


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("{}", "table.json: mug: size is missing"),
        ('{"size": "small"}', "table.json: mug: size: 'small' is no number"),
        ('{"size": true}', "table.json: mug: size: True is no number"),
        ('{"size": 1, "colour": "red"}', "table.json: mug: no field named 'colour'; known: name, size, inner"),
        ('{"size": 1, "name": "cup"}', "table.json: mug: no field named 'name': that is the name of the entry"),
        ('{"size": 1, "words": "x"}', "table.json: mug: words: 'x' is no list"),
        ('{"size": 1, "words": [1]}', "table.json: mug: words: 1 is no text"),
        ('{"size": 1, "inner": {"at": [1]}}', "table.json: mug: inner: at: [1] has 1 values, not 2"),
        ('{"size": 1, "side": "top"}', "table.json: mug: side: 'top' is unknown; known: left, right"),
        ('{"size": 1, "flag": 0}', "table.json: mug: flag: 0 is neither true nor false"),
        ('{"size": 1, "counts": {"n": 1.5}}', "table.json: mug: counts: 1.5 is no whole number"),
        ('{"size": 1, "counts": []}', "table.json: mug: counts: [] is no JSON object"),
        ("3", "table.json: mug: 3 is no JSON object"),
        ('{"size": 1, "size": 2}', "table.json: 'size' is there twice"),
        ("{,}", "table.json: Expecting property name"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, entry, line):
    with pytest.raises(UserError) as error:
        read(tmp_path, f'{{"mug": {entry}}}')
    assert str(error.value).startswith(line)


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ('{"cube": [1]}', "it names 0 shapes, not one; known: box, sphere"),
        ('{"box": [1, 1, 1], "core": [1, 1, 1]}', "it names 2 shapes, not one"),
        ('{"box": [1, 1, 1], "at": [0, 0, 0], "color": "red"}', "box has no 'color'; known: x, y, z, at, euler"),
        ('{"box": [1, 1, 1], "at": [0, 0]}', "[0, 0] has 2 values, not 3"),
        ('{"core": [1, 1]}', "core() missing 1 required positional argument: 'z'"),
        ('{"core": [1, 1, 1, 1, 1]}', "core is not a list of x, y, z, lift"),
        ('{"ring": [0.2, 0.02, 9.5, 0.02]}', "9.5 is no whole number"),
    ],
)
def test_parts_that_do_not_fit_are_named(tmp_path, part, line):
    with pytest.raises(UserError) as error:
        read(tmp_path, f'{{"mug": {{"extent": [1, 1, 1], "mass_kg": 1, "parts": [{part}]}}}}', ObjectKind)
    assert str(error.value).startswith("table.json: mug: parts: part 0, {") and line in str(error.value)


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ('"shapes": ["cubic"]', "shapes: unknown 'cubic'; known: round"),
        ('"colours": ["beige"]', "colours: unknown 'beige'; known: red"),
        ('"rooms": ["cellar"]', "rooms: unknown 'cellar'; known: living room"),
        ('"parts": [{"sphere": [1], "at": [0, 0, 0], "paint": "gold"}]', "paint: unknown 'gold'; known: main, tyre"),
        ('"parts": [{"sphere": [1], "at": [0, 0, 0], "finish": "fur"}]', "finish: unknown 'fur'; known: plain, wood"),
    ],
)
def test_words_of_no_vocabulary_are_named(tmp_path, field, line):
    parts = "" if "parts" in field else '"parts": [], '
    with pytest.raises(UserError) as error:
        read(tmp_path, f'{{"mug": {{"extent": [1, 1, 1], "mass_kg": 1, {parts}{field}}}}}', ObjectKind)
    assert str(error.value).startswith(f"table.json: mug: {line}")
