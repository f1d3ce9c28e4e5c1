"""Pairs of requests: cut before they were carried out, and between episodes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.request_pairs import RequestPairs
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig
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
    play = replace(requests, marks=requests.marks.copy())
    play.marks[7, 0] = 1, 0
    play.marks[8, 0] = 0
    assert RequestOutcomes.of(play, delay=0).success[1] == 7
    assert RequestOutcomes.of(play, delay=1).success[1] == -1


def test_a_late_success_is_no_failure(requests: MarkedPlay) -> None:
    """The (+) of the first request is given one step after the second one is heard."""
    play = replace(requests, marks=requests.marks.copy())
    play.marks[5, 0], play.marks[7, 0], play.marks[8, 0] = 0, (1, 0), 0
    assert RequestOutcomes.of(play, delay=1).begin.tolist() == [6, 11]
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


def check_pair(outcomes: RequestOutcomes, begin: list[int], end: list[int]) -> tuple[int, int]:
    """Check the better clip of a pair, and that both are equally long; return the numbers of the two requests."""
    own = {int(b): k for k, b in enumerate(outcomes.begin)}
    one, other = (own[row] for row in begin)
    assert begin[0] < outcomes.success[one] < end[0] <= outcomes.end[one]
    assert end[0] - begin[0] == end[1] - begin[1] >= 2
    return one, other


def test_a_cut_clip_ends_before_its_own_success(lamp_play) -> None:
    play = lamp_play(range(60))
    outcomes, delay = RequestOutcomes.of(play, delay=1), 1
    pairs = RequestPairs(outcomes, delay, size=16, seed=0)
    before: set[int] = set()
    same_words = 0
    for update in range(20):
        found, same = pairs.cut(update), pairs.cut(update)
        assert np.array_equal(found.end, same.end) and np.array_equal(found.begin, same.begin)
        for begin, end in zip(found.begin.tolist(), found.end.tolist(), strict=True):
            one, other = check_pair(outcomes, begin, end)
            mark = int(outcomes.success[other])
            assert end[1] <= mark - delay  # its last step is before what the mark is about
            before.add(mark - end[1])
            same_words += bool(outcomes.text[one] == outcomes.text[other])
        assert (found.better == 1).all()
    assert len(before) > 5 and same_words > 200


def test_between_episodes_a_success_is_compared_with_a_failure_of_the_same_words(lamp_play) -> None:
    play = lamp_play(range(60))
    outcomes = RequestOutcomes.of(play)
    seen = set()
    for update in range(10):
        found = RequestPairs(outcomes, 1, size=8, seed=update).between(update)
        for begin, end in zip(found.begin.tolist(), found.end.tolist(), strict=True):
            one, other = check_pair(outcomes, begin, end)
            assert outcomes.text[one] == outcomes.text[other]
            assert outcomes.success[other] == -1 and end[1] <= outcomes.end[other]
            seen.add((one, other))
    assert len(seen) > 30


@pytest.mark.parametrize("kind", ["cut", "between"])
def test_the_loss_is_bradley_terry_on_what_was_gained(agent: InteractiveAgent, lamp_play, kind: str) -> None:
    """Computed again from utilities of whole episodes."""
    play, held_out = lamp_play(range(60)), lamp_play(range(1000, 1010))
    config = replace(QUICK, **{f"{kind}_weight": 0.5})
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config)
    utility = np.concatenate(score(trainer.model.eval(), play.episodes)).astype(np.float64)
    examples = trainer.requests.of(kind, 0)
    gained = utility[examples.end - 1] - utility[examples.begin]
    expected = np.mean([math.log1p(math.exp(worse - better)) for better, worse in gained.tolist()])
    metrics = trainer.update(0.0)
    assert metrics[f"reward_model/{kind}"] == pytest.approx(expected, rel=1e-4)
    parts = {"ibt": 1.0, "movement": 0.1, "language": 0.5, "css": 0.1, kind: 0.5}
    total = sum(weight * metrics[f"reward_model/{name}"] for name, weight in parts.items())
    assert metrics["reward_model/loss"] == pytest.approx(total, rel=1e-5)


def test_a_model_of_marks_only_and_play_without_failures_are_refused(agent, lamp_play, requests) -> None:
    play, held_out = lamp_play(range(20)), lamp_play(range(1000, 1010))
    config = replace(QUICK, between_weight=1.0)
    with pytest.raises(UserError, match="learns from marks only"):
        RewardTrainer(AutoregressiveRewardModel.from_agent(agent), play, held_out, config)
    done = replace(requests, marks=np.where(np.arange(24)[:, None, None] < 6, requests.marks, 0))
    with pytest.raises(UserError, match="carried out once and failed once"):
        RewardTrainer(InterTemporalRewardModel.from_agent(agent), done, held_out, config)


def test_a_training_with_all_of_it_can_be_resumed(agent: InteractiveAgent, lamp_play) -> None:
    play, held_out = lamp_play(range(40)), lamp_play(range(1000, 1005))
    config = replace(QUICK, cut_weight=1.0, between_weight=1.0, rewind=0.4, hard_answers=0.5)
    whole = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config)
    whole.update(0.0)
    weights = {name: value.clone() for name, value in whole.model.state_dict().items()}
    state = {**whole.state_dict(), "memory": tuple(part.clone() for part in whole.memory)}
    again = RewardTrainer(InterTemporalRewardModel.from_agent(agent), play, held_out, config)
    again.model.load_state_dict(weights)
    again.load_state_dict(torch.load(_saved(state), weights_only=True))
    assert again.update(0.5) == whole.update(0.5)


def _saved(state: dict) -> object:
    import io

    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    return buffer
