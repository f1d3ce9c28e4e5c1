"""FiLM, attention and reading against computations by hand, and an agent that learns what words mean on a map."""

from __future__ import annotations

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.batch import ActionBatch, ObservationBatch
from agents.config import AgentConfig
from experiments.social_ai.film.blocks import FilmBlock, SymbolMap, film, row_normalised
from experiments.social_ai.film.reading import Reader, attended
from tests.unit.agents import example_spaces, made_up_play
from worlds.spaces.action import ActionSpec, Discrete, Grammar
from worlds.spaces.description import to_json
from worlds.spaces.observation import Grid, ObservationSpec, PlayerSpec

# As the paper's: six channels of symbols, primitive actions, and 4 x 16 sentences.
SCHOOL = PlayerSpec(
    ObservationSpec(grid=Grid(7, 7, (255,) * 6)),
    ActionSpec(
        (Discrete("move", ("left", "right", "forward", "toggle", "done", "stay"), 5),),
        speech=Grammar((tuple(map(str, range(4))), tuple(map(str, range(16))))),
    ),
)


def test_film_scales_and_shifts_every_channel() -> None:
    torch.manual_seed(0)
    x, scale, shift = torch.randn(2, 3, 4, 5), torch.randn(2, 3), torch.randn(2, 3)
    expected = np.empty(x.shape, np.float32)
    for n in range(2):
        for channel in range(3):
            expected[n, channel] = x[n, channel].numpy() * scale[n, channel].item() + shift[n, channel].item()
    np.testing.assert_allclose(film(x, scale, shift).numpy(), expected, rtol=1e-6)


def grouped(x: np.ndarray, groups: int) -> np.ndarray:
    """Group normalisation of [C, H, W] without weights."""
    parts = x.reshape(groups, -1)
    normal = (parts - parts.mean(1, keepdims=True)) / np.sqrt(parts.var(1, keepdims=True) + 1e-5)
    return normal.reshape(x.shape)


def convolved(x: np.ndarray, layer: torch.nn.Conv2d) -> np.ndarray:
    """A 3x3 convolution of [C, H, W] with a border of zeros, place by place."""
    weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()  # type: ignore[union-attr]
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    out = np.empty((len(weight), *x.shape[1:]))
    for row in range(x.shape[1]):
        for column in range(x.shape[2]):
            out[:, row, column] = (weight * padded[None, :, row : row + 3, column : column + 3]).sum((1, 2, 3)) + bias
    return out


def test_a_block_is_convolutions_film_and_a_skip() -> None:
    torch.manual_seed(0)
    block, x, words = FilmBlock(6, 8), torch.randn(2, 8, 3, 4), torch.randn(2, 6)
    with torch.no_grad():
        found = block(x, words).numpy()
        scale, shift = block.scale(words).numpy(), block.shift(words).numpy()
    for n in range(2):
        inner = np.maximum(grouped(convolved(x[n].numpy(), block.first), 8), 0)
        inner = convolved(inner, block.second) * scale[n, :, None, None] + shift[n, :, None, None]
        np.testing.assert_allclose(found[n], x[n].numpy() + np.maximum(grouped(inner, 8), 0), atol=2e-4)


def test_a_cell_is_the_sum_of_its_symbols_and_no_two_channels_share_one() -> None:
    torch.manual_seed(0)
    symbols = SymbolMap(Grid(2, 3, (4, 2, 5)), 6)
    grid = torch.from_numpy(np.random.default_rng(0).integers(0, (4, 2, 5), (2, 2, 3, 3)).astype(np.int16))
    table = symbols.symbols.weight.detach()
    assert table.shape == (11, 6)
    found = symbols(grid)
    for n, row, column in np.ndindex(2, 2, 3):
        a, b, c = grid[n, row, column].tolist()
        torch.testing.assert_close(found[n, :, row, column], table[a] + table[4 + b] + table[6 + c])


