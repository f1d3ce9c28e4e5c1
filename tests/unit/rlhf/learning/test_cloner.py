"""Cloning learns, stops at what is not finite, and is resumed bit-exactly."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.tokenizer import PAD_ID
from rlhf.data.memory import MemoryDataset
from rlhf.learning.cloner import Cloner, CloningConfig, held_out_terms, marginal_entropy
from rlhf.learning.trainer import learning_rate
from tests.unit.agents import made_up_play
from worlds.errors import UserError

SIZES = dict(image_size=(12, 12), vision_channels=(8,), vision_strides=(4,), vision_blocks=(1,), width=16, heads=2)
TINY = CloningConfig(updates=6, steps=3, batch=4, learning_rate=1e-3, warmup=2, beta1=0.9)


def agent(seed: int = 0) -> InteractiveAgent:
    return made_up_play.agent(seed=seed, talkative=False, **SIZES, memory_width=64, tick_width=64, value_width=8)


@pytest.fixture(scope="module")
def play() -> MemoryDataset:
    return made_up_play.recorded(agent().config, [4, 3, 5, 4])


def test_play_is_overfitted_far_below_the_loss_of_a_blind_agent(play: MemoryDataset) -> None:
    learner, config = agent(), CloningConfig(
        updates=250, steps=4, batch=8, learning_rate=1e-2, beta1=0.9, beta2=0.99, warmup=5, css_weight=0.0
    )  # fmt: skip
    Cloner(learner, play, config).run()
    terms = held_out_terms(learner, play, config, windows=4)
    assert terms["bc_held_out/movement"] < 0.3 * marginal_entropy(play)
    assert terms["bc_held_out/language"] < 0.7
    assert not learner.training


@pytest.mark.parametrize(
    ("settings", "movement", "language", "css"),
    [
        ({}, 1.0, 5.0, 1.0),  # the paper's
        ({"movement_weight": 0.5, "language_weight": 3.0, "css_weight": 0.25}, 0.5, 3.0, 0.25),
    ],
)
def test_the_loss_is_the_weighted_sum_of_its_terms(
    play: MemoryDataset, settings: dict[str, float], movement: float, language: float, css: float
) -> None:
    metrics = Cloner(agent(), play, CloningConfig(steps=3, batch=4, **settings)).update(0.0)
    terms = [metrics[f"bc/{name}"] for name in ("movement", "language", "css")]
    assert min(terms) > 0.1 and len({round(term, 2) for term in terms}) == 3
    expected = movement * terms[0] + language * terms[1] + css * terms[2]
    assert metrics["bc/loss"] == pytest.approx(expected, rel=1e-5)


def test_an_agents_own_actions_teach_nothing_and_its_pictures_do(play: MemoryDataset) -> None:
    rng = np.random.default_rng(0)
    demonstrated = rng.random(len(play.first)) < 0.6
    other = {name: getattr(play, name).copy() for name in ("movement", "utterance")}
    other["movement"][~demonstrated] = made_up_play.movement(int((~demonstrated).sum()), rng)
    other["utterance"][~demonstrated] = PAD_ID
    mixed = replace(play, demonstrated=demonstrated)
    one, same = (Cloner(agent(), data, TINY).update(0.0) for data in (mixed, replace(mixed, **other)))
    assert one == pytest.approx(same, rel=1e-5)
    everything = Cloner(agent(), play, TINY).update(0.0)
    assert one["bc/css"] == everything["bc/css"] and one["bc/movement"] != everything["bc/movement"]
    seen = replace(mixed, image=np.where(demonstrated[:, None, None, None], play.image, 0))
    assert Cloner(agent(), seen, TINY).update(0.0)["bc/movement"] != one["bc/movement"]


def test_held_out_terms_are_means_over_demonstrated_steps(play: MemoryDataset) -> None:
    # One column whose windows are the single steps of one episode: most windows have nothing to imitate.
    judged, one = agent(), made_up_play.recorded(agent().config, [4])
    config = replace(TINY, steps=1, batch=1, css_weight=0.0)
    whole = [held_out_terms(judged, replace(one, demonstrated=np.arange(4) == step), config, 4) for step in range(4)]
    some = held_out_terms(judged, replace(one, demonstrated=np.arange(4) < 2), config, 4)
    for name in ("bc_held_out/movement", "bc_held_out/language"):
        assert some[name] == pytest.approx((whole[0][name] + whole[1][name]) / 2, rel=1e-5)
    nothing = held_out_terms(judged, replace(one, demonstrated=np.zeros(4, bool)), config, 4)
    assert list(nothing) == ["bc_held_out/css"]


def test_it_is_resumed_bit_exactly(play: MemoryDataset) -> None:
    whole = Cloner(agent(), play, TINY)
    metrics = [whole.update(index / 6) for index in range(6)]

    first = Cloner(agent(), play, TINY)
    for index in range(3):
        first.update(index / 6)
    kept = io.BytesIO()
    torch.save({"agent": first.model.state_dict(), "cloner": first.state_dict()}, kept)
    kept.seek(0)
    saved = torch.load(kept, weights_only=True)

    second = Cloner(agent(seed=7), play, TINY)
    second.model.load_state_dict(saved["agent"])
    second.load_state_dict(saved["cloner"])
    assert second.update_index == 3
    assert [second.update(index / 6) for index in range(3, 6)] == metrics[3:]
    own, other = whole.model.state_dict(), second.model.state_dict()
    assert all(own[name].equal(other[name]) for name in own)


def test_a_loss_that_is_not_finite_stops_it_before_the_weights_change(play: MemoryDataset) -> None:
    cloner = Cloner(agent(), play, TINY)
    with torch.no_grad():
        cloner.model.movement.decide.bias[0] = torch.nan
    before = {name: value.clone() for name, value in cloner.model.state_dict().items()}
    with pytest.raises(FloatingPointError, match="update 0 is not finite: movement is nan"):
        cloner.update(0.0)
    after = cloner.model.state_dict()
    assert all(torch.equal(before[name].nan_to_num(), after[name].nan_to_num()) for name in before)


@pytest.mark.parametrize(
    ("update", "progress", "rate"),
    [
        (0, 0.0, 2.5e-4),  # a quarter of the way up
        (1, 0.0, 5e-4),
        (3, 0.0, 1e-3),
        (4, 0.0, 1e-3),
        (9, 1 / 3, 8e-4),  # the cosine of 60 degrees is 1/2: 0.2 + 0.8 * 3/4
        (9, 0.5, 6e-4),
        (9, 2 / 3, 4e-4),
        (9, 1.0, 2e-4),
        (9, 1.5, 2e-4),
        (1, 0.5, 3e-4),  # both at once
    ],
)
def test_the_rate_rises_and_then_falls_along_a_cosine(update: int, progress: float, rate: float) -> None:
    config = CloningConfig(learning_rate=1e-3, warmup=4, decay=0.2)
    assert learning_rate(config, update, progress) == pytest.approx(rate)
    assert learning_rate(replace(config, warmup=0), 0, 0.0) == pytest.approx(1e-3)


def test_it_reports_as_it_goes_and_stops_in_time(play: MemoryDataset) -> None:
    rows: list[tuple[int, dict[str, float]]] = []
    config = CloningConfig(updates=5, steps=2, batch=2, log_every=2, evaluate_every=4)
    Cloner(agent(), play, config, play).run(on_metrics=lambda step, metrics: rows.append((step, metrics)))
    assert [step for step, _ in rows] == [2, 4, 5]  # and at the end, as every training
    assert ["bc_held_out/movement" in metrics for _, metrics in rows] == [False, True, True]
    assert {"bc/movement", "bc/language", "bc/css", "bc/loss", "bc/gradient_norm"} <= rows[0][1].keys()
    hurried = CloningConfig(updates=10**6, steps=1, batch=1, max_seconds=0.2)
    cloner = Cloner(agent(), play, hurried)
    cloner.run()
    assert 0 < cloner.update_index < 10**4


class _Interrupted(Exception):
    pass


def test_the_best_agent_on_validation_episodes_is_kept_over_a_resumption(play: MemoryDataset) -> None:
    other = made_up_play.recorded(agent().config, [5, 4])  # other random play: learned by heart, it stays unknown
    config = replace(TINY, updates=60, learning_rate=1e-2, warmup=0, evaluate_every=3, keep="best", patience=2)
    whole, losses = Cloner(agent(), play, config, other), dict[int, float]()

    def on_metrics(update: int, metrics: dict[str, float]) -> None:
        if "bc_held_out/movement" in metrics:
            losses[update] = metrics["bc_held_out/movement"] + 5 * metrics["bc_held_out/language"]

    whole.run(on_metrics)
    best = min(losses, key=lambda update: losses[update])
    assert whole.best_update == best < whole.update_index == best + 2 * 3 < 60

    interrupted, kept = Cloner(agent(), play, config, other), io.BytesIO()

    def stop_after_the_best(progress: float) -> None:
        if interrupted.update_index == best + 4:
            raise _Interrupted

    with pytest.raises(_Interrupted):
        interrupted.run(on_progress=stop_after_the_best)
    torch.save({"agent": interrupted.model.state_dict(), "cloner": interrupted.state_dict()}, kept)
    kept.seek(0)
    saved = torch.load(kept, weights_only=True)
    resumed = Cloner(agent(seed=7), play, config, other)
    resumed.model.load_state_dict(saved["agent"])
    resumed.load_state_dict(saved["cloner"])
    resumed.run()
    for cloner in (whole, resumed):
        cloner.finish()
        assert cloner.update_index == best + 6
        terms = held_out_terms(cloner.model, other, config)
        loss = terms["bc_held_out/movement"] + 5 * terms["bc_held_out/language"]
        assert loss == pytest.approx(losses[best], rel=1e-6)


@pytest.mark.parametrize("settings", [{"keep": "best"}, {"patience": 2}])
def test_the_best_cannot_be_kept_without_validation_episodes(play: MemoryDataset, settings: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="validation episodes; set some aside with --held-out"):
        Cloner(agent(), play, replace(TINY, **settings))


def test_an_image_encoder_that_is_frozen_is_not_cloned(play: MemoryDataset) -> None:
    cloner = Cloner(agent(), play, replace(TINY, frozen_vision=True))
    before = {name: weight.clone() for name, weight in cloner.model.state_dict().items()}
    cloner.update(0.0)
    changed = {name for name, weight in cloner.model.state_dict().items() if not torch.equal(weight, before[name])}
    assert "trunk.gather.weight" in changed and not any(name.startswith("trunk.vision.") for name in changed)
