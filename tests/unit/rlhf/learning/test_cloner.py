"""Cloning learns, stops at what is not finite, and is resumed bit-exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agents.tokenizer import PAD_ID
from rlhf.data.memory import MemoryDataset
from rlhf.learning.cloner import Cloner, CloningConfig, held_out_terms, marginal_entropy
from rlhf.learning.training import Training
from tests.unit.agents import made_up_play
from tests.unit.rlhf.learning import marked_play
from tests.unit.rlhf.learning.marked_play import agent, resumed_alike
from worlds.errors import UserError

TINY = CloningConfig(updates=6, steps=3, batch=4, learning_rate=1e-3, warmup=2, beta1=0.9)


@pytest.fixture(scope="module")
def play() -> MemoryDataset:
    return marked_play.play()


def test_play_is_overfitted_far_below_the_loss_of_a_blind_agent(play: MemoryDataset) -> None:
    learner, config = agent(), CloningConfig(
        updates=250, steps=4, batch=8, learning_rate=1e-2, beta1=0.9, beta2=0.99, warmup=5, css_weight=0.0
    )  # fmt: skip
    Training(Cloner(learner, play, config), config).run()
    terms = held_out_terms(learner, play, config, windows=4)
    assert terms["bc_held_out/movement"] < 0.3 * marginal_entropy(play)
    assert terms["bc_held_out/language"] < 0.7
    assert not learner.training


OTHERS = {"movement_weight": 0.5, "language_weight": 3.0, "css_weight": 0.25}


@pytest.mark.parametrize(("settings", "weights"), [({}, (1, 5, 1)), (OTHERS, (0.5, 3, 0.25))], ids=["the paper's", ""])
def test_the_loss_is_the_weighted_sum_of_its_terms(
    play: MemoryDataset, settings: dict[str, float], weights: tuple[float, ...]
) -> None:
    metrics = Cloner(agent(), play, CloningConfig(steps=3, batch=4, **settings)).update(0.0)
    terms = [metrics[f"bc/{name}"] for name in ("movement", "language", "css")]
    assert min(terms) > 0.1 and len({round(term, 2) for term in terms}) == 3
    assert metrics["bc/loss"] == pytest.approx(np.dot(weights, terms), rel=1e-5)


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
    seen = mixed.seeing(image=np.where(demonstrated[:, None, None, None], play.observations.image, 0))
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


def test_a_loss_that_is_not_finite_stops_it_before_the_weights_change(play: MemoryDataset) -> None:
    cloner = Cloner(agent(), play, TINY)
    with torch.no_grad():
        cloner.model.movement.decide.bias[0] = torch.nan
    before = {name: value.clone() for name, value in cloner.model.state_dict().items()}
    with pytest.raises(FloatingPointError, match="update 0 is not finite: movement is nan"):
        cloner.update(0.0)
    after = cloner.model.state_dict()
    assert all(torch.equal(before[name].nan_to_num(), after[name].nan_to_num()) for name in before)


def test_it_is_resumed_bit_exactly(play: MemoryDataset) -> None:
    resumed_alike(lambda model: Cloner(model, play, TINY))


def test_the_best_agent_on_validation_episodes_is_kept(play: MemoryDataset) -> None:
    other = made_up_play.recorded(agent().config, [5, 4])  # other random play: learned by heart, it stays unknown
    config = replace(TINY, updates=60, learning_rate=1e-2, warmup=0, evaluate_every=3, keep="best", patience=2)
    training = Training(cloner := Cloner(agent(), play, config, other), config)
    reports = [report for report in training.updates() if report.score is not None]
    losses = {r.done: r.metrics["bc_held_out/movement"] + 5 * r.metrics["bc_held_out/language"] for r in reports}
    training.keep_best()
    best = min(losses, key=lambda update: losses[update])
    assert training.best.update == best < training.done == best + 2 * 3 < 60
    terms = held_out_terms(cloner.model, other, config)
    found = terms["bc_held_out/movement"] + 5 * terms["bc_held_out/language"]
    assert found == pytest.approx(losses[best], rel=1e-6)


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
