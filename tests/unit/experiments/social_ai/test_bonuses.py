"""Exploration bonuses against computations by hand, what they learn, and the wrapper in the school's rooms."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch

from experiments.social_ai.exploration.bonuses import BONUS, NAMES, TASK_REWARD, ExplorationBonus, make_bonus
from experiments.social_ai.exploration.counts import CellBonus, CountSettings, WordBonus, cell_codes, count_bonus
from experiments.social_ai.exploration.distillation import DistillationBonus, DistillationSettings
from experiments.social_ai.exploration.impact import ImpactBonus, ImpactModels, ImpactSettings, impacts
from experiments.social_ai.exploration.networks import as_input
from worlds.errors import UserError
from worlds.school.environments.sampled import SampledEnv

SHAPE = (7, 7, 6)
SCHOOL = "SocialAI-SocialAIParamEnv-v1"


def maps(count: int, seed: int = 0, kinds: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, kinds, (count, *SHAPE)).astype(np.uint8)


def seen(image: np.ndarray, words: str = "NA \n") -> dict[str, Any]:
    return {"image": image, "utterance": words}


@pytest.mark.parametrize("counts", [[0], [1], [0, 0, 3], [], [10**9], [0] * 49])
def test_the_count_bonus_is_the_papers_equation(counts: list[int]) -> None:
    for scale, power, top in ((0.05, 50.0, 0.6), (0.25, 50.0, 0.6), (2.0, 0.5, 1.0)):
        expected = 0.0
        for count in counts:
            expected += (
                scale / math.pow(count + 1, power) if count < 10**6 else scale * math.exp(-power * math.log(count + 1))
            )
        assert count_bonus(counts, scale, power, top) == pytest.approx(top * math.tanh(expected), rel=1e-9, abs=1e-300)
    assert count_bonus([0], 0.25, 50, 0.6) == pytest.approx(0.146951, abs=1e-6)


def test_cells_are_told_apart_by_all_their_numbers() -> None:
    image = np.zeros(SHAPE, np.uint8)
    assert len(cell_codes(image)) == 1
    image[3, 4, 5] = image[0, 0, 0] = image[6, 6, 0] = 1
    assert cell_codes(image) == {bytes(6), bytes([0, 0, 0, 0, 0, 1]), bytes([1, 0, 0, 0, 0, 0])}
    for image in maps(5):
        assert len(cell_codes(image)) == len({tuple(cell) for cell in image.reshape(-1, 6).tolist()})
    assert cell_codes(maps(1)[0].astype(np.int16)[:, ::2]) == {
        np.array(cell, np.int16).tobytes() for cell in maps(1)[0][:, ::2].reshape(-1, 6).tolist()
    }


def test_cells_have_a_bonus_once_an_episode() -> None:
    settings = CountSettings(scale=0.3, power=2.0, top=0.7)
    bonus, images = CellBonus(settings), maps(12, kinds=2)
    for _ in range(2):  # the second episode begins with nothing known
        counts: Counter[tuple[int, ...]] = Counter()
        bonus.begin(seen(images[0]))
        counts.update({tuple(cell) for cell in images[0].reshape(-1, 6).tolist()})
        for number, image in enumerate(images[1:], 1):
            cells = {tuple(cell) for cell in image.reshape(-1, 6).tolist()}
            expected = 0.7 * math.tanh(sum(0.3 / (counts[cell] + 1) ** 2 for cell in cells))
            ended = number == 5
            assert bonus.step(seen(image), 0, ended) == pytest.approx(0.0 if ended else expected)
            counts.update(cells)


def test_words_have_a_bonus_when_they_are_heard_first() -> None:
    bonus = WordBonus()
    bonus.begin(seen(maps(1)[0], "Conversation: \n"))
    heard = [bonus.step(seen(maps(1)[0], words), 0, False) for words in ("NA \n", "NA \n", "Hot", "Cold", "Hot")]
    first = 0.6 * math.tanh(0.25)
    assert heard == pytest.approx([first, 0, first, first, 0], abs=1e-12)


def test_what_was_seen_often_is_no_longer_new_to_rnd() -> None:
    bonus = DistillationBonus(SHAPE, DistillationSettings(learning_rate=1e-3, batch=16, coefficient=1.0))
    known, new = maps(4, 0, 200), maps(4, 1, 200)
    before = bonus.bonuses(known), bonus.bonuses(new)
    target = [weight.clone() for weight in bonus.target.parameters()]
    for number in range(800):
        bonus.step(seen(known[number % 4]), 0, False)
    assert bonus.step(seen(new[0]), 0, False) > 0.0 == bonus.step(seen(new[0]), 0, True)
    assert all(weight.equal(old) for weight, old in zip(bonus.target.parameters(), target, strict=True))
    after = bonus.bonuses(known), bonus.bonuses(new)
    assert after[0].mean() < 0.35 * before[0].mean() and after[0].mean() < 0.9 * after[1].mean()
    direct = torch.linalg.vector_norm(bonus.predictor(as_input(new)) - bonus.target(as_input(new)), dim=1)
    np.testing.assert_allclose(after[1], direct.detach().numpy(), rtol=1e-5)
    assert bonus.learn(new) == pytest.approx(0.1 * after[1].mean(), rel=1e-5)


def test_impact_is_the_change_by_the_root_of_the_count() -> None:
    rng = np.random.default_rng(0)
    here, there, counts = rng.normal(size=(5, 8)), rng.normal(size=(5, 8)), np.array([1, 2, 3, 4, 25])
    found = impacts(torch.tensor(here), torch.tensor(there), torch.tensor(counts)).numpy()
    expected = [math.dist(a, b) / math.sqrt(n) for a, b, n in zip(here, there, counts, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_models_of_ride_have_the_losses_that_are_described() -> None:
    torch.manual_seed(0)
    models, before, after = ImpactModels(SHAPE, 6), as_input(maps(3)), as_input(maps(3, 1))
    action = torch.tensor([0, 5, 2])
    following, acting = models.losses(before, action, after)
    distances, logs = [], []
    for number in range(3):
        here, there = (models.features(part[number : number + 1])[0].detach() for part in (before, after))
        done = torch.zeros(6)
        done[action[number]] = 1
        expected = models.following(torch.cat([here, done]))
        distances.append(math.dist(expected.tolist(), there.tolist()))
        scores = models.acting(torch.cat([here, there])).detach().double().numpy()
        logs.append(math.log(np.exp(scores).sum()) - scores[action[number]])
    assert following.item() == pytest.approx(np.mean(distances), rel=1e-4)
    assert acting.item() == pytest.approx(np.mean(logs), rel=1e-4)


def test_ride_rewards_change_and_not_standing_still_and_learns_actions() -> None:
    bonus = ImpactBonus(SHAPE, 6, ImpactSettings(0.01, 1.0, 10.0, 1e-3, batch=8))
    images = maps(3, 0, 200)
    bonus.begin(seen(images[0]))
    assert bonus.step(seen(images[0]), 0, False) == 0.0
    one = bonus.step(seen(images[1]), 2, False)
    bonus.step(seen(images[0]), 0, False)
    again = bonus.step(seen(images[1]), 2, False)
    assert one > 0 and again == pytest.approx(one / math.sqrt(2), rel=1e-4)
    bonus.begin(seen(images[0]))
    assert bonus.step(seen(images[1]), 2, False) == pytest.approx(one, rel=1e-4)  # counts are of an episode
    assert bonus.step(seen(images[2]), 2, True) == 0.0  # at the end of an episode
    steps = [(images[0], 1, images[1]), (images[1], 4, images[2])] * 8
    begun = bonus.learn(steps)
    for _ in range(150):
        learned = bonus.learn(steps)
    assert learned[1] < 0.5 * begun[1]


@pytest.mark.parametrize("name", NAMES)
def test_the_wrapper_adds_the_bonus_in_the_school(name: str) -> None:
    plain, env = SampledEnv(SCHOOL), SampledEnv(SCHOOL)
    wrapped = ExplorationBonus(env, make_bonus(name, env))
    total = 0.0
    for seed in range(3):
        first, _ = plain.reset(seed=seed)
        same, _ = wrapped.reset(seed=seed)
        assert np.array_equal(first["image"], same["image"])
        rng, ended = np.random.default_rng(seed), False
        while not ended:
            action = np.array([rng.integers(0, 4), *rng.choice([[-1, -1], [1, 0]])])
            one, reward, terminated, truncated, _ = plain.step(action)
            other, paid, *ends, info = wrapped.step(action)
            assert np.array_equal(one["image"], other["image"]) and ends == [terminated, truncated]
            assert info[TASK_REWARD] == reward and paid == pytest.approx(reward + info[BONUS])
            total += info[BONUS]
            ended = terminated or truncated
    assert total > 0 and math.isfinite(total)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("curiosity", {}, "no exploration bonus 'curiosity'; known: cb, cbl, rnd, ride, influence"),
        ("cb", {"scale": -1.0}, "scale is above 0, not -1.0"),
        ("rnd", {"temperature": 1}, "temperature"),
        ("influence", {"memory": 0}, "memory"),
    ],
)
def test_wrong_settings_are_one_line(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as refused:
        make_bonus(name, SampledEnv(SCHOOL), **settings)
    assert "\n" not in str(refused.value)
