"""Pairs of requests: cut before they were carried out, and between episodes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.learning.request_pairs import RequestPairs
from reward_models.learning.training import RewardTrainingConfig
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.request_outcomes import RequestOutcomes
from reward_models.scores.scoring import score
from rlhf.records.marks import CANNOT_TELL, Mark
from rlhf.records.preferences import RequestVerdict
from worlds.errors import UserError

QUICK = RewardTrainingConfig(updates=3, steps=20, batch=4, warmup=1, css_weight=0.1, bc_weight=0.1)


@pytest.fixture
def requests(make_play, tokenizer, tiny) -> MarkedPlay:
    """Rows 0-9: asked at 1 (done, marked at 5) and 6 (failed, at 8). 10-17: asked at 11, failed. 18-23: unrated."""
    light, other = "light the red lamp", "is it on"
    one = make_play("one", ["", *[light] * 5, *[other] * 4])
    two = make_play("two", ["", *[light] * 7])
    three = make_play("three", ["", *[other] * 5])
    marks = [("one", 3, -1), ("one", 5, 1), ("one", 8, -1), ("two", 2, 1), ("two", 4, -1)]
    return mark_play([one, two, three], [Mark(e, "ann", t, s, True) for e, t, s in marks], tokenizer, tiny)


def test_the_last_mark_of_a_request_decides(requests: MarkedPlay) -> None:
    found = RequestOutcomes.of(requests)
    assert list(zip(found.begin, found.end, found.success, strict=True)) == [(1, 6, 5), (6, 10, -1), (11, 18, -1)]
    assert found.text[0] == found.text[2] != found.text[1]


def test_marks_soon_after_a_later_request_count_for_neither(requests: MarkedPlay) -> None:
    """The (+) of the first request is given one step after the second one is heard, or at once."""
    play = replace(requests, marks=requests.marks.copy())
    play.marks[7, 0], play.marks[8, 0] = (1, 0), 0
    assert RequestOutcomes.of(play, delay=0).success[1] == 7
    assert RequestOutcomes.of(play, delay=1).success[1] == -1
    play.marks[5, 0] = 0
    assert RequestOutcomes.of(play, delay=1).begin.tolist() == [6, 11], "a late success is no failure"
    assert RequestOutcomes.of(play, delay=0).success.tolist() == [-1, 7, -1]
    play.marks[7, 0], play.marks[6, 0] = 0, (1, 0)
    assert RequestOutcomes.of(play, delay=0).begin.tolist() == [6, 11]
    judged = RequestVerdict("one", 1, 6, "failure", "bob", True)
    assert RequestOutcomes.of(play, verdicts=[judged]).success.tolist() == [-1, -1, -1]


def test_verdicts_replace_what_marks_say(requests: MarkedPlay) -> None:
    verdicts = [
        RequestVerdict("two", 1, 7, "success", "bob", True), RequestVerdict("one", 1, 6, "failure", "bob", True),
        RequestVerdict("three", 1, 6, "failure", "bob", True), RequestVerdict("one", 6, 10, CANNOT_TELL, "bob", True),
    ]  # fmt: skip
    found = RequestOutcomes.of(requests, verdicts=verdicts)
    assert list(zip(found.begin, found.end, found.success, strict=True)) == [
        (1, 6, -1), (6, 10, -1), (11, 17, 16), (19, 24, -1)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def few(lamp_play) -> MarkedPlay:
    return lamp_play(range(60))


def test_the_better_clip_succeeds_and_the_worse_has_not_or_failed(few: MarkedPlay) -> None:
    """The worse one is cut before its own success, or of a failure under the same words; both are equally long."""
    outcomes, delay = RequestOutcomes.of(few, delay=1), 1
    own = {int(begin): number for number, begin in enumerate(outcomes.begin)}
    pairs, steps_left, same_words = RequestPairs(outcomes, delay, size=16, seed=0), set[int](), 0
    seen: set[tuple[int, int]] = set()
    for update in range(20):
        cut, again, between = pairs.cut(update), pairs.cut(update), pairs.between(update)
        assert np.array_equal(cut.end, again.end) and np.array_equal(cut.begin, again.begin)
        assert (cut.better == 1).all() and (between.better == 1).all()
        for kind in (cut, between):
            for begin, end in zip(kind.begin.tolist(), kind.end.tolist(), strict=True):
                one, other = (own[row] for row in begin)
                assert begin[0] < outcomes.success[one] < end[0] <= outcomes.end[one]
                assert end[0] - begin[0] == end[1] - begin[1] >= 2
                if kind is cut:
                    left = int(outcomes.success[other]) - end[1]
                    assert left >= delay  # its last step is before what the mark is about
                    steps_left.add(left)
                    same_words += bool(outcomes.text[one] == outcomes.text[other])
                else:
                    assert outcomes.text[one] == outcomes.text[other]
                    assert outcomes.success[other] == -1 and end[1] <= outcomes.end[other]
                    seen.add((one, other))
    assert len(steps_left) > 5 and same_words > 200 and len(seen) > 30


@pytest.mark.parametrize("kind", ["cut", "between"])
def test_the_loss_is_bradley_terry_on_what_was_gained(trainer, few: MarkedPlay, kind: str) -> None:
    """Computed again from utilities of whole episodes."""
    begun = trainer(replace(QUICK, **{f"{kind}_weight": 0.5}), play=few)
    utility = np.concatenate(score(begun.model.eval(), few.episodes)).astype(np.float64)
    examples = begun.requests.of(kind, 0)
    gained = utility[examples.end - 1] - utility[examples.begin]
    expected = np.mean([math.log1p(math.exp(worse - better)) for better, worse in gained.tolist()])
    assert begun.update(0.0)[f"reward_model/{kind}"] == pytest.approx(expected, rel=1e-4)


def test_a_model_of_marks_only_and_play_without_failures_are_refused(trainer, requests) -> None:
    config = replace(QUICK, between_weight=1.0)
    with pytest.raises(UserError, match="learns from marks only"):
        trainer(config, AutoregressiveRewardModel)
    done = replace(requests, marks=np.where(np.arange(24)[:, None, None] < 6, requests.marks, 0))
    with pytest.raises(UserError, match="carried out once and failed once"):
        trainer(config, play=done)
