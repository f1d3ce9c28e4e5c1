"""`rlhf preferences import|export`: exchange of clip pairs, verdicts, take-overs, scores, inferred goals, ratings."""

from __future__ import annotations

from typing import Literal

from pipelines.cli.marks import Unit, steps_per_second
from rlhf.run.progress import announce
from rlhf.run.setting_forms import DatasetFolder, RecordsFile
from rlhf.store import open_store
from rlhf.store.transfer.record_files import PREFERENCE_FILES, export_records, import_records
from worlds.settings import settings

PreferenceTable = Literal["clip_pairs", "verdicts", "take_overs", "scores", "inferred_goals", "helper_ratings"]


@settings
class ImportPreferencesConfig:
    """Settings of `rlhf preferences import`.

    Args:
      file: file of preferences of one kind, one a line (.jsonl, .csv, .tsv) or a row (.parquet).
      data: folder of the dataset that has the episodes they are about.
      kind: the kind of preference, inferred_goals or helper_ratings; also the name of the table.
      unit: what the file gives as the begin and end of a stretch: steps, or seconds since the episode began.
    """

    file: RecordsFile
    data: DatasetFolder
    kind: PreferenceTable
    unit: Unit = "steps"


@settings
class ExportPreferencesConfig:
    """Settings of `rlhf preferences export`.

    Args:
      data: folder of the dataset.
      file: file to write, .jsonl, .csv, .tsv or .parquet; it must not exist.
      kind: the kind of preference, inferred_goals or helper_ratings; also the name of the table.
    """

    data: DatasetFolder
    file: RecordsFile
    kind: PreferenceTable


def import_into_dataset(config: ImportPreferencesConfig) -> None:
    """Add a file's preferences to a dataset, all of them or none."""
    kind = PREFERENCE_FILES[config.kind]
    store = open_store(config.data)
    new, known = import_records(store, config.file, kind, steps_per_second(store, config.unit))
    already = f"; it had {known} of the file already" if known else ""
    announce(f"{new} new {kind.nouns} in {config.data}{already}")


def export_from_dataset(config: ExportPreferencesConfig) -> None:
    """Write all preferences of one kind of a dataset to a file."""
    kind = PREFERENCE_FILES[config.kind]
    found = open_store(config.data).preferences(kind.record)
    export_records(found, config.file, kind)
    announce(f"wrote {len(found)} {kind.nouns} to {config.file}")
