"""Recorded files with wrong content and valid checksums, as only a hostile or a broken writer makes them."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from rlhf.records.marks import Mark
from rlhf.store.columns.tables import marks_table
from rlhf.store.files.parquet_files import read_all, to_bytes

DEEP = "[" * 100_000 + "]" * 100_000


def _rewrite(table: str, change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], object]:
    def damage(data: Path) -> None:
        path = data / table / "e1.parquet"
        old = read_all(path, table)
        new = change(old)
        path.write_bytes(to_bytes([new.replace_schema_metadata(old.schema.metadata)]))

    return damage


def _column(table: str, name: str, change: Callable[[list[Any]], list[Any]], kind: pa.DataType | None = None) -> Any:
    """Change the values of one column, and its type, if one is given."""

    def of(rows: pa.Table) -> pa.Table:
        place = rows.schema.get_field_index(name)
        field = rows.schema.field(name)
        values = pa.array(change(rows[name].to_pylist()), kind or field.type)
        return rows.set_column(place, pa.field(name, values.type, metadata=field.metadata), values)

    return _rewrite(table, of)


def _every(value: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda values: [value] * len(values)


def _first(value: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda values: [value, *values[1:]]


def _bins(value: int) -> Callable[[list[Any]], list[Any]]:
    """Put a bin into the first component of the first tick."""

    def change(values: list[Any]) -> list[Any]:
        return [[[value, *values[0][0][1:]], *values[0][1:]], *values[1:]]

    return change


def png(width: int, height: int, data: bytes = b"") -> bytes:
    """Return a PNG file that declares a size and holds little."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def _picture(content: bytes | None, path: str | None = None) -> Callable[[list[Any]], list[Any]]:
    return _first({"bytes": content, "path": path})


def _marks(*records: dict[str, Any]) -> Callable[[Path], object]:
    """Write a file of marks with valid checksums that the store would not have written."""
    good = vars(Mark("e1", "ann", 2, 1, False))

    def damage(data: Path) -> None:
        schema = marks_table([]).schema
        table = pa.Table.from_pylist([good | record for record in records], schema=schema)
        (data / "marks" / "foreign.parquet").write_bytes(to_bytes([table]))

    return damage


def _json(name: str, value: Any) -> Callable[[Path], object]:
    text = value if isinstance(value, str) else json.dumps(value)
    return _column("episodes", name, _every(text))


