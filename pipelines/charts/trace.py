"""Figure 3 of the paper: one episode with its rewards and its raters' marks.

From the top: frames that the solver saw, the dialogue, the reward at every step with the raters' marks on it (filled
green for progress, hollow red for regress), and the utility whose change the reward is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from pipelines.charts import style
from pipelines.charts.palette import COLOURS, INK, QUIET, RULE, colour
from reward_models.scores.scoring import rewards
from rlhf.records.episode import Episode
from rlhf.records.marks import PROGRESS, Mark
from worlds.contract import STEPS_PER_SECOND

GREEN, RED = colour("good"), colour("bad")
_WIDTH = 9.0  # inches
_FRAMES = 9
_LINE = 0.24  # inches of one row of dialogue
_CHARACTER = 0.059  # inches, of the dialogue's type


class Line(NamedTuple):
    """One utterance."""

    step: int  # first step at which it can be heard
    speaker: Literal["setter", "solver"]
    text: str


@dataclass(frozen=True, eq=False)
class RewardTrace:
    """One episode of T steps with its scores and marks.

    Args:
      utility: float [T].
      reward: float [T].
      dialogue: in order of time.
      image: uint8 [T, H, W, 3], frames that the solver saw, or None to leave the frames out.
    """

    title: str
    utility: np.ndarray
    reward: np.ndarray
    marks: tuple[Mark, ...]
    dialogue: tuple[Line, ...]
    image: np.ndarray | None = None
    steps_per_second: float = STEPS_PER_SECOND


def trace(
    episode: Episode, utility: np.ndarray, marks: Iterable[Mark], scale: float = 1.0, title: str = ""
) -> RewardTrace:
    """Collect the data of the picture of ``episode``.

    Raises ValueError if the utility has another number of steps.
    """
    if len(utility) != len(episode):
        raise ValueError(
            f"{len(utility)} utilities do not belong to episode {episode.episode_id} of {len(episode)} steps"
        )
    own = tuple(mark for mark in marks if mark.episode_id == episode.episode_id)
    steps_per_second = episode.spaces.solver.action.steps_per_second
    shown = dialogue_of(episode), None if episode.image is None else episode.rgb()
    return RewardTrace(title, utility, rewards(utility, scale), own, *shown, steps_per_second)


def dialogue_of(episode: Episode) -> tuple[Line, ...]:
    """Utterances of ``episode``, in order of time."""
    requests = [
        Line(step, "setter", text)
        for step, (before, text) in enumerate(zip(("", *episode.setter_text), episode.setter_text, strict=False))
        if text and text != before
    ]
    answers = [Line(step + 1, "solver", text) for step, text in enumerate(episode.utterance) if text]
    return tuple(sorted(requests + answers, key=lambda line: line.step))


def draw(drawn: RewardTrace) -> Figure:
    """Draw the picture as a matplotlib figure, without a window or global state."""
    rows = _place(drawn.dialogue, len(drawn.utility))
    heights = [_strip_height(drawn.image), _LINE * max(1, len(rows)) + 0.08, 1.9, 1.15]
    figure, axes = style.panels(_WIDTH, sum(heights) + 1.15, 4, title=drawn.title, sharex=True, height_ratios=heights)
    figure.get_layout_engine().set(hspace=0.02, h_pad=0.05)  # type: ignore[union-attr]
    frames, talk, reward, utility = axes
    _draw_frames(frames, drawn.image)
    _draw_dialogue(talk, rows, len(drawn.utility), [reward, utility])
    _draw_reward(reward, drawn)
    _draw_utility(utility, drawn)
    utility.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axis in axes:
        axis.set_xlim(-0.5, len(drawn.utility) - 0.5)
    return figure


def _strip_height(image: np.ndarray | None) -> float:
    """Height of the strip of frames, in inches."""
    return 0.02 if image is None else 0.92 * _WIDTH / _FRAMES * image.shape[1] / image.shape[2]


def _draw_frames(axis: Axes, image: np.ndarray | None) -> None:
    """Draw evenly spaced frames, each centred on its step."""
    axis.axis("off")
    if image is None:
        return
    steps, count = len(image), min(_FRAMES, len(image))
    width = steps / count
    for index in range(count):
        centre = (index + 0.5) * width - 0.5
        half = 0.48 * width
        axis.imshow(
            image[round(centre)], extent=(centre - half, centre + half, 0, 1), aspect="auto", interpolation="nearest"
        )
    axis.set_ylim(0, 1)


def _place(dialogue: Iterable[Line], steps: int) -> list[list[tuple[float, Line]]]:
    """Rows of (x of the text's left edge, line), each text below those that it would overlap.

    No text is crossed by the line from another text down to its step.
    """
    rows: list[list[tuple[float, Line]]] = []
    ends: list[float] = []
    for line in dialogue:
        width = (len(_quote(line)) + 2) * _CHARACTER * steps / (0.92 * _WIDTH)
        begin = max(-0.5, min(float(line.step), steps - 0.5 - width))
        row = max((index + 1 for index, end in enumerate(ends) if end > begin), default=0)
        if row == len(rows):
            rows.append([])
            ends.append(0.0)
        rows[row].append((begin, line))
        ends[row] = begin + width
    return rows


def _quote(line: Line) -> str:
    text = "".join(char if char.isprintable() else "·" for char in line.text)  # untrained agents say anything
    return f"{line.speaker.capitalize()}: {shorten(text, 60, placeholder=' …')}"


def _draw_dialogue(axis: Axes, rows: list[list[tuple[float, Line]]], steps: int, below: list[Axes]) -> None:
    axis.axis("off")
    axis.set_ylim(max(1, len(rows)), 0)
    for row, placed in enumerate(rows):
        for begin, line in placed:
            colour = QUIET if line.speaker == "setter" else COLOURS[0]
            axis.annotate(
                _quote(line),
                (begin, row + 0.5),
                (4, 0),
                textcoords="offset points",
                fontsize=8.5,
                color=INK,
                va="center",
                annotation_clip=False,
                bbox={"boxstyle": "round,pad=0.25", "facecolor": colour, "edgecolor": "none", "alpha": 0.14},
            )
            if line.step >= steps:
                continue  # an utterance of the last step is heard at no step
            axis.plot([line.step] * 2, [row + 0.5, len(rows) + 1], color=colour, lw=0.8, ls=":", zorder=0)
            for panel in below:
                # A little over the panel's upper edge, to meet the line in the panel above.
                lead = panel.axvline(line.step, ymax=1.1, clip_on=False, color=colour, lw=0.8, ls=":", zorder=0)
                lead.set_in_layout(False)


def _draw_reward(axis: Axes, drawn: RewardTrace) -> None:
    steps, reward = np.arange(len(drawn.reward)), np.asarray(drawn.reward, dtype=float)
    axis.axhline(0, color=RULE, lw=1, zorder=0)
    axis.plot(steps, reward, color=COLOURS[0], lw=1.4, zorder=2)
    axis.fill_between(steps, reward, 0, where=reward >= 0, interpolate=True, color=GREEN, alpha=0.12, lw=0)
    axis.fill_between(steps, reward, 0, where=reward <= 0, interpolate=True, color=RED, alpha=0.12, lw=0)
    _draw_marks(axis, reward, drawn.marks)
    # Marks are drawn on the trace: leave room for them, and let a flat trace look flat.
    span = max(float(np.abs(reward).max()), 1e-3)
    axis.set_ylim(min(reward.min(), 0) - 0.18 * span, max(reward.max(), 0) + 0.3 * span)
    _name(axis, "reward")


def _draw_marks(axis: Axes, reward: np.ndarray, marks: Iterable[Mark]) -> None:
    """Draw a dot on the trace for every mark, stacked where several have the same step."""
    figure = axis.get_figure()
    assert figure is not None
    above = Counter[int]()
    for mark in sorted(marks, key=lambda m: (m.step, -m.sign, m.rater)):
        lift = ScaledTranslation(0, 9 * above[mark.step] / 72, figure.dpi_scale_trans)  # type: ignore[union-attr]
        above[mark.step] += 1
        good = mark.sign == PROGRESS
        axis.plot(
            mark.step, reward[mark.step], "o", ms=7.5, mfc=GREEN if good else "white", mec=GREEN if good else RED,
            mew=1.6, zorder=4, transform=axis.transData + lift, clip_on=False,
        )  # fmt: skip


def _draw_utility(axis: Axes, drawn: RewardTrace) -> None:
    axis.plot(np.arange(len(drawn.utility)), drawn.utility, color=QUIET, lw=1.6, zorder=2)
    axis.margins(y=0.12)
    _name(axis, "utility")
    axis.legend(
        handles=[
            style.key("modelled reward", COLOURS[0], lw=1.4),
            style.key("progress mark", GREEN, "", "o"),
            style.key("regress mark", RED, "", "o", mfc="white", mew=1.6),
        ],
        loc="upper right", bbox_to_anchor=(1.005, -0.16), fontsize=8.5, frameon=False, ncols=3, borderaxespad=0,
        handletextpad=0.4, columnspacing=1.4,
    )  # fmt: skip
    axis.set_xlabel(f"step  ({drawn.steps_per_second:g} a second)", loc="left")


def _name(axis: Axes, name: str) -> None:
    axis.set_ylabel(name)
    axis.yaxis.set_label_coords(-0.055, 0.5)
