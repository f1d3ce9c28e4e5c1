"""Import a dataset into the folder "into" beside it, or see it refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.exchange.formats import FormatName, Imported, import_episodes
from pipelines.exchange.settings import LeRobotImport, MinariImport, RldsImport
from rlhf.records.episode import Episode
from rlhf.store import open_store
from worlds.errors import UserError

Settings = LeRobotImport | MinariImport | RldsImport
FORMATS: dict[type[Settings], FormatName] = {LeRobotImport: "lerobot", MinariImport: "minari", RldsImport: "rlds"}


def imported(folder: Path, settings: Settings, skip_bad: bool = False) -> tuple[Imported, list[Episode]]:
    """Return what an import reports, and the episodes that it wrote."""
    into = folder.parent / "into"
    reported = import_episodes(folder, into, FORMATS[type(settings)], settings, skip_bad=skip_bad)
    store = open_store(into)
    assert store.verify() == []
    return reported, [store.read(episode_id) for episode_id in store.ids()]


def refused(folder: Path, settings: Settings, *words: str) -> None:
    """Check that an import writes nothing, and ends with one line that has all of ``words``."""
    with pytest.raises(UserError) as error:
        import_episodes(folder, folder.parent / "into", FORMATS[type(settings)], settings)
    message = str(error.value)
    assert "\n" not in message and len(message) < 500 and all(word in message for word in words), message
    assert not (folder.parent / "into").exists()
