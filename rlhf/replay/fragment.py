"""Fragments, which a runner gives to a learner: T consecutive steps of N slots, in NumPy and as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.batch import ActionBatch, ObservationArrays, ObservationBatch, PolicyLogProbs, send
from agents.config import AgentConfig
from agents.networks.trunk import AgentState
from agents.tokenizer import PAD_ID
from worlds.contract import MOVEMENT, TICKS_PER_STEP, neutral_movement

_MOVEMENT_SHAPE = (TICKS_PER_STEP, len(MOVEMENT))
# Field -> (dtype, shape behind [T+1, N]; None where it is the agent's configuration that fixes it).
_ROWS: dict[str, tuple[type, tuple[int | None, ...]]] = {
    "image": (np.uint8, (None, None, 3)),
    "setter_tokens": (np.int64, (None,)),
    "solver_tokens": (np.int64, (None,)),
    "previous_movement": (np.int8, _MOVEMENT_SHAPE),
    "movement": (np.int8, _MOVEMENT_SHAPE),
    "utterance": (np.int64, (None,)),
    "movement_log_prob": (np.float32, ()),
    "speak_log_prob": (np.float32, ()),
    "words_log_prob": (np.float32, ()),
    "reward": (np.float32, ()),
    "resets": (np.bool_, ()),
    "reference_speak_logit": (np.float32, ()),
}
PER_SLOT = ("hidden", "cell")  # fields [N, D]; all others are [T+1, N, ...]


class FragmentTensors(NamedTuple):
    """A fragment on a device, as the agent takes it."""

    observations: ObservationBatch  # [T+1, N, ...]
    actions: ActionBatch  # [T+1, N, ...]; the last row is padding
    behaviour: PolicyLogProbs  # [T+1, N] each; the last row is padding
    reward: Tensor  # float32 [T+1, N], arriving at the row
    resets: Tensor  # bool [T+1, N]
    reference_speak_logit: Tensor  # float32 [T+1, N]
    state: AgentState  # [N, D], the memory before row 0


@dataclass(frozen=True, eq=False)
class Fragment:
    """T transitions of N slots. Row t holds what the solver saw at t, what it did, and the reward that arrived with it.

    Consecutive fragments of one runner overlap by one row: row T of one is row 0 of the next, where its action is
    chosen, by the newest weights. So row T has no action yet: it is the neutral movement, silence and
    log-probabilities 0, and serves to bootstrap only.

    Args:
      image: uint8 [T+1, N, H, W, 3].
      setter_tokens: int64 [T+1, N, L].
      solver_tokens: int64 [T+1, N, L].
      previous_movement: int8 [T+1, N, 8, C].
      movement: int8 [T+1, N, 8, C].
      utterance: int64 [T+1, N, M].
      movement_log_prob: float32 [T+1, N], of the policy that acted.
      speak_log_prob: float32 [T+1, N], of the policy that acted.
      words_log_prob: float32 [T+1, N], of the policy that acted.
      reward: float32 [T+1, N], the consequence of the action at t-1. From a reward model it is U[t] - U[t-1], and 0
        where ``resets`` (paper, Eq. 2). From the environment it is not 0 there if a play's last action was rewarded.
      resets: bool [T+1, N], the row is the first of its episode.
      reference_speak_logit: float32 [T+1, N], log-odds of speaking of the frozen cloned agent.
      hidden: float32 [N, D], the acting agent's memory before row 0.
      cell: float32 [N, D], the acting agent's memory before row 0.

    Raises:
      ValueError: naming the field, if a shape or a type is another than the one above.
    """

    image: np.ndarray
    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    movement: np.ndarray
    utterance: np.ndarray
    movement_log_prob: np.ndarray
    speak_log_prob: np.ndarray
    words_log_prob: np.ndarray
    reward: np.ndarray
    resets: np.ndarray
    reference_speak_logit: np.ndarray
    hidden: np.ndarray
    cell: np.ndarray

    def __post_init__(self) -> None:
        if self.resets.ndim != 2 or self.resets.shape[0] < 2:
            raise ValueError(f"resets has shape {self.resets.shape}, not [T+1, N] with T > 0")
        for name, (dtype, tail) in _ROWS.items():
            array = getattr(self, name)
            shape = (*self.resets.shape, *tail)
            agrees = len(shape) == array.ndim and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
            if array.dtype != dtype or not agrees:
                wanted = [*self.resets.shape, *("*" if n is None else n for n in tail)]
                raise ValueError(f"{name} is {array.dtype} {array.shape}, not {np.dtype(dtype)} {wanted}")
        for name in PER_SLOT:
            array = getattr(self, name)
            agrees = array.ndim == 2 and len(array) == self.columns and array.shape == self.hidden.shape
            if array.dtype != np.float32 or not agrees:
                raise ValueError(f"{name} is {array.dtype} {array.shape}, not float32 [{self.columns}, D]")

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
            ObservationBatch(
                move(self.image), move(self.setter_tokens), move(self.solver_tokens), move(self.previous_movement)
            ),
            ActionBatch(move(self.movement), move(self.utterance)),
            PolicyLogProbs(move(self.movement_log_prob), move(self.speak_log_prob), move(self.words_log_prob)),
            reward=move(self.reward),
            resets=move(self.resets),
            reference_speak_logit=move(self.reference_speak_logit),
            state=AgentState(move(self.hidden), move(self.cell)),
        )


def concatenate(fragments: Sequence[Fragment]) -> Fragment:
    """Fragments of equally many steps side by side: N is the sum of theirs.

    Raises:
      ValueError: if there are none, or they differ in T or in the sizes of images or texts.
    """
    if not fragments:
        raise ValueError("no fragments to concatenate")
    if len(fragments) == 1:
        return fragments[0]
    steps = {fragment.steps for fragment in fragments}
    if len(steps) != 1:
        raise ValueError(f"fragments of {sorted(steps)} steps do not fit side by side")
    side_by_side = {
        field.name: np.concatenate([getattr(f, field.name) for f in fragments], axis=1 if field.name in _ROWS else 0)
        for field in fields(Fragment)
    }
    return Fragment(**side_by_side)


def take(fragment: Fragment, columns: slice) -> Fragment:
    """Some of the fragment's columns, without copying them."""
    arrays = {field.name: getattr(fragment, field.name) for field in fields(Fragment)}
    return Fragment(**{name: array[:, columns] if name in _ROWS else array[columns] for name, array in arrays.items()})


