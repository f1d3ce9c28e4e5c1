"""Progress as a reward model sees it: the file by which LeRobot's reward-aligned cloning (RA-BC) weighs frames.

Its progress is a number from 0 to 1, whose change over some frames is compared with thresholds. Utility has no such
bounds, so the smallest of the dataset becomes 0 and the largest 1; both are in the file's metadata.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.store import EpisodeStore
from worlds.errors import UserError

_EPISODES_AT_ONCE = 32


def write_progress(store: EpisodeStore, ids: Sequence[str], path: Path, folder: Path) -> None:
    """Write the progress of every step of the episodes ``ids``.

    Raises UserError if there is no reward model, it is of other spaces, or its utility is not finite.
    """
    from reward_models.loaded import load_with_tokenizer
    from rlhf.data.memory import encode_episodes

    model, utilities = load_with_tokenizer(folder), list[np.ndarray]()
    remaining = iter(ids)
    while some := list(itertools.islice(remaining, _EPISODES_AT_ONCE)):
        play = encode_episodes(list(store.stream(some)), model.tokenizer, model.sizes)
        utilities += [scored.utility for scored in model.score(play)]
    lengths = [len(each) for each in utilities]
    utility = np.concatenate(utilities).astype(np.float32)
    if not np.isfinite(utility).all():
        raise UserError(f"the utility of the reward model {folder} is not finite; train it again")
    low, high = float(utility.min()), float(utility.max())
    table = pa.table(
        {
            "index": np.arange(len(utility), dtype=np.int64),
            "episode_index": np.repeat(np.arange(len(lengths), dtype=np.int64), lengths),
            "frame_index": np.concatenate([np.arange(length, dtype=np.int64) for length in lengths]),
            "progress_sparse": (utility - low) / np.float32(high - low or 1),
        },
        metadata={"reward_model_path": str(folder), "utility_at_0": repr(low), "utility_at_1": repr(high)},
    )
    pq.write_table(table, path)
