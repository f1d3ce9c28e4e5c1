"""Trees as text and as pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.picture import draw_tree
from worlds.school.parameters.text import format_combination, format_tree
from worlds.school.parameters.tree import combinations, parameters

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


def test_the_picture_names_everything(tmp_path: Path) -> None:
    draw_tree(FULL, tmp_path / "tree.svg")
    text = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    ET.fromstring(text)
    for name, values in parameters(FULL).items():
        assert f"<!-- {name} -->" in text  # matplotlib notes each text before its outlines
        assert all(f"<!-- {value} -->" in text for value in values)
