"""What a reward model says of play: utility of whole episodes, and rewards of play as it goes on.

Eq. 2: the reward at step t is r[t] = U(x[<=t]) - U(x[<=t-1]), times the model's ``reward_scale``, and 0 at an episode's
first step. It is the consequence of what was done at t - 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from agents.agent import AgentState
from agents.batch import EncodedEpisodes, ObservationBatch
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.marked_play import MarkedPlay
from reward_models.pairs import PLUS, PairAgreement, Weighting, pair_agreement

_STEPS_AT_ONCE = 64  # bounds the memory that scoring takes, whatever the length of the episodes


def rewards(utility: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Rewards float32 [T] of one episode with ``utility`` [T] (Eq. 2)."""
    utility = np.asarray(utility, dtype=np.float32)
    return np.float32(scale) * np.diff(utility, prepend=utility[:1])


def score(
    model: InterTemporalRewardModel,
    play: EncodedEpisodes,
    episodes: Sequence[int] | None = None,
    batch: int = 32,
) -> list[np.ndarray]:
    """Utility float32 [T] of each of ``episodes`` (numbers in ``play``; all of them if None), in their order.

    Episodes of like length are scored side by side, ``batch`` at a time.
    """
    wanted = np.arange(len(play)) if episodes is None else np.asarray(episodes, dtype=np.int64)
    utilities: list[np.ndarray] = [np.empty(0, dtype=np.float32)] * len(wanted)
    by_length = np.argsort(play.lengths[wanted], kind="stable")
    for begin in range(0, len(wanted), batch):
        places = by_length[begin : begin + batch]
        starts, lengths = play.starts[wanted[places]], play.lengths[wanted[places]]
        # Shorter episodes repeat their last step to the length of the longest; what it scores is thrown away.
        rows = starts + np.minimum(np.arange(lengths.max())[:, None], lengths - 1)
        together = np.concatenate(list(_follow(model, play, rows)))
        for column, (place, length) in enumerate(zip(places.tolist(), lengths.tolist(), strict=True)):
            utilities[place] = together[:length, column].copy()
    return utilities


@torch.inference_mode()
def _follow(model: InterTemporalRewardModel, play: EncodedEpisodes, rows: np.ndarray) -> Iterator[np.ndarray]:
    """Utility of the steps at ``rows`` [T, B], some steps at a time: float32 [t, B]."""
    state = model.initial_state(rows.shape[1])
    for begin in range(0, len(rows), _STEPS_AT_ONCE):
        window = rows[begin : begin + _STEPS_AT_ONCE]
        observations, _ = play.gather(window, model.device)
        resets = torch.zeros(window.shape, dtype=torch.bool, device=model.device)
        utility, state = model.utilities(observations, state, resets)
        yield utility.float().cpu().numpy()


class StreamingScorer:
    """Rewards of N environments as they play: exactly those of the whole episodes.

    It keeps each environment's memory and last utility, so steps may come one by one or in fragments of any length.
    It never trains the model, whose weights it reads as they are at each call.
    """

    def __init__(self, model: InterTemporalRewardModel, n_slots: int, device: torch.device | str | None = None) -> None:
        if device is not None:
            torch.nn.Module.to(model, device)
        self._model = model.eval()
        self._state: AgentState = self._model.initial_state(n_slots)
        self._utility = torch.full((n_slots,), torch.nan, device=self._model.device)  # nan: nothing seen yet

    @torch.inference_mode()
    def rewards(self, observations: ObservationBatch, resets: Tensor | np.ndarray) -> np.ndarray:
        """Rewards float32 [T, N] that arrive with ``observations`` [T, N, ...], the T steps after those seen so far.

        Args:
          resets: bool [T, N], where the observation is the first of its episode; its reward is 0. So is that of
            an environment's very first observation here.

        Raises:
          ValueError: if there are not N environments.
        """
        began = torch.as_tensor(resets, device=self._model.device)
        if began.ndim != 2 or began.shape[1] != len(self._utility):
            raise ValueError(f"resets {tuple(began.shape)} are not [T, {len(self._utility)}]: steps of every slot")
        observations = ObservationBatch(*(x.to(self._model.device, non_blocking=True) for x in observations))
        utility, self._state = self._model.utilities(observations, self._state, began)
        utility = utility.float()
        before = torch.cat([self._utility[None], utility[:-1]])
        change = torch.where(began | before.isnan(), 0.0, utility - before)
        self._utility = utility[-1]
        return (self._model.config.reward_scale * change).float().cpu().numpy()


def agreement(
    model: InterTemporalRewardModel,
    play: MarkedPlay,
    episodes: Sequence[int] | None = None,
    weighting: Weighting = "pairs",
) -> PairAgreement:
    """How well the model orders the pairs of ``episodes`` (numbers in ``play``; all if None)."""
    wanted = list(range(len(play))) if episodes is None else list(episodes)
    scored = zip(wanted, score(model, play.episodes, wanted), strict=True)
    return sum((pair_agreement(u, play.marks_of(e), weighting) for e, u in scored), PairAgreement())


def calibrated_scale(model: InterTemporalRewardModel, play: MarkedPlay, episodes: Sequence[int] | None = None) -> float:
    """The ``reward_scale`` at which a (+) mark of ``episodes`` is worth 1 on average; 1 if there are no such marks.

    What a mark is worth is the difference, without its sign, of the mean utilities of the stretches after and
    before it: raters press a little late, so the utility rises before the mark's own step.
    """
    wanted = list(range(len(play))) if episodes is None else list(episodes)
    scored = zip(wanted, score(model, play.episodes, wanted), strict=True)
    changes = [change for e, u in scored for change in _changes_at_plus(u, play.marks_of(e))]
    worth = float(np.mean(np.abs(changes))) if changes else 0.0
    return 1.0 / worth if worth > 0 else 1.0


def _changes_at_plus(utility: np.ndarray, marks: np.ndarray) -> Iterator[float]:
    """For every (+) of every rater in ``marks`` [T, R, 2]: mean utility after it minus mean utility before it."""
    for rater in range(marks.shape[1]):
        steps = np.flatnonzero(marks[:, rater].any(axis=1))
        edges = [0, *steps[steps > 0].tolist(), len(utility)]
        for before, mark, after in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
            if marks[mark, rater, PLUS]:
                yield float(utility[mark:after].mean() - utility[before:mark].mean())
