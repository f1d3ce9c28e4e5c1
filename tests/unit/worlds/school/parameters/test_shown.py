"""Trees as text and as pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

from worlds.errors import UserError
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.picture import draw_tree
from worlds.school.parameters.text import format_combination, format_tree
from worlds.school.parameters.tree import Parameter, combinations, parameters

POINTING = "SocialAI-EPointingBoxesTestInformationSeekingParamEnv-v1"


def test_a_tree_as_text() -> None:
    ((chosen, _),) = combinations(tree_of(POINTING))
    assert format_tree(tree_of(POINTING), paper=True, chosen=chosen).splitlines() == [
        "[Environment type]",
        "  InformationSeeking *",
        "    [Introductory sequence]",
        "      Eye contact *",
        "    [Help]",
        "      N *",
        "        [Cue type]",
        "          Pointing *",
        "    [Problem]",
        "      Boxes *",
        "        [N]",
        "          2 *",
        "        [Peer]",
        "          Y *",
    ]
    assert "Scaffolding=N" in format_combination(chosen) and "Help=N" in format_combination(chosen, paper=True)


def count(parameter: Parameter) -> int:
    return 1 + sum(1 + sum(map(count, value.parameters)) for value in parameter.values)


def test_the_text_has_a_line_for_every_node() -> None:
    assert len(format_tree(FULL).splitlines()) == count(FULL)


def test_the_picture_names_everything(tmp_path: Path) -> None:
    draw_tree(FULL, tmp_path / "tree.svg")
    text = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    ET.fromstring(text)
    for name, values in parameters(FULL).items():
        assert f"<!-- {name} -->" in text  # matplotlib notes each text before its outlines
        assert all(f"<!-- {value} -->" in text for value in values)


def test_a_chosen_combination_changes_the_picture_and_redrawing_does_not(tmp_path: Path) -> None:
    chosen = combinations(FULL)[0][0]
    for name, marked in (("a", None), ("b", None), ("c", chosen)):
        draw_tree(FULL, tmp_path / f"{name}.png", chosen=marked)
    first, second, third = (Image.open(tmp_path / f"{name}.png").tobytes() for name in "abc")
    assert first == second and first != third
    assert Image.open(tmp_path / "c.png").text["Description"] == format_tree(FULL, chosen=chosen)  # type: ignore[attr-defined]
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_boxes_do_not_overlap(tmp_path: Path) -> None:
    from worlds.school.parameters import picture

    root = picture._box(FULL, True, {})
    height = picture._stack(root, 0.0)
    columns: dict[int, list[picture._Box]] = {}
    for box in picture._all(root):
        columns.setdefault(box.depth, []).append(box)
    for boxes in columns.values():
        ordered = sorted(boxes, key=lambda box: box.y)
        for above, below in zip(ordered, ordered[1:], strict=False):
            assert above.y + above.height / 2 <= below.y - below.height / 2
        assert ordered[0].y - ordered[0].height / 2 >= 0
        assert ordered[-1].y + ordered[-1].height / 2 <= height + 1e-9


def test_other_formats_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the ending must be one of .png, .svg, .pdf"):
        draw_tree(FULL, tmp_path / "tree.docx")
    with pytest.raises(UserError, match="cannot write the picture .*: No such file or directory"):
        draw_tree(FULL, tmp_path / "nowhere" / "tree.png")
