"""A world in one file, named by its path only."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.store import open_store
from tests.unit.docs.pages import blocks
from worlds import registry
from worlds.contract import WorldError
from worlds.errors import UserError
from worlds.foreign_code.trust import permit

OWN_WORLD = Path(__file__).parents[4] / "examples" / "own_world" / "discs.py"


def test_workers_import_the_file_for_themselves_and_record_the_same(tmp_path: Path) -> None:
    world = WorldConfig(name=str(OWN_WORLD), height=12, width=16)
    config = RecordConfig(data=tmp_path / "one", episodes=3, steps=6, workers=1, world=world)
    names = record(config)
    assert record(RecordConfig(data=tmp_path / "two", episodes=3, steps=6, workers=2, world=world)) == names
    for name in names:
        one, two = (open_store(tmp_path / folder).read(name) for folder in ("one", "two"))
        assert np.array_equal(one.image, two.image) and np.array_equal(one.movement, two.movement)


def test_a_file_that_was_moved_is_the_same_world(tmp_path: Path) -> None:
    moved = registry.get(str(OWN_WORLD)).name
    config = RecordConfig(
        data=tmp_path / "data", episodes=2, steps=4, workers=1, world=WorldConfig(str(OWN_WORLD), height=12, width=16)
    )
    names = record(config)
    by_name = RecordConfig(
        data=tmp_path / "data", episodes=2, steps=4, workers=1, world=WorldConfig(moved, height=12, width=16)
    )
    assert record(by_name) == names


def test_the_scripted_player_of_the_documents_plays(tmp_path: Path) -> None:
    """A file that builds on the Playhouse registers a world of its own with another solver."""
    page = Path(__file__).parents[4] / "docs" / "world-contract.md"
    (source,) = (block.text for block in blocks(page) if "PoliteSolver" in block.text)
    (tmp_path / "polite.py").write_text(source)
    permit([str(tmp_path / "polite.py")])
    world = WorldConfig(str(tmp_path / "polite.py"), height=12, width=16)
    names = record(RecordConfig(data=tmp_path / "data", episodes=1, steps=20, workers=1, world=world))
    episode = open_store(tmp_path / "data").read(names[0])
    assert episode.world == "playhouse-polite" and "ok" in episode.utterance


def test_by_default_every_probe_of_the_world_is_requested() -> None:
    players = PlayersConfig()
    assert players.weights(registry.get(str(OWN_WORLD))) == {"go": 1.0}
    probes = ("go", "lift", "position", "color", "count", "exist")
    assert players.weights(registry.get("playhouse")) == dict.fromkeys(probes, 1.0)
    assert PlayersConfig(tasks={"lift": 2.0}).weights(registry.get("playhouse")) == {"lift": 2.0}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "no world file .*world.py; known by name: .*playhouse"),
        ("x = 1", "world file .*world.py registers 0 worlds .none.; call register exactly once in it"),
        ("import nowhere_at_all", "world file .*world.py fails to import: ModuleNotFoundError: .*nowhere_at_all"),
    ],
)
def test_a_file_without_a_world_is_named(text: str | None, complaint: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "world.py").write_text(text)
        permit([str(tmp_path / "world.py")])
    with pytest.raises(WorldError, match=complaint) as caught:
        registry.get(str(tmp_path / "world.py"))
    assert "\n" not in str(caught.value)


def test_another_file_with_the_same_world_is_refused(tmp_path: Path) -> None:
    registry.get(str(OWN_WORLD))
    copied = shutil.copy(OWN_WORLD, tmp_path / "own.py")
    permit([str(copied)])
    with pytest.raises(WorldError, match="another world is registered as 'discs'"):
        registry.get(str(copied))


def test_setters_of_another_world_are_refused(tmp_path: Path) -> None:
    world = WorldConfig(str(OWN_WORLD), height=12, width=16)
    record(RecordConfig(data=tmp_path / "data", episodes=1, steps=4, workers=1, held_out=0.0, world=world))
    config = RecordConfig(
        data=tmp_path / "new", episodes=1, steps=4, workers=1, setters=tmp_path / "data",
        world=WorldConfig("playhouse", height=12, width=16),
    )  # fmt: skip
    with pytest.raises(UserError, match="is of the world discs, not of playhouse"):
        record(config)
