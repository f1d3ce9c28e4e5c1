"""V-trace against numbers worked out by hand and against equation 1 written out as a sum of products."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rlhf.learning.vtrace import VTraceReturns, vtrace


class Case(NamedTuple):
    log_rhos: np.ndarray
    discounts: np.ndarray
    rewards: np.ndarray
    values: np.ndarray
    bootstrap_value: np.ndarray

    def vtrace(self, *settings: float, acted: torch.Tensor | None = None) -> VTraceReturns:
        tensors = [torch.from_numpy(x) for x in self]
        return vtrace(tensors[0], tensors[1], tensors[2], tensors[3], tensors[4], *settings, acted=acted)


def literal_vtrace(log_rhos, discounts, rewards, values, bootstrap, clip_rho, clip_pg_rho, lambda_):
    """Espeholt et al., equation 1, term by term in float64: O(T^2) sums, no recursion."""
    rho = np.exp(log_rhos.astype(np.float64))
    steps, batch = rho.shape
    v = np.concatenate([values, bootstrap[None]]).astype(np.float64)
    vs = np.empty((steps, batch))
    for s in range(steps):
        for b in range(batch):
            vs[s, b] = v[s, b]
            for t in range(s, steps):
                weight = 1.0
                for i in range(s, t):
                    weight *= discounts[i, b] * lambda_ * min(1.0, rho[i, b])
                delta = min(clip_rho, rho[t, b]) * (rewards[t, b] + discounts[t, b] * v[t + 1, b] - v[t, b])
                vs[s, b] += weight * delta
    target = np.concatenate([vs, bootstrap[None]])
    mixed = lambda_ * target + (1 - lambda_) * v
    mixed[-1] = bootstrap
    advantages = np.minimum(clip_pg_rho, rho) * (rewards + discounts * mixed[1:] - v[:-1])
    return vs, advantages


def random_case(seed: int, steps: int, batch: int) -> Case:
    rng = np.random.default_rng(seed)
    return Case(
        log_rhos=rng.normal(0, 1.5, (steps, batch)),
        discounts=0.96 * (rng.random((steps, batch)) > 0.2),
        rewards=rng.normal(size=(steps, batch)),
        values=rng.normal(size=(steps, batch)),
        bootstrap_value=rng.normal(size=batch),
    )


def test_two_steps_worked_out_by_hand():
    # rho = (2, 1/2); clipped at 1: (1, 1/2); c = (1, 1/2); discount 1/2; r = (1, 2); V = (3, 4), bootstrap 8.
    # delta_1 = 1/2 * (2 + 4 - 4) = 1             vs_1 = 4 + 1 = 5
    # delta_0 = 1 * (1 + 2 - 3) = 0               vs_0 = 3 + 0 + 1/2 * 1 * 1 = 3.5
    # A_1 = 1/2 * (2 + 1/2 * 8 - 4) = 1           A_0 = 1 * (1 + 1/2 * 5 - 3) = 0.5
    returns = vtrace(
        torch.tensor([[math.log(2.0)], [math.log(0.5)]]),
        torch.full((2, 1), 0.5),
        torch.tensor([[1.0], [2.0]]),
        torch.tensor([[3.0], [4.0]]),
        torch.tensor([8.0]),
    )
    torch.testing.assert_close(returns.vs, torch.tensor([[3.5], [5.0]]))
    torch.testing.assert_close(returns.pg_advantages, torch.tensor([[0.5], [1.0]]))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    steps=st.integers(1, 9),
    clip_rho=st.sampled_from([0.7, 1.0, 3.7]),
    clip_pg_rho=st.sampled_from([0.5, 1.0, 2.2]),
    lambda_=st.sampled_from([0.0, 0.9, 1.0]),
)
def test_agrees_with_equation_1_written_out(seed, steps, clip_rho, clip_pg_rho, lambda_):
    case = random_case(seed, steps, batch=3)
    vs, advantages = literal_vtrace(*case, clip_rho, clip_pg_rho, lambda_)
    returns = case.vtrace(clip_rho, clip_pg_rho, lambda_)
    np.testing.assert_allclose(returns.vs, vs, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(returns.pg_advantages, advantages, rtol=1e-10, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    steps=st.integers(2, 9),
    clip_rho=st.sampled_from([0.7, 1.0, 3.7]),
    lambda_=st.sampled_from([0.0, 0.9, 1.0]),
)
def test_episodes_that_are_truncated_are_as_those_that_are_alone(seed, steps, clip_rho, lambda_):
    """Each stretch up to a step without an action is a sequence of its own, which bootstraps from V of that step."""
    case = random_case(seed, steps, batch=3)
    acted = np.random.default_rng([seed, 1]).random((steps, 3)) > 0.3
    returns = case.vtrace(clip_rho, 1.0, lambda_, acted=torch.from_numpy(acted))
    for b in range(3):
        begin = 0
        for end in [*np.flatnonzero(~acted[:, b]).tolist(), steps]:
            values = np.append(case.values[:, b], case.bootstrap_value[b])
            if end > begin:
                rows = np.s_[begin:end, b : b + 1]
                alone = (case.log_rhos[rows], case.discounts[rows], case.rewards[rows], case.values[rows])
                expected = literal_vtrace(*alone, values[end : end + 1], clip_rho, 1.0, lambda_)
                for mine, number in zip(returns, expected, strict=True):
                    np.testing.assert_allclose(mine[rows], number, rtol=1e-10, atol=1e-10)
            begin = end + 1
    np.testing.assert_array_equal(returns.vs[~acted], case.values[~acted])
    assert not returns.pg_advantages[~acted].any()


def test_agrees_with_rllibs_and_with_float64_at_the_papers_batch():
    rllib = pytest.importorskip("ray.rllib.algorithms.impala.torch.vtrace_torch_v2", reason="RLlib is an extra")
    case, some = random_case(11, steps=50, batch=192), slice(0, 192, 32)
    log_rhos, discounts, rewards, values, bootstrap = (torch.from_numpy(x).float() for x in case)
    ours = vtrace(log_rhos, discounts, rewards, values, bootstrap)
    theirs = rllib.vtrace_torch(
        target_action_log_probs=log_rhos,
        behaviour_action_log_probs=torch.zeros_like(log_rhos),
        discounts=discounts,
        rewards=rewards,
        values=values,
        bootstrap_values=bootstrap,
    )
    exact = literal_vtrace(*(x[..., some] for x in case), 1.0, 1.0, 1.0)
    for mine, its, number in zip(ours, theirs, exact, strict=True):
        np.testing.assert_allclose(mine, its, rtol=0, atol=1e-5)
        np.testing.assert_allclose(mine[:, some], number, rtol=0, atol=1e-5)


def test_nothing_passes_the_end_of_an_episode():
    case = random_case(5, 6, 1)
    case.discounts[2] = 0.0  # step 3 begins another episode
    before = case.vtrace()
    case.rewards[3:] += 100.0
    case.values[3:] += 100.0
    case.bootstrap_value[:] += 100.0
    after = case.vtrace()
    torch.testing.assert_close(before.vs[:3], after.vs[:3])
    torch.testing.assert_close(before.pg_advantages[:3], after.pg_advantages[:3])
    assert not torch.allclose(before.vs[3:], after.vs[3:])


def test_no_gradient_flows_through_the_targets():
    values = torch.zeros(4, 2, requires_grad=True)
    returns = vtrace(values, values, values, values, values[0])
    assert not returns.vs.requires_grad and not returns.pg_advantages.requires_grad


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("log_rhos", (4, 1)),
        ("discounts", (4,)),
        ("acted", (4, 1)),
        ("rewards", (3, 2)),
        ("bootstrap_value", (2, 1)),
        ("bootstrap_value", (1,)),
    ],
)
def test_shapes_that_would_broadcast_are_refused(name, shape):
    with pytest.raises(ValueError, match=name):
        case, wrong = random_case(1, 4, 2), np.zeros(shape)
        if name == "acted":
            case.vtrace(acted=torch.from_numpy(wrong > 0))
        case._replace(**{name: wrong}).vtrace()


def test_lambda_outside_the_unit_interval_is_refused():
    with pytest.raises(ValueError, match="lambda_"):
        random_case(1, 4, 2).vtrace(1.0, 1.0, 1.1)
