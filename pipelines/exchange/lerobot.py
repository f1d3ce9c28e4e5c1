"""LeRobot's dataset v3."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pipelines.exchange.formats import Exported, Imported
from pipelines.exchange.settings import LeRobotExport, LeRobotImport
from rlhf.store import EpisodeStore
from worlds.errors import UserError


def export(store: EpisodeStore, ids: Sequence[str], out: Path, settings: LeRobotExport) -> Exported:
    """Write the episodes ``ids`` of ``store`` as a LeRobot dataset into the empty folder ``out``."""
    raise UserError("this version does not write LeRobot's datasets yet")


def import_(source: Path, store: EpisodeStore, settings: LeRobotImport) -> Imported:
    """Write the episodes of the LeRobot dataset in ``source`` into the empty ``store``."""
    raise UserError("this version does not read LeRobot's datasets yet")
