"""The autoregressive (AR) reward model (paper, sections 4 and A.5): what would a rater press now?

It is the agent, trunk and policies and all, with a head that models the marks themselves: an LSTM that is told the
memory's output and the annotation of the step before, and a three-way predictor of this step's annotation: none, (+)
or (-). In learning the annotation before is the rater's own (teacher forcing), and the loss is the negative
log-probability of what the rater did. As a reward the head hears its own last output; the classifier draws an
annotation at every step, and what it draws, +1, -1 or 0, is the reward.

What the paper leaves open is this project's choice:

* **Several raters.** Each rater of an episode is a sequence of its own: the same memory outputs, that rater's marks. A
  rater who is known to have rated an episode is one who marked it at least once; steps of episodes that nobody marked
  have no loss.
* **Both signs at once.** A step that one rater marked (+) as often as (-) is left out of the loss and heard as none.
* **First steps.** An episode's first step has nothing before it: it has no loss, and is none wherever it is heard.
* **Marks are rare** (14 in five minutes: one step in eighty). The loss is the plain likelihood, whose samples come as
  often as raters' marks do; weighing marks up (``mark_weight``) would make a model that presses too often. The
  predictor's biases begin at the logarithm of how often each annotation occurs in the play to be learned from, so
  that the first updates are not spent on finding that out.
* **Expected rewards** are p(+) - p(-), without the luck of the draw. What is heard of the step before is then the
  mean of the three annotations' embeddings under the head's own probabilities, so that nothing need be drawn. Their
  running sum is the model's utility, by which it is compared with others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.agent import AgentOutput, AgentState
from agents.batch import ObservationBatch
from agents.config import AgentConfig
from agents.networks.memory import ResettingLSTM
from reward_models.contract import RewardModel, RewardModelConfig
from reward_models.marked_play import MarkedPlay, MarkedWindow
from reward_models.pairs import MINUS, PLUS
from reward_models.registry import register
from reward_models.training_config import RewardTrainingConfig

NONE, GOOD, BAD = 0, 1, 2  # annotations: no mark, (+), (-)
ANNOTATIONS = 3


class AutoregressiveConfig(RewardModelConfig):
    """An agent's sizes and what the annotation head adds to them.

    Args:
      head_width: of the head's LSTM, of the annotations' embeddings and of the predictor's hidden layer.
    """

    model_type = "autoregressive_reward_model"

    def __init__(self, head_width: int = 128, **kwargs: Any) -> None:
        self.head_width = head_width
        super().__init__(**kwargs)


class AutoregressiveState(NamedTuple):
    """What is carried from step to step of B environments, each rated by R raters (one, where it judges)."""

    hidden: Tensor  # [B, memory_width], of the trunk's LSTM
    cell: Tensor  # [B, memory_width]
    head_hidden: Tensor  # [B * R, head_width], of the head's LSTM
    head_cell: Tensor  # [B * R, head_width]
    heard: Tensor  # float [B * R, 3], how likely each annotation was at the last step; one-hot where it is known
    utility: Tensor  # float [B], sum of what was expected so far; nan before the first step, and 0 in learning


@dataclass(frozen=True)
class AutoregressiveOutput(AgentOutput):
    """What the reward model makes of a sequence [T, B] that R raters annotated."""

    logits: Tensor  # [T, B, R, 3], of none, (+) and (-), each rater's own annotations up to the step before known


class AnnotationHead(nn.Module):
    """Memory outputs and the annotations before to logits of the annotations now."""

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.annotations = nn.Parameter(torch.randn(ANNOTATIONS, width) * 0.1)
        self.memory = ResettingLSTM(features + width, width)
        self.predict = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, ANNOTATIONS))

    def forward(self, features: Tensor, heard: Tensor, state: AgentState, resets: Tensor) -> tuple[Tensor, AgentState]:
        """Logits float32 [T, C, 3] of C columns.

        Args:
          features: [T, C, D]. heard: float [T, C, 3], probabilities of the annotation of the step before each.
          state: of the head's LSTM, [C, width]. resets: bool [T, C].
        """
        with torch.autocast(features.device.type, enabled=False):  # what is paid stays exact where the trunk does not
            features = features.to(self.annotations.dtype)
            before = heard.to(features.dtype) @ self.annotations
            remembered, state = self.memory(torch.cat([features, before], dim=-1), state, resets)
            return self.predict(remembered).float(), state

    @torch.no_grad()
    def expect(self, shares: Tensor) -> None:
        """Begin with predictions of none, (+) and (-) as often as ``shares`` [3] says, all above 0."""
        last = self.predict[-1]
        assert isinstance(last, nn.Linear)
        last.bias.copy_(shares.log())


@register
class AutoregressiveRewardModel(RewardModel):
    """The agent's trunk and policies with a head that annotates."""

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
        unread = torch.zeros(batch, device=zeros.device)  # finite, as all that a checkpoint holds has to be
        return AutoregressiveState(*memory, zeros, zeros.clone(), _none(zeros[:, :1]), unread)

    def forward(
        self, observations: ObservationBatch, state: AutoregressiveState, resets: Tensor
    ) -> tuple[AgentOutput, AutoregressiveState]:
        """As the agent's; the head is left as it is."""
        output, memory = super().forward(observations, AgentState(state.hidden, state.cell), resets)
        return output, state._replace(hidden=memory.hidden, cell=memory.cell)

    # -- learning ---------------------------------------------------------------------------------------------

    def prepare(self, play: MarkedPlay) -> None:
        """Begin with marks as rare as they are in ``play``."""
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
        heard = torch.cat([state.heard[None], now[:-1]])
        resets = each_rater(window.resets)
        heard = torch.where(resets.unsqueeze(-1), _none(heard), heard)
        memory = AgentState(state.head_hidden, state.head_cell)
        logits, memory = self.annotate(each_rater(output.features), heard, memory, resets)
        state = state._replace(head_hidden=memory.hidden, head_cell=memory.cell, heard=now[-1])
        return AutoregressiveOutput(**vars(output), logits=logits.unflatten(1, (-1, raters))), state

    def marks_loss(self, output: AutoregressiveOutput, window: MarkedWindow, config: RewardTrainingConfig) -> Tensor:
        label, known = labels(window.marks, window.resets, window.rated)
        trust = known if window.trust is None else known * window.trust
        return ar_loss(output.logits, label, trust, config.mark_weight)

    def unmarked_drift_loss(self, output: AutoregressiveOutput, window: MarkedWindow) -> Tensor:
        """Of the expected mark, each rater's annotations before known."""
        counts = (window.unmarked & ~window.resets).unsqueeze(-1) & window.rated
        return (expected_mark(output.logits).square() * counts).sum() / counts.sum().clamp_min(1)

    # -- judging ----------------------------------------------------------------------------------------------

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
        """The annotations that ``draws`` pick, times ``reward_scale``; without draws those that are expected."""
        annotated, _, state = self._annotate(observations, state, resets, draws)
        return self.config.reward_scale * (annotated[..., GOOD] - annotated[..., BAD]), state

    def _annotate(
        self, observations: ObservationBatch, state: AutoregressiveState, resets: Tensor, draws: Tensor | None
    ) -> tuple[Tensor, Tensor, AutoregressiveState]:
        """What is annotated at each step, float32 [T, B, 3] (probabilities where nothing is drawn), the running sum in
        each episode of what that is worth, [T, B], and the memory after them.
        """
        trunk, memory = self.trunk(observations, AgentState(state.hidden, state.cell), resets)
        head, heard, utility = AgentState(state.head_hidden, state.head_cell), state.heard, state.utility
        annotated, utilities = [], []
        for t in range(len(resets)):
            none, first = _none(heard), resets[t] | utility.isnan()
            heard = torch.where(resets[t, :, None], none, heard)
            logits, head = self.annotate(trunk.features[t : t + 1], heard[None], head, resets[t : t + 1])
            chosen = logits[0].softmax(-1) if draws is None else _one_hot(drawn(logits[0], draws[t]))
            heard = torch.where(first.unsqueeze(-1), none, chosen)
            annotated.append(heard)
            utility = torch.where(first, 0.0, utility) + heard[:, GOOD] - heard[:, BAD]
            utilities.append(utility)
        state = AutoregressiveState(memory.hidden, memory.cell, head.hidden, head.cell, heard, utility)
        return torch.stack(annotated), torch.stack(utilities), state


