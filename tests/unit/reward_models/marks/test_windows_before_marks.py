"""Windows before marks: their ends, their requests, and what cuts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from reward_models.marks.marked_play import mark_play
from reward_models.marks.windows_before_marks import windows_before_marks
from rlhf.learning.labelled_windows import NO_REQUEST
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark

RED, BLUE = "light the red lamp", "light the blue lamp"


@pytest.fixture
def windows(make_play: Callable[..., Episode], tokenizer: Tokenizer, tiny: AgentConfig) -> Callable[..., list[tuple]]:
    """Windows (begin, end, desirable) before ``marks``, (episode, step, sign) or with a rater's name."""

    def find(
        texts: Sequence[list[str]], marks: Sequence[tuple[Any, ...]], steps: int = 4, **settings: int
    ) -> list[tuple]:
        episodes = [make_play(str(number), text) for number, text in enumerate(texts)]
        given = [
            Mark(str(number), rater[0] if rater else "ann", step, sign, scripted=True)
            for number, step, sign, *rater in marks
        ]
        found = windows_before_marks(mark_play(episodes, given, tokenizer, tiny), steps, **settings)
        columns = (found.begin, found.end, found.desirable)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    return find


def test_a_window_ends_with_the_action_before_the_mark(windows: Callable[..., list[tuple]]) -> None:
    assert windows([[RED] * 9], [(0, 6, 1)]) == [(2, 6, True)]
    assert windows([[RED] * 9], [(0, 6, -1)]) == [(2, 6, False)]


def test_it_begins_with_its_episode(windows: Callable[..., list[tuple]]) -> None:
    """Never in the one before, whose rows are next to it."""
    assert windows([[RED] * 5, [RED] * 9], [(1, 2, 1)]) == [(5, 7, True)]
    assert windows([[RED] * 5, [BLUE] * 9], [(1, 1, 1)]) == [(5, 6, True)], "its first request follows no other"
    assert windows([[RED] * 5, [RED] * 9], [(1, 0, 1)]) == [], "nothing was done before the first step"


def test_a_mark_just_after_a_request_is_about_what_was_done_before(windows: Callable[..., list[tuple]]) -> None:
    texts = [[RED] * 4 + [BLUE] * 6]
    assert windows(texts, [(0, 4, 1)]) == [(0, 4, True)]
    assert windows(texts, [(0, 5, 1)]) == [(0, 4, True)]
    assert windows(texts, [(0, 5, 1)], rater_delay=0) == [(4, 5, True)]
    assert windows(texts, [(0, 6, 1)]) == [(4, 6, True)]
    first = [[""] * 4 + [BLUE] * 6]
    assert windows(first, [(0, 5, 1)]) == [(4, 5, True)], "before an episode's first request nothing was asked for"


def test_it_begins_after_the_same_raters_last_mark_of_the_other_sign(windows: Callable[..., list[tuple]]) -> None:
    both = windows([[RED] * 9], [(0, 3, -1), (0, 5, 1), (0, 6, 1)])
    assert both == [(0, 3, False), (3, 5, True), (3, 6, True)]
    others = windows([[RED] * 9], [(0, 4, -1, "bob"), (0, 5, 1, "ann")])
    assert sorted(others) == [(0, 4, False), (1, 5, True)]


def test_a_step_marked_as_often_with_each_sign_gives_none(windows: Callable[..., list[tuple]]) -> None:
    assert windows([[RED] * 9], [(0, 6, 1), (0, 6, -1)]) == []


def test_windows_under_equal_words_have_equal_requests(
    make_play: Callable[..., Episode], tokenizer: Tokenizer, tiny: AgentConfig
) -> None:
    texts = [[RED] * 6, [BLUE] * 6, [""] * 3 + [RED] * 3, [""] * 6]
    episodes = [make_play(str(number), text) for number, text in enumerate(texts)]
    marks = [Mark(str(number), "ann", 5, 1, scripted=True) for number in range(4)]
    found = windows_before_marks(mark_play(episodes, marks, tokenizer, tiny), 4)
    red, blue, again, nothing = found.request.tolist()
    assert red == again != blue and nothing == NO_REQUEST not in (red, blue)
    assert found.first.tolist() == [0, 6, 12, 18]
