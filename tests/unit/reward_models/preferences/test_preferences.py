"""Preferences as examples: each kind, and those that give none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import END, RETURN, PreferenceExamples, batch_places, preference_examples
from rlhf.records.episode import Episode
from rlhf.records.preferences import ClipPair, Preference, RequestVerdict, StretchScore, TakeOver
from worlds.errors import UserError

EVERYTHING = PreferenceConfig(clip_pairs=1.0, verdicts=1.0, take_overs=1.0, scores=1.0, compared_by="end")
RED, BLUE = "light the red lamp", "light the blue lamp"


@pytest.fixture(scope="module")
def play(make_play: Callable[..., Episode], tokenizer: Tokenizer, tiny: AgentConfig) -> MarkedPlay:
    """Episodes of 10 steps: e0 and e1 end under one request, e2 under another."""
    words = {"e0": ["", *[RED] * 9], "e1": [BLUE] * 4 + [RED] * 6, "e2": [BLUE] * 10}
    return mark_play([make_play(name, said) for name, said in words.items()], [], tokenizer, tiny)


def pair(a: str, b: str, answer: str, begin: int = 2, end: int = 6) -> ClipPair:
    return ClipPair(a, begin, end, b, begin + 1, end + 1, answer, "ann", None, False)


def made(play: MarkedPlay, *preferences: Preference, config: PreferenceConfig = EVERYTHING) -> PreferenceExamples:
    """The examples of the only kind that has any."""
    found = {
        kind: examples for kind, examples in preference_examples(preferences, play, config).items() if len(examples)
    }
    assert len(found) <= 1
    return next(iter(found.values()), preference_examples((), play, config)["clip_pairs"])


def spans(examples: PreferenceExamples) -> list[list[list[int]]]:
    return np.stack([examples.begin, examples.end], axis=-1).tolist()


def test_clip_pairs_are_compared_by_their_ends_only_under_one_request(play: MarkedPlay) -> None:
    found = made(play, pair("e0", "e1", "a"), pair("e1", "e2", "b"), pair("e0", "e0", "same"))
    assert spans(found) == [[[2, 6], [13, 17]], [[12, 16], [23, 27]], [[2, 6], [3, 7]]]
    assert found.better.tolist() == [1.0, 0.0, 0.5] and found.decided.tolist() == [True, True, False]
    assert found.measure.tolist() == [END, RETURN, END]
    default = PreferenceConfig(clip_pairs=1.0)
    assert made(play, pair("e0", "e1", "a"), config=default).measure.tolist() == [RETURN]


def test_what_leaves_the_question_open_gives_no_example(play: MarkedPlay) -> None:
    assert not len(made(play, pair("e0", "e1", "cannot tell")))
    for answer in ("no request", "cannot tell"):
        assert not len(made(play, RequestVerdict("e0", 1, 5, answer, "ann", False)))
    assert not len(made(play, RequestVerdict("e0", 1, 2, "success", "ann", False)))  # a single step has no change
    assert not len(made(play, pair("e0", "e9", "a")))  # an episode that is elsewhere
    assert not len(made(play, TakeOver("e0", 0, 5, "ann", False)))  # the agent has done nothing before


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
    epochs = []
    for epoch in range(3):
        epochs.append(
            np.concatenate([batch_places(11, 4, 5, "scores", 3 * epoch + part) for part in range(3)]).tolist()
        )
        assert sorted(epochs[-1]) == list(range(11))
    assert epochs[0] != epochs[1] != epochs[2]
    assert len(batch_places(2, 4, 5, "scores", 7)) == 2
    assert batch_places(11, 4, 5, "scores", 1).tolist() != batch_places(11, 4, 5, "verdicts", 1).tolist()
