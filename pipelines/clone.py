"""`rlhf clone`: train an agent to imitate recorded play (BC and CSS)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from agents.agent import InteractiveAgent
from agents.batch import EncodedEpisodes, encode_episodes
from agents.computing import usable_device
from agents.config import AgentConfig
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from agents.training import CloningConfig, marginal_entropy
from agents.training import clone as clone_agent
from pipelines.cards import latest_metrics, model_card, play_used
from rlhf.episodes import Episode
from rlhf.errors import UserError
from rlhf.progress import bar
from rlhf.run_config import lock_run, new_run_folder, save_config
from rlhf.store import EpisodeRow, open_store
from rlhf.tracking import Tracker, WandbMode


@dataclass(frozen=True)
class CloneConfig:
    """Settings of `rlhf clone`.

    Args:
      data: dataset folders to imitate. solver: imitate only play of this solver; None takes all.
      runs, name: the run is written into the folder runs/name, the agent into its folder "agent".
      size: of the agent; vocabulary: at most so many tokens, learned from the dialogue.
      held_out: share of the episodes kept for validation, beside those recorded as held out.
      device: that computes: "cpu", "cuda" or "cuda:1".
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    solver: str | None = "scripted"
    runs: Path = Path("runs")
    name: str = "clone"
    size: str = "nano"
    vocabulary: int = 512
    held_out: float = 0.05
    device: str = "cpu"
    wandb: WandbMode = "offline"
    training: CloningConfig = field(default_factory=CloningConfig)

    def __post_init__(self) -> None:
        if not 0.0 <= self.held_out < 1.0:
            raise UserError(f"held_out is a share from 0 to less than 1, not {self.held_out}")


def clone(config: CloneConfig) -> Path:
    """Train an agent and return its folder."""
    device = usable_device(config.device)
    agent, tokenizer, train, held_out = _prepare(config)
    torch.nn.Module.to(agent, device)
    folder = new_run_folder(config.runs, config.name)
    with lock_run(folder), Tracker(folder, config, config.wandb) as tracker:
        save_config(folder, config)
        tracker.log({"bc/marginal_entropy": marginal_entropy(train), "bc/parameters": agent.num_parameters()}, 0)
        with bar(f"cloning an agent of {agent.num_parameters():,} parameters", total=100, unit="%") as shown:

            def on_metrics(step: int, metrics: dict[str, float]) -> None:
                tracker.log(metrics, step)
                shown.update(
                    shown.done, f"movement {metrics['bc/movement']:.2f}, language {metrics['bc/language']:.3f}"
                )

            clone_agent(agent, train, config.training, held_out, on_metrics, lambda f: shown.update(int(100 * f)))
        card = model_card(
            f"Agent `{config.name}`, cloned from recorded play",
            "Trained by `rlhf clone` to do what the solvers of recorded play did: behavioural cloning (BC), with a "
            "contrastive loss (CSS) that teaches which words belong to which pictures.",
            config,
            play_used(config.data, f"imitated, {config.held_out:.0%} set aside for validation", "train", config.solver),
        )
        return save_agent(agent, tokenizer, folder / "agent", replace(card, metrics=latest_metrics(folder)))


def _prepare(
    config: CloneConfig,
) -> tuple[InteractiveAgent, Tokenizer, EncodedEpisodes, EncodedEpisodes | None]:
    """An untrained agent, its tokenizer, and what it learns from and is validated on."""
    episodes = read_episodes(config.data, split="train", solver=config.solver)
    torch.manual_seed(config.training.seed)
    tokenizer = Tokenizer.train(spoken_texts(episodes), config.vocabulary)
    agent = new_agent(config.size, tokenizer, episodes)
    kept = min(max(1, round(config.held_out * len(episodes))), len(episodes) - 1)
    train = encode_episodes(episodes[kept:], tokenizer, agent.config)
    held_out = encode_episodes(episodes[:kept], tokenizer, agent.config) if kept else None
    return agent, tokenizer, train, held_out


def read_episodes(
    data: Sequence[Path], split: str | None = None, solver: str | None = None, marked: bool = False
) -> list[Episode]:
    """All wanted episodes of several datasets: solver after solver as they were first recorded, each in order of ids.

    Raises:
      UserError: if there are none, or two datasets have an episode of the same id.
    """
    episodes: list[Episode] = []
    known: set[str] = set()
    for folder in data:
        store = open_store(folder)
        ids = _in_order(store.rows(split=split, solver=solver))
        if both := known.intersection(ids):
            raise UserError(f"episode {min(both)} is in {folder} and in another of the datasets; name only one of them")
        known.update(ids)
        if marked:
            with_marks = {mark.episode_id for mark in store.marks()}
            ids = [episode_id for episode_id in ids if episode_id in with_marks]
        episodes += store.read_many(ids)
    if not episodes:
        wanted = " ".join(f"{name}={value}" for name, value in (("split", split), ("solver", solver)) if value)
        raise UserError(f"no {'marked ' if marked else ''}episodes {wanted} in {', '.join(map(str, data))}")
    return episodes


def _in_order(rows: Sequence[EpisodeRow]) -> list[str]:
    """Ids in an order that does not depend on which of several processes was faster."""
    rank = {group: place for place, group in enumerate(dict.fromkeys((row.solver, row.split) for row in rows))}
    ordered = sorted(rows, key=lambda row: (rank[row.solver, row.split], row.episode_id))
    return [row.episode_id for row in ordered]


def spoken_texts(episodes: Sequence[Episode]) -> set[str]:
    """Everything that was said in ``episodes``."""
    texts: set[str] = set()
    for episode in episodes:
        texts.update(episode.setter_utterance)
        texts.update(episode.utterance)
    return texts - {""}


def new_agent(size: str, tokenizer: Tokenizer, episodes: Sequence[Episode], **overrides: Any) -> InteractiveAgent:
    """An untrained agent of a named size, fitted to the recordings' images and the tokenizer's vocabulary.

    Raises:
      UserError: if there is no such size.
    """
    height, width = episodes[0].image.shape[1:3]
    try:
        config = AgentConfig.preset(size, image_size=(height, width), vocab_size=tokenizer.vocab_size, **overrides)
    except ValueError as error:
        raise UserError(str(error)) from error
    return InteractiveAgent(config)
