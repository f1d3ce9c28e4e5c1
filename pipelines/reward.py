"""`rlhf reward`: teach a reward model from marks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from agents.folder import load_agent, save_agent
from pipelines.clone import read_episodes
from reward_models.marked_play import mark_play
from reward_models.training import RewardTrainingConfig, train_reward_model
from rlhf.episodes import Episode
from rlhf.errors import UserError
from rlhf.progress import bar
from rlhf.run_config import lock_run, new_run_folder, save_config
from rlhf.store import open_store
from rlhf.tracking import Tracker, WandbMode


@dataclass(frozen=True)
class RewardConfig:
    """Settings of `rlhf reward`.

    Args:
      data: dataset folders with marks. agent: folder of the cloned agent to start from.
      runs, name: the run is written into runs/name, the reward model into its folder "reward_model".
      held_out: share of the episodes that judges the model, beside those recorded as held out.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    agent: Path = Path("runs/clone/agent")
    runs: Path = Path("runs")
    name: str = "reward"
    held_out: float = 0.1
    wandb: WandbMode = "offline"
    training: RewardTrainingConfig = field(default_factory=RewardTrainingConfig)


def reward(config: RewardConfig) -> Path:
    """Train a reward model and return its folder."""
    agent, tokenizer = load_agent(config.agent)
    episodes = read_episodes(config.data, marked=True)
    marks = [mark for folder in config.data for mark in open_store(folder).marks()]
    train, held_out = divide(episodes, config.held_out)
    folder = new_run_folder(config.runs, config.name)
    with lock_run(folder), Tracker(folder, config, config.wandb) as tracker:
        save_config(folder, config)
        play = mark_play(train, marks, tokenizer, agent.config)
        judged = mark_play(held_out, marks, tokenizer, agent.config)
        with bar(f"teaching a reward model from {int(play.marks.sum())} marks", total=100, unit="%") as shown:

            def on_metrics(step: int, metrics: dict[str, float]) -> None:
                tracker.log(metrics, step)
                shown.update(shown.done, f"ibt {metrics['reward_model/ibt']:.3f}")

            done = train_reward_model(
                agent, play, judged, config.training, on_metrics, lambda f: shown.update(int(100 * f))
            )
        (folder / "best.json").write_text(json.dumps(done.best, indent=2))
        return save_agent(done.model, tokenizer, folder / "reward_model")


def divide(episodes: list[Episode], held_out: float) -> tuple[list[Episode], list[Episode]]:
    """Episodes to learn from and episodes to judge by; those recorded as held out are never learned from.

    Raises:
      UserError: if either would be empty.
    """
    judged = [episode for episode in episodes if episode.split == "held_out"]
    train = [episode for episode in episodes if episode.split != "held_out"]
    extra = round(held_out * len(train))
    judged, train = judged + train[:extra], train[extra:]
    if not judged or not train:
        raise UserError(f"{len(episodes)} marked episodes are too few to learn from some and be judged by others")
    return train, judged
