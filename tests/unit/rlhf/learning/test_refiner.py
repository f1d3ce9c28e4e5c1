"""Refining on marked play: each method's loss by hand, and desirable actions become more probable."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent, with_improvement_indicator
from agents.networks.improvement import GOOD, NOT_GOOD
from rlhf.data.memory import MemoryDataset
from rlhf.data.windows import EpisodeStream
from rlhf.learning.labelled_windows import LabelledWindows
from rlhf.learning.refiner import ConditionedCloner, WeightedCloner
from rlhf.learning.refining_config import Method, RefiningConfig
from rlhf.learning.window_refiner import WindowRefiner, action_log_probs
from tests.unit.agents import made_up_play
from tests.unit.rlhf.learning import marked_play
from tests.unit.rlhf.learning.marked_play import agent, resumed_alike
from worlds.errors import UserError

TINY = RefiningConfig(updates=6, steps=3, batch=4, learning_rate=1e-3, warmup=2, beta1=0.9)


@pytest.fixture(scope="module")
def play() -> MemoryDataset:
    """Four episodes, of which the last two are an agent's own."""
    return replace(marked_play.play(), demonstrated=np.arange(16) < 7)


@torch.no_grad()
def log_prob(model: InteractiveAgent, play: MemoryDataset) -> np.ndarray:
    """Log-probability [N] of every recorded action, each episode from its beginning."""
    found = []
    for begin, end in zip(play.starts[:-1], play.starts[1:], strict=True):
        observations, actions = play.gather(np.arange(begin, end)[:, None])
        resets = torch.zeros(end - begin, 1, dtype=torch.bool)
        output, _ = model(observations, model.initial_state(1), resets)
        log_probs = model.log_probs(output, actions)
        found.append((log_probs.movement + log_probs.language)[:, 0].numpy())
    return np.concatenate(found)


def test_the_weighted_loss_is_the_weighted_sum_by_hand(play: MemoryDataset) -> None:
    learner, weight = agent(), np.linspace(0.0, 2.0, 16).astype(np.float32)
    stream = EpisodeStream(play, TINY.steps, TINY.batch, TINY.seed)
    window, rows = stream.next_with_rows()
    with torch.no_grad():
        output, _ = learner(window.observations, learner.initial_state(TINY.batch), window.resets)
        log_probs = learner.log_probs(output, window.actions)
    metrics = WeightedCloner(learner, play, weight, TINY).update(0.0)
    for name, of_actions in (("movement", log_probs.movement), ("language", log_probs.speak + log_probs.words)):
        expected = -(weight[rows] * of_actions.numpy()).sum() / rows.size
        assert metrics[f"bc/{name}"] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("method", ["conditioned", "kto", "apo", "cpl"])
def test_actions_that_the_world_ruled_out_teach_nothing(play: MemoryDataset, method: Method) -> None:
    """Here an update after which one of them has become another action, which only its step would show."""
    possible, config = np.arange(16) % 5 != 4, replace(ALL, method=method, css_weight=0.0, bc_weight=0.0)
    other = play.movement.copy()
    other[~possible] = made_up_play.movement(int((~possible).sum()), np.random.default_rng(5))

    def updated(movement: np.ndarray, counting: np.ndarray | None) -> dict[str, float]:
        data = replace(play, movement=movement)
        if method == "conditioned":
            imitating, learner = replace(config, bc_weight=1.0), with_improvement_indicator(agent())
            return ConditionedCloner(learner, data, INDICATOR, imitating, possible=counting).update(0.0)
        return WindowRefiner(agent(), data, WINDOWS, agent(seed=1), config, possible=counting).update(0.0)

    # KTO's reference point is of mismatched actions, and "bc" of the steps that are imitated, beside the windows.
    counted = ("bc/movement",) if method == "conditioned" else ("bc/margin",)
    one, same = (updated(movement, possible) for movement in (play.movement, other))
    assert [one[name] for name in counted] == pytest.approx([same[name] for name in counted], rel=1e-5)
    one, another = (updated(movement, None) for movement in (play.movement, other))
    assert all(abs(one[name] - another[name]) > 1e-3 for name in counted)


# -- windows --------------------------------------------------------------------------------------------------------

WINDOWS = LabelledWindows(  # two under each of two requests
    begin=np.array([1, 4, 8, 13]),
    end=np.array([3, 7, 11, 16]),
    first=np.array([0, 4, 7, 12]),
    desirable=np.array([True, False, True, False]),
    request=np.array([5, 5, 6, 6]),
)
ALL = replace(TINY, windows=8, context=100, beta=0.02)  # with the whole episode before every window


def some(numbers: list[int]) -> LabelledWindows:
    return LabelledWindows(*(getattr(WINDOWS, field.name)[numbers] for field in fields(WINDOWS)))


def inside(number: int) -> slice:
    return slice(WINDOWS.begin[number], WINDOWS.end[number])


