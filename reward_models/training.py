"""Teaching a reward model: its own loss on marks, BC and CSS, with equal weights (paper, section 4)."""

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

UNMARKED = "quiet"  # the unmarked drift's name among the metrics, which older runs' files have
__all__ = ["RewardTrainer", "RewardTraining", "RewardTrainingConfig", "train_reward_model"]


@dataclass(frozen=True)
class RewardTraining:
    """What came of a training: the best model, when it was reached, and the metrics of every evaluation."""

    model: RewardModel
    best_update: int
    history: tuple[dict[str, float], ...]

    @property
    def best(self) -> dict[str, float]:
        """The evaluation of the model that was kept."""
        return next(metrics for metrics in self.history if metrics["update"] == self.best_update)


class RewardTrainer:
    """Teaches one reward model, one update at a time; ``state_dict`` resumes bit-exactly.

    Args:
      model: trained in place. A new one has still to be prepared for ``trainer.play``
        (:meth:`reward_models.contract.RewardModel.prepare`), before the first update.
      play: learned from. validation: marked episodes that are not learned from and decide which model is kept; every
        rater's marks on them count as they are, however those of ``play`` are used.

    Raises:
      UserError: if nothing can be learned from the marks, or nothing judged by those set aside.
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
        self.seconds = 0.0  # spent on training so far, over all resumptions
        self.history: list[dict[str, float]] = []
        self.best_update = 0
        self._best_weights: dict[str, Tensor] = {}
        prepare(model, config.computing)

    def update(self, progress: float) -> dict[str, float]:
        """One gradient step; ``progress`` in [0, 1] is how far along the run is.

        Raises:
          FloatingPointError: if a term of the loss or the gradient is not finite; the weights are left as they were.
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
        self.memory = _remade(memory, (part.detach() for part in memory))
        self.update_index += 1
        return {f"reward_model/{name}": value for name, value in metrics.items()} | {"reward_model/learning_rate": rate}

    def evaluate(self) -> dict[str, float]:
        """Evaluate the model on validation episodes; remember its weights if it has never been better."""
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
        """The evaluation of the best model so far."""
        return next(metrics for metrics in self.history if metrics["update"] == self.best_update)

    @property
    def finished(self) -> bool:
        """Whether no update is left to make."""
        return self.progress >= 1.0 or self.stale

    @property
    def progress(self) -> float:
        """How far along the run is, by updates or by time, whichever is further; 1 is the end."""
        by_time = self.seconds / self.config.max_seconds if self.config.max_seconds is not None else 0.0
        return max(self.update_index / self.config.updates, by_time)

    @property
    def stale(self) -> bool:
        """Whether the last ``patience`` evaluations brought nothing better."""
        since = sum(m["update"] > self.best_update for m in self.history)
        return self.config.patience is not None and since >= self.config.patience

    def run(
        self,
        on_metrics: Callable[[int, dict[str, float]], None] = lambda update, metrics: None,
        on_progress: Callable[[float], None] = lambda fraction: None,
        on_checkpoint: Callable[[], object] = lambda: None,
        checkpoint_every: int | None = None,
    ) -> RewardTraining:
        """Update to the end and return the best model there was.

        Args:
          on_progress: called after every update with how far the run has come, in a state that can be kept as
            ``on_checkpoint`` keeps it; what it raises ends the training.
          on_checkpoint: called every ``checkpoint_every`` updates, or after every evaluation if that is None, and at
            the end, when ``state_dict`` is all that is needed to go on.
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
        """Give the model the best weights there were, calibrate it if asked to, and return it."""
        if not self.history:
            self.evaluate()
        self.model.load_state_dict(self._best_weights)
        self.model.eval()
        if self.config.calibrate and not self.model.fixed_scale:
            self.model.config.reward_scale = calibrated_scale(self.model, self.evaluator.play, self.evaluator.episodes)
        return RewardTraining(self.model, self.best_update, tuple(self.history))

    def state_dict(self, weights: bool = True) -> dict[str, Any]:
        """Everything that determines what is to come; without ``weights``, all but the model's present ones."""
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
        """Go on from what :meth:`state_dict` gave; given without weights, the model has to have them already.

        Raises:
          UserError: if it was given for other play or marks.
        """
        self.stream.load_state_dict(state["stream"])
        if "model" in state:
            self.model.load_state_dict(state["model"])
        load_optimizer(self.optimizer, state["optimizer"], betas=(self.config.beta1, self.config.beta2))
        self.memory = _remade(self.memory, (part.to(self.model.device) for part in state["memory"]))
        self.update_index, self.seconds = state["update"], state["seconds"]
        self.history = list(state["history"])
        self.best_update = state["best_update"]
        self._best_weights = dict(state["best_weights"])


def reward_terms(
    model: RewardModel, window: MarkedWindow, state: State, config: RewardTrainingConfig
) -> tuple[dict[str, Tensor], State]:
    """The unweighted terms of the loss on ``window`` that have a weight, and the memory after it."""
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


def _remade(like: State, parts: Iterable[Tensor]) -> State:
    """The named tuple of ``parts`` that is of the same kind as ``like``."""
    return type(like)(*parts)  # type: ignore[call-arg]


def check_marks(play: MarkedPlay, augmentation: float) -> None:
    """Raises UserError if ``play`` has no marks to learn from, or marks of one sign that can only teach the time."""
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
    """Teach a reward model that starts from ``agent`` (which stays as it is) and return the best there was.

    Args:
      kind: of reward model, see :mod:`reward_models.registry`.
      on_checkpoint: given all that is needed to go on, after every evaluation. resume: what it was given.
    """
    trainer = RewardTrainer(kind.from_agent(agent, seed=config.seed), play, validation, config)
    if resume is None:
        trainer.model.prepare(trainer.play)
    else:
        trainer.load_state_dict(resume)
    return trainer.run(on_metrics, on_progress, lambda: on_checkpoint(trainer.state_dict()))
