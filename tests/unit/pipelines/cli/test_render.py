"""`rlhf render`: pictures and films of a replayed episode, at other sizes than the recording's."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence

from pipelines.cli.main import main
from pipelines.cli.render import RenderConfig, render
from pipelines.report.film import Style
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.marks import Mark
from rlhf.store import open_store
from worlds.errors import UserError

STEPS = 12


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A dataset of one marked episode, and the episode's id."""
    folder = tmp_path_factory.mktemp("render") / "play"
    (name,) = record(
        RecordConfig(data=folder, episodes=1, steps=STEPS, workers=1, world=WorldConfig(height=18, width=24))
    )
    open_store(folder).write_marks([Mark(name, "rater", 5, 1, True)])
    return folder, name


def test_a_sheet_shows_marked_steps_at_any_size(dataset: tuple[Path, str], tmp_path: Path) -> None:
    folder, name = dataset
    out = render(RenderConfig(name, folder, tmp_path / "new" / "sheet.png", height=60, width=80, pictures=3, columns=2))
    style = Style(60, 80)
    assert Image.open(out).size == (2 * (80 + 8) + 8, 2 * (60 + style.caption + 8) + 8)


def test_a_gif_runs_as_fast_as_the_play(dataset: tuple[Path, str], tmp_path: Path) -> None:
    folder, name = dataset
    film = Image.open(render(RenderConfig(name, folder, tmp_path / "film.gif", height=40, width=60, per_step=2)))
    frames = ImageSequence.Iterator(film)  # equal frames are one that lasts longer
    lasts = sum(frame.info["duration"] for frame in frames)
    assert lasts == pytest.approx(1000 * STEPS / 3.75, abs=5)  # a GIF counts hundredths of a second


def test_an_mp4_has_every_frame(dataset: tuple[Path, str], tmp_path: Path) -> None:
    folder, name = dataset
    with av.open(str(render(RenderConfig(name, folder, tmp_path / "film.mp4", height=48, width=64)))) as film:
        assert sum(1 for _ in film.decode(video=0)) == 4 * STEPS


def test_views_from_outside_differ_from_the_solvers(dataset: tuple[Path, str], tmp_path: Path) -> None:
    folder, name = dataset
    first, third, above = (
        np.asarray(Image.open(render(RenderConfig(name, folder, tmp_path / f"{view}.png", pictures=2, view=view))))
        for view in ("first", "third", "above")
    )
    for other in (third, above):
        assert first.shape == other.shape and (first != other).any(axis=2).mean() > 0.3
    with pytest.raises(UserError, match="leave out --plain, or --view above"):
        RenderConfig(name, folder, tmp_path / "no.png", plain=True, view="above")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "film.avi"], "no .png, .gif or .mp4"),
        (["--steps", "12"], "steps 0 to 11, not 12"),
        (["--per-step", "3"], "1, 2, 4 or 8, not 3"),
        (["--out", "film.mp4", "--width", "33"], "even width"),
    ],
)
def test_an_episode_that_cannot_be_rendered_is_one_line(
    words: list[str], message: str, dataset: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, name = dataset
    assert main(["render", name, "--data", str(folder), *words]) != 0
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and message in lines[0]
