"""What every reward model must keep: rewards of play as it goes on are exactly those of the whole episodes.

To the tolerance of float32 sums: the same numbers are multiplied in batches of other shapes, where a library may add
them up in another order. A lost memory, a missed reset or an off-by-one is thousands of times larger.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.batch import EncodedEpisodes, ObservationBatch, encode_episodes
from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.scoring import StreamingScorer, rewards, score
from rlhf.episodes import Episode
from rlhf.errors import UserError
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP

KINDS = [InterTemporalRewardModel]
TOLERANCE = 1e-5
WORDS = ["lift the red ball", "go to the bed", "how many chairs are there", "yes", "two"]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(WORDS, vocab_size=300)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> InterTemporalRewardModel:
    """A model with random weights, large enough that what it remembers matters."""
    torch.manual_seed(0)
    config = AgentConfig.preset("nano", image_size=(12, 16), vocab_size=tokenizer.vocab_size, vision_strides=(4, 2))
    made = request.param.from_agent(InteractiveAgent(config)).eval()
    with torch.no_grad():
        for parameter in made.utility.parameters():
            parameter.mul_(3.0)
    return made


def wild_episode(number: int) -> Episode:
    """Play in which everything changes all the time."""
    rng = np.random.default_rng(number)
    steps = int(rng.integers(3, 30))
    movement = rng.integers(0, MOVEMENT_BINS, (steps, TICKS_PER_STEP, len(MOVEMENT_BINS))).astype(np.int8)
    words = [str(w) if rng.random() < 0.3 else "" for w in rng.choice(WORDS, steps)]
    return Episode(
        episode_id=str(number),
        world="none",
        config={},
        setter="scripted",
        solver="scripted",
        image=rng.integers(0, 256, (steps, 12, 16, 3)).astype(np.uint8),
        setter_text=tuple(rng.choice(["", *WORDS], steps).tolist()),
        solver_text=tuple(rng.choice(["", *WORDS], steps).tolist()),
        movement=movement,
        utterance=tuple(words),
        setter_movement=movement,
        setter_utterance=("",) * steps,
        controller=np.zeros(steps, dtype=np.uint8),
    )


@pytest.fixture
def play(model: InterTemporalRewardModel, tokenizer: Tokenizer) -> EncodedEpisodes:
    return encode_episodes([wild_episode(n) for n in range(11)], tokenizer, model.config)


def steps_of(
    play: EncodedEpisodes, slots: int
) -> Iterator[tuple[ObservationBatch, torch.Tensor, list[tuple[int, int]]]]:
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


@pytest.mark.parametrize("slots", [1, 4])
def test_streaming_rewards_are_those_of_whole_episodes(
    model: InterTemporalRewardModel, play: EncodedEpisodes, slots: int
) -> None:
    model.config.reward_scale = 1.7
    expected = [rewards(u, scale=1.7) for u in score(model, play)]
    scorer, seen = StreamingScorer(model, slots), 0
    for observations, resets, at in steps_of(play, slots):
        found = scorer.rewards(observations, resets)
        assert found.dtype == np.float32 and found.shape == (1, slots)
        wanted = [[expected[episode][t] for episode, t in at]]
        np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)
        assert not found[resets.numpy()].any()
        seen += slots
    assert seen > play.lengths.sum() / 2
    assert np.concatenate(expected).std() > 0.01  # or the comparison would show nothing


def test_fragments_of_any_length_are_rewarded_as_single_steps(
    model: InterTemporalRewardModel, play: EncodedEpisodes
) -> None:
    steps = [(observations, resets) for observations, resets, _ in steps_of(play, 3)]
    one_by_one = StreamingScorer(model, 3)
    wanted = np.concatenate([one_by_one.rewards(*step) for step in steps])
    together, found, begin = StreamingScorer(model, 3), [], 0
    for length in (1, 3, 2, len(steps)):
        part = steps[begin : begin + length]
        observations = ObservationBatch(*(torch.cat(fields) for fields in zip(*(o for o, _ in part), strict=True)))
        found.append(together.rewards(observations, torch.cat([resets for _, resets in part])))
        begin += length
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=TOLERANCE, atol=TOLERANCE)
    assert np.concatenate([resets for _, resets in steps])[1:].any()  # episodes begin inside fragments


def test_the_first_observation_of_a_slot_is_worth_nothing(
    model: InterTemporalRewardModel, play: EncodedEpisodes
) -> None:
    observations, _ = play.gather(np.array([[3, 4]]))
    assert StreamingScorer(model, 2).rewards(observations, np.zeros((1, 2), dtype=bool)).tolist() == [[0.0, 0.0]]


def test_a_scorer_refuses_other_shapes(model: InterTemporalRewardModel, play: EncodedEpisodes) -> None:
    observations, _ = play.gather(np.array([[3, 4]]))
    with pytest.raises(ValueError, match=r"not \[T, 3\]"):
        StreamingScorer(model, 3).rewards(observations, torch.zeros(1, 2, dtype=torch.bool))


def test_episodes_end_to_end_are_scored_as_if_alone(model: InterTemporalRewardModel, play: EncodedEpisodes) -> None:
    """A reset inside the sequence forgets everything before it."""
    alone = score(model, play, batch=1)
    rows = np.arange(play.starts[-1])[:, None]
    observations, _ = play.gather(rows)
    with torch.inference_mode():
        together, _ = model.utilities(observations, model.initial_state(1), torch.from_numpy(play.first[rows]))
    np.testing.assert_allclose(together[:, 0].numpy(), np.concatenate(alone), rtol=TOLERANCE, atol=TOLERANCE)


def test_utility_knows_the_past_and_not_the_future(model: InterTemporalRewardModel, play: EncodedEpisodes) -> None:
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


def test_training_and_scoring_see_the_same_utility(model: InterTemporalRewardModel, play: EncodedEpisodes) -> None:
    rows = np.arange(12).reshape(6, 2)
    observations, actions = play.gather(rows)
    resets = torch.from_numpy(play.first[rows])
    with torch.no_grad():
        output, state = model(observations, model.initial_state(2), resets)
        utility, same = model.utilities(observations, model.initial_state(2), resets)
        assert torch.equal(output.utility, utility) and torch.equal(state.hidden, same.hidden)
        assert model.log_probs(output, actions).movement.shape == (6, 2)  # its policy can still be cloned


def test_it_is_still_an_agent(model: InterTemporalRewardModel, play: EncodedEpisodes) -> None:
    observations, _ = play.gather(np.array([[0, 5]]))
    actions, *_ = model.act(observations, model.initial_state(2), torch.ones(1, 2, dtype=torch.bool))
    assert actions.movement.shape == (1, 2, TICKS_PER_STEP, len(MOVEMENT_BINS))


def test_a_saved_model_gives_the_same_rewards(
    model: InterTemporalRewardModel, play: EncodedEpisodes, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    model.config.reward_scale = 0.25
    save_agent(model, tokenizer, tmp_path)
    loaded, _ = load_agent(tmp_path, type(model))
    assert loaded.config.reward_scale == 0.25
    for one, two in zip(score(model, play), score(loaded, play), strict=True):
        np.testing.assert_array_equal(one, two)


def test_transformers_reads_a_saved_model(
    model: InterTemporalRewardModel, play: EncodedEpisodes, tmp_path: Path
) -> None:
    model.config.reward_scale = 0.25
    model.save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(tmp_path)
    assert loaded.config.reward_scale == 0.25
    for one, two in zip(score(model, play), score(loaded, play), strict=True):
        np.testing.assert_array_equal(one, two)


def test_an_agents_folder_is_no_reward_model(
    model: InterTemporalRewardModel, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    save_agent(InteractiveAgent(AgentConfig.preset("nano", vocab_size=tokenizer.vocab_size)), tokenizer, tmp_path)
    with pytest.raises(UserError, match="utility"):
        load_agent(tmp_path, type(model))
