"""Contact sheet: frames of an episode side by side in one PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.marks import PROGRESS, Mark
from rlhf.replay.views import views_of
from worlds.drawing.picture_file import whole_file
from worlds.errors import UserError

FRAMES = 48  # at most, unless more are marked
COLUMNS = 8
_FRAME_WIDTH = 192  # pixels; smaller frames are magnified by a whole number
_CAPTION, _BAR, _BORDER, _GAP = 20, 4, 3, 6  # pixels
_DRAWN = 240, 320  # height and width of a frame where none is recorded, pixels
_PAPER, _INK = (250, 250, 250), (30, 30, 30)
_PROGRESS, _REGRESS, _CO_PILOT = (20, 150, 60), (200, 40, 40), (60, 100, 220)


def chosen_steps(steps: int, marks: Sequence[Mark], frames: int = FRAMES) -> list[int]:
    """Choose the steps to show: evenly spaced, first and last included, and all marked steps.

    Args:
      steps: number of steps of the episode.
      marks: its marks.
      frames: number of evenly spaced steps.
    """
    even = np.linspace(0, steps - 1, min(steps, frames)).round().astype(int)
    return sorted({*even.tolist(), *(mark.step for mark in marks)})


def write_contact_sheet(path: Path, episode: Episode, marks: Sequence[Mark] = ()) -> None:
    """Write a contact sheet as PNG.

    Each frame has its step number, a green or red border if it is marked, and a blue bar if a co-pilot was in control.

    Args:
      path: file to write.
      episode: the episode.
      marks: its marks.

    Raises:
      UserError: if ``path`` cannot be written, or an episode without pictures does not replay.
    """
    from PIL import Image, ImageDraw

    shown = chosen_steps(len(episode), marks)
    pictures = _pictures(episode, shown)
    height, width = pictures[shown[0]].shape[:2]
    scale = max(1, _FRAME_WIDTH // width)
    cell_width = width * scale + 2 * _BORDER + _GAP
    cell_height = height * scale + 2 * _BORDER + _GAP + _CAPTION
    columns = min(COLUMNS, len(shown))
    size = columns * cell_width + _GAP, -(-len(shown) // columns) * cell_height + _GAP
    sheet = Image.new("RGB", size, _PAPER)
    draw = ImageDraw.Draw(sheet)
    for index, step in enumerate(shown):
        left, top = _GAP + index % columns * cell_width, _GAP + index // columns * cell_height
        signs = [mark.sign for mark in marks if mark.step == step]
        draw.rectangle((left, top, left + cell_width - _GAP - 1, top + cell_height - _GAP - _CAPTION - 1), _edge(signs))
        frame = np.kron(pictures[step], np.ones((scale, scale, 1), np.uint8))
        sheet.paste(Image.fromarray(frame), (left + _BORDER, top + _BORDER))
        below = top + height * scale + 2 * _BORDER
        if episode.controller[step] == CO_PILOT:
            draw.rectangle((left, below, left + cell_width - _GAP - 1, below + _BAR - 1), _CO_PILOT)
        draw.text((left, below + _BAR), "  ".join((str(step), *(f"{sign:+d}" for sign in signs))), _INK)
    try:
        with whole_file(path) as file:
            sheet.save(file, "PNG")
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}); name another file") from error


def _pictures(episode: Episode, steps: Sequence[int]) -> Mapping[int, np.ndarray]:
    """Return pictures by step, uint8 [height, width, 3]: the recorded ones, or else such as there are."""
    if episode.image is not None:
        pictures = episode.rgb()
        return {step: pictures[step] for step in steps}
    wanted = set(steps)
    return {step: picture for step, picture in views_of(episode, *_DRAWN).pictures if step in wanted}


def _edge(signs: Sequence[int]) -> tuple[int, int, int]:
    if not signs:
        return _PAPER
    return _PROGRESS if sum(sign == PROGRESS for sign in signs) * 2 >= len(signs) else _REGRESS
