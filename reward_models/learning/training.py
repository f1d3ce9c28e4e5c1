"""Training of a reward model: its own loss on marks, BC and CSS, with equal weights (paper, section 4).

Preferences besides marks may be learned from beside them, or instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from agents.agent import InteractiveAgent
from agents.computing import autocast
from agents.learning.cloning import bc_loss
from agents.learning.contrastive import css_loss
from reward_models.contract import RewardModel, State
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.config import RewardTrainingConfig
from reward_models.learning.evaluation import Evaluator, selection_score
from reward_models.learning.request_pairs import request_pairs
from reward_models.marks.augmentation import Augmentation
from reward_models.marks.marked_play import MarkedPlay, MarkedStream, MarkedWindow, marks_later
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.marks.raters import use_raters
from reward_models.preferences.examples import PreferenceExamples, batch_places, preference_examples
from reward_models.preferences.losses import differences, preference_loss
from reward_models.scores.scoring import calibrated_scale
from rlhf.data.dataset import Dataset, WindowStream, check_demonstrated
from rlhf.learning.cloner import imitation_terms
from rlhf.learning.trainer import Trainer, like
from rlhf.learning.training import Training
from rlhf.records.preferences import NOUNS, Preference
from worlds.errors import UserError

UNMARKED = "quiet"  # name of the unmarked drift in metrics, as in the files of older runs
__all__ = ["RewardTrainer", "RewardTraining", "RewardTrainingConfig", "train_reward_model"]


@dataclass(frozen=True)
class RewardTraining:
    """Result of a training: the model that is kept, and the metrics of its evaluation, with its ``update``."""

    model: RewardModel
    metrics: dict[str, float]

    @property
    def update(self) -> int:
        """The update whose model is kept."""
        return int(self.metrics["update"])


def evaluator_of(play: MarkedPlay, config: RewardTrainingConfig, preferences: Iterable[Preference] = ()) -> Evaluator:
    """Make the evaluator of a model that is trained with ``config``.

    Args:
      play: play with its marks as they were given; they are read as late as those that the model learns from.
      preferences: of this and perhaps other play; the others are left out.
    """
    later = marks_later(play, config.marks_later)
    return Evaluator.of(later, config.evaluation_episodes, preferences, config.preferences, config.delay)


class RewardTrainer(Trainer):
    """Trainer of one reward model, which keeps the best.

    Args:
      model: trained in place. A new one must be prepared for ``trainer.play``
        (:meth:`reward_models.contract.RewardModel.prepare`) before the first update.
      validation: marked validation episodes, which select the best model; every rater's marks on them count unchanged,
        however those of ``play`` are used.
      preferences: preferences about the episodes of ``play``, from which the model learns, or of ``validation``, on
        which it is evaluated; kinds without a weight and preferences about other episodes are left out.
      demonstrations: play that BC and CSS learn from, in windows of its own (paper, section 4: they need no marks);
        None: from the demonstrations of ``play``, in the windows of their marks.

    Raises:
      UserError: if nothing can be learned from the marks and preferences, no validation episode has a usable one, or
        there is nothing to imitate in ``demonstrations``.
    """

    prefix = "reward_model"
    model: RewardModel
    stream: MarkedStream
    config: RewardTrainingConfig

    def __init__(
        self,
        model: RewardModel,
        play: MarkedPlay,
        validation: MarkedPlay,
        config: RewardTrainingConfig,
        preferences: Iterable[Preference] = (),
        demonstrations: Dataset | None = None,
    ) -> None:
        preferences = tuple(preferences)
        play = use_raters(marks_later(play, config.marks_later), config.raters, config.raters_tolerance)
        self.preferences = preference_examples(preferences, play, config.preferences)
        check_preferences(self.preferences, model)
        if not self.preferences:
            check_marks(play, config.augmentation + config.rewind)
        self.evaluator = evaluator_of(validation, config, preferences)
        if not self.evaluator.selects:
            other = " or preference" if self.preferences else ""
            raise UserError(
                f"none of the {len(validation)} episodes set aside has a usable mark{other}; mark them, or set others "
                "aside"
            )
        self.play = play
        self.requests = request_pairs(model, play, config, config.delay, preferences)
        augmentation = Augmentation(
            config.augmentation, rater_delay=config.delay, rewind=config.rewind, hard_answers=config.hard_answers
        )
        stream = MarkedStream(play, config.steps, config.batch, config.seed, augmentation, config.unmarked_margin)
        memory = model.learning_state(config.batch, play.marks.shape[1])
        super().__init__(model, stream, memory, config)
        self.demonstrations: WindowStream | None = None
        if demonstrations is not None:
            check_demonstrated(demonstrations)
            self.demonstrations = demonstrations.stream(config.steps, config.batch, config.seed)
            self.demonstrations_memory = model.initial_state(config.batch)

    @property
    def shown(self) -> tuple[str, ...]:
        return (self.model.term(), *self.preferences)

    @property
    def weights(self) -> dict[str, float]:
        config, own = self.config, self.model.term()
        return {
            own: getattr(config, f"{own}_weight", 1.0),  # kinds of users' own have no setting
            "movement": config.bc_weight * config.movement_weight,
            "language": config.bc_weight * config.language_weight,
            "css": config.css_weight,
            UNMARKED: config.unmarked_drift_weight,
            **config.preferences.weights,
            **config.request_weights,
        }

    def terms(self) -> tuple[dict[str, Tensor], State]:
        window = self.stream.next_marked(self.model.device)
        window = replace(window, observations=self._shifted(window.observations))
        if self.demonstrations is None:
            terms, memory = reward_terms(self.model, window, self.memory, self.config)
        else:
            marks_only = replace(self.config, bc_weight=0.0, css_weight=0.0)
            terms, memory = reward_terms(self.model, window, self.memory, marks_only)
            terms |= self._imitation(self.demonstrations)
        return terms | self._preference_terms(), memory

    def _imitation(self, demonstrations: WindowStream) -> dict[str, Tensor]:
        """Terms of BC and CSS on the next window of the demonstrations, unweighted."""
        window = demonstrations.next(self.model.device)
        window = window._replace(observations=self._shifted(window.observations))
        memory = self.demonstrations_memory
        terms, after = imitation_terms(self.model, window, memory, self.config.computing)
        self.demonstrations_memory = like(memory, (part.detach() for part in after))
        return terms

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        if self.demonstrations is not None:
            memory = tuple(self.demonstrations_memory)
            state["demonstrations"] = {"stream": self.demonstrations.state_dict(), "memory": memory}
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        if self.demonstrations is not None:
            self.demonstrations.load_state_dict(state["demonstrations"]["stream"])
            parts = (part.to(self.model.device) for part in state["demonstrations"]["memory"])
            self.demonstrations_memory = like(self.demonstrations_memory, parts)

    def _preference_terms(self) -> dict[str, Tensor]:
        """Loss of each kind of preference and of pairs of requests on this update's examples, unweighted."""
        settings, chosen = self.config.preferences, {}
        for kind, examples in self.preferences.items():
            places = batch_places(len(examples), settings.batch, self.config.seed, kind, self.done)
            chosen[kind] = examples.take(places)
        if self.requests is not None:
            chosen |= {kind: self.requests.of(kind, self.done) for kind in self.config.request_weights}
        if not chosen:
            return {}
        joined, play = PreferenceExamples.join(list(chosen.values())), self.play.episodes
        with autocast(self.config.computing, self.model.device):
            difference = differences(self.model, play, joined, settings, self.config.steps)
        better = torch.from_numpy(joined.better).to(self.model.device)
        sizes = [len(examples) for examples in chosen.values()]
        parts = zip(chosen, difference.split(sizes), better.split(sizes), strict=True)
        return {kind: preference_loss(found, wanted) for kind, found, wanted in parts}

    def measure(self) -> dict[str, float]:
        measured = self.evaluator.evaluate(self.model)
        return {f"reward_model_validation/{name}": value for name, value in measured.items()}

    def score(self, metrics: Mapping[str, float]) -> float:
        return selection_score(metrics, "reward_model_validation/")


