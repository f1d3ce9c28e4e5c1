"""Preferences as examples: each kind, those that recordings have, and those that give none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import END, RETURN, PreferenceExamples, batch_places, preference_examples
from reward_models.preferences.recorded import recorded_take_overs, recorded_verdicts
from rlhf.records.marks import CANNOT_TELL, Judgement
from rlhf.records.preferences import ClipPair, Preference, RequestVerdict, StretchScore, TakeOver
from rlhf.store.columns.transcript import transcript
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

EVERYTHING = PreferenceConfig(clip_pairs=1.0, verdicts=1.0, take_overs=1.0, scores=1.0, compared_by="end")
RED, BLUE = "light the red lamp", "light the blue lamp"


@pytest.fixture(scope="module")
def play(make_play, tokenizer, tiny) -> MarkedPlay:
    """Episodes of 10 steps: e0 and e1 end under one request, e2 under another."""
    words = {"e0": ["", *[RED] * 9], "e1": [BLUE] * 4 + [RED] * 6, "e2": [BLUE] * 10}
    return mark_play([make_play(name, said) for name, said in words.items()], [], tokenizer, tiny)


def pair(a: str, b: str, answer: str, begin: int = 2, end: int = 6) -> ClipPair:
    return ClipPair(a, begin, end, b, begin + 1, end + 1, answer, "ann", None, False)


def made(play: MarkedPlay, *preferences: Preference, config: PreferenceConfig = EVERYTHING) -> PreferenceExamples:
    """The examples of the only kind that has any."""
    examples = preference_examples(preferences, play, config)
    found = [each for each in examples.values() if len(each)]
    assert len(found) <= 1
    return found[0] if found else examples["clip_pairs"]


def spans(examples: PreferenceExamples) -> list[list[list[int]]]:
    return np.stack([examples.begin, examples.end], axis=-1).tolist()


def test_clip_pairs_are_compared_by_their_ends_only_under_one_request(play: MarkedPlay) -> None:
    found = made(play, pair("e0", "e1", "a"), pair("e1", "e2", "b"), pair("e0", "e0", "same"))
    assert spans(found) == [[[2, 6], [13, 17]], [[12, 16], [23, 27]], [[2, 6], [3, 7]]]
    assert found.better.tolist() == [1.0, 0.0, 0.5] and found.decided.tolist() == [True, True, False]
    assert found.measure.tolist() == [END, RETURN, END]
    default = PreferenceConfig(clip_pairs=1.0)
    assert made(play, pair("e0", "e1", "a"), config=default).measure.tolist() == [RETURN]


@pytest.mark.parametrize(
    "judged",
    [
        pair("e0", "e1", "cannot tell"),
        RequestVerdict("e0", 1, 5, "no request", "ann", False),
        RequestVerdict("e0", 1, 5, "cannot tell", "ann", False),
        RequestVerdict("e0", 1, 2, "success", "ann", False),  # a single step has no change
        pair("e0", "e9", "a"),  # an episode that is elsewhere
        TakeOver("e0", 0, 5, "ann", False),  # the agent has done nothing before
    ],
)
def test_what_leaves_the_question_open_gives_no_example(play: MarkedPlay, judged: Preference) -> None:
    assert not len(made(play, judged))


def test_verdicts_compare_the_end_with_the_beginning(play: MarkedPlay) -> None:
    verdicts = [RequestVerdict("e1", 4, 10, answer, "ann", False) for answer in ("success", "failure")]
    found = made(play, *verdicts)
    assert spans(found) == [[[14, 20], [0, 0]]] * 2 and found.better.tolist() == [1.0, 0.0]
    assert found.measure.tolist() == [RETURN, RETURN]


def test_take_overs_are_better_than_as_many_steps_of_the_agent_before(play: MarkedPlay) -> None:
    found = made(play, TakeOver("e2", 3, 5, "ann", False), TakeOver("e2", 8, 10, "bo", True))
    assert spans(found) == [[[23, 25], [21, 23]], [[28, 30], [26, 28]]] and found.better.tolist() == [1.0, 1.0]
    longer = made(play, TakeOver("e2", 3, 9, "ann", False), TakeOver("e2", 3, 9, "bo", False))
    assert spans(longer) == [[[23, 26], [20, 23]]]  # no longer than the agent acted; two raters saw one take-over
    after_another = made(play, TakeOver("e2", 2, 4, "ann", False), TakeOver("e2", 6, 10, "ann", False))
    assert spans(after_another)[-1] == [[26, 28], [24, 26]]


def score(episode: str, number: float, begin: int = 2, rater: str = "ann", high: float = 5.0) -> StretchScore:
    return StretchScore(episode, begin, 8, number, 1.0, high, rater, False)


def test_scores_are_compared_within_a_rater_a_scale_and_a_request(play: MarkedPlay) -> None:
    found = made(play, score("e0", 4.0), score("e1", 2.0), score("e1", 4.0, begin=5))
    of_two = {tuple(map(tuple, one)): better for one, better in zip(spans(found), found.better.tolist(), strict=True)}
    assert len(found) == 2  # equal scores are not compared
    for stretch in ((2, 8), (15, 18)):
        low = (12, 18)
        assert of_two.get((stretch, low)) == 1.0 or of_two.get((low, stretch)) == 0.0
    for other in (score("e2", 1.0), score("e1", 1.0, rater="bo"), score("e1", 1.0, high=9.0)):
        assert not len(made(play, score("e0", 4.0), other))


def test_every_two_of_a_few_scores_are_compared_once_and_many_are_thinned(play: MarkedPlay) -> None:
    for count in range(2, 9):
        found = made(play, *(StretchScore("e2", step, 9, step, 0.0, 9.0, "ann", False) for step in range(count)))
        met = {frozenset(map(tuple, one)) for one in spans(found)}
        assert len(found) == len(met) == count * (count - 1) // 2
    many = [StretchScore("e2", a, b, 10 * a + b, 0.0, 99.0, "ann", False) for a in range(8) for b in range(a + 1, 10)]
    assert len(many) == 44 and len(made(play, *many)) == 8 * 44


def test_a_stretch_beyond_its_episode_is_refused(play: MarkedPlay) -> None:
    with pytest.raises(UserError, match="about step 10 of episode e0, whose last step is 9; judge"):
        made(play, pair("e1", "e0", "a", begin=5, end=10))


def test_each_epoch_has_every_example_once_in_an_order_of_its_own() -> None:
    epochs = [[batch_places(11, 4, 5, "scores", 3 * n + part) for part in range(3)] for n in range(3)]
    epochs = [np.concatenate(epoch).tolist() for epoch in epochs]
    assert all(sorted(epoch) == list(range(11)) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]
    assert len(batch_places(2, 4, 5, "scores", 7)) == 2
    assert batch_places(11, 4, 5, "scores", 1).tolist() != batch_places(11, 4, 5, "verdicts", 1).tolist()


EPISODE = synthetic_episode(1, steps=10, height=4, width=5, episode_id="e1")


def test_judgements_of_a_continuation_are_about_its_request() -> None:
    continued = transcript(replace(EPISODE, notes={"scenario": {"request_step": 3, "step": 4}}))
    said = [
        Judgement("e1", "ann", True, 7, False),
        Judgement("e1", "bo", False, None, False),
        Judgement("e1", "cy", False, None, True, CANNOT_TELL),
    ]
    assert list(recorded_verdicts(continued, said)) == [
        RequestVerdict("e1", 4, 8, "success", "ann", False),
        RequestVerdict("e1", 4, 10, "failure", "bo", False),
        RequestVerdict("e1", 4, 10, "cannot tell", "cy", True),
    ]
    assert list(recorded_verdicts(transcript(EPISODE), said)) == []  # about which request?


def test_a_setters_verdicts_reach_from_the_request_to_the_verdict() -> None:
    given = [
        {"step": 6, "request_step": 2, "request": "lift it", "success": True},
        {"step": 10, "request_step": 7, "request": "drop it", "success": False},
        {"step": 9, "request_step": 9, "request": "now", "success": False},  # not heard before the verdict
    ]
    played = transcript(replace(EPISODE, setter="human:ann", notes={"verdicts": given}))
    assert list(recorded_verdicts(played, [])) == [
        RequestVerdict("e1", 3, 7, "success", "ann", False),
        RequestVerdict("e1", 8, 10, "failure", "ann", False),
    ]


def test_each_stretch_of_a_co_pilot_is_a_take_over() -> None:
    controller = np.array([0, 1, 1, 0, 0, 1], dtype=np.uint8)
    assert list(recorded_take_overs("e1", "agent:bc+human:bo", controller)) == [
        TakeOver("e1", 1, 3, "bo", False),
        TakeOver("e1", 5, 6, "bo", False),
    ]
    assert [one.rater for one in recorded_take_overs("e1", "agent:bc+scripted", controller)] == ["scripted"] * 2
    assert list(recorded_take_overs("e1", "agent:bc", np.zeros(4, np.uint8))) == []
