"""An agent learns the same, and its weights keep their names, in every way of computation."""

from __future__ import annotations

import copy
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from agents.agent import InteractiveAgent
from agents.computing import autocast, prepare, usable_device
from agents.computing_config import ComputingConfig
from agents.networks.vision import ResidualBlock
from rlhf.learning.cloner import Cloner, CloningConfig, imitation_terms
from rlhf.learning.learner import Learner, LearnerConfig, RecordedWindow
from tests.unit.agents import made_up_play
from tests.unit.rlhf import tiny_agent
from worlds.errors import UserError

SIZES: dict[str, Any] = dict(vision_channels=(4, 8), vision_strides=(2, 2), vision_blocks=(1, 2), layers=3)
ONE_LAYER: dict[str, Any] = {}  # of the tiny agent: one residual block and one layer are half a minute to compile
FLOAT32, BF16 = ComputingConfig(), ComputingConfig(bf16=True)
CHECKPOINTED = ComputingConfig(checkpoint_activations=True)
WAYS = [CHECKPOINTED, BF16, ComputingConfig(bf16=True, checkpoint_activations=True)]


def agent(sizes: Mapping[str, Any] = SIZES) -> InteractiveAgent:
    made = tiny_agent.agent(**sizes)
    torch.manual_seed(0)
    for module in made.modules():
        if isinstance(module, ResidualBlock):  # begins as no block at all
            torch.nn.init.normal_(module.second.weight, std=0.1)
    return made


def learned(
    computing: ComputingConfig, updates: int = 2, sizes: Mapping[str, Any] = SIZES
) -> tuple[InteractiveAgent, list[dict[str, float]]]:
    """The agent after BC+RL, and the metrics of its updates."""
    learner = Learner(agent(sizes), LearnerConfig(computing=computing, learning_rate=1e-3))
    fragment, stream = tiny_agent.fragment(agent(sizes), 5, 3), tiny_agent.recorded(6, 2)
    return learner.agent, [learner.update(fragment, RecordedWindow(*stream.next())) for _ in range(updates)]


def gradients(made: InteractiveAgent) -> dict[str, Tensor]:
    return {name: p.grad for name, p in made.named_parameters() if p.grad is not None}


def test_checkpointing_changes_neither_loss_nor_gradient() -> None:
    plain, expected = learned(FLOAT32)
    thrifty, found = learned(CHECKPOINTED)
    assert found == expected
    own, other = gradients(plain), gradients(thrifty)
    assert own.keys() == other.keys() and all(own[name].equal(other[name]) for name in own)
    assert all(torch.equal(value, thrifty.state_dict()[name]) for name, value in plain.state_dict().items())


def kept_by(made: InteractiveAgent) -> set[torch.Size]:
    """Return shapes of tensors kept for the gradient of a forward pass."""
    shapes: set[torch.Size] = set()

    def pack(tensor: Tensor) -> Tensor:
        shapes.add(tensor.shape)
        return tensor

    observations, _ = made_up_play.batch(made.config, 2, 3)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        made(observations, made.initial_state(3), torch.zeros(2, 3, dtype=torch.bool))
    return shapes


def test_checkpointing_keeps_nothing_of_the_inside_of_a_layer() -> None:
    made, rows = agent(), 6
    tokens = made.config.dedicated_tokens + made.trunk.vision.tokens + 1 + made.config.setter_text_length
    inside = torch.Size([rows, tokens, 2 * made.config.width])  # of the Transformer's MLP
    whole = kept_by(made)
    assert inside in whole or torch.Size([rows * tokens, 2 * made.config.width]) in whole
    prepare(made, CHECKPOINTED)
    thrifty = kept_by(made)
    assert inside not in thrifty and torch.Size([rows * tokens, 2 * made.config.width]) not in thrifty
    assert torch.Size([rows, tokens, made.config.width]) in thrifty  # what goes into it


def test_blocks_of_the_image_encoder_are_computed_a_second_time() -> None:
    made, calls = agent(), []
    images = torch.randint(0, 256, (2, *made.config.image_size, 3), dtype=torch.uint8)
    for module in made.trunk.vision.modules():
        if isinstance(module, ResidualBlock):
            module.first.register_forward_hook(lambda *_: calls.append(1))
    made.trunk.vision(images).sum().backward()
    assert len(calls) == 3
    prepare(made, CHECKPOINTED)
    made.trunk.vision(images).sum().backward()
    assert len(calls) == 3 + 2 * 3


def test_nothing_is_computed_twice_without_gradients() -> None:
    made, calls = agent(), []
    prepare(made, CHECKPOINTED)
    made.trunk.layers[0].register_forward_hook(lambda *_: calls.append(1))
    observations, _ = made_up_play.batch(made.config, 1, 2)
    made.act(observations, made.initial_state(2), torch.ones(1, 2, dtype=torch.bool))
    assert calls == [1]


