"""Recorded play with its marks, as arrays and as an endless stream of windows for training."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.batch import ActionBatch, ObservationBatch, send
from agents.config import AgentConfig
from agents.tokenizer import PAD_ID, Tokenizer
from reward_models.marks.augmentation import Alteration, Augmentation
from reward_models.marks.dialogue import Dialogue
from reward_models.marks.pairs import count_marks, has_pairs, near_marks, raters_of
from reward_models.marks.rival_answers import RivalAnswers
from rlhf.data.memory import MemoryDataset, encode_episodes
from rlhf.data.windows import EpisodeStream
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.store.columns.compressed import CompressedEpisode


@dataclass(frozen=True, eq=False)
class MarkedPlay:
    """Episodes end to end, with the marks of every step.

    Args:
      episodes: N steps of E episodes of play, encoded.
      episode_ids: of each episode.
      marks: uint8 [N, R, 2], counts of the (+) and (-) of up to R raters of each episode.
      raters: of each episode, the names of its raters, in the order of ``marks``.
      trust: float32 [N, R], weight of each rater's marks; None: all alike.
      rated_by: bool [E, R], the episodes that each rater has rated; None: those that it has marked.
    """

    episodes: MemoryDataset
    episode_ids: tuple[str, ...]
    marks: np.ndarray
    raters: tuple[tuple[str, ...], ...]
    trust: np.ndarray | None = None
    rated_by: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.episodes)

    def rows(self, episode: int) -> slice:
        """Rows of episode number ``episode`` in the arrays."""
        return slice(int(self.episodes.starts[episode]), int(self.episodes.starts[episode + 1]))

    def episode_of(self, rows: np.ndarray) -> np.ndarray:
        """Numbers of the episodes that ``rows`` belong to, int64 as ``rows``."""
        return np.searchsorted(self.episodes.starts, rows, side="right") - 1

    def marks_of(self, episode: int) -> np.ndarray:
        """Marks uint8 [T, R, 2] of one episode."""
        return self.marks[self.rows(episode)]

    @property
    def rated_episodes(self) -> np.ndarray:
        """Episodes that each rater is known to have rated: bool [E, R]."""
        if self.rated_by is not None:
            return self.rated_by
        return np.add.reduceat(self.marks.astype(np.int64).sum(-1), self.episodes.starts[:-1], axis=0) > 0

    @property
    def rated(self) -> np.ndarray:
        """Steps of the episodes that each rater is known to have rated: bool [N, R]."""
        return np.repeat(self.rated_episodes, self.episodes.lengths, axis=0)

    @property
    def comparable(self) -> np.ndarray:
        """Numbers of the episodes whose marks order at least one pair of steps, int64 [K]."""
        return np.array([i for i in range(len(self)) if has_pairs(self.marks_of(i))], dtype=np.int64)

    def unmarked(self, margin: int) -> np.ndarray:
        """Steps of rated episodes that are more than ``margin`` steps from any mark, bool [N]."""
        unmarked = np.zeros(len(self.marks), dtype=bool)
        for episode in np.flatnonzero(self.rated_episodes.any(axis=1)).tolist():
            marked = self.marks_of(episode).sum(axis=(1, 2)) > 0
            unmarked[self.rows(episode)] = ~near_marks(marked, margin)
        return unmarked


def mark_play(
    episodes: Sequence[Episode | CompressedEpisode],
    marks: Iterable[Mark],
    tokenizer: Tokenizer,
    config: AgentConfig,
    packed: bool = False,
) -> MarkedPlay:
    """Encode ``episodes`` and join their marks.

    Args:
      episodes: at least one.
      marks: of these and perhaps other episodes of the dataset; the others' are left out.
      tokenizer: the model's.
      packed: keep frames as PNG files, see :func:`rlhf.data.memory.encode_episodes`.

    Raises:
      UserError: if there are no episodes, an image has another size than the model's, or a mark lies beyond its
        episode's end.
    """
    encoded = encode_episodes(episodes, tokenizer, config, packed)
    by_episode: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        by_episode[mark.episode_id].append(mark)
    counts = [count_marks(by_episode[e.episode_id], e.episode_id, len(e)) for e in episodes]
    most = max(1, *(c.shape[1] for c in counts))
    return MarkedPlay(
        episodes=encoded,
        episode_ids=tuple(e.episode_id for e in episodes),
        marks=np.concatenate([np.pad(c, ((0, 0), (0, most - c.shape[1]), (0, 0))) for c in counts]),
        raters=tuple(raters_of(by_episode[e.episode_id]) for e in episodes),
    )


def marks_later(play: MarkedPlay, steps: int) -> MarkedPlay:
    """Shift every mark of ``play`` to ``steps`` later, at most to the last step of its episode."""
    if not steps:
        return play
    last = np.repeat(play.episodes.starts[1:] - 1, play.episodes.lengths)
    marks = np.zeros_like(play.marks)
    np.add.at(marks, np.minimum(np.arange(len(marks)) + steps, last), play.marks)
    return replace(play, marks=marks)


def altered(play: MarkedPlay, episodes: Sequence[int], rater_delay: int = 1) -> tuple[MarkedPlay, list[int]]:
    """Exchange the words of ``episodes`` of ``play`` so that the behaviour becomes wrong.

    The alterations are the same at every call, so that models are compared on the same examples.

    Args:
      episodes: numbers of those that are altered.
      rater_delay: a (+) at most this many steps after a request may be about what was done before it.

    Returns:
      The altered play, which shares the images of ``play``, and the numbers of the episodes that could be altered.
    """
    dialogue, augmentation = Dialogue.of(play.episodes, play.marks), Augmentation(1.0, rater_delay=rater_delay)
    seen, marks = play.episodes.observations, play.marks.copy()
    setter, solver = seen.setter_tokens.copy(), seen.solver_tokens.copy()
    done = []
    for episode in episodes:
        rows = play.rows(episode)
        change = augmentation.alter(dialogue, rows, play.marks[rows], np.random.default_rng([0, episode]))
        if change is not None:
            setter[rows] = seen.setter_tokens[change.setter_rows]
            solver[rows] = seen.solver_tokens[change.solver_rows]
            marks[rows] = change.marks
            done.append(int(episode))
    encoded = play.episodes.seeing(setter_tokens=setter, solver_tokens=solver)
    return replace(play, episodes=encoded, marks=marks), done


@dataclass(frozen=True)
class MarkedWindow:
    """One window [T, B] of marked play.

    Args:
      observations: [T, B, ...].
      actions: [T, B, ...], of the solver.
      resets: bool [T, B], first steps of episodes.
      marks: uint8 [T, B, R, 2], counts of each rater's (+) and (-).
      imitate: bool [T, B], steps for behavioural cloning: demonstrated, and not altered by augmentation.
      matched: bool [T, B], steps for the contrastive loss: the setter has spoken, and its words are its own.
      unmarked: bool [T, B], rated steps with no mark near.
      rated: bool [T, B, R], steps of the episodes that each rater is known to have rated, except those whose marks
        were dropped by augmentation.
      trust: float [T, B, R], weight of each rater's marks; None: all alike.
    """

    observations: ObservationBatch
    actions: ActionBatch
    resets: Tensor
    marks: Tensor
    imitate: Tensor
    matched: Tensor
    unmarked: Tensor
    rated: Tensor
    trust: Tensor | None = None


class _ShownRows(NamedTuple):
    """Rows [T, B] of what is observed at every step of a window: int64 each."""

    frames: np.ndarray
    movement: np.ndarray
    setter: np.ndarray
    solver: np.ndarray


class MarkedStream(EpisodeStream):
    """Stream of windows with marks, some of whose episodes are altered to be wrong.

    The alteration of an episode is sampled when a column begins it, and holds to the episode's end.
    """

    def __init__(
        self, play: MarkedPlay, steps: int, batch: int, seed: int, augmentation: Augmentation, unmarked_margin: int = 8
    ) -> None:
        super().__init__(play.episodes, steps, batch, seed)
        self._play, self._augmentation = play, augmentation
        self._dialogue = Dialogue.of(play.episodes, play.marks, augmentation.answer_reach)
        self._rival = RivalAnswers(self._dialogue, play.episodes) if augmentation.hard_answers else None
        self._unmarked, self._rated = play.unmarked(unmarked_margin), play.rated
        self._draws = np.random.default_rng([seed, 1])
        self._keys = [int(self._draws.integers(2**62)) for _ in range(batch)]
        self._altered = [self._alter(e, k) for e, k in zip(self._episode.tolist(), self._keys, strict=True)]

    def _alter(self, episode: int, key: int) -> Alteration | None:
        rows = self._play.rows(episode)
        draws = np.random.default_rng(key)
        return self._augmentation.alter(self._dialogue, rows, self._play.marks[rows], draws, self._rival)

    def next_marked(self, device: str | torch.device = "cpu") -> MarkedWindow:
        """Next window of all columns."""
        rows = np.empty((self._steps, self._batch), dtype=np.int64)
        altered = np.zeros(rows.shape, dtype=bool)
        for column in range(self._batch):
            self._fill(rows[:, column], column)
        setter_rows, solver_rows, frame_rows, movement_rows = (rows.copy() for _ in range(4))
        marks, rated = self._play.marks[rows], self._rated[rows]
        for column in range(self._batch):
            for span, alteration in self._visits(rows[:, column], column):
                if alteration is None:
                    continue
                inside = rows[span, column] - alteration.start
                setter_rows[span, column] = alteration.setter_rows[inside]
                solver_rows[span, column] = alteration.solver_rows[inside]
                if alteration.frame_rows is not None and alteration.backwards is not None:
                    frame_rows[span, column] = alteration.frame_rows[inside]
                    rest = alteration.start  # the first step of an episode is preceded by rest
                    movement_rows[span, column] = np.where(
                        alteration.backwards[inside], rest, alteration.frame_rows[inside]
                    )
                marks[span, column] = alteration.marks[inside]
                rated[span, column] &= ~alteration.unclear[inside, None]
                altered[span, column] = True
        shown = _ShownRows(frame_rows, movement_rows, setter_rows, solver_rows)
        return self._window(rows, shown, altered, marks, rated, device)

    def _visits(self, rows: np.ndarray, column: int) -> Iterable[tuple[slice, Alteration | None]]:
        """Yield the spans of a column's window, one for each episode, with the episode's alteration."""
        begins = np.flatnonzero(self._play.episodes.first[rows])
        edges = [0, *begins[begins > 0].tolist(), len(rows)]
        for begin, end in zip(edges[:-1], edges[1:], strict=True):
            if self._play.episodes.first[rows[begin]]:
                episode = int(np.searchsorted(self._play.episodes.starts, rows[begin], side="right")) - 1
                self._keys[column] = int(self._draws.integers(2**62))
                self._altered[column] = self._alter(episode, self._keys[column])
            yield slice(begin, end), self._altered[column]

    def _window(
        self,
        rows: np.ndarray,
        shown: _ShownRows,
        altered: np.ndarray,
        marks: np.ndarray,
        rated: np.ndarray,
        device: str | torch.device,
    ) -> MarkedWindow:
        episodes = self._play.episodes
        observations, _ = episodes.gather(shown.frames, device)
        setter = episodes.observations.setter_tokens[shown.setter]
        return MarkedWindow(
            observations=observations._replace(
                setter_tokens=send(setter, device),
                solver_tokens=send(episodes.observations.solver_tokens[shown.solver], device),
                previous_movement=send(episodes.observations.previous_movement[shown.movement], device),
            ),
            actions=ActionBatch(send(episodes.movement[rows], device), send(episodes.utterance[rows], device)),
            resets=send(episodes.first[rows], device),
            marks=send(marks, device),
            imitate=send(episodes.demonstrated[rows] & ~altered, device),
            matched=send((setter[..., 0] != PAD_ID) & ~altered, device),
            unmarked=send(self._unmarked[rows] & ~altered, device),
            rated=send(rated, device),
            trust=None if self._play.trust is None else send(self._play.trust[rows], device),
        )

    @property
    def _fingerprint(self) -> dict[str, int]:
        marks = self._play.marks
        return super()._fingerprint | {"marks": int(marks.sum()), "marked": zlib.crc32(marks.tobytes())}

    def state_dict(self) -> dict[str, Any]:
        """State of the plain stream, with that of the generator of alterations."""
        return super().state_dict() | {"draws": self._draws.bit_generator.state, "keys": list(self._keys)}

    def load_state_dict(self, state: dict) -> None:
        super().load_state_dict(state)
        self._draws.bit_generator.state = state["draws"]
        self._keys = list(state["keys"])
        self._altered = [self._alter(e, k) for e, k in zip(self._episode.tolist(), self._keys, strict=True)]
