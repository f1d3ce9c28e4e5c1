"""`rlhf marks import|export`: exchange of marks with other programs."""

from __future__ import annotations

from dataclasses import dataclass

from rlhf.run.progress import announce
from rlhf.run.setting_forms import DatasetFolder, RecordsFile
from rlhf.store import open_store
from rlhf.store.transfer.marks_file import export_marks, import_marks


@dataclass(frozen=True)
class ImportMarksConfig:
    """Settings of `rlhf marks import`.

    Args:
      file: file of marks, one a line (.jsonl, .csv) or a row (.parquet).
      data: folder of the dataset that has the marked episodes.
    """

    file: RecordsFile
    data: DatasetFolder


@dataclass(frozen=True)
class ExportMarksConfig:
    """Settings of `rlhf marks export`.

    Args:
      data: folder of the dataset.
      file: file to write, .jsonl, .csv or .parquet; it must not exist.
    """

    data: DatasetFolder
    file: RecordsFile


def import_into_dataset(config: ImportMarksConfig) -> None:
    """Add a file's marks to a dataset, all of them or none."""
    new, known = import_marks(open_store(config.data), config.file)
    announce(f"{new} new marks in {config.data}" + (f"; it had {known} of the file already" if known else ""))


def export_from_dataset(config: ExportMarksConfig) -> None:
    """Write all marks of a dataset to a file."""
    marks = open_store(config.data).marks()
    export_marks(marks, config.file)
    announce(f"wrote {len(marks)} marks to {config.file}")
