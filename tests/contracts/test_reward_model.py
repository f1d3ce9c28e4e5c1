"""Contract of reward models, for every kind: rewards of play step by step are exactly those of the whole episodes.

To the tolerance of float32 sums: the same numbers are multiplied in batches of other shapes, where a library may add
them up in another order. A lost memory, a missed reset or an off-by-one is thousands of times larger.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents.registry
from agents.agent import InteractiveAgent
from agents.batch import ObservationBatch, map_parts
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from experiments.social_ai.film.reward_model import FilmRewardModel
from reward_models import registry
from reward_models.contract import RewardModel
from reward_models.registry import load_reward_model
from reward_models.scores.scoring import EpisodeDraws, StreamingScorer, mark_probabilities, rewards, score
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.records.episode import Episode
from rlhf.store.synthetic import synthetic_episode
from tests.unit.agents import own_agent
from tests.unit.reward_models.streamed_rewards import streamed_rewards
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP

TOLERANCE = 1e-5
WORDS = ["lift the red ball", "go to the bed", "how many chairs are there", "yes", "two"]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(WORDS, vocab_size=300)


def begins_from(kind: type[RewardModel], **sizes: Any) -> InteractiveAgent:
    """An agent of the sort that reward models of this kind are made from."""
    sorts = {own_agent.PatchRewardModel: "patch_agent/small", FilmRewardModel: "film_agent/small"}
    return agents.registry.make(sorts.get(kind, "nano"), **sizes)


@pytest.fixture(params=[*registry.names(), "inter_temporal with likelihood"])
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> RewardModel:
    """A model with random weights, large enough that what it remembers matters."""
    torch.manual_seed(0)
    sizes = dict(image_size=(12, 16), vocab_size=tokenizer.vocab_size, vision_strides=(4, 2))
    name, _, likelihood = request.param.partition(" with ")
    kind = registry.get(name)
    made = kind.from_agent(begins_from(kind, **sizes), **({likelihood: True} if likelihood else {})).eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if name.partition(".")[0] in made.head and ".trunk." not in name:  # an ensemble has further trunks
                parameter.mul_(3.0)
    return made


def wild_episode(number: int) -> Episode:
    """Play in which everything changes all the time."""
    rng = np.random.default_rng(number)
    steps = int(rng.integers(3, 30))
    movement = rng.integers(0, MOVEMENT_BINS, (steps, TICKS_PER_STEP, len(MOVEMENT_BINS))).astype(np.int8)
    said = tuple(str(word) if rng.random() < 0.3 else "" for word in rng.choice(WORDS, steps))
    image = rng.integers(0, 256, (steps, 12, 16, 3)).astype(np.uint8)
    heard, answered = (tuple(rng.choice(["", *WORDS], steps).tolist()) for _ in range(2))
    made = synthetic_episode(number, steps, 12, 16)
    return replace(made, image=image, movement=movement, utterance=said, setter_text=heard, solver_text=answered)


@pytest.fixture
def play(model: RewardModel, tokenizer: Tokenizer) -> MemoryDataset:
    return encode_episodes([wild_episode(n) for n in range(11)], tokenizer, model.config)


def steps_of(play: MemoryDataset, slots: int) -> Iterator[tuple[ObservationBatch, torch.Tensor, list[tuple[int, int]]]]:
    """Play the episodes in ``slots`` slots, each then taking the next: observations, resets, (episode, t)."""
    waiting = list(range(len(play)))
    at = [(waiting.pop(0), 0) for _ in range(slots)]
    while True:
        rows = np.array([[play.starts[episode] + t for episode, t in at]])
        observations, _ = play.gather(rows)
        yield observations, torch.tensor([[t == 0 for _, t in at]]), list(at)
        for slot, (episode, t) in enumerate(at):
            if t + 1 < play.lengths[episode]:
                at[slot] = (episode, t + 1)
            elif waiting:
                at[slot] = (waiting.pop(0), 0)
            else:
                return


def test_expected_rewards_are_the_changes_of_utility(model: RewardModel, play: MemoryDataset) -> None:
    model.config.reward_scale, slots = 1.7, 4
    expected = [rewards(u, scale=1.7) for u in score(model, play)]
    scorer, seen = StreamingScorer(model, slots, expected=True), 0
    for observations, resets, at in steps_of(play, slots):
        found = scorer.rewards(observations, resets)
        assert found.dtype == np.float32 and found.shape == (1, slots)
        wanted = [[expected[episode][t] for episode, t in at]]
        np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)
        assert not found[resets.numpy()].any()
        seen += slots
    assert seen > play.lengths.sum() / 2
    assert np.concatenate(expected).std() > 0.01  # or the comparison would show nothing


def test_streaming_rewards_are_those_of_whole_episodes(model: RewardModel, play: MemoryDataset) -> None:
    """Draws depend on the seed, the slot, the number of its episode and the step, on nothing else."""
    model.config.reward_scale, slot = 1.7, 2
    scorer, draws = StreamingScorer(model, 3, seed=5), EpisodeDraws(5, 3)
    played: list[tuple[int, np.ndarray, np.ndarray]] = []
    for observations, resets, at in steps_of(play, 3):
        found, draw = scorer.rewards(observations, resets)[0, slot], draws.next(resets.numpy())[0, slot]
        if at[slot][1] == 0:
            played.append((at[slot][0], np.empty(0), np.empty(0)))
        episode, before, drawn = played[-1]
        played[-1] = (episode, np.append(before, found), np.append(drawn, draw))
    assert len(played) > 2
    for episode, found, draw in played:
        rows = np.arange(play.starts[episode], play.starts[episode] + len(found))[:, None]
        observations, _ = play.gather(rows)
        with torch.inference_mode():
            whole, _ = model.rewards(
                observations,
                model.initial_stream(1),
                torch.from_numpy(play.first[rows]),
                torch.from_numpy(draw[:, None]),
            )
        np.testing.assert_allclose(found, whole[:, 0].numpy(), rtol=TOLERANCE, atol=TOLERANCE)
    assert np.concatenate([found for _, found, _ in played]).any()


def test_fragments_of_any_length_are_rewarded_as_single_steps(model: RewardModel, play: MemoryDataset) -> None:
    steps = [(observations, resets) for observations, resets, _ in steps_of(play, 3)]
    one_by_one = StreamingScorer(model, 3)
    wanted = np.concatenate([one_by_one.rewards(*step) for step in steps])
    together, found, begin = StreamingScorer(model, 3), [], 0
    for length in (1, 3, 2, len(steps)):
        part = steps[begin : begin + length]
        observations = map_parts(lambda *parts: torch.cat(parts), *(o for o, _ in part))
        found.append(together.rewards(observations, torch.cat([resets for _, resets in part])))
        begin += length
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=TOLERANCE, atol=TOLERANCE)
    assert np.concatenate([resets for _, resets in steps])[1:].any()  # episodes begin inside fragments


def test_the_first_observation_of_a_slot_is_worth_nothing(model: RewardModel, play: MemoryDataset) -> None:
    observations, _ = play.gather(np.array([[3, 4]]))
    assert StreamingScorer(model, 2).rewards(observations, np.zeros((1, 2), dtype=bool)).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("slots", [2, 4])
def test_a_scorer_resumes_with_the_draws_of_the_next_episodes(
    model: RewardModel, play: MemoryDataset, slots: int
) -> None:
    """With another number of slots, too, as a run on Ray may have when it is resumed."""
    before, resumed = StreamingScorer(model, 3, seed=5), StreamingScorer(model, slots, seed=6)
    draws, episodes = EpisodeDraws(5, slots), [0, 0, 0, 0]
    for observations, resets, _ in list(steps_of(play, 3))[:20]:
        before.rewards(observations, resets)
        episodes = [begun + bool(now) for begun, now in zip(episodes, [*resets[0].tolist(), False], strict=True)]
    resumed.load_state_dict(before.state_dict())
    for slot, begun in enumerate(episodes[:slots]):
        for _ in range(begun):  # as if each had been of one step
            draws.next(np.eye(1, slots, slot, dtype=bool))
    state = model.initial_stream(slots)
    for observations, resets, _ in list(steps_of(play, slots))[:5]:
        draw = torch.from_numpy(draws.next(resets.numpy()))
        with torch.inference_mode():
            wanted, state = model.rewards(observations, state, resets, draw)
        np.testing.assert_allclose(resumed.rewards(observations, resets), wanted.numpy(), atol=TOLERANCE)


def test_models_that_predict_marks_return_their_probabilities(model: RewardModel, play: MemoryDataset) -> None:
    found = mark_probabilities(model, play)
    assert (found is not None) == type(model).predicts_marks
    if found is None:
        observations, _ = play.gather(np.array([[0]]))
        with pytest.raises(NotImplementedError, match=model.short):
            model.mark_probabilities(observations, model.initial_state(1), torch.ones(1, 1, dtype=torch.bool))
    else:
        assert [each.shape for each in found] == [(length, 2) for length in play.lengths]
        assert all(((each >= 0) & (each <= 1)).all() for each in found)


def test_utility_knows_the_past_and_not_the_future(model: RewardModel, play: MemoryDataset) -> None:
    episode = int(play.lengths.argmax())
    rows = np.arange(play.starts[episode], play.starts[episode + 1])[:, None]
    resets = torch.zeros(rows.shape, dtype=torch.bool)

    def utility(image: torch.Tensor) -> np.ndarray:
        observations = play.gather(rows)[0]._replace(image=image)
        with torch.inference_mode():
            return model.utilities(observations, model.initial_state(1), resets)[0][:, 0].numpy()

    image = play.gather(rows)[0].image
    middle = len(rows) // 2
    other = image.clone()
    other[middle] = 255 - other[middle]
    change = np.abs(utility(other) - utility(image))
    np.testing.assert_allclose(change[:middle], 0.0, atol=1e-6)
    assert change[middle] > 1e-3 and (change[middle + 1 :] > 0).all()


def test_a_saved_model_is_loaded_with_its_class_also_by_transformers(
    model: RewardModel, play: MemoryDataset, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    model.config.reward_scale = 0.25
    save_agent(model, tokenizer, tmp_path)
    loaded, words = load_reward_model(tmp_path)
    assert words.cuts_like(tokenizer) and not loaded.training
    for other in (loaded, type(model).from_pretrained(tmp_path)):
        assert type(other) is type(model) and other.config.reward_scale == 0.25
        for one, two in zip(score(model, play), score(other, play), strict=True):
            np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(streamed_rewards(model, play), streamed_rewards(loaded, play))


def test_it_begins_as_the_agent_and_shares_nothing_with_it(model: RewardModel) -> None:
    agent = begins_from(type(model), feels_movement=True)
    before = {name: value.clone() for name, value in agent.state_dict().items()}
    chance = torch.random.get_rng_state()
    made = type(model).from_agent(agent, seed=3)
    assert torch.random.get_rng_state().equal(chance), "the head is drawn from its own seed"
    again, other = (type(model).from_agent(agent, seed=seed).state_dict() for seed in (3, 4))
    own = made.state_dict()
    assert {name.partition(".")[0] for name in set(own) - set(before)} == set(made.head)
    assert set(before) - set(own) == {name for name in before if name.startswith("trunk.movement.")}
    assert all(torch.equal(own[name], value) for name, value in before.items() if name in own)
    assert all(torch.equal(own[name], value) for name, value in again.items())
    assert any(not torch.equal(own[name], value) for name, value in other.items())
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(1.0)
    assert all(torch.equal(value, before[name]) for name, value in agent.state_dict().items())


def test_rewards_do_not_depend_on_the_controls(model: RewardModel, play: MemoryDataset) -> None:
    still = play.seeing(previous_movement=np.zeros_like(play.observations.previous_movement))
    assert play.observations.previous_movement.any()
    np.testing.assert_array_equal(streamed_rewards(model, play), streamed_rewards(model, still))


def test_every_kind_can_be_named() -> None:
    assert {"inter_temporal", "autoregressive"} <= set(registry.names())
    for name in registry.names():
        assert registry.get(name).config_class.model_type == f"{name}_reward_model"
