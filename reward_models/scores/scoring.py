"""Scores of play by a reward model: utility of whole episodes, and rewards of play step by step.

Eq. 2: the reward at step t is r[t] = U(x[<=t]) - U(x[<=t-1]), times the model's ``reward_scale``, and 0 at an episode's
first step. It is the consequence of the action of t - 1. A model that samples its rewards (AR) is given the random
numbers from here, by slot, number of the episode in that slot and step, so that they depend on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from agents.batch import ObservationBatch, map_parts
from reward_models.contract import RewardModel, State
from reward_models.marks.pairs import PLUS, PairAgreement, pair_agreement
from rlhf.data.memory import MemoryDataset

if TYPE_CHECKING:
    from reward_models.marks.marked_play import MarkedPlay

_STEPS_AT_ONCE = 64  # bounds the memory of scoring for episodes of any length


def rewards(utility: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Rewards float32 [T] of one episode with ``utility`` [T] (Eq. 2)."""
    utility = np.asarray(utility, dtype=np.float32)
    return np.float32(scale) * np.diff(utility, prepend=utility[:1])


def score(
    model: RewardModel,
    play: MemoryDataset,
    episodes: Sequence[int] | None = None,
    batch: int = 32,
) -> list[np.ndarray]:
    """Utility of whole episodes.

    Args:
      episodes: numbers in ``play``; None: all.

    Returns:
      float32 [T] of each episode, in the order of ``episodes``.
    """
    return _follow(model, model.utilities, play, episodes, batch)


def mark_probabilities(
    model: RewardModel, play: MemoryDataset, episodes: Sequence[int] | None = None, batch: int = 32
) -> list[np.ndarray] | None:
    """Probabilities of a (+) and of a (-), float32 [T, 2] of each episode, or None if the kind predicts none.

    Arguments are those of :func:`score`.
    """
    if not model.predicts_marks:
        return None
    return _follow(model, model.mark_probabilities, play, episodes, batch)


def _follow(
    model: RewardModel,
    look: Callable[[ObservationBatch, State, Tensor], tuple[Any, State]],
    play: MemoryDataset,
    episodes: Sequence[int] | None,
    batch: int,
) -> list[np.ndarray]:
    """Outputs [T, ...] of ``look`` for each of ``episodes``, in their order."""
    wanted = np.arange(len(play)) if episodes is None else np.asarray(episodes, dtype=np.int64)
    found: list[np.ndarray] = [np.empty(0, dtype=np.float32)] * len(wanted)
    by_length = np.argsort(play.lengths[wanted], kind="stable")
    for begin in range(0, len(wanted), batch):
        places = by_length[begin : begin + batch]
        starts, lengths = play.starts[wanted[places]], play.lengths[wanted[places]]
        # Shorter episodes repeat their last step to the length of the longest; the outputs there are dropped.
        rows = starts + np.minimum(np.arange(lengths.max())[:, None], lengths - 1)
        together = np.concatenate(list(_outputs(model, look, play, rows)))
        for column, (place, length) in enumerate(zip(places.tolist(), lengths.tolist(), strict=True)):
            found[place] = together[:length, column].copy()
    return found


@torch.inference_mode()
def _outputs(
    model: RewardModel,
    look: Callable[[ObservationBatch, State, Tensor], tuple[Any, State]],
    play: MemoryDataset,
    rows: np.ndarray,
) -> Iterator[np.ndarray]:
    """Yield the outputs of ``look`` for the steps at ``rows`` [T, B], some steps at a time: float32 [t, B, ...]."""
    state: State = model.initial_state(rows.shape[1])
    for begin in range(0, len(rows), _STEPS_AT_ONCE):
        window = rows[begin : begin + _STEPS_AT_ONCE]
        observations, _ = play.gather(window, model.device)
        resets = torch.zeros(window.shape, dtype=torch.bool, device=model.device)
        output, state = look(observations, state, resets)
        yield output.float().cpu().numpy()


