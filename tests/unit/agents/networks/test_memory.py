"""The memory, computed step by step and in one call: the same, wherever episodes begin."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from agents.networks.memory import AgentState, ResettingLSTM

WIDTH, MEMORY = 5, 7


def lstm(dtype: torch.dtype = torch.float32) -> ResettingLSTM:
    torch.manual_seed(0)
    made = ResettingLSTM(WIDTH, MEMORY).to(dtype)
    torch.nn.init.normal_(made.input.bias)  # or a bias used twice would not show
    return made


def window(steps: int, columns: int, share: float, seed: int = 0) -> tuple[Tensor, AgentState, Tensor]:
    """Inputs, a memory and resets at a ``share`` of the steps."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(steps, columns, WIDTH, generator=generator)
    state = AgentState(*(torch.randn(columns, MEMORY, generator=generator) for _ in range(2)))
    return x, state, torch.rand(steps, columns, generator=generator) < share


@torch.no_grad()
def test_lstm_against_pytorchs() -> None:
    torch.manual_seed(0)
    ours, theirs = ResettingLSTM(3, 5), torch.nn.LSTM(3, 5)
    for own, other in (
        (theirs.weight_ih_l0, ours.input.weight),
        (theirs.weight_hh_l0, ours.recurrent.weight),
        (theirs.bias_ih_l0, ours.input.bias),
        (theirs.bias_hh_l0, torch.zeros(20)),
    ):
        own.copy_(other)
    x, state = torch.randn(6, 2, 3), AgentState(torch.randn(2, 5), torch.randn(2, 5))
    out, (hidden, cell) = theirs(x, (state.hidden[None], state.cell[None]))
    found, after = ours(x, state, torch.zeros(6, 2, dtype=torch.bool))
    torch.testing.assert_close(found, out)
    torch.testing.assert_close(after.hidden, hidden[0])
    torch.testing.assert_close(after.cell, cell[0])


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize(("steps", "columns"), [(20, 8), (7, 1), (1, 5)])
def test_one_call_equals_step_by_step_calls(steps: int, columns: int, share: float) -> None:
    ours = lstm()
    found = []
    for way in (ours.stepped, ours.fused):
        x, state, resets = window(steps, columns, share)
        leaves = [x.requires_grad_(), *(part.requires_grad_() for part in state)]
        out, after = way(x, state, resets)
        loss = (out * torch.arange(out.numel()).view_as(out).cos()).sum() + after.hidden.sum() - 2 * after.cell.sum()
        gradients = torch.autograd.grad(loss, [*leaves, *ours.parameters()])
        found.append([out.detach(), *(part.detach() for part in after), *gradients])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_in_one_call_memory_is_exact_where_the_trunk_is_not() -> None:
    ours, (x, state, resets) = lstm(), window(9, 4, 0.2)
    exact, _ = ours.fused(x.bfloat16(), state, resets)
    with torch.autocast("cpu", torch.bfloat16):
        rough, after = ours.fused(x.bfloat16(), state, resets)
    assert torch.equal(exact, rough) and rough.dtype == after.hidden.dtype == after.cell.dtype == torch.float32


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_on_a_gpu_it_judges_and_stays_exact_where_the_trunk_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)
    ours, (x, state, resets) = lstm().cuda(), window(50, 8, 0.1)
    x, state, resets = x.bfloat16().cuda(), AgentState(*(part.cuda() for part in state)), resets.cuda()
    with torch.no_grad():
        expected, then = ours.stepped(x.float(), state, resets)
    with torch.inference_mode():
        judged, _ = ours(x, state, resets)
    with torch.autocast("cuda", torch.bfloat16):
        rough, after = ours(x, state, resets)
    assert judged.is_inference() and rough.requires_grad
    ways = ours(x.float(), state, resets)[0], ours.stepped(x.float(), state, resets)[0]
    fused, stepped = (torch.autograd.grad(out.square().sum(), list(ours.parameters())) for out in ways)
    torch.testing.assert_close(fused, stepped, rtol=1e-3, atol=1e-3)
    for found in (judged.clone(), rough.detach()):
        assert found.dtype == torch.float32
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(AgentState(*(part.detach() for part in after)), then, rtol=1e-4, atol=1e-4)
