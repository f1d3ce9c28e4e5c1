"""Fragments, which a runner gives to a learner: T consecutive steps of N slots, in NumPy and as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.batch import ActionBatch, ObservationArrays, ObservationBatch, PolicyLogProbs, map_parts, send
from agents.columns import action_columns, observation_columns
from agents.config import AgentConfig
from agents.networks.trunk import AgentState
from agents.tokenizer import PAD_ID

_BINS = (np.int8, np.int16)
# Field -> (types, shape behind [T+1, N]; None where it is the agent's configuration that fixes it).
_ROWS: dict[str, tuple[tuple[type, ...], tuple[int | None, ...]]] = {
    "image": ((np.uint8,), (None, None, None)),
    "setter_tokens": ((np.int64,), (None,)),
    "solver_tokens": ((np.int64,), (None,)),
    "previous_movement": (_BINS, (None, None)),
    "grid": ((np.int16,), (None, None, None)),
    "entity_categories": ((np.int16,), (None, None)),
    "entity_values": ((np.float32,), (None, None)),
    "entity_count": ((np.int16,), ()),
    "vector": ((np.float32,), (None,)),
    "legal": ((np.bool_,), (None,)),
    "texts": ((np.int64,), (None, None)),
    "visual": ((np.float32,), (None, None)),
    "movement": (_BINS, (None, None)),
    "utterance": ((np.int64,), (None,)),
    "movement_log_prob": ((np.float32,), ()),
    "speak_log_prob": ((np.float32,), ()),
    "words_log_prob": ((np.float32,), ()),
    "reward": ((np.float32,), ()),
    "resets": ((np.bool_,), ()),
    "terminated": ((np.bool_,), ()),
    "reference_speak_logit": ((np.float32,), ()),
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

    Observations are those that the agent's spaces declare (:func:`agents.columns.observation_columns`); the rest is
    None.

    Args:
      image: uint8 [T+1, N, H, W, channels].
      setter_tokens: int64 [T+1, N, L].
      solver_tokens: int64 [T+1, N, L].
      previous_movement: int8 or int16 [T+1, N, ticks, columns], as the agent's actions are.
      grid: int16 [T+1, N, height, width, channels].
      entity_categories: int16 [T+1, N, most, categorical features].
      entity_values: float32 [T+1, N, most, real features].
      entity_count: int16 [T+1, N].
      vector: float32 [T+1, N, length].
      legal: bool [T+1, N, values of all discrete and pointer components].
      texts: int64 [T+1, N, texts, L].
      visual: float32 [T+1, N, K, width], tokens of the images by an image encoder that the learner has, too; None where
        the learner's own computes them.
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
      ValueError: naming the field, if a shape or a type is another than the one above.
    """

    image: np.ndarray | None = None
    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    grid: np.ndarray | None = None
    entity_categories: np.ndarray | None = None
    entity_values: np.ndarray | None = None
    entity_count: np.ndarray | None = None
    vector: np.ndarray | None = None
    legal: np.ndarray | None = None
    texts: np.ndarray | None = None
    visual: np.ndarray | None = None
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
        for name, array in self.arrays().items():
            if name in _ROWS:
                self._check_rows(name, array, *_ROWS[name])
        if self.movement.shape != self.previous_movement.shape or self.movement.dtype != self.previous_movement.dtype:
            moved, before = (f"{one.dtype} {one.shape}" for one in (self.movement, self.previous_movement))
            raise ValueError(f"movement is {moved}, previous_movement {before}; both are those of one action space")
        for name in PER_SLOT:
            array = getattr(self, name)
            agrees = array.ndim == 2 and len(array) == self.columns and array.shape == self.hidden.shape
            if array.dtype != np.float32 or not agrees:
                raise ValueError(f"{name} is {array.dtype} {array.shape}, not float32 [{self.columns}, D]")

    def _check_rows(self, name: str, array: np.ndarray, types: tuple[type, ...], tail: tuple[int | None, ...]) -> None:
        shape = (*self.resets.shape, *tail)
        agrees = len(shape) == array.ndim and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
        if array.dtype not in types or not agrees:
            wanted = [*self.resets.shape, *("*" if n is None else n for n in tail)]
            known = " or ".join(str(np.dtype(one)) for one in types)
            raise ValueError(f"{name} is {array.dtype} {array.shape}, not {known} {wanted}")

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the fields that the agent's spaces have, by name."""
        return {name: array for name, array in vars(self).items() if array is not None}

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

        observations = ObservationArrays(*(getattr(self, name) for name in ObservationArrays._fields))
        visual = None if self.visual is None else move(self.visual)
        return FragmentTensors(
            map_parts(move, observations)._replace(visual=visual),
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
    return Fragment(
        **{name: np.concatenate([part[name] for part in parts], axis=1 if name in _ROWS else 0) for name in parts[0]}
    )


def take(fragment: Fragment, columns: slice) -> Fragment:
    """Some of the fragment's columns, without copying them."""
    arrays = fragment.arrays()
    return Fragment(**{name: array[:, columns] if name in _ROWS else array[columns] for name, array in arrays.items()})


class FragmentRows:
    """The arrays of one :class:`Fragment` while it is being played, [T+1, N, ...] each.

    Args:
      steps: T.
      slots: N.
      config: of the agent, whose spaces decide which arrays there are.
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
        rows = {name: array for name, array in vars(self).items() if name in _ROWS}
        return Fragment(**self._observations._asdict(), **rows, hidden=hidden, cell=cell)