class EpisodeDraws:
    """Uniform random numbers for N slots, each a function of the seed, the slot, its episode's number and the step."""

    def __init__(self, seed: int, slots: int) -> None:
        self._seed, self._episodes, self._drawn = seed, [0] * slots, [0] * slots
        self._draws = [self._begin(slot) for slot in range(slots)]

    def next(self, resets: np.ndarray) -> np.ndarray:
        """Numbers float64 [T, N] in [0, 1) for the next T steps, of which ``resets`` bool [T, N] begin an episode."""
        found = np.empty(resets.shape)
        for slot in range(resets.shape[1]):
            begins = np.flatnonzero(resets[:, slot])
            edges = [0, *begins[begins > 0].tolist(), len(resets)]
            for begin, end in zip(edges[:-1], edges[1:], strict=True):
                if resets[begin, slot]:
                    self._episodes[slot] += 1
                    self._draws[slot], self._drawn[slot] = self._begin(slot), 0
                found[begin:end, slot] = self._draws[slot].random(end - begin)
                self._drawn[slot] += end - begin
        return found

    def state_dict(self) -> dict[str, Any]:
        """Return the seed, the numbers of the episodes in progress, and the number of steps drawn for each."""
        return {"seed": self._seed, "episodes": list(self._episodes), "drawn": list(self._drawn)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; slots missing from it start at their first episode."""
        slots = len(self._episodes)

        def each_slot(numbers: Sequence[int]) -> list[int]:
            return [*numbers, *[0] * slots][:slots]

        self._seed, self._episodes = state["seed"], each_slot(state["episodes"])
        self._drawn = each_slot(state.get("drawn", ()))  # missing from older checkpoints
        self._draws = [self._begin(slot) for slot in range(slots)]
        for draws, drawn in zip(self._draws, self._drawn, strict=True):
            draws.random(drawn)

    def _begin(self, slot: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, slot, self._episodes[slot]])


class StreamingScorer:
    """Rewards of N environments as they play, equal to those of the whole episodes.

    The scorer keeps each environment's memory, so steps may come one by one or in fragments of any length. It never
    trains the model, and reads its current weights at each call.

    Args:
      n_slots: N.
    """

    def __init__(self, model: RewardModel, n_slots: int, seed: int = 0, expected: bool = False) -> None:
        self._model = model.eval()
        self._slots = n_slots
        self._state, self._begun = self._model.initial_stream(n_slots), False
        self._draws = None if expected else EpisodeDraws(seed, n_slots)

    @torch.inference_mode()
    def rewards(self, observations: ObservationBatch, resets: Tensor | np.ndarray) -> np.ndarray:
        """Rewards that arrive with the next T steps.

        Args:
          observations: [T, N, ...], the T steps after those seen so far.
          resets: bool [T, N], first observations of episodes; their reward is 0, as is that of an environment's very
            first observation here.

        Returns:
          float32 [T, N].

        Raises:
          ValueError: if there are not N environments.
        """
        began = torch.as_tensor(resets, device=self._model.device)
        if began.ndim != 2 or began.shape[1] != self._slots:
            raise ValueError(f"resets {tuple(began.shape)} are not [T, {self._slots}]: steps of every slot")
        observations = map_parts(lambda part: part.to(self._model.device, non_blocking=True), observations)
        draws = None
        if self._draws is not None:
            draws = torch.from_numpy(self._draws.next(began.cpu().numpy())).to(self._model.device)
        found, self._state = self._model.rewards(observations, self._state, began, draws)
        self._begun = True
        return found.cpu().numpy()

    def state_dict(self) -> dict[str, Any]:
        """Return the memory, from the first step on, and the state of the random numbers, if rewards are sampled."""
        draws = {} if self._draws is None else self._draws.state_dict()
        return draws | (_memory_state(self._state) if self._begun else {})

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; without a memory in it, the memory is empty."""
        self._state = _memory_from(state, self._model.initial_stream(self._slots))
        self._begun = "memory" in state
        if self._draws is not None and "seed" in state:
            self._draws.load_state_dict(state)


class UtilityScorer:
    """Rewards of N environments that are the utility itself, not its change: the baseline of Eq. 2.

    Args:
      model: of a kind whose utility is not sampled.
      n_slots: N.
    """

    def __init__(self, model: RewardModel, n_slots: int) -> None:
        self._model, self._slots = model.eval(), n_slots
        self._state: State = model.initial_state(n_slots)
        self._begun = False

    @torch.inference_mode()
    def rewards(self, observations: ObservationBatch, resets: Tensor | np.ndarray) -> np.ndarray:
        """Rewards as of :meth:`StreamingScorer.rewards`; the first step of an episode has 0 here too."""
        began = torch.as_tensor(resets, device=self._model.device)
        if began.ndim != 2 or began.shape[1] != self._slots:
            raise ValueError(f"resets {tuple(began.shape)} are not [T, {self._slots}]: steps of every slot")
        observations = map_parts(lambda part: part.to(self._model.device, non_blocking=True), observations)
        utility, self._state = self._model.utilities(observations, self._state, began)
        self._begun = True
        rewards_along = self._model.config.reward_scale * utility.float().masked_fill(began, 0.0)
        return rewards_along.cpu().numpy()

    def state_dict(self) -> dict[str, Any]:
        """Return the memory; nothing before the first step."""
        return _memory_state(self._state) if self._begun else {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned; without a memory in it, the memory is empty."""
        self._state = _memory_from(state, self._model.initial_state(self._slots))
        self._begun = "memory" in state


class MeanScorer:
    """Rewards of N environments that are the mean of several scorers' (an ensemble of reward models)."""

    def __init__(self, scorers: Sequence[StreamingScorer | UtilityScorer]) -> None:
        self._scorers = tuple(scorers)

    def state_dict(self) -> dict[str, Any]:
        """Return the states of the scorers, in their order."""
        return {"scorers": [scorer.state_dict() for scorer in self._scorers]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from what :meth:`state_dict` returned.

        Raises:
          ValueError: if it has another number of scorers.
        """
        for scorer, own in zip(self._scorers, state["scorers"], strict=True):
            scorer.load_state_dict(own)

    def rewards(self, observations: ObservationBatch, resets: Tensor | np.ndarray) -> np.ndarray:
        """Mean of the scorers' rewards, see :meth:`StreamingScorer.rewards`."""
        return np.stack([scorer.rewards(observations, resets) for scorer in self._scorers]).mean(
            axis=0, dtype=np.float32
        )


def _memory_state(memory: State) -> dict[str, Any]:
    """Convert a model's ``memory`` for a checkpoint; before its first step it would contain nan."""
    return {"memory": [part.detach().cpu().clone() for part in memory]}


def _memory_from(state: dict[str, Any], empty: State) -> State:
    """Memory of ``state``, or ``empty`` where the state has none of the same shapes, as of another model."""
    kept = state.get("memory", ())
    if [part.shape for part in kept] != [part.shape for part in empty]:
        return empty
    parts = [part.to(device=own.device) for part, own in zip(kept, empty, strict=True)]
    return type(empty)(*parts)  # type: ignore[call-arg]  # a named tuple


def agreement(
    utilities: Sequence[np.ndarray],
    play: MarkedPlay,
    episodes: Sequence[int],
    known: MarkedPlay | None = None,
) -> PairAgreement:
    """Agreement of utilities with the marks of several episodes.

    Args:
      utilities: [T] of each episode.
      episodes: numbers in ``play``.
      known: the same play with other marks; pairs that they order the same way are left out.
    """
    agreed = (
        pair_agreement(u, play.marks_of(e), known=None if known is None else known.marks_of(e))
        for e, u in zip(episodes, utilities, strict=True)
    )
    return sum(agreed, PairAgreement())


def calibrated_scale(model: RewardModel, play: MarkedPlay, episodes: Sequence[int] | None = None) -> float:
    """Find the ``reward_scale`` at which a (+) mark of ``episodes`` is worth 1 on average; 1 without such marks.

    The worth of a mark is the absolute difference of the mean utilities of the stretches after and before it: raters
    press a little late, so the utility rises before the mark's own step.
    """
    wanted = list(range(len(play))) if episodes is None else list(episodes)
    scored = zip(wanted, score(model, play.episodes, wanted), strict=True)
    changes = [change for e, u in scored for change in _changes_at_plus(u, play.marks_of(e))]
    worth = float(np.mean(np.abs(changes))) if changes else 0.0
    return 1.0 / worth if worth > 0 else 1.0


def _changes_at_plus(utility: np.ndarray, marks: np.ndarray) -> Iterator[float]:
    """Yield mean utility after minus before each (+) of every rater in ``marks`` [T, R, 2]."""
    for rater in range(marks.shape[1]):
        steps = np.flatnonzero(marks[:, rater].any(axis=1))
        edges = [0, *steps[steps > 0].tolist(), len(utility)]
        for before, mark, after in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
            if marks[mark, rater, PLUS]:
                yield float(utility[mark:after].mean() - utility[before:mark].mean())