TABLE_DAMAGE: dict[str, Callable[[Path], object]] = {
    **{f"steps: a movement bin is {bin_}": _column("steps", "movement", _bins(bin_)) for bin_ in (7, 99, -1, -128)},
    **{f"steps: a setter's movement bin is {b}": _column("steps", "setter_movement", _bins(b)) for b in (7, -1)},
    "steps: movement missing": _rewrite("steps", lambda rows: rows.drop_columns(["movement"])),
    "steps: movement is null": _column("steps", "movement", _first(None)),
    "steps: movement of two ticks": _column("steps", "movement", _every([[1] * 3] * 2), pa.list_(pa.list_(pa.int8()))),
    "steps: movement is text": _column("steps", "movement", _every("left"), pa.string()),
    "steps: movement of large numbers": _column(
        "steps", "movement", lambda v: [[[10**6] * len(t) for t in s] for s in v], pa.list_(pa.list_(pa.int64()))
    ),
    "steps: image is null": _column("steps", "image", _first(None)),
    "steps: image without bytes": _column("steps", "image", _picture(None)),
    "steps: image by a path outside": _column("steps", "image", _picture(None, "/etc/hostname")),
    "steps: image is no PNG": _column("steps", "image", _picture(b"GIF89a")),
    "steps: image is an empty file": _column("steps", "image", _picture(b"")),
    "steps: image of 100,000 x 100,000 pixels": _column("steps", "image", _picture(png(100_000, 100_000))),
    "steps: image of 2^31 pixels width": _column("steps", "image", _picture(png(2**31 - 1, 1))),
    "steps: image without pixels": _column("steps", "image", _picture(png(0, 0))),
    "steps: image cut short": _column("steps", "image", _picture(png(16, 12, b"\0" * 50))),
    "steps: images of another size": _column(
        "steps", "image", _every({"bytes": png(8, 6, (b"\0" * 25) * 6), "path": None})
    ),
    "steps: one image of another size": _column("steps", "image", _picture(png(8, 6, (b"\0" * 25) * 6))),
    "steps: an image that unpacks to 100 MB": _column(  # made when it is wanted: to pack it takes a second
        "steps", "image", lambda values: _picture(png(16, 12, bytes(100_000_000)))(values)
    ),
    "steps: numbered from 1": _column("steps", "step", lambda values: [value + 1 for value in values]),
    "steps: all of step 0": _column("steps", "step", _every(0)),
    "steps: step is null": _column("steps", "step", _first(None)),
    "steps: of another episode": _column("steps", "episode_id", _every("e2")),
    "steps: episode is null": _column("steps", "episode_id", _every(None)),
    "steps: words are null": _column("steps", "utterance", _first(None)),
    "steps: words are numbers": _column("steps", "utterance", _every(7), pa.int64()),
    "steps: text is null": _column("steps", "setter_text", _every(None)),
    "steps: controller 9": _column("steps", "controller", _first(9)),
    "steps: controller is null": _column("steps", "controller", _first(None)),
    "steps: controller is text": _column("steps", "controller", _every("me"), pa.string()),
    "steps: none": _rewrite("steps", lambda rows: rows.slice(0, 0)),
    "steps: one less": _rewrite("steps", lambda rows: rows.slice(0, len(rows) - 1)),
    "episodes: two rows": _rewrite("episodes", lambda rows: pa.concat_tables([rows, rows])),
    "episodes: no row": _rewrite("episodes", lambda rows: rows.slice(0, 0)),
    "episodes: steps is 10^9": _column("episodes", "steps", _every(10**9)),
    "episodes: steps is -1": _column("episodes", "steps", _every(-1)),
    "episodes: split is other": _column("episodes", "split", _every("other")),
    "episodes: split is null": _column("episodes", "split", _every(None)),
    "episodes: solver is null": _column("episodes", "solver", _every(None)),
    "episodes: solver is a number": _column("episodes", "solver", _every(7), pa.int64()),
    "episodes: world is null": _column("episodes", "world", _every(None)),
    "episodes: another world": _column("episodes", "world", _every("elsewhere")),
    "episodes: seed is null": _column("episodes", "seed", _every(None)),
    "episodes: created is null": _column("episodes", "created", _every(None)),
    "episodes: success at step 10^6": _column("episodes", "success_step", _every([10**6])),
    "episodes: success at step -1": _column("episodes", "success_step", _every([-1])),
    "episodes: more successes than requests": _column("episodes", "success_step", _every([1, 2, 3])),
    "episodes: success is null": _column("episodes", "success_step", _every(None)),
    **{
        f"episodes: {name} is {what}": _json(name, value)
        for name in ("config", "requests", "truth", "notes")
        for what, value in {
            "no JSON": "{",
            "a number": 7,
            "null": None,
            "a text": "words",
            "a list of numbers": [1, 2],
            "nested 100,000 deep": DEEP,
            "an object of null": {"step": None, "task": None},
        }.items()
    },
    "episodes: a request without a task": _json("requests", [{"step": 1}]),
    "episodes: a request at step 10^9": _json(
        "requests",
        [{"step": 10**9, "task": {"name": "lift", "instruction": "x", "arguments": {}, "time_limit": 60}}],
    ),
    "episodes: an event at step -1": _json("truth", [{"step": -1, "sign": 1, "name": "x"}]),
    "episodes: an event of sign 7": _json("truth", [{"step": 1, "sign": 7, "name": "x"}]),
    "episodes: an event at a text": _json("truth", [{"step": "one", "sign": 1, "name": "x"}]),
    "marks: of an unknown episode": _marks({"episode_id": "e99"}),
    "marks: beyond the end": _marks({"step": 10**6}),
    "marks: at step -1": _marks({"step": -1}),
    "marks: of sign 0": _marks({"sign": 0}),
    "marks: without a rater": _marks({"rater": None}),
    "marks: without an episode": _marks({"episode_id": None}),
    "marks: without a step": _marks({"step": None}),
}
