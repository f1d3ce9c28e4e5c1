"""The movement policy: the actions of a step, one a tick, each given the one before (paper, A.4).

Within a step, the probability of tick k's action depends on the features and on the action of tick k-1, so
that several actions sampled one after the other are coherent. Components within a tick are independent given both, but
for pointers: what is pointed at depends on what is done, so it is chosen given the other components of its tick.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig

_IMPOSSIBLE = -1e9  # logit: minus infinity in all but name


class Choices(NamedTuple):
    """What the choice of movement depends on besides the features.

    Args:
      legal: bool [..., values of all discrete and pointer components], values that may be chosen; None is all.
      entities: [..., E, width], of the observation, at which pointers point; None where there are no pointers.
      present: bool [..., E], rows that are entities.
    """

    legal: Tensor | None = None
    entities: Tensor | None = None
    present: Tensor | None = None


ANY = Choices()


class MovementPolicy(nn.Module):
    """Features [..., D] and the last action before this step [..., C] to distributions over [..., ticks, C]."""

    missing: Tensor
    offsets: Tensor

    def __init__(self, config: AgentConfig) -> None:
        super().__init__()
        columns = config.columns
        pointed = columns.pointers
        self.ticks, self.dtype = columns.ticks, torch.from_numpy(columns.neutral()).dtype
        self.chosen, self.pointers = (~pointed).nonzero()[0].tolist(), pointed.nonzero()[0].tolist()
        counts = columns.counts[self.chosen].tolist()
        self.bins = max(counts, default=1)
        self.plan = nn.Linear(config.memory_width, self.ticks * config.tick_width)
        self.follow = nn.Embedding(len(counts) * self.bins, config.tick_width)
        self.decide = nn.Linear(config.tick_width, len(counts) * self.bins)
        nn.init.normal_(self.follow.weight, std=0.1)
        missing = torch.arange(self.bins) >= torch.tensor(counts, dtype=torch.long)[:, None]
        # Saved with the weights: `from_pretrained` does not compute buffers again.
        self.register_buffer("missing", missing)  # bins that a component does not have
        self.register_buffer("offsets", torch.arange(len(counts)) * self.bins)
        self.pointing = Pointing(config, len(self.pointers)) if self.pointers else None
        # Places of the mask of legal values: of every discrete component and pointer, where its values begin.
        ends = config.player.action.counts.cumsum()
        self.legal_begins = (ends - config.player.action.counts).tolist()
        self.legal_counts = config.player.action.counts.tolist()

    def _previous(self, movement: Tensor) -> Tensor:
        """Embedding of actions [..., C]: [..., tick_width]."""
        index = (movement if self.pointing is None else movement[..., self.chosen]).long() + self.offsets
        embedded = F.embedding_bag(index.reshape(-1, len(self.chosen)), self.follow.weight, mode="sum")
        embedded = embedded.view(*movement.shape[:-1], -1)
        if self.pointing is not None:
            embedded = embedded + self.pointing.followed(movement[..., self.pointers] > 0)
        return embedded

    def _logits(self, plan: Tensor, previous: Tensor) -> Tensor:
        """[..., C, bins], minus infinity in all but name for bins that do not exist."""
        logits = self.decide(F.relu(plan + previous)).unflatten(-1, (len(self.chosen), self.bins))
        return logits.masked_fill(self.missing, _IMPOSSIBLE)

    def _plan(self, features: Tensor) -> Tensor:
        return self.plan(features).unflatten(-1, (self.ticks, -1))

    def _illegal(self, legal: Tensor) -> Tensor:
        """Values of chosen components that ``legal`` [..., values] forbids: bool [..., 1, C, bins]."""
        forbidden = legal.new_zeros(*legal.shape[:-1], 1, len(self.chosen), self.bins)
        for row, column in enumerate(self.chosen):
            if column < len(self.legal_begins):  # continuous components have no mask
                begin, count = self.legal_begins[column], self.legal_counts[column]
                forbidden[..., 0, row, :count] = ~legal[..., begin : begin + count]
        return forbidden

    def _unreachable(self, choices: Choices) -> Tensor:
        """Values at which pointers must not point: bool [..., 1, pointers, 1 + E]."""
        assert choices.present is not None
        absent = F.pad(~choices.present, (1, 0), value=False)[..., None, None, :]
        absent = absent.expand(*absent.shape[:-2], len(self.pointers), absent.shape[-1])
        if choices.legal is None:
            return absent
        values = absent.shape[-1]  # those of rows that no frame has are not computed
        parts = [choices.legal[..., self.legal_begins[c] :][..., :values] for c in self.pointers]
        return absent | ~torch.stack(parts, dim=-2).unsqueeze(-3)

    def distributions(self, features: Tensor, before: Tensor, movement: Tensor, choices: Choices = ANY) -> Tensor:
        """Log-probabilities of every value, teacher-forced: [..., ticks, C, values].

        Args:
          features: [..., D].
          before: int [..., C], the action of the tick before this step.
          movement: int [..., ticks, C], the actions.
          choices: of these steps.
        """
        preceding = torch.cat([before.unsqueeze(-2), movement[..., :-1, :]], dim=-2)
        plan, previous = self._plan(features), self._previous(preceding)
        logits = self._logits(plan, previous)
        if choices.legal is not None:
            logits = logits.masked_fill(self._illegal(choices.legal), _IMPOSSIBLE)
        chosen = torch.log_softmax(logits, dim=-1)
        if self.pointing is None:
            return chosen
        given = plan + previous + self._previous(_without(movement, self.pointers))
        assert choices.entities is not None
        scores = self.pointing(given, choices.entities).masked_fill(self._unreachable(choices), _IMPOSSIBLE)
        return self._in_columns(chosen, torch.log_softmax(scores, dim=-1))

    def _in_columns(self, chosen: Tensor, pointed: Tensor) -> Tensor:
        """Both kinds of log-probabilities in the order of the action's columns, filled up with impossible values."""
        values = max(chosen.shape[-1], pointed.shape[-1])
        both = torch.cat([_filled(part, values) for part in (chosen, pointed)], -2)
        order = [0] * both.shape[-2]
        for place, column in enumerate((*self.chosen, *self.pointers)):
            order[column] = place
        return both[..., order, :]

    @torch.no_grad()
    def sample(
        self,
        features: Tensor,
        before: Tensor,
        generator: torch.Generator | None = None,
        greedy: bool = False,
        choices: Choices = ANY,
    ) -> tuple[Tensor, Tensor]:
        """Choose the actions of a step.

        Args:
          features: [N, D].
          before: int [N, C], the action of the tick before this step.
          generator: source of randomness; the global one if None.
          greedy: take the likeliest action instead of a sample.
          choices: of this step, [N, ...].

        Returns:
          Actions int8 or int16 [N, ticks, C] and their log-probability [N].
        """
        plan = self._plan(features)
        shape = (len(features), self.ticks, len(self.chosen), self.bins)
        noise = torch.zeros(shape, device=plan.device) if greedy else gumbel(shape, plan.device, generator)
        actions, chosen, scores, previous = list[Tensor](), list[Tensor](), list[Tensor](), before
        of_pointers = plan.new_zeros(len(features))
        illegal = None if choices.legal is None else self._illegal(choices.legal)[:, 0]
        for tick in range(self.ticks):
            followed = self._previous(previous)
            logits = self._logits(plan[:, tick], followed).float()
            if illegal is not None:
                logits = logits.masked_fill(illegal, _IMPOSSIBLE)
            previous = (logits + noise[:, tick]).argmax(-1)
            scores.append(logits)
            chosen.append(previous)
            if self.pointing is not None:
                previous, pointed = self._point(plan[:, tick] + followed, previous, choices, generator, greedy)
                of_pointers = of_pointers + pointed
            actions.append(previous)
        # Of all ticks at once: what acting costs is the number of operations, not their size.
        of_chosen = log_prob(torch.log_softmax(torch.stack(scores, dim=1), dim=-1), torch.stack(chosen, dim=1))
        return torch.stack(actions, dim=1).to(self.dtype), of_chosen + of_pointers

    def _point(
        self, given: Tensor, chosen: Tensor, choices: Choices, generator: torch.Generator | None, greedy: bool
    ) -> tuple[Tensor, Tensor]:
        """Choose what is pointed at in one tick: whole actions [N, C] and the pointers' log-probability [N]."""
        assert self.pointing is not None and choices.entities is not None
        movement = chosen.new_zeros(len(chosen), len(self.chosen) + len(self.pointers))
        movement[:, self.chosen] = chosen
        given = (given + self._previous(movement)).unsqueeze(1)
        scores = (
            self.pointing(given, choices.entities).masked_fill(self._unreachable(choices), _IMPOSSIBLE)[:, 0].float()
        )
        noise = 0.0 if greedy else gumbel(tuple(scores.shape), scores.device, generator)
        pointed = (scores + noise).argmax(-1)
        movement[:, self.pointers] = pointed
        log_probs = scores.gather(-1, pointed.unsqueeze(-1)).squeeze(-1) - scores.logsumexp(-1)
        return movement, log_probs.sum(-1)


