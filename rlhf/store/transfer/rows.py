"""Rows of files that other programs write: JSON Lines, tables of text (CSV), and Parquet.

A table of text is read as spreadsheets, pandas and R save it: in UTF-8, or in UTF-16 with a byte order mark, with
commas, semicolons or tabs, with row numbers in a column of their own. Its first line names the columns.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.store.columns.json_text import from_json
from worlds.errors import UserError

SEPARATORS = {".csv": ",", ".tsv": "\t"}  # what is written; what is read follows from the first line
FORMATS = (".jsonl", ".ndjson", *SEPARATORS, ".parquet")
_READ_SEPARATORS = (",", ";", "\t", "|")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before that of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAVE_AS_UTF8 = 'save the file as UTF-8 (in Excel: "CSV UTF-8")'
_ROW_NUMBERS = re.compile(r"unnamed: [\d.]+|index|level_0|__index_level_\d+__")  # as pandas calls them
_NAMELESS = "without a name"
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")  # Excel's

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FLAGS = {"true": True, "false": False, "t": True, "f": False, "yes": True, "no": False, "1": True, "0": False}
_FLAGS |= {"wahr": True, "falsch": False}  # as a German Excel saves them
_UNKNOWN = ("", "na", "nan", "n/a", "null", "none")


def rows_of(path: Path, types: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every row of the file ``path``: its place, e.g. "marks.csv, line 7", and its values by column.

    Args:
      path: file of a name that ends in one of ``FORMATS``.
      types: annotation of each known column: "str", "int", "float", "float | None" or "bool". Values that can be read
        as of their type are; the others are left as they are, and so are unknown columns.

    Raises:
      UserError: if the file cannot be read; the line is named.
    """
    suffix = check_format(path)
    if not path.is_file():
        raise UserError(f"{path} is no file; name one that ends in {some_format()}")
    if suffix == ".parquet":
        found: Iterable[tuple[int, Any]] = _parquet_rows(path)
    elif suffix in SEPARATORS:
        found = _table_lines(path, types)
    else:
        found = _json_lines(path)
    for number, values in found:
        where = f"{path}, {place(path)} {number}"
        if not isinstance(values, dict):
            raise UserError(f"{where}: it is no object; write one a line, with {', '.join(types)}")
        named = {name.strip().lower(): value for name, value in values.items()}
        if len(named) < len(values):
            raise UserError(f"{where}: a column is there twice; remove one of them")
        known = {name: value for name, value in named.items() if name in types or not _is_row_number(name, value)}
        yield where, {name: typed(value, types.get(name, "str")) for name, value in known.items()}


def check_format(path: Path) -> str:
    """Return the ending of the name of ``path``, in small letters. Raises UserError if it is no format's."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise UserError(
            f"{path}: its name has to end in {some_format()}; save a spreadsheet as CSV, and a JSON list as one object "
            "a line"
        )
    return suffix


def some_format() -> str:
    """Return the formats in words."""
    return f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"


def place(path: Path) -> str:
    """Return the word for a record's place in the file."""
    return "row" if path.suffix.lower() == ".parquet" else "line"


def typed(value: Any, annotation: str) -> Any:
    """Return ``value`` as its column's type has it, e.g. 3 for 3.0; the value itself if it is none of the type."""
    if isinstance(value, float) and annotation == "int" and value.is_integer():
        return int(value)
    if not annotation.startswith("float"):
        return value
    if annotation == "float | None" and isinstance(value, float) and value != value:
        return None
    try:
        return float(value) if type(value) is int else value
    except OverflowError:
        return value


def _is_row_number(name: str, value: Any) -> bool:
    """Return whether a column that is not known holds only the numbers of rows, or nothing."""
    numbers = value is None or type(value) is int or (isinstance(value, str) and re.fullmatch(r"\d*", value))
    return bool(numbers) and (not name or name.endswith(_NAMELESS) or _ROW_NUMBERS.fullmatch(name) is not None)


def _json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(io.StringIO(_text(path), newline=None), start=1):
        if not line.strip():
            continue
        try:
            yield number, from_json(line.removeprefix("\ufeff"), pairs=_once)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: not JSON ({error})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different; others would silently lose something."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); check its permissions") from None


def _text(path: Path) -> str:
    """Return the text of a file. Raises UserError if it is in another encoding than it says, or cannot be read."""
    contents = _contents(path)
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if contents.startswith(mark)), "utf-8")
    try:
        return contents.decode(encoding)
    except UnicodeDecodeError as error:
        line = contents.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: not text in {encoding.removesuffix('-sig')}; {_SAVE_AS_UTF8}") from None


def _table_lines(path: Path, types: Mapping[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    text, before = _text(path), 0
    if said := _SEPARATOR_LINE.match(text):
        text, before = text[said.end() :], 1
    try:
        separator = said[1] if said else _separator(text, types)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
        columns = _columns(next(reader, []), f"{path}, line {before + 1}", types)
        begin = before + reader.line_num + 1
        for cells in reader:
            if len(cells) != len(columns) and any(cells):
                raise UserError(
                    f"{path}, line {begin}: {len(cells)} cells, but line {before + 1} names {len(columns)} columns; "
                    f"put quotes around a cell that holds {separator!r}, and leave out row names"
                )
            if any(cells):
                comma = separator != ","
                values = zip(columns, cells, strict=True)
                yield begin, {name: _parsed(cell.strip(), types.get(name, "str"), comma) for name, cell in values}
            begin = before + reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path} is not CSV that can be read ({error})") from None


def _separator(text: str, types: Mapping[str, str]) -> str:
    """Return the separator by which the first line names the most known columns."""
    first = text[: text.find("\n") + 1] or text

    def known(separator: str) -> int:
        cells = next(csv.reader([first], delimiter=separator, skipinitialspace=True), [])
        return sum(cell.strip().lower() in types for cell in cells)

    return max(_READ_SEPARATORS, key=known)


def _columns(cells: list[str], where: str, types: Mapping[str, str]) -> list[str]:
    """Return the names of the columns, and a text for those without one."""
    columns = [cell.strip().lower() or f"column {number} {_NAMELESS}" for number, cell in enumerate(cells, start=1)]
    if columns and not any(name in types for name in columns):
        why = f"; {_SAVE_AS_UTF8}" if any("\0" in name for name in columns) else ""
        raise UserError(f"{where} names none of the columns {', '.join(types)}{why}")
    if len(set(columns)) < len(columns):
        raise UserError(f"{where}: a column is there twice; remove one of them")
    return columns


def _parsed(cell: str, annotation: str, decimal_comma: bool) -> Any:
    """Return the value of a cell of a table of text; the cell itself if it is none of its column's type."""
    if annotation == "str":
        return cell
    if annotation == "bool":
        return _FLAGS.get(cell.lower(), cell)
    if annotation.endswith("| None") and cell.lower() in _UNKNOWN:
        return None
    number = cell.replace("\u2212", "-")
    if decimal_comma and number.count(",") == 1 and "." not in number:
        number = number.replace(",", ".")
    if annotation == "int" and _WHOLE.fullmatch(number):
        return int(number)
    return float(number) if _NUMBER.fullmatch(number) and len(number) < 40 else cell


def _parquet_rows(path: Path) -> Iterator[tuple[int, Any]]:
    contents = pa.BufferReader(_contents(path))
    try:
        rows = pq.read_table(contents, use_threads=False).to_pylist()
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise UserError(f"{path} is not a Parquet file that can be read ({why})") from None
    yield from enumerate(rows, start=1)


def as_shown(value: Any) -> str:
    """Return a value for a message, as JSON, cut where it is long."""
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
