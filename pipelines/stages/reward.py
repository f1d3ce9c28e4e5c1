"""`rlhf reward`: train a reward model on marks, and on other preferences if the settings give them a weight."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from agents.card import ModelCard
from agents.config import AgentConfig
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.agent_network import check_image_encoder
from pipelines.stages.chosen_marks import check_not_mixed, check_raters, choose_marks, describe_raters
from pipelines.stages.chosen_preferences import about, count_preferences, episodes_in, find_preferences
from pipelines.stages.episodes.division import divide_episodes, save_division
from pipelines.stages.episodes.noted_episodes import (
    EVERY_EPISODE,
    NotedEpisodes,
    digest_judged,
    note_episodes,
    noted_episodes,
)
from pipelines.stages.episodes.recordings import (
    RecordedPlay,
    find_episodes,
    most_entities,
    read_compressed,
    stay_packed,
)
from pipelines.stages.evidence import EVIDENCE_FILE
from pipelines.stages.outcomes.cards import began_as_agent, model_card, play_used
from pipelines.stages.outcomes.headlines import reward_headline
from pipelines.stages.running.memory import check_followed, check_training
from pipelines.stages.settings.play_settings import settings_of_agent, settings_of_datasets
from pipelines.stages.text_limits import report_texts
from pipelines.stages.training import TrainingStage, train
from pipelines.stages.training_config import TrainingRunConfig
from reward_models import registry
from reward_models.contract import RewardModel
from reward_models.learning.evaluation import SIGNAL, Evaluator
from reward_models.learning.mark_signal import NOISY
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig, evaluator_of, finished
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.preferences.config import PreferenceConfig
from reward_models.preferences.examples import PreferenceExamples
from reward_models.registry import load_reward_model
from rlhf.data.config import Gigabytes, ReadingConfig
from rlhf.data.source import Source
from rlhf.learning.training import Training
from rlhf.records.episode import is_agent
from rlhf.records.marks import Mark
from rlhf.records.preferences import NOUNS, Preference
from rlhf.run.checkpoint import Checkpoint
from rlhf.run.progress import announce
from rlhf.run.statistics import ratio_interval
from rlhf.run.tracking import Tracker, read_metrics
from rlhf.store import open_store
from rlhf.store.files.durable import write_file
from worlds.errors import UserError
from worlds.ranges import Seed, ShareBelowOne
from worlds.settings import settings


@settings
class RewardConfig(TrainingRunConfig):
    """Settings of `rlhf reward`.

    Args:
      kind: "inter_temporal" (IBT), or "autoregressive" (AR), which predicts the marks themselves, or a reward model of
        your own (docs/reward-model.md).
      data: dataset folders with marks.
      raters: raters whose marks are learned from: "people", "scripted", or names of raters; none means all raters.
      mix_raters: learn from marks of people and of scripted raters together, which is refused otherwise.
      agent: folder of the cloned agent that the reward model starts from.
      imitate: demonstrations that BC and CSS learn from: those among the "marked" episodes, in the windows of their
        marks, or "all" of the datasets, marked or not, in windows of their own, as in the paper (section 4).
      validation: share of the training episodes, from 0 to less than 1, that is not trained on and decides which model
        is kept. Held-out episodes only evaluate the model that was kept.
      training: how the reward model is trained.
      likelihood: give the head of a new IBT model the log-likelihood of what the solver said last, by the policy that
        it has from the agent (paper: no); docs/reward-model.md.
      head_seed: seed of the weights that the head begins with; None is the seed of the training. Models whose weights
        are to be averaged begin with the same ones.
      start: folder of a reward model to train further, made from the same agent; None begins at the agent's weights, as
        the paper does in every round.
      in_memory_gb: gigabytes of decoded frames above which frames stay PNG files in memory, in plain houses a tenth of
        the size, in furnished ones two fifths, and are decoded when they are learned from; None takes half of the
        memory that this process may use. What is learned does not depend on it.
    """

    kind: str = "inter_temporal"
    data: tuple[Path, ...] = (Path("data/play"),)
    raters: tuple[str, ...] = ()
    mix_raters: bool = False
    agent: Path = Path("runs/clone/agent")
    name: str = "reward"
    imitate: Literal["marked", "all"] = "marked"
    validation: ShareBelowOne = 0.1
    training: RewardTrainingConfig = field(
        default_factory=lambda: RewardTrainingConfig(updates=300, steps=32, batch=8, learning_rate=1e-3)
    )
    start: Path | None = None
    likelihood: bool = False
    head_seed: Seed | None = None
    in_memory_gb: Gigabytes | None = None

    def __post_init__(self) -> None:
        if self.kind not in registry.names():
            raise UserError(f"kind is one of {', '.join(registry.names())}, not {self.kind!r}")
        if self.likelihood and self.kind != "inter_temporal":
            raise UserError(f"likelihood is for reward models of the kind inter_temporal, not {self.kind}")


_USED, _IMITATED = "marked", "imitated"  # uses of the episodes, in the run's episodes.json


class Rewarding(TrainingStage[RewardConfig]):
    """A run of `rlhf reward`."""

    command, made = "rlhf reward", "reward_model"
    # What is learned from which marks.
    fixed = (
        "kind", "name", "imitate", "validation", "raters", "training.steps", "training.batch", "training.seed",
        "training.raters", "training.raters_tolerance", "training.rater_delay", "training.marks_later",
        "training.unmarked_margin", "training.augmentation", "training.rewind", "training.hard_answers",
        "training.cut_weight", "training.between_weight", "training.preferences",
    )  # fmt: skip

    def __init__(self, config: RewardConfig) -> None:
        self.config = replace(  # absolute paths, for resuming from any folder
            config,
            data=tuple(folder.absolute() for folder in config.data),
            agent=config.agent.absolute(),
            start=None if config.start is None else config.start.absolute(),
        )
        self.schedule = config.training

    def prepare(self, folder: Path, checkpoint: Checkpoint | None) -> RewardTrainer:
        config, kind = self.config, registry.get(self.config.kind)
        if checkpoint is None:
            agent, self.tokenizer = load_agent(config.agent, device=config.device)
            check_image_encoder(config.training.frozen_vision, agent, config.agent, "training")
            start = agent if config.start is None else _earlier_model(config, config.start, self.tokenizer)
            head_seed = config.training.seed if config.head_seed is None else config.head_seed
            model = kind.from_agent(start, seed=head_seed, **({"likelihood": True} if config.likelihood else {}))
        else:
            model, self.tokenizer = checkpoint.load_agent(kind, config.device)
        self.agent = model
        noted = EVERY_EPISODE if checkpoint is None else noted_episodes(folder)
        self.found, self.marks, self.preferences = judged_episodes(config, noted)
        self.demonstrated = _demonstrations(config, noted) if config.imitate == "all" else []
        entities = most_entities([*self.found, *self.demonstrated])
        windows = 2 if self.demonstrated else 1
        check_training(replace(config.training, batch=windows * config.training.batch), model, config.device, entities)
        check_followed(config.training, model, self.preferences, config.device, entities)
        parts = _marked_play(config, self.found, self.marks, self.tokenizer, model.config)
        self.play, self.validation, self.held_out = parts
        imitated = None
        if self.demonstrated:
            reading = ReadingConfig(in_memory_gb=config.in_memory_gb)
            imitated = RecordedPlay(self.demonstrated, reading).encode(self.tokenizer, model.config)
        self.trainer = RewardTrainer(model, self.play, self.validation, config.training, self.preferences, imitated)
        self.card = reward_model_card(config, noted, self.preferences)
        others = " and other preferences" if self.trainer.preferences else ""
        self.title = f"training a reward model on {int(self.trainer.play.marks.sum())} marks{others}"
        announce(_learned_from(self.trainer, self.marks))
        return self.trainer

    def begin(self, folder: Path) -> None:
        if self.config.start is None:  # an earlier model knows more than the frequencies of these marks
            self.trainer.model.prepare(self.trainer.play)
        digests = digest_judged(self.marks, self.preferences)
        note_episodes(folder, {_USED: self.found}, digests, {_IMITATED: self.demonstrated})
        save_division(folder, self.play.episode_ids, self.validation.episode_ids)
        report_texts(folder, self.found, self.tokenizer, self.agent.config)

    def finish(self, training: Training, folder: Path, tracker: Tracker) -> dict[str, float]:
        """Calibrate the kept model, and evaluate it with intervals, on held-out play too."""
        done = finished(self.trainer, training)
        found = _evaluate_kept(self.trainer, self.held_out, self.preferences)
        tracker.log(found, training.done)
        self.best = done.metrics | found
        write_file(folder / EVIDENCE_FILE, json.dumps(self.best, indent=2).encode())
        return self.best

    def report(self, training: Training, folder: Path) -> None:
        announce(reward_headline(read_metrics(folder)))
        _warn_of_noise(self.best)


def reward(config: RewardConfig) -> Path:
    """Train a reward model and return its folder."""
    return train(Rewarding(config))


def reward_model_card(
    config: RewardConfig, noted: NotedEpisodes = EVERY_EPISODE, preferences: Sequence[Preference] = ()
) -> ModelCard:
    """Model card of the reward model that the run trains, without its metrics."""
    kinds = [NOUNS[table] for table in config.training.preferences.weights]
    others = f", and on {' and '.join(kinds)}" if kinds else ""
    started_from = [began_as_agent(config.agent)]
    if config.start is not None:
        started_from = [f"It began as the reward model in `{config.start}`, whose card says whose marks that learned."]
    return model_card(
        f"Reward model `{config.name}`",
        f"Trained by `rlhf reward` on the marks that raters gave to recorded play{others}. "
        f"{registry.get(config.kind).description} It is an agent with one more head; its own play was never improved.",
        config,
        play_used(
            config.data,
            f"its marks learned, {config.validation:.0%} set aside",
            "train",
            marked=True,
            raters=config.raters,
            only=noted.ids,
            also=episodes_in(preferences),
        ),
        started_from,
        settings_of_agent(config.agent).or_else(settings_of_datasets(config.data, settings_of_agent(config.agent))),
    )


def _evaluate_kept(
    trainer: RewardTrainer, held_out: MarkedPlay | None, preferences: Sequence[Preference]
) -> dict[str, float]:
    """Evaluate the kept model, with intervals, on validation play, and on held-out play if there is any."""
    config, model = trainer.config, trainer.model
    found = _examples("reward_model", trainer.preferences)
    found |= _kept("reward_model_validation", trainer.evaluator, model)
    if held_out is not None:
        evaluator = evaluator_of(held_out, config, preferences)
        found |= {f"reward_model_held_out/{name}": value for name, value in evaluator.evaluate(model).items()}
        found |= _kept("reward_model_held_out", evaluator, model)
    return found


def _kept(where: str, evaluator: Evaluator, model: RewardModel) -> dict[str, float]:
    """Accuracy of the kept model on marks and each kind of preference, with 95% intervals over the episodes."""
    measured = _interval(f"{where}/kept_", *evaluator.pairs_right(model))
    for kind, right_and_total in evaluator.preferences_right(model).items():
        measured |= _interval(f"{where}/kept_{kind}_", *right_and_total)
    return measured | _examples(where, evaluator.preferences)


def _interval(prefix: str, right: np.ndarray, total: np.ndarray) -> dict[str, float]:
    """Accuracy with its interval over episodes, of correct and of all examples of each; empty without any."""
    found = ratio_interval(right, total, seed=0)
    if found is None:
        return {}
    values = {"accuracy": found.estimate, "accuracy_low": found.low, "accuracy_high": found.high}
    return {prefix + name: value for name, value in (values | {"episodes": found.count}).items()}


def _examples(where: str, preferences: Mapping[str, PreferenceExamples]) -> dict[str, float]:
    """Return the number of examples of each kind of preference."""
    return {f"{where}/{kind}_examples": float(len(found)) for kind, found in preferences.items()}


def _learned_from(trainer: RewardTrainer, marks: Sequence[Mark]) -> str:
    """Return a line on the marks and the examples of preferences that the model learns from."""
    learned = set(trainer.play.episode_ids)
    said = f"learning from {describe_raters([mark for mark in marks if mark.episode_id in learned])}"
    counted = count_preferences({kind: len(examples) for kind, examples in trainer.preferences.items()})
    return f"{said}; and from {counted}" if counted else said


def _warn_of_noise(best: Mapping[str, float]) -> None:
    """Warn if the reward is mostly noise (docs/diagnostics.md reports how agents improved against such models)."""
    found = {where: best.get(f"reward_model_{where}/{SIGNAL}", NOISY) for where in ("validation", "held_out")}
    where, least = min(found.items(), key=lambda item: item[1])
    if least < NOISY:
        announce(
            f"warning: on {where.replace('_', '-')} play the utility changes as much at unmarked steps as at marks "
            f"(signal to noise {least:.1f}); most agents improved against such models became no better, or worse. "
            "`rlhf diagnose` shows details"
        )


def _earlier_model(config: RewardConfig, folder: Path, tokenizer: Tokenizer) -> RewardModel:
    """Load the reward model in ``folder``. Raises UserError if its kind or its agent is another."""
    model, words = load_reward_model(folder, config.device)
    if not isinstance(model, registry.get(config.kind)):
        raise UserError(
            f"{folder} holds a reward model of the kind {model.short}: use its --kind, or leave out --start"
        )
    if not words.cuts_like(tokenizer):
        raise UserError(
            f"{folder} was made for another agent than {config.agent}: leave out --start, or name its agent"
        )
    return model


def judged_episodes(config: RewardConfig, noted: NotedEpisodes) -> tuple[list[Source], list[Mark], list[Preference]]:
    """Return the episodes that the chosen raters have marked or judged, their marks and their preferences.

    Raises:
      UserError: if they differ from those the run began with, or a new run would mix marks of people and scripts
        without mix_raters.
    """
    judged = find_preferences(config.data, _judging(config.training))
    given = [mark for folder in config.data for mark in open_store(folder).marks()]
    if (weights := config.training.preferences.weights) and not (given or judged):
        nouns = " or ".join(["marks", *(NOUNS[table] for table in weights)])
        where = ", ".join(map(str, config.data))
        raise UserError(f"there are no {nouns} in {where}; collect some, or import them (`rlhf preferences import`)")
    found = find_episodes(config.data, marked=not judged)
    check_raters(given, config.raters, judged)
    marks, judged = choose_marks(given, config.raters), choose_marks(judged, config.raters)
    judged = about(judged, {source.episode_id for source in found} if noted.ids is None else noted.ids)
    if config.resume is None and not config.mix_raters:
        check_not_mixed(marks, judged)
    wanted = {mark.episode_id for mark in marks} | episodes_in(judged)
    digests = digest_judged(marks, judged)
    found = noted.only(_USED, [source for source in found if source.episode_id in wanted], digests)
    return found, marks, judged


def _demonstrations(config: RewardConfig, noted: NotedEpisodes) -> list[Source]:
    """Return the demonstrations of training play. Raises UserError if there are none."""
    found = find_episodes(config.data, split="train")
    found = [source for source in found if not is_agent(source.solver)]
    if not found:
        where = ", ".join(map(str, config.data))
        raise UserError(f"there are no demonstrations in {where}; name a dataset with some too, or --imitate marked")
    return noted.only(_IMITATED, found)


def _judging(training: RewardTrainingConfig) -> PreferenceConfig:
    """Return the settings of the preferences that are read: verdicts also where they only say which requests failed."""
    if training.request_weights and not training.preferences.verdicts:
        return replace(training.preferences, verdicts=1.0)
    return training.preferences


def _marked_play(
    config: RewardConfig, found: Sequence[Source], marks: Sequence[Mark], tokenizer: Tokenizer, sizes: AgentConfig
) -> tuple[MarkedPlay, MarkedPlay, MarkedPlay | None]:
    """Return the training, validation and held-out play with its marks; None if no episode is held out."""
    train, validation, held_out = divide_episodes(found, config.validation)
    packed = stay_packed(found, config.in_memory_gb)

    def marked(sources: Sequence[Source]) -> MarkedPlay:
        return mark_play(read_compressed(sources), marks, tokenizer, sizes, packed)

    return marked(train), marked(validation), marked(held_out) if held_out else None
