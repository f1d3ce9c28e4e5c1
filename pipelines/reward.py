"""`rlhf reward`: teach a reward model from marks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from pipelines.cards import latest_metrics, model_card, play_used
from pipelines.clone import read_episodes
from reward_models.exam import Exam
from reward_models.marked_play import MarkedPlay, mark_play
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
      validation: share of the training episodes that is not learned from and decides which model is kept. Episodes
        recorded as held out judge the model that was kept, and nothing else.
      device: that computes: "cpu", "cuda" or "cuda:1".
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    agent: Path = Path("runs/clone/agent")
    runs: Path = Path("runs")
    name: str = "reward"
    validation: float = 0.1
    device: str = "cpu"
    wandb: WandbMode = "offline"
    training: RewardTrainingConfig = field(default_factory=RewardTrainingConfig)

    def __post_init__(self) -> None:
        if not 0.0 <= self.validation < 1.0:
            raise UserError(f"validation is a share from 0 to less than 1, not {self.validation}")


def reward(config: RewardConfig) -> Path:
    """Train a reward model and return its folder."""
    agent, tokenizer = load_agent(config.agent, device=config.device)
    play, validation, held_out = _marked_play(config, tokenizer, agent.config)
    folder = new_run_folder(config.runs, config.name)
    with lock_run(folder), Tracker(folder, config, config.wandb) as tracker:
        save_config(folder, config)
        with bar(f"teaching a reward model from {int(play.marks.sum())} marks", total=100, unit="%") as shown:

            def on_metrics(step: int, metrics: dict[str, float]) -> None:
                tracker.log(metrics, step)
                shown.update(shown.done, f"ibt {metrics['reward_model/ibt']:.3f}")

            done = train_reward_model(
                agent, play, validation, config.training, on_metrics, lambda f: shown.update(int(100 * f))
            )
        best = done.best
        if held_out is not None:
            found = Exam.of(held_out, config.training.evaluation_episodes).take(done.model)
            found = {f"reward_model_held_out/{name}": value for name, value in found.items()}
            tracker.log(found, int(done.history[-1]["update"]))
            best |= found
        (folder / "best.json").write_text(json.dumps(best, indent=2))
        card = model_card(
            f"Reward model `{config.name}`",
            "Trained by `rlhf reward` on the marks that raters gave to recorded play (Inter-temporal Bradley-Terry): "
            "it says how much better or worse play has become from one step to the next. It is an agent with one more "
            "head; its own play was never improved.",
            config,
            play_used(config.data, f"its marks learned, {config.validation:.0%} set aside", "train", marked=True),
            [f"It began as the agent in `{config.agent}`, whose card says what that learned from."],
        )
        card = replace(card, metrics=latest_metrics(folder) | best)
        return save_agent(done.model, tokenizer, folder / "reward_model", card)


def _marked_play(
    config: RewardConfig, tokenizer: Tokenizer, sizes: AgentConfig
) -> tuple[MarkedPlay, MarkedPlay, MarkedPlay | None]:
    """What is learned from, what the model is chosen by, and what it is judged by in the end, if there is any."""
    marks = [mark for folder in config.data for mark in open_store(folder).marks()]
    train, validation, held_out = divide(read_episodes(config.data, marked=True), config.validation)
    return (
        mark_play(train, marks, tokenizer, sizes),
        mark_play(validation, marks, tokenizer, sizes),
        mark_play(held_out, marks, tokenizer, sizes) if held_out else None,
    )


def divide(episodes: list[Episode], share: float) -> tuple[list[Episode], list[Episode], list[Episode]]:
    """Episodes to learn from, a ``share`` of them to choose a model by, and those recorded as held out.

    Raises:
      UserError: if there are none to learn from or none to choose by.
    """
    held_out = [episode for episode in episodes if episode.split == "held_out"]
    train = [episode for episode in episodes if episode.split != "held_out"]
    kept = max(1, round(share * len(train)))
    if len(train) <= kept:
        raise UserError(
            f"{len(train)} marked training episodes are too few to learn from some and choose a model by others"
        )
    # Spread evenly over the recording, in whose order episodes come: each solver's play is learned from and chosen by.
    chosen = {index * len(train) // kept for index in range(kept)}
    validation = [episode for index, episode in enumerate(train) if index in chosen]
    return [episode for index, episode in enumerate(train) if index not in chosen], validation, held_out
