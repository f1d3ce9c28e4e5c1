"""Figure 3: all utterances, rewards and marks are in the picture, and nothing else."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from PIL import Image

from reward_models.scores.plots import GREEN, RED, Line, RewardTrace, dialogue_of, draw, png, svg, trace
from rlhf.records.marks import Mark

MARKS = [
    Mark("talk", "ann", 4, 1, False),
    Mark("talk", "bob", 4, 1, False),
    Mark("talk", "ann", 7, -1, False),
    Mark("another", "ann", 2, 1, False),
]


@pytest.fixture
def drawn(make_play) -> RewardTrace:
    episode = make_play(
        "talk", ["", *["which is it"] * 4, *["is it on"] * 5], utterance=["", "", "red", "", "", "", "", "no", "", ""]
    )
    utility = np.array([0.0, 0.1, 0.1, 0.2, 2.0, 2.0, 2.1, 1.0, 1.0, 1.0])
    return trace(episode, utility, MARKS, scale=2.0, title="A talk")


def dots(figure: Figure) -> list[tuple[float, float, str, str]]:
    """Every mark drawn on the reward: x, y, face and edge colour."""
    found = []
    for line in figure.axes[2].lines:
        if line.get_marker() == "o":
            (x,), (y,) = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
            found.append((float(x), float(y), to_hex(line.get_markerfacecolor()), to_hex(line.get_markeredgecolor())))
    return found


def test_dialogue_has_utterances_at_their_steps(drawn: RewardTrace) -> None:
    assert drawn.dialogue == (
        Line(1, "setter", "which is it"),
        Line(3, "solver", "red"),
        Line(5, "setter", "is it on"),
        Line(8, "solver", "no"),
    )


def test_utterances_of_the_solver_are_drawn_where_they_are_heard(make_play) -> None:
    episode = make_play("a", [""] * 4, utterance=["", "red", "", "too late"])
    assert [episode.solver_text[line.step] for line in dialogue_of(episode)[:1]] == ["red"]
    assert dialogue_of(episode)[1] == Line(4, "solver", "too late")
    figure = draw(trace(episode, np.zeros(4), []))
    words = [child.get_text() for child in figure.axes[1].get_children() if isinstance(child, Annotation)]
    assert words == ["Solver: red", "Solver: too late"]
    leads = {float(np.asarray(line.get_xdata())[0]) for line in figure.axes[1].lines}
    assert leads == {2.0}  # the other is heard at no step


def test_words_from_before_the_first_step_are_heard_at_it(make_play) -> None:
    assert dialogue_of(make_play("a", ["is it on"] * 3)) == (Line(0, "setter", "is it on"),)


def test_marks_stand_on_the_reward_at_their_steps(drawn: RewardTrace) -> None:
    assert drawn.reward[4] == pytest.approx(3.6)
    found = sorted(dots(draw(drawn)))
    assert found == [
        (4.0, pytest.approx(3.6), GREEN, GREEN),
        (4.0, pytest.approx(3.6), GREEN, GREEN),
        (7.0, pytest.approx(-2.2), "#ffffff", RED),
    ]


def test_every_word_is_in_the_picture(drawn: RewardTrace) -> None:
    figure = draw(drawn)
    words = [child.get_text() for child in figure.axes[1].get_children() if isinstance(child, Annotation)]
    assert sorted(words) == ["Setter: is it on", "Setter: which is it", "Solver: no", "Solver: red"]
    assert figure.get_suptitle() == "A talk"


def test_texts_do_not_run_into_each_other(make_play) -> None:
    """However densely people talk, no two texts overlap and none leaves the picture."""
    words = [f"this is a rather long remark number {n}" for n in range(12)]
    episode = make_play("busy", words, utterance=words[::-1])
    figure = draw(trace(episode, np.zeros(12), []))
    figure.canvas.draw()
    boxes = [c.get_window_extent() for c in figure.axes[1].get_children() if isinstance(c, Annotation)]
    assert len(boxes) == 24
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)


def test_pictures_are_png_and_svg(drawn: RewardTrace) -> None:
    with Image.open(io.BytesIO(png(drawn, dpi=50))) as image:
        assert image.size[0] == 450 and np.asarray(image.convert("RGB")).std() > 5
    page = svg(drawn)
    assert page.startswith("<svg") and page.rstrip().endswith("</svg>")


def test_one_step_without_marks_words_or_frames_can_be_drawn() -> None:
    assert png(RewardTrace("", np.zeros(1), np.zeros(1), (), ()), dpi=30)


def test_utility_of_another_episode_is_refused(make_play) -> None:
    with pytest.raises(ValueError, match="3 utilities do not belong to episode a of 2 steps"):
        trace(make_play("a", ["x"] * 2), np.zeros(3), [])
