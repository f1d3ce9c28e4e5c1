"""Social influence (Jaques et al., 2019): a step is rewarded by how much it changes what a peer is expected to do."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from experiments.social_ai.exploration.networks import as_input, image_encoder, learn
from worlds.ranges import Count, Positive, Seed, Weight
from worlds.settings import settings

PEER, ACTS = 11, 11  # the object's number in the first channel of the school's maps, and how many acts the last has
_WIDTH = 128
Action = tuple[int, ...]  # a number a component; -1 is none
Memory = tuple[Tensor, Tensor]  # [N, memory] each


def influence(given: Tensor, policy: Tensor, done: int) -> Tensor:
    """Return the divergence of what a peer does after an action from what it does whatever the action (their Eq. 2).

    ``KL(p(b | a, s) || sum over a' of p(b | a', s) pi(a' | s))``: a scalar, from 0 to -log pi(a | s).

    Args:
      given: [A, B], probability of each of the peer's B choices, given each of A actions.
      policy: [A], probability of each action; its sum is 1.
    """
    marginal = policy @ given
    return (torch.xlogy(given[done], given[done]) - torch.xlogy(given[done], marginal)).sum()


@settings
class InfluenceSettings:
    """Settings of social influence; coefficient and memory are those of the SocialAI school's published code.

    Args:
      coefficient: of the bonus.
      memory: width of its LSTM.
      learning_rate: of the model, by Adam; higher than the published 1e-4, as it learns from one environment of 64.
      batch: steps after which it learns, from just these, through time.
      recent: the agent's last actions, whose frequencies stand for its policy.
      words: different utterances that are told apart; all later ones are one more.
      seed: of the weights.

    Raises:
      UserError: a number out of its range.
    """

    coefficient: Weight = 0.1
    memory: Count = 128
    learning_rate: Positive = 3e-3
    batch: Count = 64
    recent: Count = 64
    words: Count = 16
    seed: Seed = 0


class Choice(NamedTuple):
    """What a peer did in a step.

    Args:
      act: its number; -1 where the peer is not in view.
    """

    act: int
    words: int


class _Step(NamedTuple):
    """A step to learn from."""

    image: np.ndarray  # before it
    before: Choice
    action: Action
    after: Choice
    memory: Memory  # before it


class PeerModel(nn.Module):
    """Predicts what the peer does in a step, from the map before it, what the peer did before, and the agent's action.

    The heads see what enters the LSTM beside what leaves it. Through the LSTM alone features grew until its gates shut,
    and a peer that copies the agent was not learned.

    Args:
      counts: number of values of each component of the agent's actions.
    """

    def __init__(self, shape: tuple[int, int, int], counts: Sequence[int], words: int, memory: int) -> None:
        super().__init__()
        self.counts, self.words = tuple(counts), words
        self.features = image_encoder(shape[-1])
        with torch.no_grad():
            width = self.features(torch.zeros(1, shape[-1], *shape[:2])).shape[1]
        self.level = nn.LayerNorm(width)
        self.enter = nn.Sequential(nn.Linear(width + ACTS + words + sum(counts), _WIDTH), nn.ReLU())
        self.remember = nn.LSTMCell(_WIDTH, memory)
        self.act, self.say = nn.Linear(memory + _WIDTH, ACTS), nn.Linear(memory + _WIDTH, words)

    def begin(self) -> Memory:
        """Return the empty memory of one environment."""
        empty = torch.zeros(1, self.remember.hidden_size)
        return empty, empty

    def forward(self, seen: Tensor, before: Choice, actions: Sequence[Action], memory: Memory) -> tuple[Tensor, Memory]:
        """Return log-probabilities [A, acts, words] of the peer's choice after A actions, and memories [A, ...].

        Args:
          seen: float [1, features] of the map before the step.
          memory: before the step, [1, ...].
        """
        fixed = torch.cat([self.level(seen), one_hot([before], (ACTS, self.words))], dim=1)
        given = torch.cat([fixed.expand(len(actions), -1), one_hot(actions, self.counts)], dim=1)
        entered = self.enter(given)
        hidden, cell = self.remember(entered, tuple(part.expand(len(actions), -1) for part in memory))
        both = torch.cat([entered, hidden], dim=1)
        acts, words = self.act(both).log_softmax(-1), self.say(both).log_softmax(-1)
        return acts.unsqueeze(2) + words.unsqueeze(1), (hidden, cell)


class InfluenceBonus:
    """The bonus is how much the agent's action changes what a model expects of the peer, which learns from both.

    What the agent would otherwise have done is what it did lately: a wrapper does not know its policy. There is no
    bonus where the peer was not in view before the step, nor at an episode's end.

    Args:
      shape: height, width and channels of the observed map, the school's.
      counts: number of values of each component of actions.
    """

    def __init__(
        self, shape: tuple[int, int, int], counts: Sequence[int], settings: InfluenceSettings | None = None
    ) -> None:
        self.settings = settings or InfluenceSettings()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.settings.seed)
            self.model = PeerModel(shape, counts, self.settings.words + 1, self.settings.memory)
        self._optimizer = torch.optim.Adam(self.model.parameters(), self.settings.learning_rate, eps=1e-5)
        self._words: dict[str, int] = {}
        self._recent: deque[Action] = deque(maxlen=self.settings.recent)
        self._steps: list[_Step] = []

    def begin(self, seen: Mapping[str, Any]) -> None:
        self._image, self._before = np.asarray(seen["image"], np.uint8), self._choice(seen)
        self._memory = self.model.begin()

    def step(self, seen: Mapping[str, Any], action: Any, ended: bool) -> float:
        done, after, before = numbers(action, self.model.counts), self._choice(seen), self._before
        self._recent.append(done)
        self._steps.append(_Step(self._image, before, done, after, self._memory))
        found, self._memory = self._influence(done)
        self._image, self._before = np.asarray(seen["image"], np.uint8), after
        if len(self._steps) >= self.settings.batch:
            self.learn(self._steps)
            self._steps = []
        return 0.0 if ended or before.act < 0 else self.settings.coefficient * found

    def learn(self, steps: Sequence[_Step]) -> float:
        """Take one step of learning, and return the loss before it.

        Args:
          steps: that followed each other; an episode's first has an empty memory.
        """
        seen = self.model.features(as_input(np.stack([step.image for step in steps])))
        memory, losses = steps[0].memory, list[Tensor]()
        for number, step in enumerate(steps):
            if not step.memory[0].any():
                memory = step.memory
            log_probs, memory = self.model(seen[number : number + 1], step.before, [step.action], memory)
            losses.append(-log_probs[0].logsumexp(0)[step.after.words])
            if step.after.act >= 0:
                losses.append(-log_probs[0].logsumexp(1)[step.after.act])
        loss = torch.stack(losses).sum() / len(steps)
        learn(self.model, self._optimizer, loss)
        return loss.item()

    @torch.no_grad()
    def _influence(self, done: Action) -> tuple[float, Memory]:
        """Return the influence of the present action, and the memory after it."""
        frequencies = Counter(self._recent)
        actions = list(frequencies)
        seen = self.model.features(as_input(self._image[None]))
        log_probs, memories = self.model(seen, self._before, actions, self._memory)
        policy = torch.tensor([frequencies[each] for each in actions], dtype=torch.float64) / len(self._recent)
        place = actions.index(done)
        given = log_probs.double().flatten(1).softmax(-1)  # a small divergence is a difference of large numbers
        found = float(influence(given, policy, place))
        return max(found, 0.0), (memories[0][place : place + 1], memories[1][place : place + 1])

    def _choice(self, seen: Mapping[str, Any]) -> Choice:
        """Return what the peer is observed to have done."""
        image = np.asarray(seen["image"])
        there = image[image[..., 0] == PEER]
        act = min(int(there[0, -1]), ACTS - 1) if len(there) else -1
        words = self._words.setdefault(str(seen["utterance"]), len(self._words))
        return Choice(act, min(words, self.settings.words))


def one_hot(rows: Sequence[Sequence[int]], counts: Sequence[int]) -> Tensor:
    """Return the components of rows as ones among zeros, one after the other: float [N, sum of counts]; -1 is zeros."""
    given = torch.tensor([list(row) for row in rows])
    parts = [F.one_hot(part + 1, count + 1)[:, 1:] for part, count in zip(given.unbind(1), counts, strict=True)]
    return torch.cat(parts, dim=1).float()


def numbers(action: Any, counts: Sequence[int]) -> Action:
    """Return the components of an action; -1 for none, which is -1 or NaN."""
    given = np.asarray(action, np.float64).reshape(-1)
    return tuple(
        -1 if np.isnan(one) or one < 0 else min(int(one), most - 1) for one, most in zip(given, counts, strict=True)
    )
