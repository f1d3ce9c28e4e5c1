"""Files of a dataset that are whole, but hold values of a wrong type or beyond all measure: one line."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.main import main
from rlhf.records.marks import Judgement, Mark
from rlhf.store import open_store, rebuild_index
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf.store.foreign_play import overwrite
from worlds.errors import UserError

EPISODE = synthetic_episode(1, steps=6, height=4, width=5, episode_id="e1")
NESTED = "[" * 100_000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset of the episodes e0 and e1, with a mark."""
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_episode(0, steps=6, height=4, width=5, episode_id="e0"))
    store.write(EPISODE)
    store.write_marks([Mark("e1", "ann", 2, 1, scripted=False)])
    return store.folder


def commanded(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[str]]:
    """Status of a command, and the lines that it prints."""
    capsys.readouterr()
    status = main([str(word) for word in words])
    message = capsys.readouterr()
    return status, (message.out + message.err).splitlines()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("steps", "six", 'steps is "six", not a whole number from 0 on'),
        ("requests", [1], "requests is [1], not a whole number"),
        ("solver", 5, "solver is 5, not text"),
        ("split", ["train"], 'split is ["train"], not text'),
        ("asked", {"a": 1}, 'asked is {"a":1}, not text'),
        ("episode_id", 7, "episode_id is 7, not text"),
        ("fingerprint", 7, "fingerprint is no text"),
    ],
)
def test_a_line_of_the_index_with_wrong_types(
    folder: Path, capsys: pytest.CaptureFixture[str], key: str, value: Any, message: str
) -> None:
    path = folder / "index.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[2][key] = value
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    expected = f"error: line 3 of {path} is not an episode's: {message}"
    for command in (["list", folder], ["show", folder, "e0"], ["verify", folder], ["drop", folder, "e0"]):
        status, printed = commanded(capsys, "episodes", *command)
        assert status == 1 and len(printed) == 1 and printed[0].startswith(expected) and "--rebuild" in printed[0]
    assert rebuild_index(folder) == 2
    assert open_store(folder).verify() == [] and open_store(folder).ids() == ["e0", "e1"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("image_size", "big", r'image_size is "big", not \[height, width\] from 1 to 16384, or null'),
        ("image_size", [0, 5], r"image_size is \[0,5\], not"),
        ("image_size", [10**9, 10**9], r"image_size is \[1000000000,1000000000\], not"),
        ("world", 7, "world is 7, not text or null"),
        ("ticks_per_step", "8", 'ticks_per_step is "8", not a whole number'),
        ("created", None, "created is null, not text"),
        ("movement", ["forward"], r'movement is \["forward"\], not an object'),
        ("surprise", 1, "surprise is not one of its keys"),
    ],
)
def test_a_description_with_wrong_types(
    folder: Path, capsys: pytest.CaptureFixture[str], key: str, value: Any, message: str
) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    for create in (False, True):
        with pytest.raises(UserError, match=rf"dataset.json is damaged \({message}.*\); put back a copy of it"):
            open_store(folder, create=create)
    for command in (["episodes", "verify", folder], ["record", f"--data={folder}", "--episodes=1"]):
        status, printed = commanded(capsys, *command)
        assert status == 1 and len(printed) == 1 and f"{path} is damaged ({key}" in printed[0]


def test_a_description_that_lacks_a_key_or_never_ends(folder: Path) -> None:
    path = folder / "dataset.json"
    message = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in message.items() if key != "image_size"}))
    with pytest.raises(UserError, match=r"damaged \(image_size is missing\)"):
        open_store(folder)
    path.write_text(NESTED)
    with pytest.raises(UserError, match="damaged; put back"):
        open_store(folder)


@pytest.mark.parametrize(("key", "value"), [("image_size", [40, 50]), ("world", "elsewhere")])
def test_a_description_of_other_play_is_noticed(folder: Path, key: str, value: Any) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    problems = open_store(folder).verify()
    assert [problem.file for problem in problems] == ["steps/e0.parquet", "steps/e1.parquet"]
    assert problems[0].what == "episode e0 is of synthetic in 4x5 pixels, dataset.json says otherwise"
    assert "put back the right dataset.json" in problems[0].hint


@pytest.mark.parametrize("side", [30_000, 2**31 - 1])
def test_a_picture_too_large_to_be_one(folder: Path, side: int) -> None:
    """Its header claims more than its bytes can hold; nobody tries to make room for that."""
    from rlhf.store.columns.png import encode_frames

    header = struct.pack(">II", side, side)
    frames = [file[:16] + header + file[24:] for file in encode_frames(EPISODE.image)]
    overwrite(folder, EPISODE, image=[{"bytes": frame, "path": None} for frame in frames])
    store = open_store(folder)
    with pytest.raises(UserError, match=f"a frame claims {side}x{side} pixels, more than its .* bytes can hold.*drop"):
        store.read("e1")
    (problem,) = store.verify()
    assert problem.file == "*/e1.parquet"


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("config", NESTED),
        ("config", "[]"),
        ("notes", "5"),
        ("requests", '[{"step": 0}]'),
        ("requests", "{}x"),
        ("truth", '[{"step": "now", "sign": 1, "reason": ""}]'),
        ("truth", '[{"when": 0}]'),
        ("truth", NESTED),
        ("split", "test"),
    ],
)
def test_an_episode_with_wrong_values_costs_no_other(folder: Path, column: str, text: str) -> None:
    overwrite(folder, EPISODE, **{column: [text]})
    store = open_store(folder)
    with pytest.raises(UserError) as caught:
        store.read("e1")
    assert "e1" in str(caught.value) and "rlhf episodes drop" in str(caught.value) and "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert [problem.file for problem in store.verify()] == ["*/e1.parquet"]
    assert store.read("e0").episode_id == "e0"
    if column in ("notes", "requests"):
        with pytest.raises(UserError, match=r"e1.*; .*rlhf episodes drop"):
            store.read_transcript("e1")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mark("e1", 5, 1, 1, False), "rater is 5, not text"),  # type: ignore[arg-type]
        (lambda: Mark("e1", "\ud800", 1, 1, False), "rater is '\\ud800', not text of Unicode"),
        (lambda: Mark("e1", "ann", 1.0, 1, False), "step and sign are whole numbers, not 1.0 and 1"),  # type: ignore[arg-type]
        (lambda: Mark("e1", "ann", 1, True, False), "step and sign are whole numbers, not 1 and True"),
        (lambda: Mark("e1", "ann", 1, 1, None), "scripted of a mark is None, not True or False"),  # type: ignore[arg-type]
        (lambda: Judgement("e1", "bo", 1, None, False), "success of a judgement is 1"),  # type: ignore[arg-type]
        (lambda: Judgement(None, "bo", True, None, False), "episode_id is None, not text"),  # type: ignore[arg-type]
        (lambda: Judgement("e1", "bo", True, 3, False, "no request"), "left out has neither success nor step"),
        (lambda: Judgement("e1", "bo", False, None, False, "late"), "left out as 'no request' or 'cannot tell'"),
        (lambda: Judgement("e1", "bo", True, "end", False), "step is a whole number or None, not 'end'"),  # type: ignore[arg-type]
    ],
)
def test_a_record_of_wrong_types_is_not_made(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
