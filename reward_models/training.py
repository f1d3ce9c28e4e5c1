"""Teaching a reward model: IBT on marks, BC on demonstrations and CSS, with equal weights (paper, section 4)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from agents.agent import AgentState, InteractiveAgent
from agents.cloning import bc_loss
from agents.computing import ComputingConfig, autocast, prepare
from agents.contrastive import css_loss
from reward_models.augmentation import Augmentation
from reward_models.exam import SELECTED_BY, Exam
from reward_models.inter_temporal import InterTemporalRewardModel, ibt_loss, quiet_loss
from reward_models.marked_play import MarkedPlay, MarkedStream, MarkedWindow
from reward_models.pairs import MINUS, PLUS, Weighting
from reward_models.scoring import calibrated_scale
from rlhf.errors import UserError


@dataclass(frozen=True)
class RewardTrainingConfig:
    """How a reward model is taught. Weights, augmentation, window and optimiser default to the paper's.

    Args:
      updates: gradient steps. max_seconds: stop earlier when this much time has passed; the schedule of the
        learning rate follows whichever ends first.
      steps, batch: window [T, B] of every update. Only pairs inside a window are compared, so T bounds how far
        apart cause and mark may be.
      ibt_weight, bc_weight, css_weight: of the terms of the loss (paper: equal).
      movement_weight, language_weight: of the two parts of BC.
      quiet_weight: of :func:`reward_models.inter_temporal.quiet_loss` (paper: none). quiet_margin: steps on
        either side of a mark to which it does not apply.
      weighting: how pairs are averaged, see :func:`reward_models.pairs.pair_weights`.
      augmentation: probability with which a marked episode becomes an example of wrong behaviour.
      learning_rate, beta1, beta2: of Adam. warmup: updates over which the rate rises.
        decay: the rate falls to this fraction of itself along a cosine.
      clip: largest global norm of the gradient.
      evaluate_every: updates between evaluations on the validation episodes. evaluation_episodes: at most so many.
      patience: stop after this many evaluations without a better one; None trains to the end.
      calibrate: choose the model's ``reward_scale`` so that a (+) mark is worth 1; otherwise it stays 1.
      log_every: in updates. computing: precision, compilation and memory.
    """

    updates: int = 20_000
    max_seconds: float | None = None
    steps: int = 50
    batch: int = 96
    ibt_weight: float = 1.0
    bc_weight: float = 1.0
    css_weight: float = 1.0
    movement_weight: float = 1.0
    language_weight: float = 5.0
    quiet_weight: float = 0.0
    quiet_margin: int = 8
    weighting: Weighting = "stretches"
    augmentation: float = 0.33
    learning_rate: float = 1e-4
    beta1: float = 0.0
    beta2: float = 0.999
    warmup: int = 100
    decay: float = 0.1
    clip: float = 10.0
    evaluate_every: int = 500
    evaluation_episodes: int = 200
    patience: int | None = None
    calibrate: bool = False
    log_every: int = 20
    seed: int = 0
    computing: ComputingConfig = field(default_factory=ComputingConfig)

    def __post_init__(self) -> None:
        for name in ("updates", "batch", "log_every", "evaluate_every", "evaluation_episodes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1, not {getattr(self, name)}")
        if self.steps < 2:
            raise ValueError(f"steps is {self.steps}: a window of less than 2 steps has no pairs")


@dataclass(frozen=True)
class RewardTraining:
    """What came of a training: the best model, when it was reached, and the metrics of every evaluation."""

    model: InterTemporalRewardModel
    best_update: int
    history: tuple[dict[str, float], ...]

    @property
    def best(self) -> dict[str, float]:
        """The evaluation of the model that was kept."""
        return next(metrics for metrics in self.history if metrics["update"] == self.best_update)


class RewardTrainer:
    """Teaches one reward model, one update at a time; ``state_dict`` resumes bit-exactly.

    Args:
      model: trained in place. play: learned from. validation: marked episodes that are not learned from and decide
        which model is kept.

    Raises:
      UserError: if nothing can be learned from the marks, or nothing judged by those set aside.
    """

    def __init__(
        self, model: InterTemporalRewardModel, play: MarkedPlay, validation: MarkedPlay, config: RewardTrainingConfig
    ) -> None:
        check_marks(play, config.augmentation)
        if not len(validation.comparable):
            raise UserError(
                f"none of the {len(validation)} episodes set aside has a usable mark; mark them, or set others aside"
            )
        self.model, self.config = model, config
        self.stream = MarkedStream(
            play, config.steps, config.batch, config.seed, Augmentation(config.augmentation), config.quiet_margin
        )
        self.exam = Exam.of(validation, config.evaluation_episodes)
        self.memory = model.initial_state(config.batch)
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
          FloatingPointError: if a term of the loss is not finite; the weights are left as they were.
        """
        rate = learning_rate(self.config, self.update_index, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        window = self.stream.next_marked(self.model.device)
        terms, memory = reward_terms(self.model, window, self.memory, self.config)
        weights = term_weights(self.config)
        loss = torch.stack([weights[name] * term for name, term in terms.items()]).sum()
        if not torch.isfinite(loss):
            values = ", ".join(f"{name} {term.item()}" for name, term in terms.items())
            raise FloatingPointError(f"loss of update {self.update_index} is not finite: {values}")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimizer.step()
        self.memory = AgentState(memory.hidden.detach(), memory.cell.detach())
        self.update_index += 1
        metrics = {f"reward_model/{name}": term.item() for name, term in terms.items()}
        return metrics | {
            "reward_model/loss": loss.item(),
            "reward_model/gradient_norm": norm.item(),
            "reward_model/learning_rate": rate,
        }

    def evaluate(self) -> dict[str, float]:
        """Put the model to the exam; remember its weights if it has never done better."""
        self.model.eval()
        metrics = {f"reward_model_validation/{name}": value for name, value in self.exam.take(self.model).items()}
        self.model.train()
        score = f"reward_model_validation/{SELECTED_BY}"
        if not self.history or metrics[score] > max(m[score] for m in self.history):
            self.best_update = self.update_index
            self._best_weights = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        self.history.append({"update": float(self.update_index)} | metrics)
        return metrics

    @property
    def progress(self) -> float:
        """How far along the run is, by updates or by time, whichever is further; 1 is the end."""
        by_time = self.seconds / self.config.max_seconds if self.config.max_seconds else 0.0
        return max(self.update_index / self.config.updates, by_time)

    @property
    def stale(self) -> bool:
        """Whether the last ``patience`` evaluations brought nothing better."""
        since = sum(m["update"] > self.best_update for m in self.history)
        return self.config.patience is not None and since >= self.config.patience

    def finish(self) -> RewardTraining:
        """Give the model the best weights there were, calibrate it if asked to, and return it."""
        if not self.history:
            self.evaluate()
        self.model.load_state_dict(self._best_weights)
        self.model.eval()
        if self.config.calibrate:
            self.model.config.reward_scale = calibrated_scale(self.model, self.exam.play, self.exam.episodes)
        return RewardTraining(self.model, self.best_update, tuple(self.history))

    def state_dict(self) -> dict[str, Any]:
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "stream": self.stream.state_dict(),
            "memory": tuple(self.memory),
            "update": self.update_index,
            "seconds": self.seconds,
            "history": list(self.history),
            "best_update": self.best_update,
            "best_weights": self._best_weights,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.stream.load_state_dict(state["stream"])
        self.memory = AgentState(*(part.to(self.model.device) for part in state["memory"]))
        self.update_index, self.seconds = state["update"], state["seconds"]
        self.history = list(state["history"])
        self.best_update = state["best_update"]
        self._best_weights = dict(state["best_weights"])


def reward_terms(
    model: InterTemporalRewardModel, window: MarkedWindow, state: AgentState, config: RewardTrainingConfig
) -> tuple[dict[str, Tensor], AgentState]:
    """The unweighted terms of the loss on ``window`` that have a weight, and the memory after it."""
    with autocast(config.computing, window.resets.device):
        output, state = model(window.observations, state, window.resets)
    terms = {"ibt": ibt_loss(output.utility, window.marks, window.resets, config.weighting)}
    if config.bc_weight:
        terms |= bc_loss(model.log_probs(output, window.actions), window.imitate)
    if config.css_weight:
        words = window.observations.setter_tokens
        terms["css"] = css_loss(model.discriminator, output.vision, output.language, words, window.matched)
    if config.quiet_weight:
        terms["quiet"] = quiet_loss(output.utility, window.quiet, window.resets)
    return terms, state


def term_weights(config: RewardTrainingConfig) -> dict[str, float]:
    """Weight of every term that :func:`reward_terms` may return."""
    return {
        "ibt": config.ibt_weight,
        "movement": config.bc_weight * config.movement_weight,
        "language": config.bc_weight * config.language_weight,
        "css": config.css_weight,
        "quiet": config.quiet_weight,
    }


def learning_rate(config: RewardTrainingConfig, update: int, progress: float) -> float:
    """Linear warm-up, then a cosine from the full rate to ``decay`` of it as ``progress`` goes from 0 to 1."""
    warm = min(1.0, (update + 1) / max(1, config.warmup))
    cosine = 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
    return config.learning_rate * warm * (config.decay + (1.0 - config.decay) * cosine)


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
) -> RewardTraining:
    """Teach a reward model that starts from ``agent`` (which stays as it is) and return the best there was.

    Args:
      on_checkpoint: given all that is needed to go on, after every evaluation. resume: what it was given.
    """
    trainer = RewardTrainer(InterTemporalRewardModel.from_agent(agent, seed=config.seed), play, validation, config)
    if resume is not None:
        trainer.load_state_dict(resume)
    trainer.model.train()
    began, before, first = time.monotonic(), trainer.seconds, trainer.update_index
    while (progress := trainer.progress) < 1.0 and not trainer.stale:
        metrics = trainer.update(progress)
        trainer.seconds = before + time.monotonic() - began
        if ends := trainer.progress >= 1.0 or trainer.update_index % config.evaluate_every == 0:
            metrics |= trainer.evaluate()
            on_checkpoint(trainer.state_dict())
        if ends or trainer.update_index % config.log_every == 0:
            frames = (trainer.update_index - first) * config.steps * config.batch
            rate = frames / max(trainer.seconds - before, 1e-9)
            on_metrics(trainer.update_index, metrics | {"reward_model/frames_per_second": rate})
        on_progress(min(1.0, trainer.progress))
    return trainer.finish()