class FragmentRows:
    """The arrays of one :class:`Fragment` while it is being played, [T+1, N, ...] each."""

    def __init__(self, steps: int, slots: int, config: AgentConfig) -> None:
        shape = (steps + 1, slots)
        still = neutral_movement()
        self.image = np.empty((*shape, *config.image_size, 3), np.uint8)
        self.setter_tokens = np.empty((*shape, config.setter_text_length), np.int64)
        self.solver_tokens = np.empty((*shape, config.solver_text_length), np.int64)
        self.previous_movement = np.empty((*shape, *still.shape), np.int8)
        self.movement = np.broadcast_to(still, self.previous_movement.shape).copy()
        self.utterance = np.full((*shape, config.utterance_length), PAD_ID, np.int64)
        self.movement_log_prob, self.speak_log_prob, self.words_log_prob = np.zeros((3, *shape), np.float32)
        self.reward = np.zeros(shape, np.float32)
        self.resets = np.zeros(shape, np.bool_)
        self.reference_speak_logit = np.zeros(shape, np.float32)

    def see(self, t: int, observations: ObservationArrays, resets: np.ndarray) -> None:
        """Put into row t what is perceived in N slots and where an episode begins, bool [N]."""
        for name, array in observations._asdict().items():
            if array is not None:
                getattr(self, name)[t] = array
        self.resets[t] = resets

    def do(self, t: int, actions: ActionBatch, log_probs: PolicyLogProbs) -> None:
        """Put into row t what is done [1, N, ...] and its log-probabilities [1, N]."""
        self.movement[t], self.utterance[t] = actions.movement[0].cpu().numpy(), actions.utterance[0].cpu().numpy()
        for name, values in log_probs._asdict().items():
            getattr(self, f"{name}_log_prob")[t] = values[0].float().cpu().numpy()

    def observed(self, rows: slice, device: torch.device) -> tuple[ObservationBatch, Tensor]:
        """Observations and resets of ``rows``, on ``device``."""
        arrays = (self.image, self.setter_tokens, self.solver_tokens, self.previous_movement, self.resets)
        *fields, resets = (send(array[rows], device) for array in arrays)
        return ObservationBatch(*fields), resets

    def fragment(self, state: AgentState) -> Fragment:
        """The finished fragment; ``state`` [N, D] is the memory before row 0."""
        hidden, cell = (part.float().cpu().numpy() for part in state)
        return Fragment(**vars(self), hidden=hidden, cell=cell)
