"""Autoregressive (AR) reward model (paper, sections 4 and A.5): a model of the raters' marks.

The model is the whole agent, trunk and policies, with a head that models the marks: an LSTM on the memory's output and
the annotation of the previous step, and a three-way classifier of this step's annotation: none, (+) or (-). In training
the previous annotation is the rater's own (teacher forcing), and the loss is the negative log-probability of the
rater's annotation. To give rewards, the head reads its own previous output; the classifier samples an annotation at
every step, and the sample, +1, -1 or 0, is the reward.

The paper leaves these open; they are this project's choice:

* **Several raters.** Each rater of an episode is a sequence of its own: the same memory outputs, that rater's marks.
  Only raters with at least one mark in an episode are known to have rated it; steps of episodes without marks have no
  loss.
* **Both signs at once.** A step that one rater marked (+) as often as (-) has no loss, and none is fed back.
* **First steps.** An episode's first step has no previous step: it has no loss, and none is fed back.
* **Marks are rare** (14 in five minutes: one step in eighty). The loss is the plain likelihood, whose samples are as
  frequent as the raters' marks; a larger ``mark_weight`` would make a model that marks too often. The classifier's
  biases begin at the logarithm of the frequency of each annotation in the training play, so that the first updates
  are not spent on learning it.
* **Expected rewards** are p(+) - p(-), without sampling noise. The annotation fed back is then the mean of the three
  annotations' embeddings under the head's own probabilities, so that nothing is sampled. Their running sum is the
  model's utility, by which it is compared with others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.agent import AgentOutput, AgentState
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.memory import ResettingLSTM
from reward_models.contract import RewardModel, RewardModelConfig
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.registry import register

if TYPE_CHECKING:
    from reward_models.learning.config import RewardTrainingConfig
    from reward_models.marks.marked_play import MarkedPlay, MarkedWindow

NONE, GOOD, BAD = 0, 1, 2  # annotations: no mark, (+), (-)
ANNOTATIONS = 3


class AutoregressiveConfig(RewardModelConfig):
    """Sizes of the agent and of the annotation head.

    Args:
      head_width: width of the head's LSTM, of the annotations' embeddings and of the predictor's hidden layer.
    """

    model_type = "autoregressive_reward_model"

    def __init__(self, head_width: int = 128, **kwargs: Any) -> None:
        self.head_width = head_width
        super().__init__(**kwargs)


class AutoregressiveState(NamedTuple):
    """Memory carried from step to step of B environments, each rated by R raters (1 when it gives rewards)."""

    hidden: Tensor  # [B, memory_width], of the trunk's LSTM
    cell: Tensor  # [B, memory_width]
    head_hidden: Tensor  # [B * R, head_width], of the head's LSTM
    head_cell: Tensor  # [B * R, head_width]
    previous: Tensor  # float [B * R, 3], probability of each annotation at the last step; one-hot where it is known
    utility: Tensor  # float [B], sum of expected marks so far; nan before the first step, and 0 in training


@dataclass(frozen=True)
class AutoregressiveOutput(AgentOutput):
    """Output of the reward model for a sequence [T, B] that R raters annotated."""

    logits: Tensor  # [T, B, R, 3], of none, (+) and (-), given each rater's own annotations of the previous steps


class AnnotationHead(nn.Module):
    """Map from memory outputs and previous annotations to logits of the current annotations."""

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.annotations = nn.Parameter(torch.randn(ANNOTATIONS, width) * 0.1)
        self.memory = ResettingLSTM(features + width, width)
        self.predict = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, ANNOTATIONS))

    def forward(
        self, features: Tensor, previous: Tensor, state: AgentState, resets: Tensor
    ) -> tuple[Tensor, AgentState]:
        """Logits of the annotations of C columns.

        Args:
          features: [T, C, D], the memory's output.
          previous: float [T, C, 3], probabilities of the annotation of the step before each.
          state: of the head's LSTM, [C, width].
          resets: bool [T, C], first steps of episodes.

        Returns:
          Logits float32 [T, C, 3] and the state after them.
        """
        with torch.autocast(features.device.type, enabled=False):  # rewards stay exact where the trunk does not
            features = features.to(self.annotations.dtype)
            embedded = previous.to(features.dtype) @ self.annotations
            remembered, state = self.memory(torch.cat([features, embedded], dim=-1), state, resets)
            return self.predict(remembered).float(), state

    @torch.no_grad()
    def expect(self, shares: Tensor) -> None:
        """Set the biases so that predictions of none, (+) and (-) begin at the frequencies ``shares`` [3], all > 0."""
        last = self.predict[-1]
        assert isinstance(last, nn.Linear)
        last.bias.copy_(shares.log())


@register
class AutoregressiveRewardModel(RewardModel):
    """Trunk and policies of the agent with a head that annotates."""

    short = "AR"
    description = "It predicts the probability of a mark at every step; its rewards are sampled marks (autoregressive)."
    head = ("annotate",)
    fixed_scale = True
    predicts_marks = True
    config_class = AutoregressiveConfig
    config: AutoregressiveConfig

    def __init__(self, config: AgentConfig) -> None:
        super().__init__(config)
        self.annotate = AnnotationHead(self.config.memory_width, self.config.head_width)

    def initial_state(self, batch_size: int, device: torch.device | str | None = None) -> AutoregressiveState:
        state = self.learning_state(batch_size, 1, device)
        return state._replace(utility=torch.full_like(state.utility, torch.nan))

    def initial_stream(self, slots: int) -> AutoregressiveState:
        return self.initial_state(slots)

    def learning_state(self, batch: int, raters: int, device: torch.device | str | None = None) -> AutoregressiveState:
        memory = super().initial_state(batch, device)
        zeros = torch.zeros(batch * raters, self.config.head_width, device=memory.hidden.device)
        unused = torch.zeros(batch, device=zeros.device)  # finite, as everything in a checkpoint must be
        return AutoregressiveState(*memory, zeros, zeros.clone(), _none(zeros[:, :1]), unused)

    def forward(
        self, observations: ObservationBatch, state: AutoregressiveState, resets: Tensor
    ) -> tuple[AgentOutput, AutoregressiveState]:
        """Output of the agent; the head's state is unchanged."""
        output, memory = super().forward(observations, AgentState(state.hidden, state.cell), resets)
        return output, state._replace(hidden=memory.hidden, cell=memory.cell)

    # -- learning ---------------------------------------------------------------------------------------------

    def prepare(self, play: MarkedPlay) -> None:
        """Set the classifier's biases to the frequencies of marks in ``play``."""
        first = torch.from_numpy(play.episodes.first)[:, None]
        label, known = labels(torch.from_numpy(play.marks)[:, None], first, torch.from_numpy(play.rated)[:, None])
        counts = torch.bincount(label[known], minlength=ANNOTATIONS).float() + 1.0
        self.annotate.expect((counts / counts.sum()).to(self.device))

    def follow(
        self, window: MarkedWindow, state: AutoregressiveState
    ) -> tuple[AutoregressiveOutput, AutoregressiveState]:
        output, state = self(window.observations, state, window.resets)
        raters = window.marks.shape[2]

        def each_rater(x: Tensor) -> Tensor:
            """[T, B, ...] to [T, B * R, ...], the same for every rater."""
            return x.unsqueeze(2).expand(*x.shape[:2], raters, *x.shape[2:]).flatten(1, 2)

        label, _ = labels(window.marks, window.resets, window.rated)
        now = _one_hot(label).flatten(1, 2)
        previous = torch.cat([state.previous[None], now[:-1]])
        resets = each_rater(window.resets)
        previous = torch.where(resets.unsqueeze(-1), _none(previous), previous)
        memory = AgentState(state.head_hidden, state.head_cell)
        logits, memory = self.annotate(each_rater(output.features), previous, memory, resets)
        state = state._replace(head_hidden=memory.hidden, head_cell=memory.cell, previous=now[-1])
        return AutoregressiveOutput(**vars(output), logits=logits.unflatten(1, (-1, raters))), state

    def marks_loss(self, output: AutoregressiveOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:
        label, known = labels(window.marks, window.resets, window.rated)
        trust = known if window.trust is None else known * window.trust
        return ar_loss(output.logits, label, trust, config.mark_weight)

    def unmarked_drift_loss(self, output: AutoregressiveOutput, window: MarkedWindow) -> Tensor:
        """Mean square of the expected mark, given each rater's previous annotations."""
        counts = (window.unmarked & ~window.resets).unsqueeze(-1) & window.rated
        return (expected_mark(output.logits).square() * counts).sum() / counts.sum().clamp_min(1)

    # -- scoring ----------------------------------------------------------------------------------------------

    def utilities(
        self, observations: ObservationBatch, state: AutoregressiveState, resets: Tensor
    ) -> tuple[Tensor, AutoregressiveState]:
        """Running sum [T, B] of the marks that are expected, from 0 at an episode's first step."""
        _, utility, state = self._annotate(observations, state, resets, None)
        return utility, state

    def mark_probabilities(
        self, observations: ObservationBatch, state: AutoregressiveState, resets: Tensor
    ) -> tuple[Tensor, AutoregressiveState]:
        annotated, _, state = self._annotate(observations, state, resets, None)
        return annotated[..., [GOOD, BAD]], state

    def rewards(
        self,
        observations: ObservationBatch,
        state: AutoregressiveState,
        resets: Tensor,
        draws: Tensor | None = None,
    ) -> tuple[Tensor, AutoregressiveState]:
        """Annotations sampled with ``draws``, times ``reward_scale``; without draws the expected ones."""
        annotated, _, state = self._annotate(observations, state, resets, draws)
        return self.config.reward_scale * (annotated[..., GOOD] - annotated[..., BAD]), state

    def _annotate(
        self, observations: ObservationBatch, state: AutoregressiveState, resets: Tensor, draws: Tensor | None
    ) -> tuple[Tensor, Tensor, AutoregressiveState]:
        """Annotate every step.

        Returns:
          Annotations float32 [T, B, 3] (probabilities without ``draws``), their running sum in each episode [T, B],
          and the memory after them.
        """
        trunk, memory = self.trunk(observations, AgentState(state.hidden, state.cell), resets)
        head, previous, utility = AgentState(state.head_hidden, state.head_cell), state.previous, state.utility
        annotated, utilities = [], []
        for t in range(len(resets)):
            none, first = _none(previous), resets[t] | utility.isnan()
            previous = torch.where(resets[t, :, None], none, previous)
            logits, head = self.annotate(trunk.features[t : t + 1], previous[None], head, resets[t : t + 1])
            chosen = logits[0].softmax(-1) if draws is None else _one_hot(drawn(logits[0], draws[t]))
            previous = torch.where(first.unsqueeze(-1), none, chosen)
            annotated.append(previous)
            utility = torch.where(first, 0.0, utility) + previous[:, GOOD] - previous[:, BAD]
            utilities.append(utility)
        state = AutoregressiveState(memory.hidden, memory.cell, head.hidden, head.cell, previous, utility)
        return torch.stack(annotated), torch.stack(utilities), state


def labels(marks: Tensor, resets: Tensor, rated: Tensor) -> tuple[Tensor, Tensor]:
    """Annotation of each rater at every step, and a mask of the known ones.

    Args:
      marks: [T, B, R, 2], counts of each rater's (+) and (-).
      resets: bool [T, B], first steps of episodes.
      rated: bool [T, B, R], steps of the episodes that each rater has rated.

    Returns:
      Annotations int64 [T, B, R], and bool [T, B, R], true where the annotation is known and learned.
    """
    plus, minus = marks[..., PLUS].long(), marks[..., MINUS].long()
    label = torch.where(plus > minus, GOOD, torch.where(minus > plus, BAD, NONE))
    first = resets.unsqueeze(-1)
    undecided = (plus == minus) & (plus > 0)
    return torch.where(first, NONE, label), rated & ~first & ~undecided


def ar_loss(logits: Tensor, label: Tensor, known: Tensor, mark_weight: float = 1.0) -> Tensor:
    """Weighted mean of the negative log-probability of the annotations, a scalar; 0 if none is known.

    Args:
      logits: [T, B, R, 3].
      label: int64 [T, B, R], the annotations.
      known: [T, B, R], 0 where the annotation is unknown, and the rater's weight elsewhere.
      mark_weight: weight of a step with a mark relative to one without (paper: 1).
    """
    weight = torch.where(label == NONE, 1.0, mark_weight) * known
    loss = F.cross_entropy(logits.movedim(-1, 1), label, reduction="none")
    return (loss * weight).sum() / weight.sum().clamp_min(1.0)


def expected_mark(logits: Tensor) -> Tensor:
    """p(+) - p(-) of ``logits`` [..., 3]."""
    chances = logits.softmax(-1)
    return chances[..., GOOD] - chances[..., BAD]


def drawn(logits: Tensor, draws: Tensor) -> Tensor:
    """Annotations int64 [...] sampled from ``logits`` [..., 3] with ``draws`` [...], uniform in [0, 1)."""
    reached = logits.softmax(-1).cumsum(-1)[..., :-1]
    return (draws.unsqueeze(-1) >= reached).sum(-1)


def _none(like: Tensor) -> Tensor:
    """One-hot [..., 3] of no annotation, on the device of ``like`` [..., any]."""
    return _one_hot(torch.full(like.shape[:-1], NONE, device=like.device))


def _one_hot(label: Tensor) -> Tensor:
    return F.one_hot(label, ANNOTATIONS).float()
