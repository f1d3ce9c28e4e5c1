"""Parts of the trunk against plain loops, and what it must not look at."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.networks.trunk import TransformerLayer, masked_mean, match_scores
from agents.tokenizer import PAD_ID
from tests.unit.agents import example_spaces, made_up_play
from worlds.contract import neutral_movement
from worlds.spaces.action import ActionSpec, Discrete
from worlds.spaces.description import to_json
from worlds.spaces.observation import Grid, ObservationSpec, PlayerSpec


@pytest.fixture
def agent() -> InteractiveAgent:
    return made_up_play.tiny(feels_movement=True)


@pytest.mark.parametrize("masked", ["nothing", "padding", "the future"])
def test_transformer_layer_against_pytorchs(masked: str) -> None:
    torch.manual_seed(0)
    ours = TransformerLayer(8, 2)
    theirs = torch.nn.TransformerEncoderLayer(
        8, 2, 16, dropout=0.0, activation="relu", batch_first=True, norm_first=True
    )
    parts = {
        "norm_attention.": "norm1.", "qkv.": "self_attn.in_proj_", "out.": "self_attn.out_proj.",
        "norm_mlp.": "norm2.", "mlp.0.": "linear1.", "mlp.2.": "linear2.",
    }  # fmt: skip
    weights = {}
    for name, value in ours.state_dict().items():
        part = next(part for part in parts if name.startswith(part))
        weights[parts[part] + name.removeprefix(part)] = value.copy_(torch.randn_like(value))
    theirs.load_state_dict(weights)
    x, visible = torch.randn(4, 6, 8), (torch.rand(4, 6) < 0.6) | (torch.arange(6) == 0)
    if masked == "nothing":
        found, expected = ours(x), theirs(x)
    elif masked == "padding":
        found, expected = ours(x, visible[:, None, None, :]), theirs(x, src_key_padding_mask=~visible)
        torch.testing.assert_close(ours(x, visible[:, None, None, :], queries=3), found[:, :3])
    else:
        found, expected = ours(x, causal=True), theirs(x, torch.ones(6, 6).triu(1).bool(), is_causal=True)
    torch.testing.assert_close(found, expected)


def test_masked_mean_and_match_scores_against_loops() -> None:
    x, keep = torch.randn(3, 4, 2), torch.tensor([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]]).bool()
    mean = masked_mean(x, keep)
    torch.testing.assert_close(mean[0], (x[0, 0] + x[0, 2]) / 2)
    torch.testing.assert_close(mean[2], x[2].mean(0))
    assert mean[1].tolist() == [0.0, 0.0]
    named = torch.randn(3, 2)
    scores = match_scores(x, named)
    assert scores[1, 3].item() == pytest.approx(float((x[1, 3] * named[1]).sum()) / 2**0.5, rel=1e-5)


@torch.no_grad()
def test_padding_has_no_effect_and_before_is_the_last_tick_of_the_step_before(agent: InteractiveAgent) -> None:
    observations, _ = example_spaces.batch(agent.config, 2, 3)
    short = observations.setter_tokens.clone()
    short[..., 4:] = PAD_ID
    resets = torch.ones(2, 3, dtype=torch.bool)
    long, _ = agent(observations._replace(setter_tokens=short), agent.initial_state(3), resets)
    cut, _ = agent(observations._replace(setter_tokens=short[..., :4]), agent.initial_state(3), resets)
    torch.testing.assert_close(long.features, cut.features)
    assert long.before.equal(observations.previous_movement[:, :, 7])


@torch.no_grad()
@pytest.mark.parametrize("field", ["image", "setter_tokens", "solver_tokens", "previous_movement"])
def test_everything_perceived_matters_at_its_step_and_after(agent: InteractiveAgent, field: str) -> None:
    observations, _ = example_spaces.batch(agent.config, 3, 1, seed=0)
    other, _ = example_spaces.batch(agent.config, 3, 1, seed=1)
    changed = getattr(observations, field).clone()
    changed[1] = getattr(other, field)[1]
    assert not changed.equal(getattr(observations, field))
    resets = torch.zeros(3, 1, dtype=torch.bool)
    usual, _ = agent(observations, agent.initial_state(1), resets)
    moved, _ = agent(observations._replace(**{field: changed}), agent.initial_state(1), resets)
    differs = (usual.features - moved.features).abs().amax((1, 2)) > 1e-6
    assert differs.tolist() == [False, True, True]


@torch.no_grad()
def test_other_texts_change_what_is_looked_for_and_none_is_taken_for_another() -> None:
    sees = PlayerSpec(ObservationSpec(grid=Grid(7, 7, (11, 6))), ActionSpec((Discrete("move", ("left", "right"), 0),)))
    two = replace(sees, observation=replace(sees.observation, texts=("said", "written")))
    agent = InteractiveAgent(AgentConfig(vocab_size=made_up_play.VOCABULARY, spaces=to_json(two))).eval()
    observations, _ = example_spaces.batch(agent.config, 1, 2)
    assert observations.texts is not None
    resets, state = torch.ones(1, 2, dtype=torch.bool), agent.initial_state(2)
    usual = agent(observations, state, resets)[0]
    swapped = agent(observations._replace(texts=observations.texts.flip(2)), state, resets)[0]
    silent = agent(observations._replace(texts=torch.full_like(observations.texts, PAD_ID)), state, resets)[0]
    for other in (swapped, silent):
        assert not torch.allclose(usual.language, other.language, atol=1e-4), "the words that are looked for"
    torch.testing.assert_close(usual.vision, silent.vision)


@torch.no_grad()
def test_an_agent_without_movement_input_does_not_depend_on_its_movement() -> None:
    numb = made_up_play.tiny()
    observations, actions = example_spaces.batch(numb.config, 3, 2)
    others = observations._replace(previous_movement=torch.zeros_like(observations.previous_movement))
    resets = torch.zeros(3, 2, dtype=torch.bool)
    found = [numb(seen, numb.initial_state(2), resets)[0] for seen in (observations, others)]
    assert found[0].features.equal(found[1].features)
    assert (found[0].before == torch.from_numpy(neutral_movement()[-1])).all()
    movement = [numb.log_probs(output, actions).movement for output in found]
    assert movement[0].equal(movement[1])
