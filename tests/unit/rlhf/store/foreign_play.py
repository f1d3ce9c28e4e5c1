"""Episodes as another tool might put them into a dataset: of our format and sealed, but never checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.episode import Episode
from rlhf.store.columns.tables import to_tables
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.folder.index import TABLES
from rlhf.store.upkeep.recovery import data_file


def overwrite(folder: Path, episode: Episode, **columns: Any) -> None:
    """Have other values in some ``columns`` of ``episode``, which has files of its own in the dataset in ``folder``.

    Args:
      columns: of either table: arrays or lists with a value for every row.
    """
    for table, rows in zip(TABLES, to_tables([episode]), strict=True):
        for name in columns.keys() & set(rows.column_names):
            field = rows.schema.field(name)
            values = columns[name].tolist() if isinstance(columns[name], np.ndarray) else columns[name]
            rows = rows.set_column(rows.column_names.index(name), field, pa.array(values, field.type))
        data_file(folder, table, episode.episode_id).write_bytes(to_bytes([rows]))


def with_bin(movement: np.ndarray, bin_: int, step: int = 0, component: int = 0) -> np.ndarray:
    """``movement`` [T, 8, components] with the bin ``bin_`` at the second tick of ``step``."""
    changed = movement.copy()
    changed[step, 1, component] = bin_
    return changed