def labels(marks: Tensor, resets: Tensor, rated: Tensor) -> tuple[Tensor, Tensor]:
    """What each rater annotated: int64 [T, B, R], and whether that is known and to be learned: bool [T, B, R].

    Args:
      marks: [T, B, R, 2], counts of each rater's (+) and (-). resets: bool [T, B], first steps of episodes.
      rated: bool [T, B, R], steps of the episodes that each rater has rated.
    """
    plus, minus = marks[..., PLUS].long(), marks[..., MINUS].long()
    label = torch.where(plus > minus, GOOD, torch.where(minus > plus, BAD, NONE))
    first = resets.unsqueeze(-1)
    undecided = (plus == minus) & (plus > 0)
    return torch.where(first, NONE, label), rated & ~first & ~undecided


def ar_loss(logits: Tensor, label: Tensor, known: Tensor, mark_weight: float = 1.0) -> Tensor:
    """Weighted mean of the negative log-probability of the annotations, a scalar; 0 if none is known.

    Args:
      logits: [T, B, R, 3]. label: int64 [T, B, R]. known: [T, B, R], 0 where the annotation is not
        known, and how much the rater counts elsewhere.
      mark_weight: how much a step with a mark counts beside one without (paper: as much).
    """
    weight = torch.where(label == NONE, 1.0, mark_weight) * known
    loss = F.cross_entropy(logits.movedim(-1, 1), label, reduction="none")
    return (loss * weight).sum() / weight.sum().clamp_min(1.0)


def expected_mark(logits: Tensor) -> Tensor:
    """p(+) - p(-) of ``logits`` [..., 3]."""
    chances = logits.softmax(-1)
    return chances[..., GOOD] - chances[..., BAD]


def drawn(logits: Tensor, draws: Tensor) -> Tensor:
    """The annotations, int64 [...], that ``draws`` [...], uniform in [0, 1), pick from ``logits`` [..., 3]."""
    reached = logits.softmax(-1).cumsum(-1)[..., :-1]
    return (draws.unsqueeze(-1) >= reached).sum(-1)


def _none(like: Tensor) -> Tensor:
    """One-hot [..., 3] of no annotation, on the device of ``like`` [..., any]."""
    return _one_hot(torch.full(like.shape[:-1], NONE, device=like.device))


def _one_hot(label: Tensor) -> Tensor:
    return F.one_hot(label, ANNOTATIONS).float()
