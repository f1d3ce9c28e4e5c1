"""`rlhf school tree`: the tree as text, narrowed, sampled and drawn; refusals in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pipelines.cli.main import main


def test_a_narrowed_tree_is_sampled_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--only", '{"Env type": "Collaboration", "Role": "A", "Problem": ["LeverDoor", "Marble"]}', "--paper"]
    assert main(["school", "tree", *words, "--samples", "20", "--draw", str(tmp_path / "tree.png")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "2 combinations" in lines
    drawn = [line for line in lines if line.startswith("  Environment type=Collaboration ")]
    assert len(drawn) == 20 and {"LeverDoor" in line for line in drawn} == {True, False}
    assert Image.open(tmp_path / "tree.png").width > 500


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--environment", "nowhere"], "the school has no environment 'nowhere'"),
        (["--only", '{"Env_type": "Collaboration", "Cue_type": "Pointing"}'], "no such combination"),
        (["--only", "[1]"], "--only is a JSON object"),
        (["--samples", "-1"], "--samples is at least 0"),
        (["--draw", "tree.bmp"], "the ending must be one of .png, .svg, .pdf"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(
    words: list[str], refusal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["school", "tree", *words]) != 0
    found = capsys.readouterr().err
    assert refusal in found and found.startswith("error: ") and found.count("\n") == 1
