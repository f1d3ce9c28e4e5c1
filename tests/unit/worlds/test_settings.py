"""Data that fits its annotations: settings, and entries of data files; and one line about what does not fit."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from worlds.data_files import read_entries
from worlds.errors import UserError
from worlds.playhouse.house.kinds import ObjectKind
from worlds.ranges import LARGEST, Count, Decay, Positive, Seed, Share, Weight
from worlds.settings import BadValue, from_words, settings, validated


@settings
class Inner:
    width: Count = 1

    def __post_init__(self) -> None:
        if self.width == 7:
            raise ValueError("width is no 7")


@settings
class Outer:
    inner: Inner = field(default_factory=Inner)
    more: tuple[Inner, ...] = ()
    weights: Mapping[str, Weight] | None = None
    size: tuple[int, float] = (3, 0.5)
    share: Share = 1
    folder: Path = Path("x")
    mode: Literal["fast", "slow"] = "fast"
    limit: int | Literal["auto"] = 1
    on: bool = False


@dataclass(frozen=True)
class Record:
    x: float
    raw: bytes = b""
    inner: Outer | None = None
    free: Any = None


@dataclass(frozen=True)
class Entry:
    name: str
    size: float
    at: tuple[float, float] | None = None
    tags: frozenset[str] = frozenset()


FOUND = Outer(size=(4, 5.0), folder=Path("a/b"), weights={"go": 2.0})


def test_settings_are_frozen_dataclasses() -> None:
    config = Outer(inner=Inner(width=2))
    assert replace(config, on=True).on and pickle.loads(pickle.dumps(config)) == config
    assert asdict(config)["inner"] == {"width": 2} and [one.name for one in fields(Inner)] == ["width"]
    with pytest.raises(AttributeError):
        config.on = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"width": 0}, "width is at least 1, not 0"),
        ({"width": LARGEST + 1}, f"width is at most {LARGEST:,}, not {LARGEST + 1}"),
        ({"width": -(10**400)}, "width is at least 1, not a negative number of more digits"),
        ({"width": True}, "width is a whole number, not True"),
        ({"width": 1.5}, "width is a whole number, not 1.5"),
        ({"width": "3"}, "width is a whole number, not 3"),
        ({"width": 7}, "width is no 7"),
        ({"wdth": 7}, "no setting wdth (did you mean width?)"),
    ],
)
def test_a_configuration_names_the_setting_that_is_wrong(values: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError) as refused:
        Inner(**values)
    assert str(refused.value) == line and isinstance(refused.value, UserError)


@pytest.mark.parametrize(
    ("kind", "data", "line"),
    [
        (Outer, {"share": math.nan}, "share is "),
        (Outer, {"weights": {"a": -1}}, "weights.a is at least 0, not -1"),
        (Outer, {"size": [1, 2, 3]}, "size is 2 values, not [1, 2, 3]"),
        (Outer, {"mode": "medium"}, "mode is one of 'fast' or 'slow', not medium"),
        (Outer, {"limit": 3.5}, "limit is a whole number or one of 'auto', not 3.5"),
        (Outer, {"more": [{"width": 2}, {"wdth": 3}]}, "no setting more[1].wdth (did you mean width?)"),
        (Outer, {"inner": 3}, "inner is an object with settings, not 3"),
        (Outer, {"inner": {"width": 7}}, "inner: width is no 7"),
        (Outer, {"on": 1}, "on is true or false, not 1"),
        (Record, {"raw": ""}, "the setting x is missing"),
        (Record, {"x": "fast"}, "x is a number, not fast"),
        (Record, {"x": 1, "inner": {"onn": True}}, "no setting inner.onn (did you mean on?)"),
        (Record, {"x": {1, 2}}, "the data is not JSON"),
        (tuple[Share, ...], [0.5, 2], "[1] is at most 1, not 2"),
        (Decay, 1.0, "the value is less than 1, not 1.0"),
        (Positive, 0, "the value is above 0, not 0"),
        (Seed, 2**32, "the value is at most 4,294,967,295, not 4294967296"),
        (Weight, 1e308, "the value is at most 3.4e+38, not 1e+308"),
    ],
)
def test_data_that_does_not_fit_is_one_line(kind: Any, data: Any, line: str) -> None:
    with pytest.raises(BadValue) as refused:
        validated(kind, data)
    assert str(refused.value).startswith(line) and len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        (Outer, {"size": [4, 5], "folder": "a/b", "weights": {"go": 2}}, FOUND),
        (Record, {"x": "-inf", "raw": "+/+/"}, Record(-math.inf, b"\xfb\xff\xbf")),
        (Record, {"x": 3, "inner": None, "free": [{"a": "nan"}]}, Record(3.0, free=[{"a": "nan"}])),
        (Count | None, None, None),
        (Weight, 3, 3.0),
    ],
)
def test_data_that_fits_has_the_annotated_types(kind: Any, data: Any, value: Any) -> None:
    found = validated(kind, data)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("hint", "words", "value"),
    [
        (Count, "3", 3),
        (bool, "off", False),
        (tuple[int, ...], ["1", "2"], (1, 2)),
        (Mapping[str, Path], {"a": "b"}, {"a": Path("b")}),
        (Path | None, "x", Path("x")),
    ],
)
def test_words_become_values(hint: Any, words: Any, value: Any) -> None:
    assert from_words(hint, words, "--x") == value


def read(folder: Path, text: str, kind: Any) -> Any:
    (folder / "table.json").write_text(text, encoding="utf-8")
    return read_entries(folder / "table.json", kind)


def test_entries_are_records_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, '{"b": {"size": 1, "at": [0, 2], "tags": ["t"]}, "a": {"size": 0.5}}', Entry)
    assert list(found.items()) == [("b", Entry("b", 1.0, (0.0, 2.0), frozenset({"t"}))), ("a", Entry("a", 0.5))]
    assert type(found["b"].size) is float and type(found["b"].at[1]) is float
    assert read(tmp_path, '{"a": [1, 2.5]}', tuple[float, float]) == {"a": (1.0, 2.5)}


KIND = {"extent": [1, 1, 1], "mass_kg": 1, "parts": []}
BALL = {"sphere": [1], "at": [0, 0, 0]}


@pytest.mark.parametrize(
    ("kind", "entry", "line"),
    [
        (Entry, {}, "the setting size is missing"),
        (Entry, {"size": 1, "colour": "red"}, "no setting colour"),
        (Entry, {"size": 1, "name": "cup"}, "no field named 'name': that is the name of the entry"),
        (Entry, {"size": 1, "tags": [1]}, "tags[0] is text, not 1"),
        (Entry, {"size": 1, "at": [1]}, "the setting at[1] is missing"),
        (ObjectKind, KIND | {"shapes": ["cubic"]}, "shapes: unknown 'cubic'; known: round"),
        (ObjectKind, KIND | {"colours": ["beige"]}, "colours: unknown 'beige'; known: red"),
        (ObjectKind, KIND | {"rooms": ["cellar"]}, "rooms: unknown 'cellar'; known: living room"),
        (ObjectKind, KIND | {"parts": [BALL | {"paint": "gold"}]}, "paint: unknown 'gold'; known: main, tyre"),
        (ObjectKind, KIND | {"parts": [BALL | {"finish": "fur"}]}, "finish: unknown 'fur'; known: plain, wood"),
        (ObjectKind, KIND | {"parts": [{"cube": [1]}]}, "it names 0 shapes, not one; known: box, sphere"),
        (ObjectKind, KIND | {"parts": [BALL | {"core": [1, 1, 1]}]}, "it names 2 shapes, not one"),
        (ObjectKind, KIND | {"parts": [BALL | {"color": "red"}]}, "sphere has no 'color'; known: "),
        (ObjectKind, KIND | {"parts": [{"core": [1, 1]}]}, "core() missing 1 required positional argument: 'z'"),
        (ObjectKind, KIND | {"parts": [{"core": [1] * 5}]}, "core is not a list of x, y, z, lift"),
        (ObjectKind, KIND | {"parts": [{"ring": [0.2, 0.02, 9.5, 0.02]}]}, "is a whole number, not 9.5"),
    ],
)
def test_entries_that_do_not_fit_are_named_by_file_entry_and_field(
    kind: Any, entry: dict[str, Any], line: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as error:
        read(tmp_path, json.dumps({"mug": entry}), kind)
    assert str(error.value).startswith("table.json: mug: ") and line in str(error.value)


@pytest.mark.parametrize(("text", "line"), [('{"a": 1, "a": 2}', "'a' is there twice"), ("{,}", "Expecting property")])
def test_a_file_that_is_no_table_is_named(text: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^table.json: {line}"):
        read(tmp_path, text, Any)
