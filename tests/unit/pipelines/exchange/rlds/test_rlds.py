"""RLDS datasets: exported play comes back to the last bit."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.rlds.folder import FEATURES_FILE, INFO_FILE, RldsFolder
from pipelines.exchange.rlds.tfrecord import read_records, record_bytes
from pipelines.exchange.settings import RldsExport, RldsImport
from pipelines.exchange.sidecar import SIDECAR_FILE
from rlhf.records.marks import Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.errors import UserError

RECORDED = bytes.fromhex("040000000000000042455204616263646810e6b6")  # "abcd", as TensorFlow writes it


@pytest.mark.parametrize("name", SPACES)
def test_exported_play_comes_back_to_the_last_bit(name: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number, split in enumerate(("train", "held_out", "train")):
        if name == "playhouse":
            episode = synthetic_episode(number, steps=7 + number, height=5, width=6, episode_id=f"e{number}")
        else:
            episode = synthetic_play(number, SPACES[name], 7 + number, f"e{number}")
        store.write(replace(episode, split=split))
    store.write_marks([Mark("e1", "ann", 3, 1, False)])
    exported = export_episodes(tmp_path / "data", tmp_path / "out", "rlds", RldsExport(file_mb=1e-3))
    assert (exported.episodes, exported.steps) == (3, 24)
    imported = import_episodes(tmp_path / "out", tmp_path / "back", "rlds", RldsImport())
    back = open_store(tmp_path / "back")
    assert (imported.episodes, imported.steps, imported.marks) == (3, 24, 1)
    assert back.ids() == store.ids() and back.fingerprints() == store.fingerprints() and back.marks() == store.marks()


def test_there_is_a_step_more_than_actions(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    episode = synthetic_episode(0, steps=6, height=5, width=6, episode_id="e0")
    store.write(replace(episode, notes={"rewards": [0.5] * 6, "terminated": True}))
    export_episodes(tmp_path / "data", tmp_path / "out", "rlds", RldsExport("lab_play"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        (INFO_FILE, FEATURES_FILE, SIDECAR_FILE, "lab_play-train.tfrecord-00000-of-00001")
    )
    folder = RldsFolder.open(tmp_path / "out")
    ((_, _, read),) = folder.examples("train", tuple(folder.features))
    found = read()
    assert found["episode_metadata/episode_id"] == ["e0"]
    assert np.array_equal(found["steps/observation/image"][:6], episode.pictures())
    assert np.array_equal(found["steps/observation/image"][6], episode.pictures()[5])
    assert np.array_equal(found["steps/action/movement"][:6], episode.movement)
    assert not found["steps/action/movement"][6].any() and found["steps/action/utterance"][6] == ""
    assert found["steps/reward"].tolist() == [0.5] * 6 + [0]
    assert found["steps/discount"].tolist() == [1] * 6 + [0]
    assert found["steps/is_first"].tolist() == [True] + [False] * 6
    assert found["steps/is_last"].tolist() == found["steps/is_terminal"].tolist() == [False] * 6 + [True]
    assert found["steps/language_instruction"][:6] == list(episode.setter_text)


def test_a_record_is_as_tensorflow_writes_it(tmp_path: Path) -> None:
    assert record_bytes(b"abcd") == RECORDED
    (tmp_path / "records").write_bytes(RECORDED * 2)
    assert list(read_records(tmp_path / "records")) == [b"abcd"] * 2


@pytest.mark.parametrize("at", [0, 9, 14, 21, 30])
def test_a_damaged_file_of_records_is_refused(at: int, tmp_path: Path) -> None:
    data = bytearray(RECORDED * 2)
    data[at] ^= 1
    (tmp_path / "records").write_bytes(data)
    with pytest.raises(UserError, match="records is damaged"):
        for record in read_records(tmp_path / "records"):  # a wrong checksum leaves the records after it
            if isinstance(record, UserError):
                raise record
    (tmp_path / "records").write_bytes((RECORDED * 2)[: at + 1])
    with pytest.raises(UserError, match="records is damaged"):
        list(read_records(tmp_path / "records"))
    (tmp_path / "records").write_bytes(struct.pack("<QI", 1 << 60, 0))
    with pytest.raises(UserError, match="records is damaged"):
        list(read_records(tmp_path / "records"))


def _refused(folder: Path, *words: str, settings: RldsImport | None = None) -> None:
    with pytest.raises(UserError) as error:
        import_episodes(folder, folder.parent / "into", "rlds", settings or RldsImport(leave_out=("wrist",)))
    message = str(error.value)
    assert "\n" not in message and len(message) < 500 and all(word in message for word in words), message
    assert not (folder.parent / "into").exists()


def test_play_that_was_changed_since_is_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number in range(2):
        store.write(synthetic_episode(number, steps=4, height=5, width=6, episode_id=f"e{number}"))
    export_episodes(tmp_path / "data", tmp_path / "out", "rlds", RldsExport())
    lines = (tmp_path / "out" / SIDECAR_FILE).read_text().splitlines(keepends=True)
    (tmp_path / "out" / SIDECAR_FILE).write_text("".join([lines[0], lines[2], lines[1]]))
    _refused(tmp_path / "out", "has changed since it was exported")
    (tmp_path / "out" / SIDECAR_FILE).write_text("".join(lines[:2]))
    _refused(tmp_path / "out", "more episodes")
    with pytest.raises(UserError, match="rlds.name"):
        export_episodes(tmp_path / "data", tmp_path / "other", "rlds", RldsExport("../x"))
