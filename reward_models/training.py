"""Training of a reward model: its own loss on marks, BC and CSS, with equal weights (paper, section 4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from agents.agent import InteractiveAgent
from agents.computing import autocast, prepare
from agents.learning.cloning import bc_loss
from agents.learning.contrastive import css_loss
from agents.learning.optimization import learning_rate, load_optimizer, optimizer_step
from agents.learning.random_shift import shifted
from reward_models.augmentation import Augmentation
from reward_models.contract import RewardModel, State
from reward_models.evaluation import SELECTED_BY, Evaluator
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.marked_play import MarkedPlay, MarkedStream, MarkedWindow, marks_later
from reward_models.pairs import MINUS, PLUS
from reward_models.raters import use_raters
from reward_models.scoring import calibrated_scale
from reward_models.training_config import RewardTrainingConfig
from worlds.errors import UserError

UNMARKED = "quiet"  # name of the unmarked drift in metrics, as in the files of older runs
__all__ = ["RewardTrainer", "RewardTraining", "RewardTrainingConfig", "train_reward_model"]


@dataclass(frozen=True)
class RewardTraining:
    """Result of a training: the best model, its update, and the metrics of every evaluation."""

    model: RewardModel
    best_update: int
    history: tuple[dict[str, float], ...]

    @property
    def best(self) -> dict[str, float]:
        """Metrics of the best model."""
        return next(metrics for metrics in self.history if metrics["update"] == self.best_update)


class RewardTrainer:
    """Trainer of one reward model, one update at a time; ``state_dict`` resumes bit-exactly.

    Args:
      model: trained in place. A new one must be prepared for ``trainer.play``
        (:meth:`reward_models.contract.RewardModel.prepare`) before the first update.
      play: training play.
      validation: marked validation episodes, which select the best model; every rater's marks on them count unchanged,
        however those of ``play`` are used.
      config: settings of the training.

    Raises:
      UserError: if nothing can be learned from the marks, or no validation episode has a usable mark.
    """

    def __init__(
        self, model: RewardModel, play: MarkedPlay, validation: MarkedPlay, config: RewardTrainingConfig
    ) -> None:
        play, validation = (marks_later(part, config.marks_later) for part in (play, validation))
        play = use_raters(play, config.raters, config.raters_tolerance)
        check_marks(play, config.augmentation)
        if not len(validation.comparable):
            raise UserError(
                f"none of the {len(validation)} episodes set aside has a usable mark; mark them, or set others aside"
            )
        self.model, self.play, self.config = model, play, config
        augmentation = Augmentation(config.augmentation, rater_delay=config.rater_delay + config.marks_later)
        self.stream = MarkedStream(play, config.steps, config.batch, config.seed, augmentation, config.unmarked_margin)
        self.evaluator = Evaluator.of(validation, config.evaluation_episodes)
        self.memory: State = model.learning_state(config.batch, play.marks.shape[1])
        self.optimizer = torch.optim.Adam(
            model.parameters(), lr=config.learning_rate, betas=(config.beta1, config.beta2), fused=True
        )
        self.update_index = 0
        self.seconds = 0.0  # of training so far, over all resumptions
        self.history: list[dict[str, float]] = []
        self.best_update = 0
        self._best_weights: dict[str, Tensor] = {}
        prepare(model, config.computing)

    def update(self, progress: float) -> dict[str, float]:
        """Make one gradient step.

        Args:
          progress: of the run, in [0, 1].

        Returns:
          Metrics of the step.

        Raises:
          FloatingPointError: if a term of the loss or the gradient is not finite; the weights stay unchanged.
        """
        rate = learning_rate(self.config, self.update_index, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        window, config = self.stream.next_marked(self.model.device), self.config
        seen = shifted(window.observations, config.shift, config.seed, self.update_index)
        window = replace(window, observations=seen)
        terms, memory = reward_terms(self.model, window, self.memory, self.config)
        weights = term_weights(self.config, self.model.term())
        weighted = {name: (weights[name], term) for name, term in terms.items()}
        metrics = optimizer_step(self.optimizer, self.model.parameters(), weighted, config.clip, self.update_index)
        self.memory = _with_parts(memory, (part.detach() for part in memory))
        self.update_index += 1
        return {f"reward_model/{name}": value for name, value in metrics.items()} | {"reward_model/learning_rate": rate}

    def evaluate(self) -> dict[str, float]:
        """Evaluate the model on validation episodes; keep its weights if it is the best so far."""
        self.model.eval()
        metrics = {
            f"reward_model_validation/{name}": value for name, value in self.evaluator.evaluate(self.model).items()
        }
        self.model.train()
        score = f"reward_model_validation/{SELECTED_BY}"
        if not self.history or metrics[score] > self._best_metrics[score]:
            self.best_update = self.update_index
            self._best_weights = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        self.history.append({"update": float(self.update_index)} | metrics)
        return metrics

    @property
    def _best_metrics(self) -> dict[str, float]:
        """Metrics of the best model so far."""
        return next(metrics for metrics in self.history if metrics["update"] == self.best_update)

    @property
    def finished(self) -> bool:
        """True if no update is left to make."""
        return self.progress >= 1.0 or self.stale

    @property
    def progress(self) -> float:
        """Progress of the run, by updates or by time, whichever is further; 1 is the end."""
        by_time = self.seconds / self.config.max_seconds if self.config.max_seconds is not None else 0.0
        return max(self.update_index / self.config.updates, by_time)

    @property
    def stale(self) -> bool:
        """True if the last ``patience`` evaluations brought no improvement."""
        since = sum(m["update"] > self.best_update for m in self.history)
        return self.config.patience is not None and since >= self.config.patience

    def run(
        self,
        on_metrics: Callable[[int, dict[str, float]], None] = lambda update, metrics: None,
        on_progress: Callable[[float], None] = lambda fraction: None,
        on_checkpoint: Callable[[], object] = lambda: None,
        checkpoint_every: int | None = None,
    ) -> RewardTraining:
        """Update to the end and return the best model.

        Args:
          on_metrics: called with the update's number and its metrics.
          on_progress: called after every update with the progress of the run, in a state that ``on_checkpoint`` could
            save; an exception from it ends the training.
          on_checkpoint: called every ``checkpoint_every`` updates and at the end, when ``state_dict`` holds all that is
            needed to resume.
          checkpoint_every: number of updates; None: after every evaluation.
        """
        config, often = self.config, checkpoint_every or self.config.evaluate_every
        began, before, first = time.monotonic(), self.seconds, self.update_index
        self.model.train()
        while (progress := self.progress) < 1.0 and not self.stale:
            metrics = self.update(progress)
            self.seconds = before + time.monotonic() - began
            if ends := self.progress >= 1.0 or self.update_index % config.evaluate_every == 0:
                metrics |= self.evaluate()
            if ends or self.update_index % config.log_every == 0:
                frames = (self.update_index - first) * config.steps * config.batch
                rate = frames / max(self.seconds - before, 1e-9)
                on_metrics(self.update_index, metrics | {"reward_model/frames_per_second": rate})
            on_progress(min(1.0, self.progress))
            if self.progress >= 1.0 or self.stale or self.update_index % often == 0:
                on_checkpoint()
        return self.finish()

    def finish(self) -> RewardTraining:
        """Load the best weights into the model, calibrate it if the settings ask for it, and return it."""
        if not self.history:
            self.evaluate()
        self.model.load_state_dict(self._best_weights)
        self.model.eval()
        if self.config.calibrate and not self.model.fixed_scale:
            self.model.config.reward_scale = calibrated_scale(self.model, self.evaluator.play, self.evaluator.episodes)
        return RewardTraining(self.model, self.best_update, tuple(self.history))

    def state_dict(self, weights: bool = True) -> dict[str, Any]:
        """Return the state of the training; without ``weights``, all but the model's current weights."""
        state = {
            "optimizer": self.optimizer.state_dict(),
            "stream": self.stream.state_dict(),
            "memory": tuple(self.memory),
            "update": self.update_index,
            "seconds": self.seconds,
            "history": list(self.history),
            "best_update": self.best_update,
            "best_weights": self._best_weights,
        }
        return state | {"model": self.model.state_dict()} if weights else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; without weights in it, the model must have them already.

        Raises:
          UserError: if it is of other play or marks.
        """
        self.stream.load_state_dict(state["stream"])
        if "model" in state:
            self.model.load_state_dict(state["model"])
        load_optimizer(self.optimizer, state["optimizer"], betas=(self.config.beta1, self.config.beta2))
        self.memory = _with_parts(self.memory, (part.to(self.model.device) for part in state["memory"]))
        self.update_index, self.seconds = state["update"], state["seconds"]
        self.history = list(state["history"])
        self.best_update = state["best_update"]
        self._best_weights = dict(state["best_weights"])


def reward_terms(
    model: RewardModel, window: MarkedWindow, state: State, config: RewardTrainingConfig
) -> tuple[dict[str, Tensor], State]:
    """Terms of the loss on a window, unweighted.

    Args:
      model: the reward model.
      window: [T, B] of marked play.
      state: memory before the window.
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
        terms["css"] = css_loss(model.discriminator, output.vision, output.language, words, window.matched)
    if config.unmarked_drift_weight:
        terms[UNMARKED] = model.unmarked_drift_loss(output, window)
    return terms, state