def finished(trainer: RewardTrainer, training: Training) -> RewardTraining:
    """Calibrate the model, which has the weights that are kept, if the settings ask for it; return the result."""
    model = trainer.model.eval()
    if trainer.config.calibrate and not model.fixed_scale:
        model.config.reward_scale = calibrated_scale(model, trainer.evaluator.play, trainer.evaluator.episodes)
    return RewardTraining(model, training.kept)


def reward_terms(
    model: RewardModel, window: MarkedWindow, state: State, config: RewardTrainingConfig
) -> tuple[dict[str, Tensor], State]:
    """Terms of the loss on a window, unweighted.

    Args:
      window: [T, B] of marked play.
      config: settings; terms of weight 0 are left out.

    Returns:
      The terms by name and the memory after the window.
    """
    with autocast(config.computing, window.resets.device):
        output, state = model.follow(window, state)
    terms = {model.term(): model.marks_loss(output, window, config)}
    if config.bc_weight:
        terms |= bc_loss(model.log_probs(output, window.actions), window.imitate)
    if config.css_weight:
        words = window.observations.setter_tokens
        terms["css"] = css_loss(
            model.discriminator, output.vision, output.language, words, window.matched, seen=output.seen
        )
    if config.unmarked_drift_weight:
        terms[UNMARKED] = model.unmarked_drift_loss(output, window)
    return terms, state


