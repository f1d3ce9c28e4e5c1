"""Small play with an obvious outcome: a lamp is asked for and lit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from reward_models.contract import RewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig
from reward_models.marks.marked_play import MarkedPlay, mark_play
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.records.preferences import Preference
from tests.unit.agents import made_up_play

COLOURS = {"red": (200, 40, 40), "green": (40, 200, 40), "blue": (40, 40, 200)}
REQUESTS = {colour: f"light the {colour} lamp" for colour in COLOURS}


def play(
    episode_id: str,
    setter_text: list[str],
    image: np.ndarray | None = None,
    utterance: list[str] | None = None,
    solver: str = "scripted",
) -> Episode:
    """Episode without movement, of black pictures if there are no others."""
    made = made_up_play.episode(episode_id, setter_text, utterance)
    return replace(
        made, image=np.zeros_like(made.image) if image is None else image, movement=made.setter_movement, solver=solver
    )


def lamp_episode(number: int) -> tuple[Episode, list[Mark]]:
    """Episode in which a lamp is asked for and half way one is lit, marked (+) if it is the right one, else (-)."""
    rng = np.random.default_rng(number)
    asked, other = rng.permutation(list(COLOURS))[:2]
    lit = asked if rng.random() < 0.5 else other
    steps = int(rng.integers(14, 22))
    moment = int(rng.integers(4, steps - 4))
    image = rng.integers(0, 40, (steps, 8, 8, 3)).astype(np.uint8)
    image[moment:, 2:6, 2:6] = COLOURS[lit]
    name = f"lamp-{number}"
    late = min(moment + int(rng.integers(0, 2)), steps - 1)
    mark = Mark(name, "ann", late, 1 if lit == asked else -1, scripted=True)
    return play(name, ["", *[REQUESTS[asked]] * (steps - 1)], image), [mark]


def lamp_dataset(numbers: range) -> tuple[list[Episode], list[Mark]]:
    pairs = [lamp_episode(number) for number in numbers]
    return [episode for episode, _ in pairs], [mark for _, marks in pairs for mark in marks]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Networks this small are slower on many threads, and much slower where other tests run beside them."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def make_play() -> Callable[..., Episode]:
    return play


@pytest.fixture(scope="session")
def lamp_play(tokenizer: Tokenizer, tiny: AgentConfig) -> Callable[[range], MarkedPlay]:
    """Marked play of the lamps of these numbers."""

    def make(numbers: range) -> MarkedPlay:
        episodes, marks = lamp_dataset(numbers)
        return mark_play(episodes, marks, tokenizer, tiny)

    return make


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    words = [*REQUESTS.values(), "yes", "no", "red", "green", "blue", "is it on", "which is it"]
    return Tokenizer.train(words, vocab_size=320)


@pytest.fixture(scope="session")
def tiny(tokenizer: Tokenizer) -> AgentConfig:
    """The smallest agent that can still see and read."""
    return AgentConfig.preset(
        "nano", image_size=(8, 8), vocab_size=tokenizer.vocab_size, setter_text_length=6, solver_text_length=3,
        utterance_length=4, vision_channels=(16,), vision_strides=(4,), vision_blocks=(1,), width=32, layers=1, heads=2,
        memory_width=32, tick_width=16, value_width=16, feels_movement=True,
    )  # fmt: skip


@pytest.fixture
def agent(tiny: AgentConfig) -> InteractiveAgent:
    torch.manual_seed(0)
    return InteractiveAgent(tiny)


@pytest.fixture
def model(agent: InteractiveAgent) -> InterTemporalRewardModel:
    return InterTemporalRewardModel.from_agent(agent)


@pytest.fixture(scope="session")
def many(lamp_play) -> MarkedPlay:
    """Marked play to learn from."""
    return lamp_play(range(150))


@pytest.fixture(scope="session")
def held_out(lamp_play) -> MarkedPlay:
    return lamp_play(range(1000, 1040))


@pytest.fixture
def trainer(agent: InteractiveAgent, many: MarkedPlay, held_out: MarkedPlay) -> Callable[..., RewardTrainer]:
    """Trainers of a new model of a kind."""

    def make(
        config: RewardTrainingConfig,
        kind: type[RewardModel] = InterTemporalRewardModel,
        play: MarkedPlay = many,
        validation: MarkedPlay = held_out,
        judged: Sequence[Preference] = (),
    ) -> RewardTrainer:
        return RewardTrainer(kind.from_agent(agent), play, validation, config, judged)

    return make
