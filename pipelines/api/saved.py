"""Datasets, agents and reward models that were saved: opened, and used to score play."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import agents.folder
import reward_models.registry
from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from reward_models.contract import RewardModel
from reward_models.loaded import LoadedRewardModel, Scores, load_with_tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.store import ParquetStore, open_store
from worlds.contract import SOLVER

AnyPath = str | PathLike[str]

_SCORED_AT_ONCE = 64  # episodes that are in memory together


def open_dataset(data: AnyPath, create: bool = False) -> ParquetStore:
    """Open a dataset of recorded play.

    Args:
      data: folder of the dataset.
      create: create an empty dataset if the folder is empty or missing.

    Returns:
      The dataset: ``ids()``, ``rows()``, ``read(episode_id)``, ``stream(ids)`` and ``marks()`` read it,
      ``write(episode)`` and ``write_marks(marks)`` add to it.

    Raises:
      UserError: if there is no dataset, or it cannot be read.

    Examples:
      >>> dataset = rl.open_dataset("data/play")
      >>> episode = dataset.read(dataset.ids()[0])
      >>> episode.image.shape
      (1125, 72, 96, 3)
    """
    return open_store(Path(data), create=create)


def load_agent(agent: AnyPath, device: str = "cpu", role: str = SOLVER) -> tuple[InteractiveAgent, Tokenizer]:
    """Read an agent from its folder.

    Args:
      agent: the folder, as :func:`clone` and :func:`improve` return it.
      device: device of its weights: "cpu", "cuda" or "cuda:1".
      role: in which it plays: "solver" or "setter".

    Returns:
      The agent, a PyTorch module in evaluation mode, and its tokenizer.

    Raises:
      UserError: if the folder holds no agent, one of another role or a damaged one, or there is no such device.

    Examples:
      >>> agent, tokenizer = rl.load_agent("runs/clone/agent")
      >>> agent.config.image_size
      (72, 96)
    """
    return agents.folder.load_agent(Path(agent), device=device, role=role)


def load_reward_model(reward_model: AnyPath, device: str = "cpu") -> tuple[RewardModel, Tokenizer]:
    """Read a reward model from its folder.

    Args:
      reward_model: the folder, as :func:`train_reward_model` returns it.
      device: device of its weights: "cpu", "cuda" or "cuda:1".

    Returns:
      The reward model, a PyTorch module in evaluation mode, and its tokenizer.

    Raises:
      UserError: if the folder holds no reward model or a damaged one, or there is no such device.

    Examples:
      >>> model, tokenizer = rl.load_reward_model("runs/reward/reward_model")
      >>> model.short
      'IBT'
    """
    return reward_models.registry.load_reward_model(Path(reward_model), device)


def score(
    reward_model: AnyPath | LoadedRewardModel, data: AnyPath, episodes: Sequence[str] | None = None
) -> dict[str, Scores]:
    """Score recorded episodes with a reward model: utility and reward at every step.

    Args:
      reward_model: folder of the reward model, or one that :func:`reward_models.loaded.load_with_tokenizer` has read.
      data: folder of the dataset.
      episodes: ids of the episodes; by default all of the dataset.

    Returns:
      The scores of every episode by its id: ``utility`` and ``reward``, float32 [T], and of a model that predicts marks
      ``mark_probability``, float32 [T, 2].

    Raises:
      UserError: if the reward model or an episode cannot be read, or they differ in the size of the images.

    Examples:
      >>> scores = rl.score("runs/reward/reward_model", "data/play")
      >>> {episode_id: scored.reward.sum() for episode_id, scored in scores.items()}
    """
    model = reward_model if isinstance(reward_model, LoadedRewardModel) else load_with_tokenizer(Path(reward_model))
    store = open_dataset(data)
    wanted = store.ids() if episodes is None else list(episodes)
    found: dict[str, Scores] = {}
    for begin in range(0, len(wanted), _SCORED_AT_ONCE):
        ids = wanted[begin : begin + _SCORED_AT_ONCE]
        encoded = encode_episodes(list(store.stream(ids)), model.tokenizer, model.sizes)
        found.update(zip(ids, model.score(encoded), strict=True))
    return found