def test_rows_of_weights_have_length_one() -> None:
    layer = row_normalised(torch.nn.Linear(7, 5))
    np.testing.assert_allclose(np.linalg.norm(layer.weight.detach().numpy(), axis=1), 1, rtol=1e-6)
    assert not layer.bias.any()
    agent = made_up_play.agent("film_agent/small", spaces=to_json(SCHOOL))
    for name, weight in agent.trunk.named_parameters():
        if name.endswith(("scale.weight", "shift.weight", "query.weight", "memory.input.weight")):
            np.testing.assert_allclose(weight.detach().norm(dim=1).numpy(), 1, rtol=1e-5, err_msg=name)


def test_attention_is_a_softmax_over_the_words_that_are_there() -> None:
    torch.manual_seed(0)
    query, words = torch.randn(4, 3), torch.randn(4, 5, 3)
    there = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]).bool()
    found = attended(query, words, there).numpy()
    for n in range(4):
        kept = words[n][there[n]].numpy().astype(np.float64)
        if len(kept):
            power = np.exp(kept @ query[n].numpy())
            np.testing.assert_allclose(found[n], (power / power.sum()) @ kept, rtol=1e-5)
        else:
            assert not found[n].any()
    words.requires_grad_()
    attended(query, words, there).sum().backward()
    assert words.grad is not None and torch.isfinite(words.grad).all() and not words.grad[~there].any()


def test_texts_are_read_as_if_each_was_alone() -> None:
    torch.manual_seed(0)
    reader = Reader(20, 8, 4)
    tokens = torch.tensor([[5, 0, 0, 3, 4, 0], [0, 0, 0, 0, 0, 0], [7, 9, 0, 0, 0, 0], [5, 3, 0, 4, 0, 0]])
    states, there = reader.read(tokens)
    assert there.sum(1).tolist() == [3, 0, 2, 3]
    assert states[0].equal(states[3])  # the same words
    for row in range(4):
        words = tokens[row][tokens[row] != 0]
        if len(words):
            alone, _ = reader.gru(reader.words(words).unsqueeze(0))
            torch.testing.assert_close(states[row, : len(words)], alone[0])


def named_side(config: AgentConfig, rng: np.random.Generator) -> tuple[ObservationBatch, ActionBatch]:
    """64 maps with two different symbols, one left and one right, and a word for one of them: turn to that side."""
    observations, actions = example_spaces.batch(config, 1, 64, seed=int(rng.integers(1 << 30)))
    grid = np.zeros((1, 64, 7, 7, 2), np.int16)
    words = np.zeros(observations.setter_tokens.shape, np.int64)
    done = np.zeros(actions.movement.shape, np.int8)
    for column in range(64):
        left, right = rng.permutation(3)[:2] + 1
        grid[0, column, rng.integers(2, 5), 0, 0] = left
        grid[0, column, rng.integers(2, 5), 6, 0] = right
        side = int(rng.integers(2))
        words[0, column, : int(rng.integers(1, 4))] = 9  # a polite word or more
        words[0, column, 3] = 10 + (left, right)[side]
        done[0, column] = side
    observations = observations._replace(grid=torch.from_numpy(grid), setter_tokens=torch.from_numpy(words))
    return observations, ActionBatch(torch.from_numpy(done), torch.zeros_like(actions.utterance))


def test_it_learns_which_thing_a_word_names() -> None:
    """Neither the map nor the word alone says which side is right."""
    spec = PlayerSpec(ObservationSpec(grid=Grid(7, 7, (4, 2))), ActionSpec((Discrete("go", ("left", "right")),)))
    agent: InteractiveAgent = made_up_play.agent("film_agent/small", spaces=to_json(spec))
    rng, optimizer = np.random.default_rng(0), torch.optim.Adam(agent.parameters(), 1e-3)
    resets = torch.ones(1, 64, dtype=torch.bool)
    right = []
    for _ in range(120):
        observations, actions = named_side(agent.config, rng)
        output, _ = agent(observations, agent.initial_state(64), resets)
        log_probs = agent.log_probs(output, actions).movement
        right.append((log_probs > np.log(0.5)).float().mean().item())
        optimizer.zero_grad()
        (-log_probs.mean()).backward()
        optimizer.step()
    assert np.mean(right[:5]) < 0.7 and np.mean(right[-20:]) > 0.9
