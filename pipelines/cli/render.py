"""`rlhf render`: an episode as a picture or a film of any resolution, replayed where its world can be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rlhf.run.progress import announce
from rlhf.run.setting_forms import EpisodeId
from rlhf.store import open_store
from worlds.drawing.picture_file import whole_file
from worlds.errors import UserError
from worlds.ranges import Count, CountFromZero
from worlds.settings import settings

if TYPE_CHECKING:
    from PIL.Image import Image

_SUFFIXES = (".png", ".gif", ".mp4")


@settings
class RenderConfig:
    """Settings of `rlhf render`.

    Args:
      episode: id of the episode.
      data: folder of the dataset.
      out: file to write, whose suffix decides its format: .png for a sheet of pictures, .gif or .mp4 for a film.
      height: height of the view, in pixels.
      width: width of the view, in pixels.
      pictures: largest number of pictures on a sheet; marked steps come first.
      steps: steps on a sheet; none chooses them by the setting pictures.
      columns: pictures side by side on a sheet.
      per_step: frames of a film for every step, a divisor of its ticks, where the world draws between ticks; None
        takes 4, or as many as divide the ticks.
      plain: draw what was recorded or observed, without replaying it.
      view: from the solver's eyes (first), from behind it (third) or all there is from above (above), where the world
        draws such views.
    """

    episode: EpisodeId
    data: Path = Path("data/play")
    out: Path = Path("episode.png")
    height: Count = 240
    width: Count = 320
    pictures: Count = 12
    steps: tuple[CountFromZero, ...] = ()
    columns: Count = 4
    per_step: Count | None = None
    plain: bool = False
    view: Literal["first", "third", "above"] = "first"

    def __post_init__(self) -> None:
        if self.out.suffix.lower() not in _SUFFIXES:
            raise UserError(f"{self.out} is no .png, .gif or .mp4 file; name one of these")
        if self.out.suffix.lower() == ".mp4" and (self.width % 2 or self.height % 2):
            raise UserError(f"a film has an even width and height, not {self.width} and {self.height}")
        if self.plain and self.view != "first":
            raise UserError(f"what was recorded is no view from outside; leave out --plain, or --view {self.view}")


def render(config: RenderConfig) -> Path:
    """Write the picture or film and return its path.

    Raises:
      UserError: if there is no such episode, it does not replay, or the file cannot be written.
    """
    from pipelines.report.film import Style, film, frames_per_second, sheet
    from rlhf.replay.views import views_of

    store = open_store(config.data)
    episode, marks = store.read(config.episode), store.marks(config.episode)
    for step in config.steps:
        if not 0 <= step < len(episode):
            raise UserError(f"{config.episode} has the steps 0 to {len(episode) - 1}, not {step}")
    style = Style(config.height, config.width)
    if style.caption % 2 and config.out.suffix.lower() == ".mp4":
        style = replace(style, height=style.height + 1)
    is_sheet = config.out.suffix.lower() == ".png"
    _check_per_step(config.per_step, episode.spaces.solver.action.ticks)
    views = views_of(episode, style.height, style.width, 1 if is_sheet else config.per_step, config.plain, config.view)
    try:
        config.out.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(config.out) as file:
            if is_sheet:
                steps = config.steps or _chosen(len(episode), [mark.step for mark in marks], config.pictures)
                sheet(episode, marks, style, views, steps, config.columns).save(file, "PNG")
            else:
                frames = film(episode, marks, style, views)
                write = _write_gif if config.out.suffix.lower() == ".gif" else _write_mp4
                write(file, frames, frames_per_second(episode, views.per_step))
    except OSError as error:
        raise UserError(f"{config.out} cannot be written ({error.strerror or error}); name another file") from error
    number = f"{len(marks)} mark{'s' * (len(marks) != 1)}"
    announce(f"{config.out}: {len(episode)} steps of {config.episode}, {number}; {views.source}")
    return config.out


def _check_per_step(wanted: int | None, ticks: int) -> None:
    """Refuse a number of frames for every step that does not divide its ticks. Raises UserError."""
    if wanted is not None and ticks % wanted:
        *some, last = [str(number) for number in range(1, ticks + 1) if ticks % number == 0]
        raise UserError(f"per_step is {', '.join(some)}{' or ' if some else ''}{last}, not {wanted}")


def _chosen(steps: int, marked: list[int], most: int) -> list[int]:
    """Choose at most ``most`` steps: the marked ones, then others, evenly spaced."""
    chosen = set(marked[:most])
    for count in range(most, 0, -1):
        even = {round(index * (steps - 1) / max(1, count - 1)) for index in range(count)}
        if len(chosen | even) <= most:
            return sorted(chosen | even)
    return sorted(chosen)


def _write_gif(path: Path, frames: Iterator[Image], rate: float) -> None:
    timed = _timed(frames, rate)
    next(timed).save(path, "GIF", save_all=True, append_images=timed, loop=0)


def _timed(frames: Iterator[Image], rate: float) -> Iterator[Image]:
    """Yield frames with durations in whole hundredths of a second, as GIFs have them, that add up to those wanted."""
    shown = 0
    for number, frame in enumerate(frames, start=1):
        end = round(100 * number / rate)
        frame.info["duration"] = 10 * (end - shown)
        shown = end
        yield frame


def _write_mp4(path: Path, frames: Iterator[Image], rate: float) -> None:
    """Write H.264 with PyAV. Raises UserError if that is not installed."""
    try:
        import av
    except ModuleNotFoundError:
        raise UserError("films as .mp4 need PyAV: pip install 'interactive-rlhf[video]', or write a .gif") from None
    first = next(frames)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(rate).limit_denominator(1000))
        stream.width, stream.height, stream.pix_fmt = first.width, first.height, "yuv420p"
        for frame in itertools.chain([first], frames):
            container.mux(stream.encode(av.VideoFrame.from_image(frame)))
        container.mux(stream.encode(None))