class Pointing(nn.Module):
    """Scores of entities: scaled dot products of a query with the entities' tokens, beside one for nothing.

    Vinyals et al., 2015, "Pointer networks", section 2.3, with dot products.
    """

    def __init__(self, config: AgentConfig, pointers: int) -> None:
        super().__init__()
        self.pointers = pointers
        self.query = nn.Linear(config.tick_width, pointers * config.width)
        self.key = nn.Linear(config.width, config.width)
        self.nothing = nn.Linear(config.tick_width, pointers)
        self.follow = nn.Parameter(torch.randn(pointers, config.tick_width) * 0.1)

    def followed(self, pointed: Tensor) -> Tensor:
        """Embedding of whether each pointer points at something, bool [..., pointers]: [..., tick_width]."""
        return pointed.to(self.follow.dtype) @ self.follow

    def forward(self, given: Tensor, entities: Tensor) -> Tensor:
        """Scores [..., ticks, pointers, 1 + E].

        Args:
          given: [..., ticks, tick_width], what is planned and done.
          entities: [..., E, width].
        """
        given = F.relu(given)
        query = self.query(given).unflatten(-1, (self.pointers, -1))
        key = self.key(entities).unsqueeze(-3)
        scores = query @ key.transpose(-1, -2) / key.shape[-1] ** 0.5
        return torch.cat([self.nothing(given).unsqueeze(-1), scores], dim=-1)


def gumbel(shape: tuple[int, ...], device: torch.device, generator: torch.Generator | None) -> Tensor:
    """Standard Gumbel noise: the argmax of logits plus it is a sample of their softmax."""
    uniform = torch.rand(shape, device=device, generator=generator).clamp_(1e-9, 1.0 - 1e-7)
    return -torch.log(-torch.log(uniform))


def log_prob(distributions: Tensor, movement: Tensor) -> Tensor:
    """Log-probability [...] of ``movement`` [..., ticks, C] under ``distributions`` [..., ticks, C, values]."""
    return distributions.gather(-1, movement.long().unsqueeze(-1)).squeeze(-1).sum((-1, -2))


def entropy(distributions: Tensor) -> Tensor:
    """Sum of the entropies of all ticks' components, each given the actions before it: [...]."""
    return -(distributions.exp() * distributions).sum((-1, -2, -3))


def _filled(log_probs: Tensor, values: int) -> Tensor:
    return F.pad(log_probs, (0, values - log_probs.shape[-1]), value=_IMPOSSIBLE)


def _without(movement: Tensor, pointers: list[int]) -> Tensor:
    """Return ``movement`` [..., C] with pointers at nothing."""
    alone = movement.clone()
    alone[..., pointers] = 0
    return alone
