"""An agent learns the same, and its weights keep their names, in every way of computation."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from agents.agent import InteractiveAgent
from agents.batch import map_parts
from agents.computing import autocast, prepare, usable_device
from agents.computing_config import ComputingConfig
from agents.networks.vision import ResidualBlock
from agents.tokenizer import PAD_ID
from rlhf.learning.cloner import Cloner, CloningConfig, imitation_terms
from rlhf.learning.learner import Learner, LearnerConfig, RecordedWindow
from tests.unit.agents import made_up_play
from tests.unit.agents.example_spaces import batch as made_up_batch
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
    assert list(thrifty.state_dict()) == list(plain.state_dict())  # under the same names
    own, other = gradients(plain), gradients(thrifty)
    assert own.keys() == other.keys() and all(own[name].equal(other[name]) for name in own)
    assert all(torch.equal(value, thrifty.state_dict()[name]) for name, value in plain.state_dict().items())


def test_checkpointed_layers_are_computed_a_second_time_instead_of_kept() -> None:
    """Counted by the shapes that are kept for the gradient, and by calls; nothing is computed twice without one."""
    made, rows = agent(), 6
    observations, _ = made_up_batch(made.config, 2, 3)
    tokens = made.config.dedicated_tokens + made.trunk.vision.tokens + 1 + made.config.setter_text_length
    inside = {(rows, tokens, 2 * made.config.width), (rows * tokens, 2 * made.config.width)}  # of the Transformer's MLP
    calls: list[int] = []
    made.trunk.layers[0].register_forward_pre_hook(lambda *_: calls.append(1))
    for module in made.trunk.vision.modules():
        if isinstance(module, ResidualBlock):
            module.first.register_forward_hook(lambda *_: calls.append(1))

    def computed() -> tuple[set[torch.Size], int]:
        """Shapes that a forward pass keeps, and calls of it and its gradient."""
        shapes: set[torch.Size] = set()
        calls.clear()

        def pack(tensor: Tensor) -> Tensor:
            shapes.add(tensor.shape)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            output, _ = made(observations, made.initial_state(3), torch.zeros(2, 3, dtype=torch.bool))
        output.features.sum().backward()
        return shapes, len(calls)

    shapes, count = computed()
    assert shapes & inside and count == 4
    prepare(made, CHECKPOINTED)
    shapes, count = computed()
    assert not shapes & inside and (rows, tokens, made.config.width) in shapes and count == 2 * 4
    calls.clear()
    made.act(map_parts(lambda part: part[:1], observations), made.initial_state(3), torch.ones(1, 3, dtype=torch.bool))
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("computing", "sizes"),
    [(BF16, SIZES), (WAYS[-1], SIZES), (BF16, SIZES | {"glimpse": True})],
    ids=["bf16", "bf16, checkpointed", "bf16, a glimpse"],
)
def test_bfloat16_is_close(computing: ComputingConfig, sizes: dict[str, Any]) -> None:
    _, expected = learned(FLOAT32, 1, sizes)
    made, found = learned(computing, 1, sizes)
    assert found[0]["loss"] != expected[0]["loss"]
    assert found[0]["loss"] == pytest.approx(expected[0]["loss"], rel=0.01)
    for name in ("bc/movement", "bc/language", "bc/css", "rl/value"):
        assert found[0][name] == pytest.approx(expected[0][name], rel=0.05), name
    assert {p.dtype for p in made.parameters()} == {g.dtype for g in gradients(made).values()} == {torch.float32}


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
def test_heads_and_losses_are_exact_where_the_trunk_is_not() -> None:
    """Only the output of the trunk is rounded: values, policies and losses of that output are float32."""
    made = agent()
    observations, actions = made_up_batch(made.config, 3, 4)
    resets, state = torch.zeros(3, 4, dtype=torch.bool), made.initial_state(4)
    exact, _ = made(observations, state, resets)
    with autocast(BF16, torch.device("cpu")):
        output, _ = made(observations, state, resets)
    assert not torch.equal(output.features.float(), exact.features)
    log_probs, features, close = made.log_probs(output, actions), output.features.float(), dict(atol=1e-5, rtol=0.0)
    assert {t.dtype for t in (output.value, output.speak_logit, *log_probs)} == {torch.float32}
    torch.testing.assert_close(output.value, made.value(features)[..., 0], **close)
    logit = features @ made.language.speak.weight[0] + made.language.speak.bias
    torch.testing.assert_close(output.speak_logit, logit, **close)
    spoke, words = actions.utterance[..., 0] != PAD_ID, torch.zeros(3, 4)
    words[spoke] = made.language.words_log_prob(features[spoke], actions.utterance[spoke])
    torch.testing.assert_close(log_probs.words, words, **close)
    chosen = made.movement.distributions(features, output.before, actions.movement)
    moved = chosen.gather(-1, actions.movement.long()[..., None])[..., 0].sum((-1, -2))
    torch.testing.assert_close(log_probs.movement, moved, **close)
    terms, memory = imitation_terms(made, RecordedWindow(observations, actions, resets), state, BF16)
    assert {term.dtype for term in terms.values()} == {part.dtype for part in memory} == {torch.float32}
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


def test_without_a_compiler_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.computing.shutil.which", lambda name: None)
    with pytest.raises(UserError, match=r"computing\.compile needs a C\+\+ compiler"):
        prepare(agent(), replace(FLOAT32, compile=True))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu", "no device is called 'gpu'; use cpu"),
        ("", "no device is called ''"),
        ("meta", "not computed on 'meta'"),
        ("cuda:99", "no device cuda:99 here"),
    ],
)
def test_an_unknown_device_is_one_line(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        usable_device(name)
    assert "\n" not in str(caught.value)
