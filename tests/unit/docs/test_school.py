"""The page of the school: its figures show what is drawn now, and its table of encodings the numbers that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs import school_rooms
from pipelines.cli.main import main
from tests.unit.docs.pages import ROOT, blocks
from worlds.school.grid.codes import OBJECTS
from worlds.school.problems.labels import COLLABORATION_PROBLEMS, TREE_PROBLEMS

PAGE = ROOT / "docs" / "school.md"
SMALL = {  # settings of the page's commands, which learn too little to show anything
    "record": {"--episodes": "12", "--workers": "1"},
    "render": {},
    "mark": {},
    "clone": {"--training.updates": "2", "--wandb": "disabled"},
    "reward": {"--training.updates": "2", "--wandb": "disabled"},
    "improve": {"--slots": "2", "--batch": "2", "--updates": "1", "--wandb": "disabled"},
    "evaluate": {"--episodes": "1"},
}


@pytest.mark.parametrize(
    ("path", "pictures"),
    [
        (school_rooms.SEEKING, {kind: school_rooms.seeking for kind in TREE_PROBLEMS}),
        (school_rooms.JOINT, {kind: school_rooms.joint for kind in COLLABORATION_PROBLEMS}),
        (school_rooms.GUARDED, {amount: school_rooms.guarded for amount in school_rooms.OBSTACLES}),
    ],
    ids=["seeking", "joint", "guarded"],
)
def test_figures_are_up_to_date(path, pictures):
    """Rooms are compared, not their names, whose letters depend on the machine's fonts."""
    shown = np.asarray(Image.open(path).convert("RGB"))
    for number, (kind, draw) in enumerate(pictures.items()):
        room = draw(kind)
        side, columns = room.shape[0], school_rooms.COLUMNS
        left = number % columns * (side + school_rooms.GAP)
        top = number // columns * (side + school_rooms.LABEL + school_rooms.GAP) + school_rooms.LABEL
        assert np.array_equal(shown[top : top + side, left : left + side], room), kind


def test_numbers_of_objects_are_those_of_the_code():
    section = PAGE.read_text(encoding="utf-8").partition("## Observations and actions")[2].partition("Gaze and")[0]
    words: dict[str, str] = {
        "partner": "npc", "remote door": "remotedoor", "box": "lockablebox", "generator": "applegenerator",
        "platform": "generatorplatform", "tee": "marbletee",
    }  # fmt: skip
    found = {words.get(name, name): int(number) for name, number in re.findall(r"([a-z][a-z ]*?) \((\d+)\)", section)}
    assert len(found) == 14 and all(OBJECTS[name] == number for name, number in found.items())


@pytest.mark.slow
@pytest.mark.usefixtures("forked_workers")
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(PAGE):
        if block.language == "python":
            exec(compile(block.text, f"{PAGE.name}, line {block.line}", "exec"), {})
        for line in block.text.splitlines() if block.language == "bash" else ():
            verb, *words = shlex.split(line, comments=True)[1:]
            if verb != "serve":
                kept = [word for before, word in zip(["", *words], words, strict=False) if before not in SMALL[verb]]
                small = [word for pair in SMALL[verb].items() for word in pair]
                assert main([verb, *(word for word in kept if word not in SMALL[verb]), *small]) == 0, line
    assert Path("film.gif").stat().st_size > 1000
