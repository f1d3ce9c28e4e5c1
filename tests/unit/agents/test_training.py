"""Cloning learns, stops at what is not finite, and goes on bit-exactly."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.batch import EncodedEpisodes
from agents.training import Cloner, CloningConfig, clone, held_out_terms, learning_rate, marginal_entropy
from tests.unit.agents import made_up_play

SIZES = dict(image_size=(12, 12), vision_channels=(8,), vision_strides=(4,), vision_blocks=(1,), width=16, heads=2)
TINY = CloningConfig(updates=6, steps=3, batch=4, learning_rate=1e-3, warmup=2, beta1=0.9)


def agent(seed: int = 0) -> InteractiveAgent:
    return made_up_play.agent(seed=seed, talkative=False, **SIZES, memory_width=64, tick_width=64, value_width=8)


@pytest.fixture(scope="module")
def play() -> EncodedEpisodes:
    return made_up_play.recorded(agent().config, [4, 3, 5, 4])


def test_play_is_learned_by_heart_far_below_what_blindness_could_reach(play: EncodedEpisodes) -> None:
    learner, config = agent(), CloningConfig(
        updates=250, steps=4, batch=8, learning_rate=1e-2, beta1=0.9, beta2=0.99, warmup=5, css_weight=0.0
    )  # fmt: skip
    clone(learner, play, config)
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
    play: EncodedEpisodes, settings: dict[str, float], movement: float, language: float, css: float
) -> None:
    metrics = Cloner(agent(), play, CloningConfig(steps=3, batch=4, **settings)).update(0.0)
    terms = [metrics[f"bc/{name}"] for name in ("movement", "language", "css")]
    assert min(terms) > 0.1 and len({round(term, 2) for term in terms}) == 3
    expected = movement * terms[0] + language * terms[1] + css * terms[2]
    assert metrics["bc/loss"] == pytest.approx(expected, rel=1e-5)


def test_it_goes_on_bit_exactly(play: EncodedEpisodes) -> None:
    whole = Cloner(agent(), play, TINY)
    metrics = [whole.update(index / 6) for index in range(6)]

    first = Cloner(agent(), play, TINY)
    for index in range(3):
        first.update(index / 6)
    kept = io.BytesIO()
    torch.save({"agent": first.agent.state_dict(), "cloner": first.state_dict()}, kept)
    kept.seek(0)
    saved = torch.load(kept, weights_only=True)

    second = Cloner(agent(seed=7), play, TINY)
    second.agent.load_state_dict(saved["agent"])
    second.load_state_dict(saved["cloner"])
    assert second.update_index == 3
    assert [second.update(index / 6) for index in range(3, 6)] == metrics[3:]
    own, other = whole.agent.state_dict(), second.agent.state_dict()
    assert all(own[name].equal(other[name]) for name in own)


def test_the_same_seed_gives_the_same_agent(play: EncodedEpisodes) -> None:
    one, again = (clone(agent(), play, TINY).agent.state_dict() for _ in range(2))
    assert all(one[name].equal(again[name]) for name in one)


def test_a_loss_that_is_not_finite_stops_it_before_the_weights_change(play: EncodedEpisodes) -> None:
    cloner = Cloner(agent(), play, TINY)
    with torch.no_grad():
        cloner.agent.movement.decide.bias[0] = torch.nan
    before = {name: value.clone() for name, value in cloner.agent.state_dict().items()}
    with pytest.raises(FloatingPointError, match="update 0 is not finite: movement nan"):
        cloner.update(0.0)
    after = cloner.agent.state_dict()
    assert all(torch.equal(before[name].nan_to_num(), after[name].nan_to_num()) for name in before)


def test_the_rate_rises_and_then_falls_along_a_cosine() -> None:
    config = CloningConfig(learning_rate=1.0, warmup=10, decay=0.2)
    assert [learning_rate(config, u, 0.0) for u in (0, 4, 9, 50)] == pytest.approx([0.1, 0.5, 1.0, 1.0])
    assert learning_rate(config, 99, 0.5) == pytest.approx(0.2 + 0.8 * (1 + math.cos(math.pi / 2)) / 2)
    assert learning_rate(config, 99, 1.0) == pytest.approx(0.2) == learning_rate(config, 99, 1.7)


def test_marginal_entropy_of_even_and_of_constant_play(play: EncodedEpisodes) -> None:
    movement = np.zeros((30, 8, 6), np.int8)
    movement[:, :, 0] = (np.arange(30) % 3)[:, None]  # 8 ticks of one component in three even bins
    movement[:15, 2, 4] = 1  # one component of one tick in two
    even = EncodedEpisodes(**(vars(play) | {"movement": movement}))
    assert marginal_entropy(even) == pytest.approx(8 * math.log(3) + math.log(2))


def test_held_out_play_is_judged_the_same_every_time_and_teaches_nothing(play: EncodedEpisodes) -> None:
    judged = agent()
    before = {name: value.clone() for name, value in judged.state_dict().items()}
    assert held_out_terms(judged, play, TINY) == held_out_terms(judged, play, TINY)
    assert all(value.equal(before[name]) for name, value in judged.state_dict().items())


def test_it_reports_as_it_goes_and_stops_in_time(play: EncodedEpisodes) -> None:
    rows: list[tuple[int, dict[str, float]]] = []
    config = CloningConfig(updates=5, steps=2, batch=2, log_every=2, evaluate_every=4)
    clone(agent(), play, config, held_out=play, on_metrics=lambda step, metrics: rows.append((step, metrics)))
    assert [step for step, _ in rows] == [2, 4]
    assert "bc_held_out/movement" not in rows[0][1] and "bc_held_out/movement" in rows[1][1]
    assert {"bc/movement", "bc/language", "bc/css", "bc/loss", "bc/gradient_norm"} <= rows[0][1].keys()
    hurried = CloningConfig(updates=10**6, steps=1, batch=1, max_seconds=0.2)
    assert 0 < clone(agent(), play, hurried).update_index < 10**4
