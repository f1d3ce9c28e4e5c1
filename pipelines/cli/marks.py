"""`rlhf marks import|export`: exchange of marks with other programs."""

from __future__ import annotations

from typing import Literal

from rlhf.run.progress import announce
from rlhf.run.setting_forms import DatasetFolder, RecordsFile
from rlhf.store import ParquetStore, open_store
from rlhf.store.transfer.record_files import MARK_FILES, export_records, import_records
from worlds.settings import settings

Unit = Literal["steps", "seconds"]


@settings
class ImportMarksConfig:
    """Settings of `rlhf marks import`.

    Args:
      file: file of marks, one a line (.jsonl, .csv, .tsv) or a row (.parquet).
      data: folder of the dataset that has the marked episodes.
      unit: what the file gives as the step of a mark: its number, or the seconds since the episode began.
    """

    file: RecordsFile
    data: DatasetFolder
    unit: Unit = "steps"


@settings
class ExportMarksConfig:
    """Settings of `rlhf marks export`.

    Args:
      data: folder of the dataset.
      file: file to write, .jsonl, .csv, .tsv or .parquet; it must not exist.
    """

    data: DatasetFolder
    file: RecordsFile


def steps_per_second(store: ParquetStore, unit: Unit) -> float | None:
    """Return the rate by which moments of a file in ``unit`` become steps; None where it names steps."""
    return store.description.steps_per_second if unit == "seconds" else None


def import_into_dataset(config: ImportMarksConfig) -> None:
    """Add a file's marks to a dataset, all of them or none."""
    store = open_store(config.data)
    new, known = import_records(store, config.file, MARK_FILES, steps_per_second(store, config.unit))
    announce(f"{new} new marks in {config.data}" + (f"; it had {known} of the file already" if known else ""))


def export_from_dataset(config: ExportMarksConfig) -> None:
    """Write all marks of a dataset to a file."""
    marks = open_store(config.data).marks()
    export_records(marks, config.file, MARK_FILES)
    announce(f"wrote {len(marks)} marks to {config.file}")
