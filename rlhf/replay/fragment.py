"""Fragments, which a runner gives to a learner: T consecutive steps of N slots, in NumPy and as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.batch import (
    ActionBatch,
    ObservationArrays,
    ObservationBatch,
    Observed,
    PolicyLogProbs,
    action_columns,
    map_parts,
    observation_columns,
    send,
)
from agents.config import AgentConfig
from agents.networks.trunk import AgentState
from agents.tokenizer import PAD_ID

_TYPES: dict[str, type] = {  # of the fields [T+1, N] that the agent's spaces do not fix
    **dict.fromkeys(("movement_log_prob", "speak_log_prob", "words_log_prob"), np.float32),
    **dict.fromkeys(("reward", "reference_speak_logit"), np.float32),
    **dict.fromkeys(("resets", "terminated"), np.bool_),
}
PER_SLOT = ("hidden", "cell")  # fields [N, D]; all others are [T+1, N, ...]


class FragmentTensors(NamedTuple):
    """A fragment on a device, as the agent takes it."""

    observations: ObservationBatch  # [T+1, N, ...]
    actions: ActionBatch  # [T+1, N, ...]; the last row is padding
    behaviour: PolicyLogProbs  # [T+1, N] each; the last row is padding
    reward: Tensor  # float32 [T+1, N], arriving at the row
    resets: Tensor  # bool [T+1, N]
    terminated: Tensor  # bool [T+1, N]
    reference_speak_logit: Tensor  # float32 [T+1, N]
    state: AgentState  # [N, D], the memory before row 0

    @property
    def acted(self) -> Tensor:
        """Bool [T, N], rows whose action was done and led to the next row; the others only close an episode."""
        return ~self.resets[1:] | self.terminated[1:]


@dataclass(frozen=True, eq=False, kw_only=True)
class Fragment:
    """T transitions of N slots. Row t holds what the solver saw at t, what it did, and the reward that arrived with it.

    Consecutive fragments of one runner overlap by one row: row T of one is row 0 of the next, where its action is
    chosen, by the newest weights. So row T has no action yet: it is the neutral movement, silence and
    log-probabilities 0, and serves to bootstrap only.

    Where a time limit ends an episode, one row more has what the solver saw after its last action. So the value of that
    is known, with the memory that belongs to it, to every learner and at its newest weights. The action in such a row
    is drawn but not done: the next row is the first of another episode, without ``terminated``. (A play whose world
    fails has no such observation, and its last row serves as one.) An episode that the world itself terminates may end
    with such a row, which a reward model judges like any other, or without one.

    Args:
      observations: [T+1, N, ...], what the agent's spaces declare (:func:`agents.batch.observation_columns`);
        ``visual`` are tokens of the images by an image encoder that the learner has, too, or None.
      movement: int8 or int16 [T+1, N, ticks, columns].
      utterance: int64 [T+1, N, M].
      movement_log_prob: float32 [T+1, N], of the policy that acted.
      speak_log_prob: float32 [T+1, N], of the policy that acted.
      words_log_prob: float32 [T+1, N], of the policy that acted.
      reward: float32 [T+1, N], the consequence of the action at t-1. From a reward model it is U[t] - U[t-1], and 0
        where ``resets`` (paper, Eq. 2). The reward of an episode's last action is in its closing row. From the
        environment it is not 0 where ``resets`` if the action before terminated an episode without a closing row.
      resets: bool [T+1, N], the row is the first of its episode.
      terminated: bool [T+1, N], the action at t-1 ended its episode by the world's rules: no reward can follow.
      reference_speak_logit: float32 [T+1, N], log-odds of speaking of the frozen cloned agent.
      hidden: float32 [N, D], the acting agent's memory before row 0.
      cell: float32 [N, D], the acting agent's memory before row 0.

    Raises:
      ValueError: naming the field that is not of the same T and N as ``resets``, or of another type.
    """

    observations: ObservationArrays
    movement: np.ndarray
    utterance: np.ndarray
    movement_log_prob: np.ndarray
    speak_log_prob: np.ndarray
    words_log_prob: np.ndarray
    reward: np.ndarray
    resets: np.ndarray
    terminated: np.ndarray
    reference_speak_logit: np.ndarray
    hidden: np.ndarray
    cell: np.ndarray

    def __post_init__(self) -> None:
        if self.resets.ndim != 2 or self.resets.shape[0] < 2:
            raise ValueError(f"resets has shape {self.resets.shape}, not [T+1, N] with T > 0")
        rows = self.resets.shape
        for name, array in self.arrays().items():
            if name in PER_SLOT:
                _check(name, array, np.float32, (rows[1], self.hidden.shape[-1]))
            elif name in _TYPES:
                _check(name, array, _TYPES[name], rows)
            elif array.shape[:2] != rows:
                raise ValueError(f"{name} is {array.dtype} {array.shape}, not [{rows[0]}, {rows[1]}, ...]")

    def check(self, config: AgentConfig) -> None:
        """Raise ValueError, naming the field, if what is observed or done is not of the spaces of ``config``."""
        columns, arrays = observation_columns(config) | action_columns(config), self.arrays()
        for name in columns.keys() ^ (arrays.keys() - _TYPES.keys() - {"visual", *PER_SLOT}):
            raise ValueError(f"{name} is {'missing' if name in columns else 'no part of the spaces of the agent'}")
        for name, (dtype, tail) in columns.items():
            _check(name, arrays[name], dtype, (*self.resets.shape, *tail))

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> Fragment:
        """Return the fragment of which :meth:`arrays` returned these."""
        seen: dict[str, Any] = {name: arrays.get(name) for name in Observed._fields}
        others = {name: array for name, array in arrays.items() if name not in seen}
        return cls(observations=ObservationArrays(**seen), **others)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every array that there is, those of the observations included, by name."""
        found = {**self.observations._asdict(), **vars(self)}
        return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}

    @property
    def steps(self) -> int:
        """T, the number of transitions of every slot."""
        return self.resets.shape[0] - 1

    @property
    def columns(self) -> int:
        """N, the number of slots."""
        return self.resets.shape[1]

    def to_tensors(self, device: torch.device | str = "cpu") -> FragmentTensors:
        """The same numbers on ``device``; on the CPU the memory is shared, not copied."""

        def move(array: np.ndarray) -> Tensor:
            return send(array, device)

        return FragmentTensors(
            map_parts(move, self.observations),
            ActionBatch(move(self.movement), move(self.utterance)),
            PolicyLogProbs(move(self.movement_log_prob), move(self.speak_log_prob), move(self.words_log_prob)),
            reward=move(self.reward),
            resets=move(self.resets),
            terminated=move(self.terminated),
            reference_speak_logit=move(self.reference_speak_logit),
            state=AgentState(move(self.hidden), move(self.cell)),
        )


