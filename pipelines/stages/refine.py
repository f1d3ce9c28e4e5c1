"""`rlhf refine`: train a cloned agent further on marked play, without playing (docs/using-marks.md)."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path

import numpy as np

from agents.agent import InteractiveAgent, with_improvement_indicator
from agents.card import ModelCard
from agents.config import AgentConfig
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.agent_network import check_image_encoder
from pipelines.stages.chosen_marks import check_not_mixed, check_raters, choose_marks
from pipelines.stages.episodes.division import save_division, validation_ids
from pipelines.stages.episodes.noted_episodes import (
    EVERY_EPISODE,
    NotedEpisodes,
    digest_marks,
    note_episodes,
    noted_episodes,
)
from pipelines.stages.episodes.recordings import find_episodes, most_entities, read_compressed, stay_packed
from pipelines.stages.executors import load_fitting_reward_model
from pipelines.stages.outcomes.cards import began_as_agent, model_card, play_used
from pipelines.stages.outcomes.headlines import cloning_headline
from pipelines.stages.running.memory import check_refining
from pipelines.stages.settings.play_settings import settings_of_agent, settings_of_datasets
from pipelines.stages.text_limits import report_texts
from pipelines.stages.training import TrainingStage, train
from pipelines.stages.training_config import TrainingRunConfig
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.windows_before_marks import windows_before_marks
from reward_models.scores.scoring import score
from rlhf.data.config import Gigabytes
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.data.source import Source
from rlhf.learning.advantages import (
    advantages,
    imitation_weights,
    indicators_of_advantages,
    indicators_of_windows,
)
from rlhf.learning.refiner import ConditionedCloner, Refiner, WeightedCloner
from rlhf.learning.refining_config import RefiningConfig
from rlhf.learning.training import Training
from rlhf.learning.window_refiner import WindowRefiner
from rlhf.records.episode import legal_steps
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoint
from rlhf.run.progress import announce
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from worlds.errors import UserError
from worlds.ranges import ShareBelowOne
from worlds.settings import settings


@settings
class RefineConfig(TrainingRunConfig):
    """Settings of `rlhf refine`.

    Args:
      data: dataset folders. All their training episodes are learned from.
      raters: raters whose marks are learned from: "people", "scripted", or names of raters; none means all raters.
      mix_raters: learn from marks of people and of scripted raters together, which is refused otherwise.
      agent: folder of the cloned agent that is trained further.
      reward_model: folder of the reward model, for methods that use one.
      held_out: share of the episodes kept for validation, from 0 (none) to less than 1.
      training: what is learned from the marks, and how.
      in_memory_gb: gigabytes of decoded frames above which frames stay PNG files in memory, in plain houses a tenth of
        the size, in furnished ones two fifths, and are decoded when they are learned from; None takes half of the
        memory that this process may use. What is learned does not depend on it.
    """

    data: tuple[Path, ...] = (Path("data/play"),)
    raters: tuple[str, ...] = ()
    mix_raters: bool = False
    agent: Path = Path("runs/clone/agent")
    reward_model: Path = Path("runs/reward/reward_model")
    name: str = "refine"
    held_out: ShareBelowOne = 0.05
    training: RefiningConfig = field(
        default_factory=lambda: RefiningConfig(updates=300, steps=16, batch=16, learning_rate=3e-4)
    )
    in_memory_gb: Gigabytes | None = None


_USED = "refined on"  # use of the episodes, in the run's episodes.json


class Refining(TrainingStage[RefineConfig]):
    """A run of `rlhf refine`."""

    command = "rlhf refine"
    # What is learned from which marks.
    fixed = (
        "name", "held_out", "raters", "training.method", "training.window", "training.rater_delay",
        "training.indicated_by", "training.good_share", "training.steps", "training.batch", "training.seed",
    )  # fmt: skip

    def __init__(self, config: RefineConfig) -> None:
        self.config = replace(  # absolute paths, for resuming from any folder
            config,
            data=tuple(folder.absolute() for folder in config.data),
            agent=config.agent.absolute(),
            reward_model=config.reward_model.absolute(),
        )
        self.schedule = config.training

    def prepare(self, folder: Path, checkpoint: Checkpoint | None) -> Refiner:
        config = self.config
        noted = EVERY_EPISODE if checkpoint is None else noted_episodes(folder)
        cloned, self.tokenizer = load_agent(config.agent, device=config.device)
        check_image_encoder(config.training.frozen_vision, cloned, config.agent, "training")
        if config.training.method == "conditioned":
            cloned = with_improvement_indicator(cloned)
        self.agent = cloned if checkpoint is None else checkpoint.load_agent(device=config.device)[0]
        self.found, self.marks = marked_episodes(config, noted)
        check_refining(config.training, self.agent, config.device, most_entities(self.found))
        self.validation = validation_ids(folder, [self.found], config.held_out)
        learned = [source for source in self.found if source.episode_id not in self.validation]
        kept = [source for source in self.found if source.episode_id in self.validation]
        packed, sizes = stay_packed(self.found, config.in_memory_gb), self.agent.config
        self.play = mark_play(read_compressed(learned), self.marks, self.tokenizer, sizes, packed)
        validating = encode_episodes(read_compressed(kept), self.tokenizer, sizes, packed) if kept else None
        self.card = refined_agent_card(config, noted)
        self.title = f"refining an agent of {self.agent.num_parameters():,} parameters, {config.training.method}"
        return make_refiner(config, self.agent, self.tokenizer, self.play, validating)

    def begin(self, folder: Path) -> None:
        note_episodes(folder, {_USED: self.found}, digest_marks(self.marks))
        save_division(folder, self.play.episode_ids, sorted(self.validation))
        report_texts(folder, self.found, self.tokenizer, self.agent.config)

    def report(self, training: Training, folder: Path) -> None:
        announce(cloning_headline(read_metrics(folder), len(self.validation)))


def refine(config: RefineConfig) -> Path:
    """Train the agent further and return its folder."""
    return train(Refining(config))


def marked_episodes(config: RefineConfig, noted: NotedEpisodes) -> tuple[list[Source], list[Mark]]:
    """Return all training episodes of the datasets, and the chosen raters' marks of them.

    Raises:
      UserError: if they differ from those the run began with, or a new run would mix marks of people and scripts
        without mix_raters.
    """
    found = find_episodes(config.data, "train")
    given = [mark for folder in config.data for mark in open_store(folder).marks()]
    check_raters(given, config.raters)
    marks = choose_marks(given, config.raters)
    if config.resume is None and not config.mix_raters:
        check_not_mixed(marks)
    present = {source.episode_id for source in found}
    marks = [mark for mark in marks if mark.episode_id in present]
    return noted.only(_USED, found, digest_marks(marks)), marks


def make_refiner(
    config: RefineConfig,
    agent: InteractiveAgent,
    tokenizer: Tokenizer,
    play: MarkedPlay,
    validation: MemoryDataset | None = None,
) -> Refiner:
    """Create the trainer of the method that the settings name.

    Args:
      agent: trained in place.
      tokenizer: the agent's.
      validation: validation play; None: nothing is evaluated.

    Raises:
      UserError: if the reward model is of another agent, or there is nothing to learn from.
    """
    training, episodes = config.training, play.episodes
    possible = possible_rows(agent.config, episodes)
    windows = windows_before_marks(play, training.window, training.rater_delay)
    advantage = np.zeros(0)
    if training.uses_reward_model:
        model = load_fitting_reward_model(config.reward_model, agent, tokenizer, config.agent, config.device)
        advantage = advantages(score(model, episodes), training.window)
    if training.method == "conditioned":
        if training.uses_reward_model:
            no_part = episodes.demonstrated | ~possible
            indicator = indicators_of_advantages(advantage, no_part, training.good_share)
        else:
            indicator = indicators_of_windows(windows, episodes.demonstrated)
        return ConditionedCloner(agent, episodes, indicator, training, validation, possible)
    if training.on_windows:
        needs_reference = training.method != "cpl" or training.against_reference
        reference = load_agent(config.agent, device=config.device)[0] if needs_reference else None
        return WindowRefiner(agent, episodes, windows, reference, training, validation, possible)
    factor = np.where(episodes.demonstrated, 1.0, training.own_play) * possible
    try:
        weight = imitation_weights(advantage, training.temperature, training.largest_weight, factor)
    except ValueError as error:
        raise UserError(f"{error}: none of the play is demonstrated, and own_play is 0") from error
    return WeightedCloner(agent, episodes, weight, training, validation)


def possible_rows(agent: AgentConfig, play: MemoryDataset) -> np.ndarray:
    """Return the steps, bool [N], whose actions the world declared legal; a policy gives the others no probability."""
    if play.observations.legal is None:
        return np.ones(len(play.first), dtype=bool)
    counts = agent.player.action.counts
    return legal_steps(play.movement[..., : len(counts)], play.observations.legal, counts)


def refined_agent_card(config: RefineConfig, noted: NotedEpisodes = EVERY_EPISODE) -> ModelCard:
    """Model card of the agent that the run trains, without its metrics."""
    remembered = settings_of_agent(config.agent)
    started = [began_as_agent(config.agent)]
    if config.training.uses_reward_model:
        started.append(f"Advantages are by the reward model in `{config.reward_model}`.")
    return model_card(
        f"Agent `{config.name}`, refined on marked play",
        f"Trained by `rlhf refine` on recorded play and its marks, without playing (method `{config.training.method}`, "
        "docs/using-marks.md).",
        config,
        play_used(
            config.data, f"learned from, {config.held_out:.0%} set aside", "train", only=noted.ids, raters=config.raters
        ),
        started,
        remembered.or_else(settings_of_datasets(config.data, remembered)),
    )
