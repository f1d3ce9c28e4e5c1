"""The loss on preferences against an independent computation, and the following of stretches."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import END, MEAN, RETURN, PreferenceExamples
from reward_models.preferences.losses import differences, log_loss, measured_difference, preference_loss
from reward_models.scores.scoring import score

ALL_MEASURES = np.array([RETURN, END, MEAN, RETURN], dtype=np.int8)
FOLLOWED = PreferenceConfig(clip_pairs=1.0, context=10**6, longest=10**6)


def drawn_examples(play: MarkedPlay, seed: int = 0) -> PreferenceExamples:
    """An example of each measure, and one against nothing, with stretches of different episodes and lengths."""
    rng = np.random.default_rng(seed)
    stretches = np.empty((4, 2, 2), dtype=np.int64)
    for place in np.ndindex(4, 2):
        rows = play.rows(int(rng.integers(len(play))))
        stretches[place] = np.sort(rng.choice(np.arange(rows.start, rows.stop + 1), 2, replace=False))
    stretches[3, 1] = 0
    better = np.array([1.0, 0.0, 0.5, 0.0], dtype=np.float32)
    return PreferenceExamples(stretches[..., 0], stretches[..., 1], ALL_MEASURES, better)


def test_loss_and_gradient_are_those_of_the_formula() -> None:
    """Christiano et al. 2017, Eq. 1, with probabilities instead of logarithms of sigmoids, differentiated by hand."""
    rng = np.random.default_rng(0)
    difference = torch.tensor(rng.normal(0, 3, 40), requires_grad=True)
    better = torch.tensor(rng.choice([0.0, 0.5, 1.0], 40))
    loss = preference_loss(difference, better)
    loss.backward()
    z, p = difference.detach().numpy(), better.numpy()
    chance = np.exp(z) / (np.exp(z) + 1.0)  # of two returns z and 0
    by_hand = -(p * np.log(chance) + (1 - p) * np.log(1 - chance))
    assert loss.item() == pytest.approx(by_hand.mean(), rel=1e-12) == pytest.approx(log_loss(z, p), rel=1e-12)
    assert difference.grad is not None
    np.testing.assert_allclose(difference.grad.numpy(), (chance - p) / 40, rtol=1e-10)


def test_measures_are_those_of_the_definition() -> None:
    utility = np.random.default_rng(1).normal(size=30)
    begin, end = np.array([[2, 20], [5, 11], [3, 17], [7, 0]]), np.array([[9, 24], [6, 19], [10, 30], [19, 0]])
    found = measured_difference(utility, PreferenceExamples(begin, end, ALL_MEASURES, np.ones(4, np.float32)))

    def rewards(begin: int, end: int) -> float:
        return sum(after - before for before, after in pairwise(utility[begin:end].tolist()))

    assert found == pytest.approx(
        [
            rewards(2, 9) - rewards(20, 24),
            utility[5] - utility[18],
            utility[3:10].mean() - utility[17:30].mean(),
            utility[18] - utility[7],
        ]
    )


def test_extreme_differences_have_finite_losses() -> None:
    difference = torch.tensor([1e4, -1e4], requires_grad=True)
    loss = preference_loss(difference, torch.tensor([0.0, 1.0]))
    loss.backward()
    assert loss.item() == 1e4 and difference.grad is not None and difference.grad.tolist() == [0.5, -0.5]
    assert preference_loss(torch.zeros(0), torch.zeros(0)).item() == 0.0
    with pytest.raises(ValueError, match="not both"):
        preference_loss(torch.zeros(2), torch.zeros(2, 1))


@pytest.mark.parametrize("window", [3, 7, 1000])
def test_followed_stretches_measure_what_whole_episodes_do(agent: InteractiveAgent, lamp_play, window: int) -> None:
    play, model = lamp_play(range(6)), InterTemporalRewardModel.from_agent(agent).eval()
    utility = np.concatenate(score(model, play.episodes))
    for seed in range(3):
        examples = drawn_examples(play, seed)
        found = differences(model, play.episodes, examples, FOLLOWED, window)
        np.testing.assert_allclose(found.detach().numpy(), measured_difference(utility, examples), atol=2e-5)


def test_a_context_cut_short_begins_with_an_empty_memory(agent: InteractiveAgent, lamp_play) -> None:
    """The same as of an episode that begins there."""
    play, model = lamp_play(range(2)), InterTemporalRewardModel.from_agent(agent).eval()
    begin, end = np.array([[8, 0]]), np.array([[12, 0]])
    examples = PreferenceExamples(begin, end, np.array([RETURN], np.int8), np.ones(1, np.float32))
    found = differences(model, play.episodes, examples, replace(FOLLOWED, context=3), 1000)
    observations, _ = play.episodes.gather(np.arange(5, 12)[:, None])
    utility, _ = model.utilities(observations, model.initial_state(1), torch.zeros((7, 1), dtype=torch.bool))
    torch.testing.assert_close(found, utility[-1] - utility[3], atol=2e-5, rtol=0)


def test_the_gradient_reaches_back_to_the_beginning_of_the_window(agent: InteractiveAgent, lamp_play) -> None:
    """As far as it does for marks: memory enters a window, and a stretch, without a gradient."""
    play = lamp_play(range(2))
    begin, end = np.array([[4, 0]]), np.array([[13, 0]])
    examples = PreferenceExamples(begin, end, np.array([END], np.int8), np.ones(1, np.float32))
    for window, reached in ((3, 3), (4, 1), (100, 9)):
        model = InterTemporalRewardModel.from_agent(agent)
        seen: list[torch.Tensor] = []
        hook = model.trunk.memory.input.register_forward_pre_hook(partial(keep, seen))
        differences(model, play.episodes, examples, FOLLOWED, window).sum().backward()
        hook.remove()
        assert [int((x.grad.abs().sum(dim=(1, 2)) > 0).sum()) for x in seen if x.grad is not None] == [reached]


def keep(seen: list[torch.Tensor], _: object, inputs: tuple[torch.Tensor, ...]) -> None:
    """Add an input of the memory to ``seen``, with its gradient."""
    (x,) = inputs
    if x.requires_grad:
        x.retain_grad()
        seen.append(x)