@pytest.mark.parametrize("method", ["apo", "kto"])
def test_the_loss_on_windows_is_that_of_whole_episodes_by_hand(play: MemoryDataset, method: str) -> None:
    learner, reference, config = agent(), agent(seed=1), replace(ALL, method=method)
    ratio = log_prob(learner, play) - log_prob(reference, play)
    scores = [float(ratio[inside(number)].sum()) for number in range(4)]
    trainer = WindowRefiner(learner, play, WINDOWS, reference, config)
    chosen = WINDOWS.draw(8, np.random.default_rng([0, 0])).tolist()
    point = 0.0
    if method == "kto":
        rows = WINDOWS.rows(np.array(chosen), 100)
        own, other = (action_log_probs(model, play, rows, config, True)[1].detach() for model in (learner, reference))
        point = max(0.0, float((own - other)[torch.from_numpy(rows.inside)].sum()) / 8)
    losses = []
    for number in chosen:
        distance = 0.02 * (scores[number] - point)
        losses.append(1.0 / (1.0 + math.exp(distance if WINDOWS.desirable[number] else -distance)))
    metrics = trainer.update(0.0)
    assert metrics["bc/preference"] == pytest.approx(sum(losses) / 8, rel=1e-4)
    good, bad = (np.mean([scores[number] for number in some]) for some in (chosen[:4], chosen[4:]))
    assert metrics["bc/margin"] == pytest.approx(good - bad, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("referred", [False, True])
def test_the_loss_of_pairs_is_that_of_whole_episodes_by_hand(play: MemoryDataset, referred: bool) -> None:
    """Both windows of a pair count as many steps as the shorter one has."""
    learner, reference = agent(), agent(seed=1)
    config = replace(ALL, method="cpl", windows=6, discount=0.8, bias=0.5, against_reference=referred)
    values = log_prob(learner, play) - (log_prob(reference, play) if referred else 0.0)
    losses = []
    for better, worse in WINDOWS.draw_pairs(3, np.random.default_rng([0, 0])).T.tolist():
        steps = min(len(values[inside(n)]) for n in (better, worse))
        one, other = (sum(0.8**k * v for k, v in enumerate(values[inside(n)][-steps:])) for n in (better, worse))
        losses.append(math.log1p(math.exp(0.02 * (0.5 * other - one))))
    trainer = WindowRefiner(learner, play, WINDOWS, reference if referred else None, config)
    assert trainer.update(0.0)["bc/preference"] == pytest.approx(sum(losses) / 3, rel=1e-4)


def test_the_memory_never_comes_from_another_episode(play: MemoryDataset) -> None:
    """Pictures of the episodes before do not change a window's score, those of its own do."""
    only = some([1, 1])
    rows = only.rows(np.arange(2), context=100)
    model = agent()
    found = []
    for changed in (slice(0), slice(0, 4), slice(4, 6)):
        assert play.observations.image is not None
        image = play.observations.image.copy()
        image[changed] = 255 - image[changed]
        with torch.no_grad():
            values = action_log_probs(model, play.seeing(image=image), rows, ALL)[0]
        found.append(values[-1, 0].item())
    assert found[0] == found[1] != found[2]


def test_windows_that_say_nothing_are_refused(play: MemoryDataset) -> None:
    good = some([0, 2])
    with pytest.raises(UserError, match="2 windows before .* and 0 before"):
        WindowRefiner(agent(), play, good, agent(), ALL)
    apart = replace(WINDOWS, request=np.arange(4))
    with pytest.raises(UserError, match="no pair to learn from"):
        WindowRefiner(agent(), play, apart, agent(), replace(ALL, method="cpl"))
    WindowRefiner(agent(), play, apart, agent(), replace(ALL, method="kto"))


# -- the improvement indicator --------------------------------------------------------------------------------------

INDICATOR = np.where(np.arange(16) < 7, GOOD, np.where(np.arange(16) % 2 == 0, GOOD, NOT_GOOD)).astype(np.int64)


def conditioned(seed: int = 0) -> InteractiveAgent:
    return with_improvement_indicator(agent(seed))


def test_every_step_is_imitated_given_its_indicator_by_hand(play: MemoryDataset) -> None:
    learner, config = conditioned(), replace(TINY, method="conditioned", dropped=0.5)
    assert learner.improvement is not None
    with torch.no_grad():
        learner.improvement.table.weight[1:] = torch.randn(2, 128, generator=torch.Generator().manual_seed(1))
    window, rows = EpisodeStream(play, TINY.steps, TINY.batch, TINY.seed).next_with_rows()
    dropped = np.random.default_rng([0, 0]).random(rows.shape) < 0.5
    assert 0 < dropped.sum() < dropped.size
    total = 0.0
    for unknown in (False, True):
        indicator = torch.zeros(rows.shape, dtype=torch.long) if unknown else torch.from_numpy(INDICATOR[rows])
        with torch.no_grad():
            output, _ = learner(window.observations, learner.initial_state(TINY.batch), window.resets, indicator)
            movement = learner.log_probs(output, window.actions).movement.numpy()
        total -= float(movement[dropped == unknown].sum())
    metrics = ConditionedCloner(learner, play, INDICATOR, config).update(0.0)
    assert metrics["bc/movement"] == pytest.approx(total / rows.size, rel=1e-5)


def test_an_agent_without_an_indicator_cannot_be_conditioned(play: MemoryDataset) -> None:
    with pytest.raises(ValueError, match="no improvement indicator"):
        ConditionedCloner(agent(), play, INDICATOR, TINY).update(0.0)
    with pytest.raises(ValueError, match="16 steps"):
        ConditionedCloner(conditioned(), play, INDICATOR[:-1], TINY)


@pytest.mark.parametrize("method", ["weighted", "kto", "cpl", "conditioned"])
def test_every_method_is_resumed_bit_exactly(play: MemoryDataset, method: Method) -> None:
    def make(model: InteractiveAgent) -> Any:
        if method == "weighted":
            return WeightedCloner(model, play, np.linspace(0.0, 2.0, 16).astype(np.float32), TINY)
        if method == "conditioned":
            config = replace(TINY, method=method, dropped=0.5)
            return ConditionedCloner(with_improvement_indicator(model), play, INDICATOR, config)
        return WindowRefiner(model, play, WINDOWS, agent(seed=1), replace(ALL, method=method))

    resumed_alike(make)
