"""The AR reward model: the likelihood against a loop, the annotations fed back, and samples."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.agent import AgentState, InteractiveAgent
from reward_models.autoregressive import (
    ANNOTATIONS,
    BAD,
    GOOD,
    NONE,
    AutoregressiveRewardModel,
    ar_loss,
    drawn,
    expected_mark,
    labels,
)
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.marked_play import MarkedPlay, MarkedStream, MarkedWindow
from reward_models.marks.pairs import MINUS
from tests.unit.reward_models.streamed_rewards import streamed_rewards


@pytest.fixture
def model(agent: InteractiveAgent) -> AutoregressiveRewardModel:
    made = AutoregressiveRewardModel.from_agent(agent, head_width=16)
    with torch.no_grad():  # or the annotation fed back would hardly matter
        made.annotate.annotations.mul_(10.0)
        made.annotate.predict[-1].weight.mul_(3.0)  # type: ignore[union-attr]
    return made


@pytest.fixture
def window(lamp_play) -> MarkedWindow:
    """A window as two raters might have marked it, who have rated everything."""
    window = MarkedStream(lamp_play(range(12)), 16, 3, 0, Augmentation(0.0)).next_marked()
    marks = (torch.rand(*window.resets.shape, 2, 2, generator=torch.manual_seed(3)) < 0.2).to(torch.uint8)
    return replace(window, marks=marks, rated=torch.ones(*window.resets.shape, 2, dtype=torch.bool))


def test_a_step_is_labelled_by_the_more_frequent_sign() -> None:
    pressed = torch.tensor([[1, 0], [0, 0], [1, 0], [0, 2], [2, 1], [1, 1]], dtype=torch.uint8)[:, None, None]
    resets = torch.tensor([True, False, False, False, False, False])[:, None]
    rated = torch.ones(6, 1, 1, dtype=torch.bool)
    label, known = labels(pressed, resets, rated)
    assert label.flatten().tolist() == [NONE, NONE, GOOD, BAD, GOOD, NONE]
    assert known.flatten().tolist() == [False, True, True, True, True, False]
    assert not labels(pressed, resets, ~rated)[1].any()


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 3), st.integers(1, 3), st.floats(0.5, 20.0))
@settings(max_examples=60, deadline=None)
def test_the_loss_is_the_mean_negative_log_probability(
    seed: int, steps: int, batch: int, raters: int, mark_weight: float
) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(steps, batch, raters, ANNOTATIONS))
    label = rng.integers(0, ANNOTATIONS, (steps, batch, raters))
    known = rng.random((steps, batch, raters)) < 0.7
    total = weight = 0.0
    for index in np.ndindex(*label.shape):
        if known[index]:
            chances = [math.exp(x) for x in logits[index]]
            w = 1.0 if label[index] == NONE else mark_weight
            total -= w * math.log(chances[label[index]] / sum(chances))
            weight += w
    found = ar_loss(torch.from_numpy(logits), torch.from_numpy(label), torch.from_numpy(known), mark_weight)
    assert found.item() == pytest.approx(total / max(weight, 1.0), rel=1e-5)


def test_each_rater_is_a_sequence_with_its_own_past_marks_fed_back(
    model: AutoregressiveRewardModel, window: MarkedWindow
) -> None:
    """Against the head alone, one rater, one column and one step at a time."""
    window.resets[9, 1] = True
    with torch.no_grad():
        output, state = model.follow(window, model.learning_state(3, 2))
        label, _ = labels(window.marks, window.resets, window.rated)
        for column, rater in np.ndindex(3, 2):
            memory = AgentState(torch.zeros(1, 16), torch.zeros(1, 16))
            for t in range(16):
                first = bool(window.resets[t, column])
                previous = NONE if first or t == 0 else int(label[t - 1, column, rater])
                logits, memory = model.annotate(
                    output.features[t, column][None, None], torch.eye(3)[previous][None, None], memory,
                    torch.tensor([[first]]),
                )  # fmt: skip
                np.testing.assert_allclose(output.logits[t, column, rater], logits[0, 0], atol=1e-5)
            row = 2 * column + rater
            np.testing.assert_allclose(state.head_hidden[row], memory.hidden[0], atol=1e-5)
            assert int(state.previous[row].argmax()) == int(label[-1, column, rater])
    assert (output.logits[:, :, 0] - output.logits[:, :, 1]).abs().max() > 0.01  # the annotation fed back matters


def test_only_raters_who_marked_an_episode_are_known_to_have_rated_it(lamp_play) -> None:
    play: MarkedPlay = lamp_play(range(4))
    marks = np.concatenate([play.marks, np.zeros_like(play.marks)], axis=1)
    marks[play.rows(2), 1, MINUS] = 1
    marks[play.rows(3)] = 0
    rated = replace(play, marks=marks).rated
    found = [[bool(rated[play.rows(e), r].all()) for r in range(2)] for e in range(4)]
    assert found == [[True, False], [True, False], [True, True], [False, False]]
    assert [int(rated[play.rows(e)].any()) for e in range(4)] == [1, 1, 1, 0]


def test_annotations_are_sampled_with_their_probabilities() -> None:
    chances = torch.tensor([0.9, 0.07, 0.03], dtype=torch.float64)
    draws = torch.linspace(0, 1, 10_001, dtype=torch.float64)[:-1]
    found = drawn(chances.log().expand(len(draws), 3), draws)
    assert torch.bincount(found).tolist() == [9000, 700, 300]
    assert (found.diff() >= 0).all()
    assert expected_mark(chances.log()).item() == pytest.approx(0.04)


def test_rewards_are_marks_and_differ_by_seed(model: AutoregressiveRewardModel, lamp_play) -> None:
    play = lamp_play(range(20)).episodes
    one, same, other = (streamed_rewards(model, play, seed) for seed in (1, 1, 2))
    assert set(np.unique(one)) == {-1.0, 0.0, 1.0}
    assert np.array_equal(one, same) and not np.array_equal(one, other)
    assert not streamed_rewards(model, play, seed=1)[play.first].any()


def test_unmarked_drift_loss_is_of_expected_marks(model: AutoregressiveRewardModel, window: MarkedWindow) -> None:
    window = replace(window, unmarked=torch.arange(48).view(16, 3) % 3 == 0)  # the first column
    with torch.no_grad():
        output, _ = model.follow(window, model.learning_state(3, 2))
        found = model.unmarked_drift_loss(output, window).item()
    chances = output.logits[:, 0].softmax(-1).double().numpy()[~window.resets[:, 0].numpy()]
    assert found == pytest.approx(np.mean((chances[..., GOOD] - chances[..., BAD]) ** 2), rel=1e-5) and found > 0
