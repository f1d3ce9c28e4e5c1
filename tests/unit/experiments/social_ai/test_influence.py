"""Social influence against computations by hand, and what its model learns of peers that heed the agent or do not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from experiments.social_ai.exploration.bonuses import make_bonus
from experiments.social_ai.exploration.influence import ACTS, PEER, Choice, InfluenceBonus, InfluenceSettings, influence
from experiments.social_ai.exploration.networks import as_input
from worlds.school.environments.sampled import SampledEnv
from worlds.school.grid.codes import OBJECTS, PEER_ACTS

SHAPE, COUNTS = (7, 7, 6), (3, 2)
NONE = np.array([-1, -1])


def seen(act: int | None = None, words: str = "NA \n") -> dict[str, Any]:
    """Return an observation; in it is the peer that did ``act``, unless None."""
    image = np.zeros(SHAPE, np.uint8)
    if act is not None:
        image[2, 3] = PEER, 0, 0, 1, 255, act
    return {"image": image, "utterance": words}


def test_influence_is_the_divergence_from_the_counterfactual_marginal() -> None:
    rng = np.random.default_rng(0)
    for actions, choices in ((1, 4), (3, 5), (7, 2)):
        given, policy = rng.dirichlet(np.ones(choices), actions), rng.dirichlet(np.ones(actions))
        expected_mean = 0.0
        for done in range(actions):
            total = 0.0
            for choice in range(choices):
                marginal = sum(policy[other] * given[other, choice] for other in range(actions))
                total += given[done, choice] * math.log(given[done, choice] / marginal)
            found = float(influence(torch.tensor(given), torch.tensor(policy), done))
            assert found == pytest.approx(total, rel=1e-9, abs=1e-12)
            expected_mean += policy[done] * total
        joint = given * policy[:, None]  # its mean over the policy is the mutual information of both
        apart = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
        assert expected_mean == pytest.approx(float((joint * np.log(joint / apart)).sum()))
    half = torch.tensor([0.5, 0.5])
    assert float(influence(torch.eye(2), half, 1)) == pytest.approx(math.log(2))  # certain, and as it was told
    assert float(influence(torch.tensor([[0.0, 1.0], [0.0, 1.0]]), half, 0)) == 0.0  # whatever it is told


def test_the_peer_is_where_the_schools_maps_have_it() -> None:
    assert (OBJECTS["npc"], len(PEER_ACTS)) == (PEER, ACTS)
    env = SampledEnv("SocialAI-NLangFeedbackBoxesTestFormatsCSParamEnv-v1")
    bonus = make_bonus("influence", env)
    assert isinstance(bonus, InfluenceBonus)
    checked = 0
    for seed in range(5):
        env.reset(seed=seed)
        for turn in range(8):
            after, *_, info = env.step(np.array([turn % 3, -1, -1]))
            act = bonus._choice(after).act
            assert (act >= 0) == info["NPC_observed"]
            if act >= 0:
                checked += 1
                assert PEER_ACTS[act] == info["NPC_prim_action"]
            if env.problem.ended:
                break
    assert checked > 5


def test_the_bonus_compares_with_the_actions_that_were_done_lately() -> None:
    settings = InfluenceSettings(coefficient=2.0, memory=6, recent=4, batch=1000)
    bonus = InfluenceBonus(SHAPE, COUNTS, settings)
    bonus.begin(seen(0))
    memory, before, lately = bonus.model.begin(), Choice(0, 0), list[tuple[int, ...]]()
    for action in ((0, 1), (2, -1), (0, 1), (1, 0), (0, 1), (2, 0)):
        lately = [*lately, action][-4:]
        features = bonus.model.features(as_input(seen(before.act)["image"][None]))
        after = Choice(action[0], 0)
        with torch.no_grad():  # each on its own, and each as often as it was done
            each = [bonus.model(features, before, [one], memory) for one in lately]
            given = [log_probs[0].double().exp().numpy() for log_probs, _ in each]
            given = [one / one.sum() for one in given]
            marginal = np.mean(given, axis=0)
            expected = float((given[-1] * np.log(given[-1] / marginal)).sum())
            memory = each[-1][1]
        assert bonus.step(seen(after.act), np.array(action), False) == pytest.approx(2.0 * expected, rel=1e-3, abs=1e-7)
        before = after
    bonus.begin(seen(0))
    assert not bonus._memory[0].any()


def test_a_peer_out_of_view_and_an_episodes_end_give_no_bonus() -> None:
    bonus = InfluenceBonus(SHAPE, COUNTS, InfluenceSettings(batch=1000))
    bonus.begin(seen(0))
    bonus.step(seen(1), NONE, False)
    assert bonus.step(seen(None), np.array([1, 1]), False) > 0  # it was in view before
    assert bonus.step(seen(1), np.array([0, 0]), False) == 0.0
    assert bonus.step(seen(1), np.array([2, 0]), True) == 0.0


def play(heeds: bool, words: bool) -> Iterator[float]:
    """Yield bonuses beside a peer that does, or says, at once what the agent does, or what chance wants."""
    settings = InfluenceSettings(coefficient=1.0, learning_rate=1e-2, memory=16, batch=16)
    bonus, rng = InfluenceBonus(SHAPE, COUNTS, settings), np.random.default_rng(0)
    for _ in range(60):
        bonus.begin(seen(0))
        for turn in range(32):
            action = rng.integers(0, 3)
            reply = action if heeds else rng.integers(0, 3)
            after = seen(0, f"it says {reply}") if words else seen(int(reply))
            found = bonus.step(after, np.array([action, -1]), turn == 31)
            if turn < 31:
                yield found


@pytest.mark.parametrize("words", [False, True])
def test_a_peer_that_heeds_the_agent_is_worth_more_than_one_that_does_not(words: bool) -> None:
    heeding, deaf = (list(play(heeds, words)) for heeds in (True, False))
    assert np.mean(heeding[-300:]) == pytest.approx(math.log(3), rel=0.15)  # what there is to know of three actions
    assert np.mean(deaf[-300:]) < 0.15