@pytest.mark.parametrize("computing", [BF16, WAYS[-1]], ids=["bf16", "bf16, checkpointed"])
def test_bfloat16_is_close(computing: ComputingConfig) -> None:
    _, expected = learned(FLOAT32, 1)
    made, found = learned(computing, 1)
    assert found[0]["loss"] != expected[0]["loss"]
    assert found[0]["loss"] == pytest.approx(expected[0]["loss"], rel=0.01)
    for name in ("bc/movement", "bc/language", "bc/css", "rl/value"):
        assert found[0][name] == pytest.approx(expected[0][name], rel=0.05), name
    assert {p.dtype for p in made.parameters()} == {g.dtype for g in gradients(made).values()} == {torch.float32}


def test_an_agent_with_a_glimpse_learns_words_in_bfloat16() -> None:
    glimpsing = SIZES | {"glimpse": True}
    _, expected = learned(FLOAT32, 1, glimpsing)
    _, found = learned(BF16, 1, glimpsing)
    assert found[0]["bc/language"] == pytest.approx(expected[0]["bc/language"], rel=0.05)


def test_cloning_is_computed_as_configured() -> None:
    play = made_up_play.recorded(agent().config, [4, 3, 5, 4])

    def loss(computing: ComputingConfig) -> list[float]:
        cloner = Cloner(agent(), play, CloningConfig(steps=3, batch=4, computing=computing))
        return [cloner.update(0.0)["bc/loss"] for _ in range(2)]

    exact = loss(FLOAT32)
    assert loss(CHECKPOINTED) == exact
    rough = loss(BF16)
    assert rough != exact and rough == pytest.approx(exact, rel=0.01)


@torch.no_grad()
def test_losses_are_exact_where_the_trunk_is_not() -> None:
    """Only the output of the rounded trunk differs: losses of that output are computed in float32."""
    made = agent()
    observations, actions = made_up_play.batch(made.config, 3, 4)
    resets = torch.zeros(3, 4, dtype=torch.bool)
    window = RecordedWindow(observations, actions, resets)
    terms, state = imitation_terms(made, window, made.initial_state(4), BF16)
    assert {term.dtype for term in terms.values()} == {part.dtype for part in state} == {torch.float32}
    with autocast(BF16, torch.device("cpu")):
        output, _ = made(observations, made.initial_state(4), resets)
    log_probs = made.log_probs(output, actions)
    assert terms["movement"] == -log_probs.movement.mean() and terms["language"] == -log_probs.language.mean()


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, ("g++", "clang++"))), reason="no C++ compiler")
def test_a_compiled_agent_learns_the_same_under_the_same_names() -> None:
    plain, (expected,) = learned(FLOAT32, 1, ONE_LAYER)
    computing = ComputingConfig(compile=True, checkpoint_activations=True)
    made, (found,) = learned(computing, 1, ONE_LAYER)
    assert made.trunk.vision._compiled_call_impl is not None
    assert found["loss"] == pytest.approx(expected["loss"], rel=1e-5)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)  # importance weights are exponentials
    torch.testing.assert_close(gradients(made), gradients(plain), rtol=1e-4, atol=1e-5)
    assert list(made.state_dict()) == list(plain.state_dict())
    copied = copy.deepcopy(made)  # as runners do
    assert list(copied.state_dict()) == list(plain.state_dict())


@pytest.mark.parametrize("computing", [*WAYS, ComputingConfig(compile=True)])
def test_weights_keep_their_names(computing: ComputingConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.computing.shutil.which", lambda name: f"/usr/bin/{name}")
    plain, prepared = agent(), agent()
    prepare(prepared, computing)
    assert list(prepared.state_dict()) == list(plain.state_dict())
    assert [name for name, _ in prepared.named_parameters()] == [name for name, _ in plain.named_parameters()]


def test_without_a_compiler_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.computing.shutil.which", lambda name: None)
    with pytest.raises(UserError, match=r"computing\.compile needs a C\+\+ compiler"):
        prepare(agent(), replace(FLOAT32, compile=True))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu", "no device is called 'gpu'; use cpu"),
        ("", "no device is called ''"),
        ("cuda:x", "no device is called 'cuda:x'"),
        ("meta", "not computed on 'meta'"),
        ("cuda:99", "no device cuda:99 here"),
    ],
)
def test_an_unknown_device_is_one_line(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        usable_device(name)
    assert "\n" not in str(caught.value)


def test_settings_import_nothing_heavy() -> None:
    heavy = ("torch", "numpy", "transformers")
    code = f"import sys, rlhf.learning.config; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
