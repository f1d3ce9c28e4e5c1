"""Damaged datasets: bytes, files, values and tables that are not as they were written.

Whatever was done to a dataset, `rlhf episodes verify` reports it or the dataset reads back exactly as it was; every
other command succeeds or ends with one line; and nothing outside the dataset is touched.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.robustness.commands import fault, rlhf
from benchmarks.robustness.damaged_tables import TABLE_DAMAGE
from benchmarks.robustness.material import QUIET, Material
from benchmarks.robustness.outside import digest, make_outside, touched
from benchmarks.robustness.process import forked
from benchmarks.robustness.state import contents
from benchmarks.robustness.trial import Group, Trial

Damage = Callable[[Path], object]  # does it to the dataset in a folder, beside which lies the folder "outside"

WRONG_VALUES: dict[str, Any] = {
    "null": None,
    "a list": [1],
    "an object": {"x": 1},
    "true": True,
    "minus one": -1,
    "a fraction": 0.5,
    "a text": "big",
    "the empty text": "",
    "10^400": 10**400,
    "half a surrogate": "\ud800",
    "a long text": "x" * 1_000_000,
}
ROW_FIELDS = ("episode_id", "steps", "split", "setter", "solver", "created", "asked", "requests", "successes", "file")
SIZE_FIELDS = ("schema_version", "created", "world", "image_size", "spaces")


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Return a trial of every damage, followed by `episodes verify` and two other commands."""
    damages = [*_bytes(material, rng), *_files(), *_index(rng), *_description(), *_links(), *TABLE_DAMAGE.items()]
    names = list(_commands(material, Path()))
    return [
        Trial(name, _damaged(material, damage, [names[number % len(names)], names[(number + 3) % len(names)]]))
        for number, (name, damage) in enumerate(damages)
    ]


def _commands(material: Material, folder: Path) -> dict[str, list[object]]:
    """Return commands that read or change the dataset ``data`` in ``folder``, by name."""
    data, runs = folder / "data", folder / "runs"
    return {
        "list": ["episodes", "list", data],
        "show": ["episodes", "show", data, "e1"],
        "clone": ["clone", f"--data={data}", f"--runs={runs}", QUIET, "--training.updates=1", "--training.batch=2"],
        "mark": ["mark", f"--data={data}"],
        "merge": ["episodes", "merge", data, folder / "merged"],
        "drop": ["episodes", "drop", data, "e1"],
        "rebuild": ["episodes", "verify", data, "--rebuild"],
        "export": ["marks", "export", data, folder / "marks.jsonl"],
    }


def _damaged(material: Material, damage: Damage, names: list[str]) -> Callable[[Path], str | None]:
    def run(folder: Path) -> str | None:
        data = material.copy("data", folder)
        make_outside(folder / "outside", like=data)
        before, whole = digest(folder / "outside"), contents(data)
        damage(data)
        verified = rlhf(folder, "episodes", "verify", data)
        if broke := fault(verified, speaks=False):
            return f"verify {broke}"
        if verified.status == 0 and not _reads_as(folder, data, whole):
            return "verify finds nothing, and the dataset reads otherwise than it was written"
        for name in names:
            ended = rlhf(folder, *_commands(material, folder)[name])
            if broke := fault(ended, speaks=name != "rebuild"):
                return f"{name} {broke}"
        return touched(before, folder / "outside")

    return run


def _reads_as(folder: Path, data: Path, whole: object) -> bool:
    """Return True if the dataset is unchanged. It is read in a process of its own, which may crash."""
    return forked(lambda: int(contents(data) != whole), folder).status == 0


def _bytes(material: Material, rng: random.Random) -> Iterator[tuple[str, Damage]]:
    """Yield damages of single bits, runs of bytes and lengths of every kind of file."""
    for path in sorted(path for path in material.data.rglob("*") if path.is_file() and path.name != ".lock"):
        name, size = path.relative_to(material.data), path.stat().st_size
        if path.parent.name in ("episodes", "steps") and path.stem not in ("e1", "e5"):
            continue
        called = f"{name.parent}/{sorted(path.parent.iterdir()).index(path)}" if len(name.stem) == 32 else str(name)
        for _ in range(3):
            bit = rng.randrange(8 * size)
            yield f"{called}: bit {bit} of {8 * size} flipped", _flip(name, bit)
        for length in (0, 1, rng.randrange(size), size - 1):
            yield f"{called}: cut to {length} of {size} bytes", _cut(name, length)
        begin = rng.randrange(size)
        yield f"{called}: zeros from byte {begin} on", _zeros(name, begin)
        yield f"{called}: followed by other bytes", _append(name, b"\0" * 100)


