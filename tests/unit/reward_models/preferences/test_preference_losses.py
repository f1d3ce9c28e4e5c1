"""The loss on preferences against an independent computation, and how far stretches are followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import END, MEAN, RETURN, PreferenceExamples, preference_examples
from reward_models.preferences.footprint import most_followed
from reward_models.preferences.losses import differences, log_loss, measured_difference, preference_loss
from reward_models.scores.scoring import score
from rlhf.records.preferences import ClipPair, Preference, RequestVerdict, StretchScore, TakeOver

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
    rewards = np.diff(utility)
    returns = rewards[2:8].sum() - rewards[20:23].sum(), rewards[7:18].sum()
    ends, means = utility[5] - utility[18], utility[3:10].mean() - utility[17:30].mean()
    assert found == pytest.approx([returns[0], ends, means, returns[1]])


def test_extreme_differences_have_finite_losses() -> None:
    difference = torch.tensor([1e4, -1e4], requires_grad=True)
    loss = preference_loss(difference, torch.tensor([0.0, 1.0]))
    loss.backward()
    assert loss.item() == 1e4 and difference.grad is not None and difference.grad.tolist() == [0.5, -0.5]
    assert preference_loss(torch.zeros(0), torch.zeros(0)).item() == 0.0
    with pytest.raises(ValueError, match="not both"):
        preference_loss(torch.zeros(2), torch.zeros(2, 1))


@pytest.mark.parametrize("likelihood", [False, True])
@pytest.mark.parametrize("window", [3, 1000])
def test_followed_stretches_measure_what_whole_episodes_do(agent, lamp_play, window: int, likelihood: bool) -> None:
    play, model = lamp_play(range(6)), InterTemporalRewardModel.from_agent(agent, likelihood=likelihood).eval()
    utility = np.concatenate(score(model, play.episodes))
    for seed in range(3):
        examples = drawn_examples(play, seed)
        found = differences(model, play.episodes, examples, FOLLOWED, window)
        np.testing.assert_allclose(found.detach().numpy(), measured_difference(utility, examples), atol=2e-5)


def compared(measure: int, begin: int, end: int) -> PreferenceExamples:
    """A stretch that is better than nothing."""
    stretch = np.array([[begin, 0]]), np.array([[end, 0]])
    return PreferenceExamples(*stretch, np.array([measure], np.int8), np.ones(1, np.float32))


def test_a_context_cut_short_begins_with_an_empty_memory(model, lamp_play) -> None:
    """The same as of an episode that begins there."""
    play, model = lamp_play(range(2)).episodes, model.eval()
    found = differences(model, play, compared(RETURN, 8, 12), replace(FOLLOWED, context=3), 1000)
    observations, _ = play.gather(np.arange(5, 12)[:, None])
    utility, _ = model.utilities(observations, model.initial_state(1), torch.zeros((7, 1), dtype=torch.bool))
    torch.testing.assert_close(found, utility[-1] - utility[3], atol=2e-5, rtol=0)


@pytest.mark.parametrize(("window", "reached"), [(3, 3), (4, 1), (100, 9)])
def test_the_gradient_reaches_back_to_the_beginning_of_the_window(model, lamp_play, window: int, reached: int) -> None:
    """As far as it does for marks: memory enters a window, and a stretch, without a gradient."""
    seen: list[torch.Tensor] = []

    def keep(_: object, inputs: tuple[torch.Tensor, ...]) -> None:
        if inputs[0].requires_grad:
            inputs[0].retain_grad()
            seen.append(inputs[0])

    model.trunk.memory.input.register_forward_pre_hook(keep)
    differences(model, lamp_play(range(2)).episodes, compared(END, 4, 13), FOLLOWED, window).sum().backward()
    assert [int((x.grad.abs().sum(dim=(1, 2)) > 0).sum()) for x in seen if x.grad is not None] == [reached]


@pytest.fixture
def few(lamp_play) -> MarkedPlay:
    return lamp_play(range(4))


def kept_frames(model: InterTemporalRewardModel, play: MarkedPlay, preferences, config, window: int) -> int:
    """Frames [T x B] that went through the network with a gradient."""
    frames = 0

    def count(_: object, inputs: tuple[torch.Tensor, ...]) -> None:
        nonlocal frames
        frames += torch.is_grad_enabled() * inputs[0].shape[0] * inputs[0].shape[1]

    hook = model.trunk.memory.input.register_forward_pre_hook(count)
    examples = PreferenceExamples.join(list(preference_examples(preferences, play, config).values()))
    differences(model, play.episodes, examples.take(np.arange(min(config.batch, len(examples)))), config, window)
    hook.remove()
    return frames


@pytest.mark.parametrize("compared_by", ["return", "end", "mean"])
@pytest.mark.parametrize(("window", "longest"), [(3, 100), (5, 4), (100, 7)])
def test_frames_of_clip_pairs_are_counted_as_they_are_followed(model, few, compared_by, window, longest) -> None:
    one, other = few.episode_ids[:2]
    pairs: list[Preference] = [
        ClipPair(one, 0, 11, one, 1, 12, "a", "ann", None, False),
        ClipPair(one, 0, 2, one, 3, 12, "b", "ann", None, False),
        ClipPair(other, 0, 1, other, 1, 2, "b", "ann", None, False),  # the shortest: not in the largest batch of two
    ]
    config = PreferenceConfig(clip_pairs=1.0, compared_by=compared_by, batch=2, longest=longest)
    kept, counted = kept_frames(model, few, pairs, config, window), most_followed(pairs, config, window)
    # Where only ends are compared, a longer stretch's first step is not followed by itself.
    assert kept == counted if longest == 100 or compared_by == "return" else 0 < kept <= counted


@pytest.mark.parametrize("kind", ["verdicts", "take_overs", "scores"])
def test_no_update_follows_more_than_is_counted(model, few, kind: str) -> None:
    name = few.episode_ids[0]
    judged: list[Preference] = {
        "verdicts": [RequestVerdict(name, 1, 10, "success", "ann", False)],
        "take_overs": [TakeOver(name, 6, 11, "ann", False)],
        "scores": [StretchScore(name, at, at + 4, float(at), 0.0, 9.0, "ann", False) for at in (1, 3, 7)],
    }[kind]
    config = PreferenceConfig(**{kind: 1.0}, batch=2)
    assert 0 < kept_frames(model, few, judged, config, 50) <= most_followed(judged, config, 50)
    assert most_followed(judged, PreferenceConfig(clip_pairs=1.0), 50) == 0