def concatenate(fragments: Sequence[Fragment]) -> Fragment:
    """Fragments of equally many steps side by side: N is the sum of theirs.

    Raises:
      ValueError: if there are none, or they differ in T, in the sizes of images or texts, or in what is observed.
    """
    if not fragments:
        raise ValueError("no fragments to concatenate")
    if len(fragments) == 1:
        return fragments[0]
    steps = {fragment.steps for fragment in fragments}
    if len(steps) != 1:
        raise ValueError(f"fragments of {sorted(steps)} steps do not fit side by side")
    parts = [fragment.arrays() for fragment in fragments]
    if any(part.keys() != parts[0].keys() for part in parts):
        raise ValueError("fragments with other observations do not fit side by side")
    return Fragment.of(
        {name: np.concatenate([part[name] for part in parts], axis=int(name not in PER_SLOT)) for name in parts[0]}
    )


def take(fragment: Fragment, columns: slice) -> Fragment:
    """Return some of the fragment's columns, without copying them."""
    arrays = fragment.arrays().items()
    return Fragment.of({name: array[columns] if name in PER_SLOT else array[:, columns] for name, array in arrays})


def _check(name: str, array: np.ndarray, dtype: Any, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name} is {array.dtype} {array.shape}, not {np.dtype(dtype)} {shape}")


class FragmentRows:
    """The arrays of one :class:`Fragment` while it is being played, [T+1, N, ...] each.

    Args:
      visual: (K, width) of the tokens of an image that are kept, too; None: they are not.
    """

    def __init__(self, steps: int, slots: int, config: AgentConfig, visual: tuple[int, int] | None = None) -> None:
        shape = (steps + 1, slots)
        seen: dict[str, Any] = {"image": None}
        for name, (dtype, tail) in observation_columns(config).items():
            seen[name] = np.empty((*shape, *tail), dtype)
        self._observations = ObservationArrays(**seen)
        self.visual = None if visual is None else np.empty((*shape, *visual), np.float32)
        acted = action_columns(config)
        movement, tail = acted["movement"]
        self.movement = np.empty((*shape, *tail), movement)
        self.movement[:] = config.columns.neutral()
        self.utterance = np.full((*shape, *acted["utterance"][1]), PAD_ID, np.int64)
        self.movement_log_prob, self.speak_log_prob, self.words_log_prob = np.zeros((3, *shape), np.float32)
        self.reward = np.zeros(shape, np.float32)
        self.resets, self.terminated = np.zeros((2, *shape), np.bool_)
        self.reference_speak_logit = np.zeros(shape, np.float32)

    def see(self, t: int, observations: ObservationArrays, resets: np.ndarray, terminated: np.ndarray) -> None:
        """Put into row t what is perceived in N slots, and where an episode begins or was terminated, bool [N] each."""
        for rows, array in zip(self._observations, observations, strict=True):
            if rows is not None:
                rows[t] = array
        self.resets[t], self.terminated[t] = resets, terminated

    def do(self, t: int, actions: ActionBatch, log_probs: PolicyLogProbs) -> None:
        """Put into row t what is done [1, N, ...] and its log-probabilities [1, N]."""
        self.movement[t], self.utterance[t] = actions.movement[0].cpu().numpy(), actions.utterance[0].cpu().numpy()
        for name, values in log_probs._asdict().items():
            getattr(self, f"{name}_log_prob")[t] = values[0].float().cpu().numpy()

    def observed(self, rows: slice, device: torch.device) -> tuple[ObservationBatch, Tensor]:
        """Observations and resets of ``rows``, on ``device``, without tokens of images."""
        return map_parts(lambda array: send(array[rows], device), self._observations), send(self.resets[rows], device)

    def tokens(self, rows: slice, device: torch.device) -> Tensor | None:
        """Tokens of the images of ``rows``, on ``device``; None where they are not kept."""
        return None if self.visual is None else send(self.visual[rows], device)

    def fragment(self, state: AgentState) -> Fragment:
        """The finished fragment; ``state`` [N, D] is the memory before row 0."""
        hidden, cell = (part.float().cpu().numpy() for part in state)
        rows = {name: array for name, array in vars(self).items() if name in _TYPES}
        return Fragment(
            observations=self._observations._replace(visual=self.visual),
            movement=self.movement,
            utterance=self.utterance,
            **rows,
            hidden=hidden,
            cell=cell,
        )
