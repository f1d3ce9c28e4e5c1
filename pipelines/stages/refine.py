"""`rlhf refine`: train a cloned agent further on marked play, without playing (docs/using-marks.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from agents.agent import InteractiveAgent, with_improvement_indicator
from agents.card import ModelCard
from agents.computing import usable_device
from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.ranges import Count, ShareBelowOne, check_ranges
from agents.tokenizer import Tokenizer
from pipelines.stages.agent_network import check_image_encoder
from pipelines.stages.chosen_marks import check_not_mixed, check_raters, choose_marks
from pipelines.stages.clone import set_aside
from pipelines.stages.episodes.division import noted_division, save_division
from pipelines.stages.episodes.noted_episodes import (
    EVERY_EPISODE,
    NotedEpisodes,
    digest_marks,
    note_episodes,
    noted_episodes,
)
from pipelines.stages.episodes.recordings import find_episodes, most_entities, read_compressed, stay_packed
from pipelines.stages.executors import load_fitting_reward_model
from pipelines.stages.outcomes.cards import began_as_agent, latest_metrics, model_card, play_used
from pipelines.stages.outcomes.headlines import cloning_headline
from pipelines.stages.running.memory import check_refining
from pipelines.stages.settings.play_settings import settings_of_agent, settings_of_datasets
from pipelines.stages.text_limits import report_texts
from pipelines.stages.training import run_training
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
from rlhf.learning.window_refiner import WindowRefiner
from rlhf.records.episode import legal_steps
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import locked_run, save_settings
from rlhf.run.progress import announce
from rlhf.run.tracking import Tracker, WandbMode, read_metrics
from rlhf.store import open_store
from worlds.errors import UserError


@dataclass(frozen=True)
class RefineConfig:
    """Settings of `rlhf refine`.

    Args:
      data: dataset folders. All their training episodes are learned from.
      raters: raters whose marks are learned from: "people", "scripted", or names of raters; none means all raters.
      mix_raters: learn from marks of people and of scripted raters together, which is refused otherwise.
      agent: folder of the cloned agent that is trained further.
      reward_model: folder of the reward model, for methods that use one.
      runs: folder of all runs.
      name: name of this run's folder in it; the agent is written into its folder "agent".
      held_out: share of the episodes kept for validation, from 0 (none) to less than 1.
      checkpoint_every: updates between checkpoints.
      resume: folder of a run to resume from its last checkpoint, with its own settings. It ends in the same agent as a
        run that was never interrupted.
      device: device that computes: "cpu", "cuda" or "cuda:1".
      wandb: whether metrics also go to Weights & Biases: "offline" (a local folder), "online" or "disabled".
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
    runs: Path = Path("runs")
    name: str = "refine"
    held_out: ShareBelowOne = 0.05
    checkpoint_every: Count = 500
    resume: Path | None = None
    device: str = "cpu"
    wandb: WandbMode = "offline"
    training: RefiningConfig = field(default_factory=RefiningConfig)
    in_memory_gb: Gigabytes | None = None

    def __post_init__(self) -> None:
        check_ranges(self, UserError)


# Settings that fix what is learned from which marks; all others may change when a run is resumed.
_FIXED = (
    "name",
    "held_out",
    "raters",
    "training.method",
    "training.window",
    "training.rater_delay",
    "training.indicated_by",
    "training.good_share",
    "training.steps",
    "training.batch",
    "training.seed",
)

_USED = "refined on"  # use of the episodes, in the run's episodes.json


def refine(config: RefineConfig) -> Path:
    """Train the agent further and return its folder."""
    config = replace(  # absolute paths, for resuming from any folder
        config,
        data=tuple(folder.absolute() for folder in config.data),
        agent=config.agent.absolute(),
        reward_model=config.reward_model.absolute(),
    )
    usable_device(config.device)
    with locked_run(config, _FIXED, "rlhf refine") as folder:
        checkpoint = Checkpoints(folder).latest_if_any()
        noted = EVERY_EPISODE if checkpoint is None else noted_episodes(folder)
        cloned, tokenizer = load_agent(config.agent, device=config.device)
        check_image_encoder(config.training.frozen_vision, cloned, config.agent, "training")
        if config.training.method == "conditioned":
            cloned = with_improvement_indicator(cloned)
        agent = cloned if checkpoint is None else checkpoint.load_agent(device=config.device)[0]
        found, marks = marked_episodes(config, noted)
        check_refining(config.training, agent, config.device, most_entities(found))
        validation = _validation_ids(folder, found, config.held_out)
        learned = [source for source in found if source.episode_id not in validation]
        packed = stay_packed(found, config.in_memory_gb)
        play = mark_play(read_compressed(learned), marks, tokenizer, agent.config, packed)
        kept = [source for source in found if source.episode_id in validation]
        validating = encode_episodes(read_compressed(kept), tokenizer, agent.config, packed) if kept else None
        trainer = make_refiner(config, agent, tokenizer, play, validating)
        if checkpoint is None:
            note_episodes(folder, {_USED: found}, digest_marks(marks))
            save_division(folder, play.episode_ids, sorted(validation))
            report_texts(folder, found, tokenizer, agent.config)
        else:
            with checkpoint.taken_over() as state:
                trainer.load_state_dict(state)
        save_settings(folder, config)
        with Tracker(folder, config, config.wandb, resume_step=trainer.update_index) as tracker:
            card = refined_agent_card(config, noted)
            title = f"refining an agent of {agent.num_parameters():,} parameters, {config.training.method}"
            run_training(trainer, folder, tokenizer, tracker, card, config.checkpoint_every, title, trainer.shown)
        saved = save_agent(agent, tokenizer, folder / "agent", replace(card, metrics=latest_metrics(folder)))
        announce(cloning_headline(read_metrics(folder), len(validation)))
        announce(f"agent: {saved}")
        return saved


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
      config: settings.
      agent: trained in place.
      tokenizer: the agent's.
      play: training play with its marks.
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
    if play.legal is None:
        return np.ones(len(play.first), dtype=bool)
    counts = agent.player.action.counts
    return legal_steps(play.movement[..., : len(counts)], play.legal, counts)


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


def _validation_ids(folder: Path, found: Sequence[Source], share: float) -> frozenset[str]:
    """Return the ids of the run's validation episodes: those saved when it began, else a new choice."""
    known = noted_division(folder)
    if known is not None:
        return known.validation
    return frozenset(source.episode_id for source in set_aside(found, share))
