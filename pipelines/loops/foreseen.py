"""What a reward model expects people to say of play before they have said it (`rlhf teach`)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from annotation.server.teacher import Predicted
from reward_models.learning.mark_signal import TOLERANCE
from reward_models.registry import load_reward_model
from reward_models.scores.scoring import score
from rlhf.data.memory import encode_episodes
from rlhf.records.marks import Mark
from rlhf.records.preferences import SUCCESS, RequestVerdict
from rlhf.store import open_store
from rlhf.store.files.durable import write_file

_AT_ONCE = 64  # episodes in memory with their frames
FILE = "foreseen.npz"


def foresee(model_folder: Path, data: Path, file: Path, device: str = "cpu") -> None:
    """Write the utility that a reward model gives every step of a dataset's episodes, float32 [T] by episode id."""
    store, utilities = open_store(data), dict[str, np.ndarray]()
    model, words = load_reward_model(model_folder, device)
    ids = store.ids()
    for begin in range(0, len(ids), _AT_ONCE):
        some = ids[begin : begin + _AT_ONCE]
        play = encode_episodes([store.read(episode_id) for episode_id in some], words, model.config)
        utilities |= dict(zip(some, score(model, play), strict=True))
    written = io.BytesIO()
    np.savez(written, **utilities)  # type: ignore[arg-type]
    write_file(file, written.getvalue())


def count_foreseen(
    utilities: Mapping[str, np.ndarray], marks: Iterable[Mark], verdicts: Iterable[RequestVerdict]
) -> Predicted:
    """Count what was said as the model expected it.

    It expects a (+) where the utility rises from ``TOLERANCE`` steps before a mark to as many after it, and that a
    request was carried out where the utility is higher at its end than where it was heard.

    Args:
      utilities: float32 [T] of each episode; what was said of others is not counted.
    """
    right = [
        (_change(utilities[mark.episode_id], mark.step - TOLERANCE, mark.step + TOLERANCE) > 0) == (mark.sign > 0)
        for mark in marks
        if mark.episode_id in utilities
    ]
    right += [
        (_change(utilities[one.episode_id], one.begin, one.end - 1) > 0) == (one.answer == SUCCESS)
        for one in verdicts
        if one.decides and one.episode_id in utilities
    ]
    return Predicted(sum(right), len(right))


def _change(utility: np.ndarray, begin: int, end: int) -> float:
    return float(utility[min(end, len(utility) - 1)] - utility[max(begin, 0)])
