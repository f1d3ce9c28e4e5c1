"""The page of the Playhouse is that of the code, and its steps work."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from docs import playhouse_catalogue
from docs.playhouse_catalogue import PAGE, furniture_table, portrait, rooms_table, things_table, written
from tests.unit.docs.pages import ROOT, blocks
from worlds.data_files import read_entries
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.kinds import ObjectKind
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.settings import PRESETS
from worlds.playhouse.house.shapes import parts_of


def new_entry() -> str:
    """The entry that the page adds to a family."""
    return next(block.text for block in blocks(PAGE) if block.text.startswith('"kite"')).rstrip()


def test_the_tables_are_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert all(page.count(f"<!-- {name} -->\n|") == 1 for name in ("rooms", "things", "furniture"))
    assert written(page) == page, "run python -m docs.playhouse_catalogue"


def test_the_tables_have_a_row_for_every_kind_and_room():
    for table, names in ((rooms_table, ROOM_TYPES), (things_table, OBJECT_KINDS), (furniture_table, FURNITURE_KINDS)):
        assert [row.split(" | ")[0].strip("| ") for row in table().splitlines()[2:]] == list(names)


def test_the_example_runs():
    example = next(block.text for block in blocks(PAGE) if block.text.startswith("from worlds"))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {})
    rooms, racks = (eval(line) for line in printed.getvalue().splitlines())
    assert "pantry" in rooms and len(rooms) == 5 and ("yellow", "rack") in racks


def test_every_preset_is_described():
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{name}` | " in text for name in PRESETS)


@pytest.mark.slow
def test_a_kind_is_added_by_the_steps_of_the_page(tmp_path):
    for folder in ("worlds", "docs", "tests", "benchmarks"):
        ignored = shutil.ignore_patterns("figures", "e2e", "contracts", "*.png")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    family = tmp_path / "worlds" / "playhouse" / "house" / "data" / "things" / "toys.json"
    kept = family.read_text(encoding="utf-8").removesuffix("\n}\n")
    family.write_text(f"{kept},\n{new_entry()}\n}}\n", encoding="utf-8")
    section = PAGE.read_text(encoding="utf-8").split("## Add a kind")[1].split("\n## ")[0]
    steps = re.findall(r"`(python -m [^`]*)`", section)
    assert len(steps) == 3
    for step in steps:
        words = [sys.executable, *shlex.split(step)[1:]]
        # What is not copied comes from this checkout, not from one that is installed.
        paths = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
        done = subprocess.run(words, cwd=tmp_path, env=os.environ | paths, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:]
        assert "pytest" not in step or b" passed" in done.stdout
    assert Image.open(tmp_path / "kite.png").width == 4 * 384
    row = "| kite | toy kite | flies, toy | pointy, square | playroom, bedroom | any |"
    assert row in (tmp_path / "docs" / "playhouse.md").read_text(encoding="utf-8")


def test_a_kind_is_seen_large_and_small(monkeypatch, tmp_path):
    family = tmp_path / "family.json"
    family.write_text(f"{{{new_entry()}}}", encoding="utf-8")
    picture = np.asarray(portrait(read_entries(family, ObjectKind, {"parts": parts_of})["kite"]))
    assert picture.shape == (288 + 72, 4 * 384, 3)
    background = np.asarray(portrait(ObjectKind("nothing", (0.4, 0.3, 0.3), 0.1, ())))
    drawn = (picture != background).any(axis=2)
    for i in range(4):
        large, small = drawn[:288, 384 * i : 384 * (i + 1)], drawn[288:, 384 * i : 384 * i + 96]
        assert large.mean() > 0.05 and small.mean() > 0.02, "it is seen from every side"
        assert not large[:, [0, -1]].any(), "and wholly"
    monkeypatch.setattr(sys, "argv", ["", "--look", "bed", str(tmp_path / "bed.png")])
    playhouse_catalogue.main()
    assert Image.open(tmp_path / "bed.png").size == (4 * 384, 288 + 72)
    monkeypatch.setattr(sys, "argv", ["", "--look", "throne", str(tmp_path / "throne.png")])
    with pytest.raises(SystemExit):
        playhouse_catalogue.main()
