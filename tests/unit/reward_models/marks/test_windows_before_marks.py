"""Windows before marks: their ends, their requests, and what cuts them."""

from __future__ import annotations

import pytest

from reward_models.marks.marked_play import mark_play
from reward_models.marks.windows_before_marks import windows_before_marks
from rlhf.learning.labelled_windows import NO_REQUEST
from rlhf.records.marks import Mark

RED, BLUE = "light the red lamp", "light the blue lamp"
TWO = [RED] * 4 + [BLUE] * 6


@pytest.mark.parametrize(
    ("texts", "marks", "delay", "expected"),
    [
        pytest.param([[RED] * 9], [(0, 6, 1)], 1, [(2, 6, True)], id="it ends with the action before the mark"),
        pytest.param([[RED] * 9], [(0, 6, -1)], 1, [(2, 6, False)], id="a minus"),
        pytest.param([[RED] * 5, [RED] * 9], [(1, 2, 1)], 1, [(5, 7, True)], id="it begins with its episode"),
        pytest.param([[RED] * 5, [BLUE] * 9], [(1, 1, 1)], 1, [(5, 6, True)], id="its first request follows no other"),
        pytest.param([[RED] * 5, [RED] * 9], [(1, 0, 1)], 1, [], id="nothing was done before the first step"),
        pytest.param([TWO], [(0, 4, 1)], 1, [(0, 4, True)], id="a mark at a request is about what was done before"),
        pytest.param([TWO], [(0, 5, 1)], 1, [(0, 4, True)], id="and so is one just after it"),
        pytest.param([TWO], [(0, 5, 1)], 0, [(4, 5, True)], id="unless raters are never late"),
        pytest.param([TWO], [(0, 6, 1)], 1, [(4, 6, True)], id="a later one is about the request"),
        pytest.param([[""] * 4 + [BLUE] * 6], [(0, 5, 1)], 1, [(4, 5, True)], id="nothing was asked for before"),
        pytest.param(
            *([[RED] * 9], [(0, 3, -1), (0, 5, 1), (0, 6, 1)], 1, [(0, 3, False), (3, 5, True), (3, 6, True)]),
            id="it begins after the rater's last mark of the other sign",
        ),
        pytest.param(
            *([[RED] * 9], [(0, 4, -1, "bob"), (0, 5, 1, "ann")], 1, [(0, 4, False), (1, 5, True)]),
            id="and not after another rater's",
        ),
        pytest.param([[RED] * 9], [(0, 6, 1), (0, 6, -1)], 1, [], id="a step marked as often with each sign"),
    ],
)
def test_windows_before_marks(make_play, tokenizer, tiny, texts, marks, delay, expected) -> None:
    """Windows (begin, end, desirable) of at most four steps; marks are (episode, step, sign, rater)."""
    episodes = [make_play(str(number), text) for number, text in enumerate(texts)]
    given = [Mark(str(number), rater[0] if rater else "ann", step, sign, True) for number, step, sign, *rater in marks]
    found = windows_before_marks(mark_play(episodes, given, tokenizer, tiny), 4, rater_delay=delay)
    columns = (found.begin.tolist(), found.end.tolist(), found.desirable.tolist())
    assert sorted(zip(*columns, strict=True)) == expected


def test_windows_under_equal_words_have_equal_requests(make_play, tokenizer, tiny) -> None:
    texts = [[RED] * 6, [BLUE] * 6, [""] * 3 + [RED] * 3, [""] * 6]
    episodes = [make_play(str(number), text) for number, text in enumerate(texts)]
    marks = [Mark(str(number), "ann", 5, 1, scripted=True) for number in range(4)]
    found = windows_before_marks(mark_play(episodes, marks, tokenizer, tiny), 4)
    red, blue, again, nothing = found.request.tolist()
    assert red == again != blue and nothing == NO_REQUEST not in (red, blue)
    assert found.first.tolist() == [0, 6, 12, 18]
