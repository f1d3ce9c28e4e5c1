"""Minari's datasets: exported play comes back to the last bit, and others' is understood, or refused in one line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.settings import MinariExport, MinariImport, RldsExport
from pipelines.exchange.sidecar import SIDECAR_FILE
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.errors import UserError
from worlds.spaces.observation import ObservationSpec


@pytest.mark.parametrize("name", SPACES)
def test_exported_play_comes_back_to_the_last_bit(name: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number in range(3):
        if name == "playhouse":
            store.write(synthetic_episode(number, steps=7 + number, height=5, width=6, episode_id=f"e{number}"))
        else:
            store.write(synthetic_play(number, SPACES[name], 7 + number, f"e{number}"))
    separators = "ann\u2028\x85"  # which end a line elsewhere
    store.write_marks([Mark("e1", separators, 3, 1, False), Mark("e2", "bob", 0, -1, True)])
    store.note_play_settings({"world": {"name": "house"}, "players": None})
    store.write_judgements([Judgement("e1", "ann", True, 4, False)])
    store.write_preferences([ClipPair("e0", 0, 3, "e1", 2, 5, "a", "ann", 1.25, False)])
    exported = export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport())
    assert (exported.episodes, exported.steps) == (3, 24)
    imported = import_episodes(tmp_path / "out", tmp_path / "back", "minari", MinariImport())
    back = open_store(tmp_path / "back")
    assert (imported.episodes, imported.steps, imported.marks) == (3, 24, 2)
    assert back.ids() == store.ids() and back.fingerprints() == store.fingerprints()
    assert [row.created for row in back.rows()] == [row.created for row in store.rows()]
    assert back.marks() == store.marks() and back.judgements() == store.judgements()
    assert back.preferences(ClipPair) == store.preferences(ClipPair)
    assert back.description.play_settings == store.description.play_settings != ()


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """An episode with a request that succeeded, and one with rewards of its own; both as a Minari dataset."""
    store = open_store(tmp_path / "data", create=True)
    first = synthetic_episode(0, steps=6, height=36, width=48, episode_id="e0")
    store.write(replace(first, success_step=(4,), requests=(replace(first.requests[0], step=0),)))
    store.write(replace(first, episode_id="e1", notes={"rewards": [0.5] * 6, "terminated": True}))
    store.write_marks([Mark("e0", "ann", 3, 1, False), Mark("e0", "bob", 3, 1, False), Mark("e0", "bob", 0, -1, False)])
    export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport("lab/play-v3"))
    return tmp_path / "out"


def test_there_is_an_observation_more_than_actions_and_rewards_are_recorded_or_successes(exported: Path) -> None:
    store = open_store(exported.parent / "data")
    episode = store.read("e0")
    file: Any
    with h5py.File(exported / "data" / "main_data.hdf5") as file:
        first, second = file["episode_0"], file["episode_1"]
        image = first["observations/image"][()]
        assert np.array_equal(image[:6], episode.pictures()) and np.array_equal(image[6], image[5])
        assert np.array_equal(first["observations/previous_movement"][1:], episode.movement)
        assert first["observations/solver_text"].asstr()[6] == (episode.utterance[5] or episode.solver_text[5])
        assert first["rewards"][()].tolist() == [0, 0, 0, 0, 1, 0]
        assert first["infos/mark"][()].tolist() == [-1, 0, 0, 2, 0, 0, 0]
        assert (first["terminations"][-1], first["truncations"][-1]) == (False, True)
        assert second["rewards"][()].tolist() == [0.5] * 6
        assert (second["terminations"][-1], second["truncations"][-1]) == (True, False)
        assert not first["truncations"][:-1].any() and not second["terminations"][:-1].any()
    metadata = json.loads((exported / "data" / "metadata.json").read_text())
    assert metadata["dataset_id"] == "lab/play-v3" and metadata["jpeg_encoding"] is False
    assert (metadata["total_episodes"], metadata["total_steps"]) == (2, 12)


def test_play_that_was_changed_since_is_refused_and_imported_without_the_sidecar(exported: Path) -> None:
    file: Any
    with h5py.File(exported / "data" / "main_data.hdf5", "a") as file:
        file["episode_1/actions/movement"][0] = 0
    with pytest.raises(UserError, match="episode 1 of .* has changed since it was exported"):
        import_episodes(exported, exported.parent / "back", "minari", MinariImport())
    assert not (exported.parent / "back").exists()
    (exported / SIDECAR_FILE).unlink()
    import_episodes(exported, exported.parent / "back", "minari", MinariImport())
    store = open_store(exported.parent / "back")
    back = store.read("lab-play-v3-000001")
    assert back.notes["rewards"] == [0.5] * 6 and len(back.declared.solver.action.components) == 48
    assert back.utterance == open_store(exported.parent / "data").read("e1").utterance


@pytest.mark.parametrize(
    "line, text, words",
    [
        (0, '{"sidecar": 9, "spaces": {}}', "version 9"),
        (1, '{"episode": {}}', "line 2"),
        (1, "{", "line 2"),
        (3, '{"malice": {}}', "malice"),
        (3, '{"mark": {"episode_id": "e0", "rater": "ann", "step": 99, "sign": 1, "scripted": false}}', "steps 0 to 5"),
    ],
)
def test_a_sidecar_that_does_not_fit_is_refused(line: int, text: str, words: str, exported: Path) -> None:
    path = exported / SIDECAR_FILE
    lines = path.read_text().splitlines()
    lines[line] = text
    path.write_text("\n".join(lines))
    with pytest.raises(UserError, match=words):
        import_episodes(exported, exported.parent / "back", "minari", MinariImport())
    assert not (exported.parent / "back").exists()


def test_ids_that_minari_does_not_take_and_texts_that_hdf5_cannot_hold_are_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    episode = synthetic_episode(0, steps=3, height=4, width=5, episode_id="e0")
    store.write(replace(episode, utterance=("a\0b", "", "")))
    with pytest.raises(UserError, match="play-v0"):
        export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport("play"))
    with pytest.raises(UserError, match="episode e0 cannot be written as HDF5"):
        export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport())
    assert not (tmp_path / "out").exists()


def test_a_text_whose_name_would_be_a_path_is_refused(tmp_path: Path) -> None:
    spaces = replace(SPACES["grid"], solver=replace(SPACES["grid"].solver, observation=ObservationSpec(texts=("a/b",))))
    open_store(tmp_path / "data", create=True).write(synthetic_play(0, spaces, 3, "e0"))
    for form, settings in (("minari", MinariExport()), ("rlds", RldsExport())):
        with pytest.raises(UserError, match="episode e0 has a text 'a/b'"):
            export_episodes(tmp_path / "data", tmp_path / "out", form, settings)
