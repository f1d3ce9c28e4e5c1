"""Figure 3: all utterances, rewards and marks are in the picture, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from pipelines.charts.trace import GREEN, RED, Line, RewardTrace, dialogue_of, draw, trace
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.store.synthetic import synthetic_episode

MARKS = [
    Mark("talk", "ann", 4, 1, False),
    Mark("talk", "bob", 4, 1, False),
    Mark("talk", "ann", 7, -1, False),
    Mark("another", "ann", 2, 1, False),
]


def play(name: str, setter_text: list[str], utterance: list[str] | None = None) -> Episode:
    """An episode with these words; the solver's own last words follow from what it says."""
    spoken, heard = utterance or [""] * len(setter_text), [""]
    for words in spoken[:-1]:
        heard.append(words or heard[-1])
    made = synthetic_episode(0, len(setter_text), 8, 8)
    texts = {"setter_text": tuple(setter_text), "solver_text": tuple(heard), "utterance": tuple(spoken)}
    return replace(made, episode_id=name, truth=(), **texts)


@pytest.fixture
def drawn() -> RewardTrace:
    episode = play(
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


def words_of(figure: Figure) -> list[str]:
    return [child.get_text() for child in figure.axes[1].get_children() if isinstance(child, Annotation)]


def test_every_word_is_drawn_at_its_step(drawn: RewardTrace) -> None:
    assert drawn.dialogue == (
        Line(1, "setter", "which is it"),
        Line(3, "solver", "red"),
        Line(5, "setter", "is it on"),
        Line(8, "solver", "no"),
    )
    figure = draw(drawn)
    assert sorted(words_of(figure)) == ["Setter: is it on", "Setter: which is it", "Solver: no", "Solver: red"]
    assert figure.get_suptitle() == "A talk"
    assert dialogue_of(play("a", ["is it on"] * 3)) == (Line(0, "setter", "is it on"),)  # said before the first step


def test_utterances_of_the_solver_are_drawn_where_they_are_heard() -> None:
    episode = play("a", [""] * 4, utterance=["", "red", "", "too late"])
    assert [episode.solver_text[line.step] for line in dialogue_of(episode)[:1]] == ["red"]
    figure = draw(trace(episode, np.zeros(4), []))
    assert words_of(figure) == ["Solver: red", "Solver: too late"]
    leads = {float(np.asarray(line.get_xdata())[0]) for line in figure.axes[1].lines}
    assert leads == {2.0}  # the other is heard at no step
    with pytest.raises(ValueError, match="3 utilities do not belong to episode a of 4 steps"):
        trace(episode, np.zeros(3), [])


def test_marks_stand_on_the_reward_at_their_steps(drawn: RewardTrace) -> None:
    assert drawn.reward[4] == pytest.approx(3.6)
    found = sorted(dots(draw(drawn)))
    assert found == [
        (4.0, pytest.approx(3.6), GREEN, GREEN),
        (4.0, pytest.approx(3.6), GREEN, GREEN),
        (7.0, pytest.approx(-2.2), "#ffffff", RED),
    ]


def test_texts_do_not_run_into_each_other() -> None:
    """However densely people talk, no two texts overlap and none leaves the picture."""
    words = [f"this is a rather long remark number {n}" for n in range(12)]
    episode = play("busy", words, utterance=words[::-1])
    figure = draw(trace(episode, np.zeros(12), []))
    figure.canvas.draw()
    boxes = [c.get_window_extent() for c in figure.axes[1].get_children() if isinstance(c, Annotation)]
    assert len(boxes) == 24
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
