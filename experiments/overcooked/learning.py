"""Learning from people's games of Overcooked-AI (:mod:`experiments.overcooked.recordings`), and its measures.

For every kitchen an agent is cloned from the published training games; one pair of people is set aside to choose the
best weights. One utility (IBT) is learned from the deliveries of all kitchens. Both are measured on the published test
games, which nothing else uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from agents import registry
from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from experiments.overcooked.recordings import INSTRUCTION, SPACES, STAY
from pipelines.presets import small
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.mark_signal import TOLERANCE, window_changes
from reward_models.learning.training import RewardTrainer, RewardTrainingConfig
from reward_models.marks.marked_play import MarkedPlay, mark_play
from reward_models.marks.pairs import PLUS
from reward_models.scores.scoring import score
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.learning.cloner import Cloner, CloningConfig
from rlhf.learning.training import Training
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.records.spaces import EpisodeSpaces
from worlds.spaces.description import to_json
from worlds.spaces.observation import ObservationSpec, PlayerSpec

WIDTH = 48  # of the agent's Transformer; the rest is that of nano
_STEPS_AT_ONCE = 64  # bounds the memory of scoring

CLONING = small.cloning(
    updates=600,
    steps=16,
    batch=16,
    learning_rate=2e-3,
    beta2=0.999,
    warmup=20,
    css_weight=0.0,  # there is one instruction
    language_weight=0.0,  # and nobody speaks
    evaluate_every=100,
)
REWARD = small.rewarding(
    updates=300,
    batch=8,
    beta2=0.999,
    warmup=20,
    calibrate=False,
    css_weight=0.0,
    language_weight=0.0,
)

# The map repeats what the vector says; without it an update takes a fifth of the time.
SEEN = EpisodeSpaces(
    PlayerSpec(ObservationSpec(vector=SPACES.solver.observation.vector), SPACES.solver.action), SPACES.setter
)


@dataclass(frozen=True)
class CloneResult:
    """An agent's predictions of what people did in the test games of one kitchen.

    Args:
      layout: the kitchen.
      seed: of the division and the training.
      decisions: steps of both players that are predicted.
      accuracy: share in which the likeliest action is what the person did; mean over the players' episodes.
      acting: the same among the steps at which the person did anything but stay.
      loss: mean of -log of the probability of what the person did.
      stay: accuracy of always predicting to stay.
      marginal_loss: loss of predicting how often each action is chosen in the training games.
      updates: after which validation was best.
    """

    layout: str
    seed: int
    decisions: int
    accuracy: float
    acting: float
    loss: float
    stay: float
    marginal_loss: float
    updates: int


@dataclass(frozen=True)
class UtilityResult:
    """Separation of deliveries from everything else by the utility's change, in the test games of one kitchen.

    Args:
      layout: the kitchen, or "all".
      seed: of the training.
      deliveries: windows around a delivery.
      others: windows as long with no delivery near.
      area: under the ROC curve: probability that the utility rises more in the former.
    """

    layout: str
    seed: int
    deliveries: int
    others: int
    area: float


@dataclass(frozen=True)
class Division:
    """Episodes of one or more kitchens, divided by the people who play."""

    train: Sequence[Episode]
    validation: Sequence[Episode]
    test: Sequence[Episode]


def divide(episodes: Sequence[Episode], seed: int) -> Division:
    """Divide the episodes of one kitchen: the published test games, and one pair of people of the others, at random."""
    published = [episode for episode in episodes if episode.split == "train"]
    games = sorted({_game(episode) for episode in published})
    chosen = games[int(np.random.default_rng(seed).integers(len(games)))]
    return Division(
        [_without_map(episode) for episode in published if _game(episode) != chosen],
        [_without_map(episode) for episode in published if _game(episode) == chosen],
        [_without_map(episode) for episode in episodes if episode.split != "train"],
    )


def _game(episode: Episode) -> str:
    return episode.episode_id.rpartition("-")[0]


def _without_map(episode: Episode) -> Episode:
    return replace(episode, spaces=SEEN, seen={"vector": episode.seen["vector"]})


def _untrained(seed: int) -> tuple[InteractiveAgent, Tokenizer]:
    tokenizer = Tokenizer.train([INSTRUCTION], 300)
    torch.manual_seed(seed)
    spaces = to_json(SEEN.solver)
    return registry.make("nano", vocab_size=tokenizer.vocab_size, width=WIDTH, spaces=spaces), tokenizer


def clone_and_measure(layout: str, play: Division, seed: int, cloning: CloningConfig = CLONING) -> CloneResult:
    """Clone an agent from the training games, keep its best weights on the validation games, and measure it.

    Args:
      seed: of the agent's first weights and of the training.
    """
    agent, tokenizer = _untrained(seed)
    train, validation, test = (
        encode_episodes(part, tokenizer, agent.config) for part in (play.train, play.validation, play.test)
    )
    cloner = _GameCloner(agent, train, replace(cloning, seed=seed, keep="best"), validation)
    training = Training(cloner, cloner.config)
    training.run()
    found = predictions(agent, test)
    done, guessed = (np.concatenate([getattr(each, name) for each in found]) for name in ("done", "likeliest"))
    acted = done != STAY
    counts = train.movement_counts()[0, 0] + 1.0  # never 0, where an action was never chosen
    return CloneResult(
        layout=layout,
        seed=seed,
        decisions=len(done),
        accuracy=float(np.mean([(each.likeliest == each.done).mean() for each in found])),
        acting=float((guessed == done)[acted].mean()),
        loss=float(np.concatenate([each.loss for each in found]).mean()),
        stay=float(np.mean([(each.done == STAY).mean() for each in found])),
        marginal_loss=float(-np.log(counts / counts.sum())[done].mean()),
        updates=training.best.update,
    )


class _GameCloner(Cloner):
    """A cloner that is evaluated by its predictions of every step of the validation games."""

    validation: MemoryDataset

    def measure(self) -> dict[str, float]:
        found = predictions(self.model, self.validation)
        return {"loss": float(np.concatenate([each.loss for each in found]).mean())}

    def score(self, metrics: Mapping[str, float]) -> float:
        return -metrics["loss"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """An agent's predictions of one episode.

    Args:
      done: int64 [T], what the person did.
      likeliest: int64 [T], the action with the largest probability.
      loss: float32 [T], -log of the probability of what was done.
    """

    done: np.ndarray
    likeliest: np.ndarray
    loss: np.ndarray


@torch.inference_mode()
def predictions(agent: InteractiveAgent, play: MemoryDataset) -> list[Predictions]:
    """Return the agent's predictions of every episode of ``play``, with the memory of what the person has done."""
    learning, memory = agent.training, agent.initial_state(len(play))
    agent.eval()
    # Shorter episodes repeat their last step to the length of the longest; what is predicted there is dropped.
    rows = play.starts[:-1] + np.minimum(np.arange(play.lengths.max())[:, None], play.lengths - 1)
    parts = []
    for begin in range(0, len(rows), _STEPS_AT_ONCE):
        observations, actions = play.gather(rows[begin : begin + _STEPS_AT_ONCE])
        output, memory = agent(observations, memory, torch.zeros(observations.shape, dtype=torch.bool))
        chosen = agent.movement.distributions(output.features, output.before, actions.movement, output.choices)
        parts.append(chosen[..., 0, 0, :])
    agent.train(learning)
    log_probs = torch.cat(parts).numpy()
    return [
        _predicted(log_probs[:length, i], play.movement[play.starts[i] :][:length, 0, 0])
        for i, length in enumerate(play.lengths)
    ]


