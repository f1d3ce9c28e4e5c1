"""The frames that are kept in memory for preferences, counted in advance, against those that are followed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.marks.marked_play import MarkedPlay
from reward_models.preferences.config import ComparedBy, PreferenceConfig
from reward_models.preferences.examples import PreferenceExamples, preference_examples
from reward_models.preferences.footprint import most_followed
from reward_models.preferences.losses import differences
from rlhf.records.preferences import ClipPair, Preference, RequestVerdict, StretchScore, TakeOver


def kept_frames(
    model: InterTemporalRewardModel,
    play: MarkedPlay,
    preferences: list[Preference],
    config: PreferenceConfig,
    window: int,
) -> int:
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
def test_frames_of_clip_pairs_are_counted_as_they_are_followed(
    agent: InteractiveAgent, lamp_play: Callable, compared_by: ComparedBy, window: int, longest: int
) -> None:
    play, model = lamp_play(range(4)), InterTemporalRewardModel.from_agent(agent)
    one, other = play.episode_ids[:2]
    pairs: list[Preference] = [
        ClipPair(one, 0, 11, one, 1, 12, "a", "ann", None, False),
        ClipPair(one, 0, 2, one, 3, 12, "b", "ann", None, False),
        ClipPair(other, 0, 1, other, 1, 2, "b", "ann", None, False),  # the shortest: not in the largest batch of two
    ]
    config = PreferenceConfig(clip_pairs=1.0, compared_by=compared_by, batch=2, longest=longest)
    kept = kept_frames(model, play, pairs, config, window)
    counted = most_followed(pairs, config, window)
    # Where only ends are compared, a longer stretch's first step is not followed by itself.
    assert kept == counted if longest == 100 or compared_by == "return" else 0 < kept <= counted


def test_every_kind_is_counted_and_no_update_follows_more(agent: InteractiveAgent, lamp_play: Callable) -> None:
    play, model = lamp_play(range(4)), InterTemporalRewardModel.from_agent(agent)
    name = play.episode_ids[0]
    judged: dict[str, list[Preference]] = {
        "verdicts": [RequestVerdict(name, 1, 10, "success", "ann", False)],
        "take_overs": [TakeOver(name, 6, 11, "ann", False)],
        "scores": [StretchScore(name, at, at + 4, float(at), 0.0, 9.0, "ann", False) for at in (1, 3, 7)],
    }
    for kind, preferences in judged.items():
        config = PreferenceConfig(**{kind: 1.0}, batch=2)
        assert 0 < kept_frames(model, play, preferences, config, 50) <= most_followed(preferences, config, 50), kind
    everything = [one for preferences in judged.values() for one in preferences]
    assert most_followed(everything, PreferenceConfig(verdicts=1.0), 50) == 9
    assert most_followed(everything, PreferenceConfig(clip_pairs=1.0), 50) == 0
    assert most_followed([], PreferenceConfig(), 50) == 0