def check_preferences(examples: Mapping[str, PreferenceExamples], model: RewardModel) -> None:
    """Check that the model can learn from preferences and that there are some of every kind that has a weight.

    Raises:
      UserError: naming the kind of model or of preference.
    """
    if examples and not model.learns_preferences:
        raise UserError(
            f"the reward model {model.short} learns from marks only; leave out the weights of --training.preferences, "
            "or use --kind inter_temporal"
        )
    for kind, found in examples.items():
        if not len(found):
            flag = f"--training.preferences.{kind.replace('_', '-')}"
            raise UserError(
                f"there are no {NOUNS[kind]} of training episodes to learn from; collect or import some "
                f"(`rlhf preferences import`), or leave out {flag}"
            )


def check_marks(play: MarkedPlay, augmentation: float) -> None:
    """Check that ``play`` has marks to learn from.

    Raises:
      UserError: if it has none, or only marks of one sign, from which a utility could learn only time.
    """
    plus, minus = int(play.marks[..., PLUS].sum()), int(play.marks[..., MINUS].sum())
    if plus + minus == 0:
        raise UserError(f"none of the {len(play)} episodes has a mark; mark some first (`rlhf mark`)")
    if not len(play.comparable):
        raise UserError(
            f"the {plus + minus} marks order no two moments: each is at an episode's first step or contradicts another "
            "of its rater; mark later steps"
        )
    if plus == 0:
        raise UserError(f"all {minus} marks are (-); a reward model needs (+) marks too, so mark progress as well")
    if minus == 0 and augmentation == 0:
        raise UserError(f"all {plus} marks are (+); mark regressions as well, or set augmentation above 0")


def train_reward_model(
    agent: InteractiveAgent,
    play: MarkedPlay,
    validation: MarkedPlay,
    config: RewardTrainingConfig,
    on_progress: Callable[[float], None] = lambda progress: None,
    preferences: Iterable[Preference] = (),
) -> RewardTraining:
    """Train an IBT model that starts from ``agent`` and return the best one.

    Args:
      agent: source of the weights; it stays unchanged.
    """
    model = InterTemporalRewardModel.from_agent(agent, seed=config.seed)
    trainer = RewardTrainer(model, play, validation, config, preferences)
    trainer.model.prepare(trainer.play)
    training = Training(trainer, config)
    for _ in training.updates():
        on_progress(min(1.0, training.progress))
    training.keep_best()
    return finished(trainer, training)
