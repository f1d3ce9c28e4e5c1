"""`rlhf episodes export|import`: datasets to and from the formats of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields, is_dataclass
from typing import Any, Literal

from pipelines.exchange.formats import FormatName, export_episodes, import_episodes
from pipelines.exchange.settings import LeRobotExport, LeRobotImport, MinariExport, MinariImport, RldsExport, RldsImport
from rlhf.run.progress import announce
from rlhf.run.setting_forms import SourceDataset, TargetDataset
from worlds.errors import UserError
from worlds.settings import settings


@settings
class ExportConfig:
    """Settings of `rlhf episodes export`.

    Args:
      source: folder of the dataset.
      target: folder to write; it must not exist.
      to: format to write.
      episodes: ids of the episodes to export; none exports all.
      split: export only episodes of this split; None exports both.
      lerobot: settings of LeRobot's format.
      minari: settings of Minari's format.
      rlds: settings of RLDS.
    """

    source: SourceDataset
    target: TargetDataset
    to: FormatName
    episodes: tuple[str, ...] = ()
    split: Literal["train", "held_out"] | None = None
    lerobot: LeRobotExport = field(default_factory=LeRobotExport)
    minari: MinariExport = field(default_factory=MinariExport)
    rlds: RldsExport = field(default_factory=RldsExport)

    def __post_init__(self) -> None:
        _check_settings(self, self.to)


@settings
class ImportConfig:
    """Settings of `rlhf episodes import`.

    Args:
      source: folder to read.
      target: folder of the dataset to copy into; it is created if it does not exist.
      from_: format to read.
      skip_bad: leave out episodes that cannot be read, and name them; otherwise the first one ends the import.
      lerobot: settings of LeRobot's format.
      minari: settings of Minari's format.
      rlds: settings of RLDS.
    """

    source: SourceDataset
    target: TargetDataset
    from_: FormatName
    skip_bad: bool = False
    lerobot: LeRobotImport = field(default_factory=LeRobotImport)
    minari: MinariImport = field(default_factory=MinariImport)
    rlds: RldsImport = field(default_factory=RldsImport)

    def __post_init__(self) -> None:
        _check_settings(self, self.from_)


def export_dataset(config: ExportConfig) -> None:
    """Write a dataset in another library's format."""
    settings = getattr(config, config.to)
    exported = export_episodes(config.source, config.target, config.to, settings, config.episodes, config.split)
    _report(f"wrote {_play(exported.episodes, exported.steps)}, to {config.target}", exported.notes)


def import_dataset(config: ImportConfig) -> None:
    """Add a dataset in another library's format to a dataset."""
    settings = getattr(config, config.from_)
    imported = import_episodes(config.source, config.target, config.from_, settings, config.skip_bad)
    marks = f" and {_count(imported.marks, 'mark')}" if imported.marks else ""
    play = _play(imported.episodes, imported.steps)
    _report(f"read {play}{marks}, into {config.target}", imported.notes)


def _play(episodes: int, steps: int) -> str:
    return f"{_count(episodes, 'episode')}, {_count(steps, 'step')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _check_settings(config: Any, chosen: str) -> None:
    """Refuse settings of another format than the one that was chosen. Raises UserError."""
    for each in fields(config):
        value = getattr(config, each.name)
        if each.name != chosen and is_dataclass(value) and value != type(value)():
            raise UserError(f"--{each.name} settings are given, but the format is {chosen}; remove them")


def _report(line: str, notes: Sequence[str]) -> None:
    announce("\n".join([line, *(f"note: {note}" for note in notes)]))