def _flip(name: Path, bit: int) -> Damage:
    def damage(data: Path) -> None:
        whole = bytearray((data / name).read_bytes())
        whole[bit // 8] ^= 1 << bit % 8
        (data / name).write_bytes(whole)

    return damage


def _cut(name: Path, length: int) -> Damage:
    return lambda data: os.truncate(data / name, length)


def _zeros(name: Path, begin: int) -> Damage:
    def damage(data: Path) -> None:
        whole = (data / name).read_bytes()
        (data / name).write_bytes(whole[:begin] + bytes(len(whole) - begin))

    return damage


def _append(name: Path, more: bytes) -> Damage:
    return lambda data: (data / name).write_bytes((data / name).read_bytes() + more)


def _files() -> Iterator[tuple[str, Damage]]:
    """Files that are missing, swapped, foreign or something else than files."""
    for name in ("dataset.json", "index.jsonl", "episodes/e1.parquet", "steps/e1.parquet"):
        yield f"{name} missing", lambda data, name=name: (data / name).unlink()
        yield f"{name} is a folder", lambda data, name=name: ((data / name).unlink(), (data / name).mkdir())
    for table in ("episodes", "steps", "marks", "judgements"):
        yield f"folder {table} missing", lambda data, table=table: shutil.rmtree(data / table)
        yield f"folder {table} emptied", lambda data, table=table: [path.unlink() for path in (data / table).iterdir()]
        yield (
            f"folder {table} is a file",
            lambda data, table=table: (
                shutil.rmtree(data / table),
                (data / table).write_text("x"),
            ),
        )
        yield f"a stranger in {table}", lambda data, table=table: _foreign(data / table / "stranger.parquet")
    for table in ("episodes", "steps"):
        yield f"two files of {table} swapped", lambda data, table=table: _swap(data / table, "e1", "e2")
        yield (
            f"a file of {table} instead of another",
            lambda data, table=table: shutil.copy(data / table / "e3.parquet", data / table / "e1.parquet"),
        )
        yield f"a foreign file in {table}", lambda data, table=table: _foreign(data / table / "e1.parquet")
    yield (
        "steps in the place of episodes",
        lambda data: shutil.copy(data / "steps" / "e1.parquet", data / "episodes" / "e1.parquet"),
    )
    yield "marks missing", lambda data: [path.unlink() for path in (data / "marks").iterdir()][:1]
    yield "one file of marks missing", lambda data: sorted((data / "marks").iterdir())[0].unlink()
    yield "an episode of another dataset put in", _put_in_another
    yield "the lock is a folder", lambda data: ((data / ".lock").unlink(missing_ok=True), (data / ".lock").mkdir())


def _swap(folder: Path, one: str, other: str) -> None:
    (folder / f"{one}.parquet").rename(folder / "swapped")
    (folder / f"{other}.parquet").rename(folder / f"{one}.parquet")
    (folder / "swapped").rename(folder / f"{other}.parquet")


def _foreign(path: Path) -> None:
    pq.write_table(pa.table({"episode_id": ["e1"], "x": [1]}), path)


def _put_in_another(data: Path) -> None:
    """A whole episode of another world and size, put in by hand."""
    from rlhf.store import open_store
    from rlhf.store.synthetic import synthetic_episode

    other = open_store(data.parent / "another", create=True)
    other.write(synthetic_episode(1, 5, 20, 20, episode_id="e1"))
    for table in ("episodes", "steps"):
        shutil.copy(other.folder / table / "e1.parquet", data / table / "stranger.parquet")


def _index(rng: random.Random) -> Iterator[tuple[str, Damage]]:
    """Lines of index.jsonl with other values, in another order, or with something in between."""
    for field in ROW_FIELDS:
        for what, value in WRONG_VALUES.items():
            yield f"index.jsonl: {field} is {what}", _set_in_line(field, value)
        yield f"index.jsonl: {field} missing", _set_in_line(field, _MISSING)
    yield "index.jsonl: a field too many", _set_in_line("surprise", 1)
    for what, line in {
        "an empty line": b"",
        "deep nesting": b"[" * 100_000,
        "a deep object": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        "no UTF-8": b'{"episode_id": "\xff"}',
        "a number": b"7",
        "a line of 10 MB": b'"' + b"x" * 10_000_000 + b'"',
        "a NUL": b"\0",
        "a removal of everything": json.dumps({"remove": [f"steps/e{n}.parquet" for n in range(8)]}).encode(),
        "a removal outside": json.dumps({"remove": ["../outside/thesis.tex", "/etc/hostname"]}).encode(),
    }.items():
        yield (
            f"index.jsonl: {what} at its end",
            lambda data, line=line: _append(Path("index.jsonl"), line + b"\n")(data),
        )
        yield f"index.jsonl: {what} in its middle", lambda data, line=line: _insert(data / "index.jsonl", line)
    for file in ("../../outside/steps/e1", "/etc/hostname", "..", "e1/../e2", "e1\0", "C:\\x", "e1.parquet", "e2"):
        yield f"index.jsonl: file is {file!r}", _set_in_line("file", file)
    yield "index.jsonl: lines reversed", lambda data: _reorder(data / "index.jsonl")
    yield (
        "index.jsonl: a line twice",
        lambda data: _insert(data / "index.jsonl", (data / "index.jsonl").read_bytes().splitlines()[2]),
    )


_MISSING = object()


def _set_in_line(field: str, value: object) -> Damage:
    """Give a field of the line of episode e1 another value."""

    def damage(data: Path) -> None:
        path = data / "index.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        line = next(line for line in lines if line.get("episode_id") == "e1")
        if value is _MISSING:
            del line[field]
        else:
            line[field] = value
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    return damage


def _insert(path: Path, line: bytes) -> None:
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"".join(each + b"\n" for each in [*lines[:3], line, *lines[3:]]))


