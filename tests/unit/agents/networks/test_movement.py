"""The movement policy is a probability distribution over what a body can do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor

from agents.config import AgentConfig
from agents.networks.movement import MovementPolicy, entropy, log_prob
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP

EVERY_ACTION = torch.tensor(list(itertools.product(*map(range, MOVEMENT_BINS))), dtype=torch.int8)  # [1215, C]
CONFIG = AgentConfig(memory_width=8, tick_width=6)


@pytest.fixture
def policy() -> MovementPolicy:
    torch.manual_seed(0)
    made = MovementPolicy(CONFIG)
    with torch.no_grad():  # far from uniform, or mistakes would not show
        for weight in made.parameters():
            weight.mul_(3.0)
    return made


def moves(count: int, seed: int = 0) -> Tensor:
    rng = np.random.default_rng(seed)
    shape = (count, TICKS_PER_STEP, len(MOVEMENT_BINS))
    return torch.from_numpy(rng.integers(0, MOVEMENT_BINS, size=shape).astype(np.int8))


@torch.no_grad()
@pytest.mark.parametrize("tick", [0, 7])
def test_the_chances_of_all_actions_of_a_tick_sum_to_one(policy: MovementPolicy, tick: int) -> None:
    count = len(EVERY_ACTION)
    done = moves(1).repeat(count, 1, 1)
    done[:, tick] = EVERY_ACTION
    features, before = torch.randn(8).expand(count, -1), moves(1, 1)[:, -1].expand(count, -1)
    distributions = policy.distributions(features, before, done)
    chances = distributions[:, tick].gather(-1, EVERY_ACTION.long().unsqueeze(-1)).sum((-1, -2)).exp()
    assert chances.sum().item() == pytest.approx(1.0, abs=1e-4)
    assert chances.max() < 0.9  # the sum is of many


@torch.no_grad()
def test_a_tick_depends_on_the_tick_before_and_no_other(policy: MovementPolicy) -> None:
    features, before, done = torch.randn(1, 8), moves(1, 1)[:, -1], moves(1)
    usual = policy.distributions(features, before, done)[0]
    for tick in range(TICKS_PER_STEP):
        other = done.clone()
        other[0, tick, 0] = (other[0, tick, 0] + 1) % 3
        changed = ~torch.isclose(policy.distributions(features, before, other)[0], usual).flatten(1).all(1)
        assert changed.nonzero().flatten().tolist() == ([tick + 1] if tick + 1 < TICKS_PER_STEP else [])
    elsewhere = before.clone()
    elsewhere[0, 0] = (elsewhere[0, 0] + 1) % 3
    changed = ~torch.isclose(policy.distributions(features, elsewhere, done)[0], usual).flatten(1).all(1)
    assert changed.nonzero().flatten().tolist() == [0]


@torch.no_grad()
def test_samples_have_their_probabilities(policy: MovementPolicy) -> None:
    count = 20_000
    features, before = torch.randn(1, 8).expand(count, -1), moves(1, 1)[:, -1].expand(count, -1)
    done, reported = policy.sample(features, before, torch.Generator().manual_seed(0))
    distributions = policy.distributions(features, before, done)
    torch.testing.assert_close(reported, log_prob(distributions, done), atol=1e-4, rtol=0)
    for tick in (0, TICKS_PER_STEP - 1):  # given the tick before, so that the last tick's chances are a mean
        for component, bins in enumerate(MOVEMENT_BINS):
            often = torch.bincount(done[:, tick, component].long(), minlength=int(bins)) / count
            chance = distributions[:, tick, component, :bins].exp().mean(0)
            torch.testing.assert_close(often, chance, atol=4 * 0.5 / count**0.5, rtol=0)
    likeliest, reported = policy.sample(features[:9], moves(9, 1)[:, -1], greedy=True)
    distributions = policy.distributions(features[:9], moves(9, 1)[:, -1], likeliest)
    assert (distributions.argmax(-1) == likeliest).all()
    torch.testing.assert_close(reported, log_prob(distributions, likeliest), atol=1e-4, rtol=0)


@torch.no_grad()
def test_entropy_against_a_loop(policy: MovementPolicy) -> None:
    distributions = policy.distributions(torch.randn(2, 8), moves(2, 1)[:, -1], moves(2))
    for row, found in zip(distributions, entropy(distributions), strict=True):
        expected = 0.0
        for tick in range(TICKS_PER_STEP):
            for component, bins in enumerate(MOVEMENT_BINS):
                p = row[tick, component, :bins].double().exp().numpy()
                expected -= float((p * np.log(p)).sum())
        assert found.item() == pytest.approx(expected, rel=1e-4)
