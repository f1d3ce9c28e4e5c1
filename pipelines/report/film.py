"""Pictures of an episode with its utterances and marks: one sheet, or frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.marks import PROGRESS, Mark
from rlhf.replay.views import EpisodeViews

_PAPER, _INK, _FAINT = (250, 250, 250), (32, 33, 36), (120, 124, 130)
_PROGRESS, _REGRESS, _CO_PILOT = (24, 140, 68), (200, 48, 44), (52, 101, 204)
_GAP = 8  # pixels


@dataclass(frozen=True)
class Style:
    """Sizes of a drawn frame, in pixels."""

    height: int = 240
    width: int = 320

    @property
    def letter(self) -> int:
        """Height of a letter."""
        return max(11, self.width // 24)

    @property
    def caption(self) -> int:
        """Height of the space below the view: two lines of words and the timeline."""
        return 2 * (self.letter + 4) + 3 * _GAP


def film(episode: Episode, marks: Sequence[Mark], style: Style, views: EpisodeViews) -> Iterator[Image.Image]:
    """Yield the frames of the whole episode. Raises UserError if the episode does not replay."""
    for step, view in views.pictures:
        yield drawn(view, step, episode, marks, style)


def sheet(
    episode: Episode, marks: Sequence[Mark], style: Style, views: EpisodeViews, steps: Sequence[int], columns: int
) -> Image.Image:
    """Draw some steps side by side in one picture.

    Args:
      columns: number of frames in a row, at most.

    Raises UserError if the episode does not replay.
    """
    wanted, frames = set(steps), []
    for step, view in views.pictures:
        if step in wanted:
            frames.append(drawn(view, step, episode, marks, style))
    columns = min(columns, len(frames))
    rows = -(-len(frames) // columns)
    width, height = style.width + _GAP, style.height + style.caption + _GAP
    page = Image.new("RGB", (columns * width + _GAP, rows * height + _GAP), _PAPER)
    for place, frame in enumerate(frames):
        page.paste(frame, (_GAP + place % columns * width, _GAP + place // columns * height))
    return page


def drawn(view: np.ndarray, step: int, episode: Episode, marks: Sequence[Mark], style: Style) -> Image.Image:
    """Draw one frame: the view, below it the last utterances and the timeline with its marks."""
    frame = Image.new("RGB", (style.width, style.height + style.caption), _PAPER)
    frame.paste(Image.fromarray(view), (0, 0))
    draw, font = ImageDraw.Draw(frame), ImageFont.load_default(style.letter)
    top = style.height + _GAP // 2
    for who, words in (("setter", _last(episode.setter_utterance, step)), ("solver", _last(episode.utterance, step))):
        label = f"{who}: "
        draw.text((_GAP // 2, top), label, _FAINT, font)
        room = style.width - _GAP - draw.textlength(label, font)
        draw.text((_GAP // 2 + draw.textlength(label, font), top), _fitting(words, room, draw, font), _INK, font)
        top += style.letter + 4
    _timeline(draw, step, episode, marks, style, top + _GAP)
    return frame


def _timeline(
    draw: ImageDraw.ImageDraw, step: int, episode: Episode, marks: Sequence[Mark], style: Style, top: int
) -> None:
    """Draw the timeline of the episode, with its marks, the co-pilot's steps in blue and ``step`` as a bar."""
    left, right = _GAP // 2, style.width - _GAP // 2 - 1

    def place(at: int) -> float:
        return left + (right - left) * at / max(1, len(episode) - 1)

    draw.line((left, top, right, top), _FAINT, 1)
    for at in np.flatnonzero(episode.controller == CO_PILOT).tolist():
        draw.line((place(at), top, place(at + 1), top), _CO_PILOT, 3)
    for mark in marks:
        colour, x = (_PROGRESS if mark.sign == PROGRESS else _REGRESS), place(mark.step)
        draw.ellipse((x - 3, top - 4, x + 3, top + 2), colour)
    draw.rectangle((place(step) - 1, top - 5, place(step) + 1, top + 4), _INK)


def _last(utterances: Sequence[str], step: int) -> str:
    """Last utterance up to ``step``."""
    return next((words for words in reversed(utterances[: step + 1]) if words), "")


def _fitting(
    words: str, room: float, draw: ImageDraw.ImageDraw, font: ImageFont.FreeTypeFont | ImageFont.ImageFont
) -> str:
    """Cut ``words`` to ``room`` pixels."""
    if draw.textlength(words, font) <= room:
        return words
    while words and draw.textlength(words + "…", font) > room:
        words = words[:-1]
    return words + "…"


def frames_per_second(episode: Episode, per_step: int) -> float:
    """Frames a second at which a film of ``per_step`` frames a step runs in the time of the episode's world."""
    return episode.spaces.solver.action.steps_per_second * per_step