def term_weights(config: RewardTrainingConfig, own: str) -> dict[str, float]:
    """Weight of every term that :func:`reward_terms` may return; ``own`` is the name of the model's own loss."""
    return {
        own: getattr(config, f"{own}_weight", 1.0),  # kinds of users' own have no setting
        "movement": config.bc_weight * config.movement_weight,
        "language": config.bc_weight * config.language_weight,
        "css": config.css_weight,
        UNMARKED: config.unmarked_drift_weight,
    }


def _with_parts(like: State, parts: Iterable[Tensor]) -> State:
    """Build the named tuple of ``parts`` of the same type as ``like``."""
    return type(like)(*parts)  # type: ignore[call-arg]


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
    on_metrics: Callable[[int, dict[str, float]], None] = lambda update, metrics: None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    on_checkpoint: Callable[[dict[str, Any]], None] = lambda state: None,
    resume: dict[str, Any] | None = None,
    kind: type[RewardModel] = InterTemporalRewardModel,
) -> RewardTraining:
    """Train a reward model that starts from ``agent`` and return the best one.

    Args:
      agent: source of the weights; it stays unchanged.
      play: training play.
      validation: marked validation episodes.
      config: settings of the training.
      on_metrics: called with the update's number and its metrics.
      on_progress: called after every update with the progress of the run.
      on_checkpoint: called with all that is needed to resume, after every evaluation.
      resume: the state that ``on_checkpoint`` was called with; None: start.
      kind: of reward model, see :mod:`reward_models.registry`.
    """
    trainer = RewardTrainer(kind.from_agent(agent, seed=config.seed), play, validation, config)
    if resume is None:
        trainer.model.prepare(trainer.play)
    else:
        trainer.load_state_dict(resume)
    return trainer.run(on_metrics, on_progress, lambda: on_checkpoint(trainer.state_dict()))