def _predicted(log_probs: np.ndarray, done: np.ndarray) -> Predictions:
    done = done.astype(np.int64)
    return Predictions(done, log_probs.argmax(-1), -log_probs[np.arange(len(done)), done])


def utility_and_measure(
    plays: Mapping[str, Division], marks: Sequence[Mark], seed: int, training: RewardTrainingConfig = REWARD
) -> list[UtilityResult]:
    """Learn one utility from the deliveries in all kitchens' training games, and measure it on their test games.

    Args:
      seed: of the model's first weights and of the training.
      training: its settings; the weights after the last update are measured.

    Returns:
      The results of every kitchen, and of all together.
    """
    agent, tokenizer = _untrained(seed)
    model = InterTemporalRewardModel.from_agent(agent, seed=seed)

    def marked(episodes: Sequence[Episode]) -> MarkedPlay:
        return mark_play(episodes, marks, tokenizer, model.config)

    train, validation = (
        [each for play in plays.values() for each in getattr(play, name)] for name in ("train", "validation")
    )
    settings = replace(training, seed=seed, keep="last")
    Training(RewardTrainer(model, marked(train), marked(validation), settings), settings).run()
    found = {layout: _windows(model, marked(play.test)) for layout, play in plays.items()}
    found["all"] = tuple(np.concatenate([each[side] for each in found.values()]) for side in (0, 1))
    return [
        UtilityResult(layout, seed, len(delivered), len(others), area(delivered, others))
        for layout, (delivered, others) in found.items()
    ]


def _windows(model: InterTemporalRewardModel, play: MarkedPlay) -> tuple[np.ndarray, ...]:
    """Return the changes of utility over the windows around a delivery, [D], and over those far from any, [N]."""
    delivered, others = [], []
    for episode, utility in enumerate(score(model, play.episodes)):
        marks = play.marks_of(episode).sum(axis=1)
        change, unmarked = window_changes(utility, marks, TOLERANCE)
        delivered.append(change[marks[:, PLUS] > 0])
        others.append(change[unmarked])
    return np.concatenate(delivered), np.concatenate(others)


def area(larger: np.ndarray, smaller: np.ndarray) -> float:
    """Return the area under the ROC curve: how often one of ``larger`` is above one of ``smaller``; a tie is half."""
    ordered = np.sort(smaller)
    below = np.searchsorted(ordered, larger, "left") + np.searchsorted(ordered, larger, "right")
    return float(below.mean() / (2 * len(ordered)))