def _reorder(path: Path) -> None:
    first, *others = path.read_bytes().splitlines()
    path.write_bytes(b"".join(line + b"\n" for line in [first, *reversed(others)]))


def _description() -> Iterator[tuple[str, Damage]]:
    """dataset.json with other values."""
    for field in SIZE_FIELDS:
        for what, value in WRONG_VALUES.items():
            yield f"dataset.json: {field} is {what}", _set_in_description(field, value)
        yield f"dataset.json: {field} missing", _set_in_description(field, _MISSING)
    for size in ([12], [12, 16, 3], ["12", "16"], [-12, -16], [0, 0], [1e9, 1e9], [10**9, 10**9], [16, 12], [True, 1]):
        yield f"dataset.json: image_size is {size}", _set_in_description("image_size", size)
    for text in ("[]", "null", "7", "[" * 100_000, '{"schema_version": 1}', "\ufeff{}", "NaN", "{" * 10):
        yield f"dataset.json is {text[:20]!r}", lambda data, text=text: (data / "dataset.json").write_text(text)
    yield "dataset.json: another world", _set_in_description("world", "elsewhere")


def _set_in_description(field: str, value: object) -> Damage:
    def damage(data: Path) -> None:
        path = data / "dataset.json"
        fields = json.loads(path.read_text(encoding="utf-8"))
        if value is _MISSING:
            del fields[field]
        else:
            fields[field] = value
        path.write_text(json.dumps(fields), encoding="utf-8")

    return damage


def _links() -> Iterator[tuple[str, Damage]]:
    """Links that lead out of the dataset, where commands write, read or remove."""
    files = ("index.jsonl", "dataset.json", ".lock", "steps/e1.parquet", "episodes/e1.parquet")
    for name in files:
        yield f"{name} is a link to a file outside", lambda data, name=name: _link(data / name, "secret")
        yield f"{name} is a link to nothing outside", lambda data, name=name: _link(data / name, "new-file")
    for name in (
        "index.jsonl.part",
        "dataset.json.part",
        "steps/x.parquet.part",
        "steps/pack.parquet",
        "marks/x.parquet",
    ):
        yield f"{name} is a link to a file outside", lambda data, name=name: _link(data / name, "secret")
    for table in ("episodes", "steps", "marks", "judgements"):
        yield f"folder {table} is a link outside", lambda data, table=table: _link(data / table, table)
        yield (
            f"folder {table} is a link to a copy outside",
            lambda data, table=table: _link(data / table, f"copy/{table}"),
        )
    yield (
        "steps is a link to itself",
        lambda data: (shutil.rmtree(data / "steps"), (data / "steps").symlink_to("steps")),
    )


def _link(path: Path, to: str) -> None:
    """Replace ``path`` by a link to ``to`` in the folder "outside" beside the dataset."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    data = next(parent for parent in path.parents if parent.name == "data")
    path.symlink_to(data.parent / "outside" / to)


GROUP = Group(
    name="damaged-datasets",
    tried=(
        "a dataset with flipped bits, cut, missing, swapped and foreign files, values of other types, hostile tables "
        "with valid checksums, and links that lead out of it; then `episodes verify` and two other commands"
    ),
    expectation=(
        "`verify` reports it or the dataset reads as it was written; every command succeeds or ends in one line; "
        "nothing outside the dataset changes"
    ),
    promises=(
        "A change to a recorded file, even of a single bit, is reported by `rlhf episodes verify`, or changes nothing "
        "that is read.",
        "No damaged or hostile dataset ends a command in a traceback, a hang or a crash of the reader.",
        "No command writes or removes a file because a dataset names or links a place outside its folder.",
    ),
    trials=trials,
    count=200,
)
