"""What every format keeps: exported play comes back to the last bit, with everything that people said about it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines.exchange.formats import FormatName, export_episodes, import_episodes
from pipelines.exchange.settings import (
    LeRobotExport,
    LeRobotImport,
    MinariExport,
    MinariImport,
    RldsExport,
    RldsImport,
)
from pipelines.exchange.sidecar import SIDECAR_FILE
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair
from rlhf.store import ParquetStore, open_store, same_episode
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.errors import UserError
from worlds.spaces.observation import ObservationSpec

SEVERAL_FILES = 1e-3  # MB a file: every episode gets its own
FORMATS: tuple[tuple[FormatName, Any, Any], ...] = (
    ("lerobot", LeRobotExport(file_mb=SEVERAL_FILES), LeRobotImport()),
    ("minari", MinariExport(), MinariImport()),
    ("rlds", RldsExport(file_mb=SEVERAL_FILES), RldsImport()),
)
ENDS_LINES_ELSEWHERE = "ann\u2028\x85"


def _recorded(store: ParquetStore, spaces: str) -> None:
    """Three episodes, and one of everything that is said about play."""
    for number, split in enumerate(("train", "train", "held_out")):  # LeRobot has them last
        name, steps = f"e{number}", 7 + number
        if spaces == "playhouse":
            episode = synthetic_episode(number, steps=steps, height=5, width=6, episode_id=name)
        else:
            episode = synthetic_play(number, SPACES[spaces], steps, name)
        store.write(replace(episode, split=split))
    store.note_play_settings({"world": {"name": "house"}, "players": None})
    store.write_marks([Mark("e1", ENDS_LINES_ELSEWHERE, 3, 1, False), Mark("e2", "bob", 0, -1, True)])
    store.write_judgements([Judgement("e1", "ann", True, 4, False)])
    store.write_preferences([ClipPair("e0", 0, 3, "e1", 2, 5, "a", "ann", 1.25, False)])


@pytest.mark.parametrize("spaces", SPACES)
@pytest.mark.parametrize(("name", "given", "understood"), FORMATS)
def test_exported_play_comes_back_to_the_last_bit(
    name: FormatName, given: Any, understood: Any, spaces: str, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "data", create=True)
    _recorded(store, spaces)
    exported = export_episodes(tmp_path / "data", tmp_path / "out", name, given)
    assert (exported.episodes, exported.steps) == (3, 24)
    imported = import_episodes(tmp_path / "out", tmp_path / "back", name, understood)
    assert (imported.episodes, imported.steps, imported.marks, imported.notes) == (3, 24, 2, ())
    back = open_store(tmp_path / "back")
    assert back.ids() == store.ids() and back.fingerprints() == store.fingerprints()
    assert all(same_episode(back.read(each), store.read(each)) for each in store.ids())
    assert [row.created for row in back.rows()] == [row.created for row in store.rows()]
    assert back.marks() == store.marks() and back.judgements() == store.judgements()
    assert back.preferences(ClipPair) == store.preferences(ClipPair)
    assert back.description.play_settings == store.description.play_settings != ()


@pytest.mark.parametrize(("name", "given", "understood"), FORMATS)
@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        (0, '{"sidecar": 9, "spaces": {}}', "version 9"),
        (1, '{"episode": {}}', "line 2"),
        (1, "{", "line 2"),
        (-1, '{"malice": {}}', "malice"),
        (-1, '{"mark": {"episode_id": "e0", "rater": "a", "step": 99, "sign": 1, "scripted": false}}', "steps 0 to 6"),
        (2, None, "other episodes than|more episodes|has 3 episodes, .* 1;"),  # the end is missing
    ],
)
def test_a_sidecar_that_does_not_fit_is_refused(
    name: FormatName, given: Any, understood: Any, line: int, text: str | None, words: str, tmp_path: Path
) -> None:
    _recorded(open_store(tmp_path / "data", create=True), "playhouse")
    export_episodes(tmp_path / "data", tmp_path / "out", name, given)
    lines = (tmp_path / "out" / SIDECAR_FILE).read_text().split("\n")[:-1]
    lines[line : line + 1 if text and line >= 0 else None] = [text] if text else []
    (tmp_path / "out" / SIDECAR_FILE).write_text("\n".join(lines))
    with pytest.raises(UserError, match=words):
        import_episodes(tmp_path / "out", tmp_path / "back", name, understood)
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize(("name", "given", "_"), FORMATS[1:])
def test_a_text_whose_name_would_be_a_path_is_refused(name: FormatName, given: Any, _: Any, tmp_path: Path) -> None:
    spaces = replace(SPACES["grid"], solver=replace(SPACES["grid"].solver, observation=ObservationSpec(texts=("a/b",))))
    open_store(tmp_path / "data", create=True).write(synthetic_play(0, spaces, 3, "e0"))
    with pytest.raises(UserError, match="episode e0 has a text 'a/b'"):
        export_episodes(tmp_path / "data", tmp_path / "out", name, given)


@pytest.mark.parametrize(("name", "given", "understood"), FORMATS)
def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_refused(
    name: FormatName, given: Any, understood: Any, tmp_path: Path
) -> None:
    """Reading a pipe that nobody writes would never end."""
    _recorded(open_store(tmp_path / "data", create=True), "playhouse")
    out = tmp_path / "out"
    export_episodes(tmp_path / "data", out, name, given)
    files = [path for path in out.rglob("*") if path.is_file() and path.suffix != ".md" and path.name != "stats.json"]
    for file in files:
        kept = file.read_bytes()
        file.unlink()
        for make in (os.mkfifo, os.mkdir):
            make(file)
            if file.name == SIDECAR_FILE:  # another program's dataset then
                import_episodes(out, tmp_path / make.__name__, name, understood)
            else:
                with pytest.raises(UserError, match=file.name):
                    import_episodes(out, tmp_path / "new", name, understood)
            file.unlink() if make is os.mkfifo else file.rmdir()
        file.write_bytes(kept)
