"""What every format has in common: new folders only, whole or not at all, and messages of one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipelines.cli.main import main
from pipelines.exchange import formats
from pipelines.exchange.bad_episodes import BadEpisodes
from pipelines.exchange.formats import (
    Exported,
    Imported,
    export_episodes,
    import_episodes,
    missing_package,
)
from pipelines.exchange.gym_import import _utterances
from pipelines.exchange.unfinished import unfinished
from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import ParquetStore, open_store
from rlhf.store.group_writer import LONG
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

PLAYED_WITH = {"world": {"name": "playhouse"}}


def _export(store: ParquetStore, ids: Sequence[str], out: Path, settings: Any) -> Exported:
    (out / "ids").write_text("\n".join(ids))
    if settings == "fails":
        raise UserError("it cannot be held")
    return Exported(len(ids), sum(len(store.read(each)) for each in ids))


def _import(source: Path, store: ParquetStore, settings: Any, bad: BadEpisodes) -> Imported:
    for name in (source / "ids").read_text().split():
        episode = bad.read(name, partial(_episode, name))
        if episode is not None:
            store.write(episode)
    if settings == "fails":
        raise UserError("it is damaged")
    if settings == PLAYED_WITH:
        store.note_play_settings(PLAYED_WITH)
    return Imported(len(store), 5 * len(store))


def _episode(name: str) -> Episode:
    if name.startswith("x"):
        raise UserError(f"{name} is damaged")
    return synthetic_episode(int(name[1:]), steps=5, height=6, width=8, episode_id=name)


@pytest.fixture(autouse=True)
def ids_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that holds the ids of episodes."""
    monkeypatch.setattr(formats, "load_format", lambda name: SimpleNamespace(export=_export, import_=_import))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = open_store(tmp_path / "data", create=True)
    for number in range(3):
        store.write(synthetic_episode(number, steps=5, height=6, width=8, episode_id=f"e{number}"))
    return tmp_path / "data"


@pytest.fixture
def out(data: Path, tmp_path: Path) -> Path:
    """An export of all episodes."""
    export_episodes(data, tmp_path / "out", "ids", None)
    return tmp_path / "out"


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    message = str(missing_package("minari", ModuleNotFoundError(name="h5py.h5")))
    assert "the package h5py," in message and "pip install 'interactive-rlhf[minari]'" in message


def test_an_export_that_fails_leaves_nothing(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be held"):
        export_episodes(data, tmp_path / "out", "ids", "fails")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_only_the_named_episodes_are_exported(data: Path, tmp_path: Path) -> None:
    assert export_episodes(data, tmp_path / "out", "ids", None, ["e2", "e0"]) == Exported(2, 10)
    assert (tmp_path / "out" / "ids").read_text() == "e2\ne0"
    assert export_episodes(data, tmp_path / "train", "ids", None, split="train") == Exported(3, 15)
    with pytest.raises(UserError, match="has no such held_out episode to export"):
        export_episodes(data, tmp_path / "held out", "ids", None, split="held_out")
    with pytest.raises(UserError, match="no episode e9"):
        export_episodes(data, tmp_path / "other", "ids", None, ["e9"])
    with pytest.raises(UserError, match="exists already"):
        export_episodes(data, tmp_path / "out", "ids", None)


def test_an_import_that_fails_leaves_the_dataset_as_it_was(data: Path, out: Path, tmp_path: Path) -> None:
    open_store(data).drop(["e0"])
    for into in (tmp_path / "new", data):
        with pytest.raises(UserError, match="damaged"):
            import_episodes(out, into, "ids", "fails")
    assert open_store(data).ids() == ["e1", "e2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]


def test_an_import_that_is_interrupted_anywhere_adds_all_episodes_or_none(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_long(source: Path, store: ParquetStore, settings: Any, bad: BadEpisodes) -> Imported:
        for number in range(2, 6):
            store.write(synthetic_episode(number, steps=LONG, height=6, width=8, episode_id=f"long{number}"))
        store.write_marks([Mark("long3", "ann", 2, 1, scripted=False)])
        store.write_judgements([Judgement("long4", "bo", True, 5, scripted=False)])
        return Imported(len(store), LONG * len(store))

    monkeypatch.setattr(formats, "load_format", lambda name: SimpleNamespace(import_=import_long))
    before, moment = open_store(data).rows(), 0
    while True:
        moment += 1
        try:
            with interrupted(data, moment):
                import_episodes(data, data, "ids", None)
            break
        except KeyboardInterrupt:
            assert open_store(data).rows() == before and open_store(data).marks() == []
            assert [path.name for path in tmp_path.iterdir()] == ["data"]
    store = open_store(data)
    assert moment > 8 and len(store) == len(before) + 4 and store.verify() == []
    assert len(store.marks()) == len(store.judgements()) == 1


@contextmanager
def interrupted(folder: Path, moment: int) -> Iterator[None]:
    """Let file number ``moment`` from now on that gets its name in ``folder`` be refused by Ctrl-C."""
    files = 0

    def refusing(real: Callable[..., None]) -> Callable[..., None]:
        def call(old: Path, new: Path) -> None:
            nonlocal files
            files += folder in Path(new).parents
            if files == moment and folder in Path(new).parents:
                raise KeyboardInterrupt
            real(old, new)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("rename", "link"):
            patch.setattr(os, name, refusing(getattr(os, name)))
        yield


def test_bad_episodes_end_an_import_or_are_left_out_and_named(out: Path, tmp_path: Path) -> None:
    (out / "ids").write_text("e0 x1 e1 x2")
    with pytest.raises(UserError, match="^x1 is damaged; --skip-bad imports the rest"):
        import_episodes(out, tmp_path / "new", "ids", None)
    assert not (tmp_path / "new").exists()
    imported = import_episodes(out, tmp_path / "new", "ids", None, skip_bad=True)
    assert imported.episodes == 2 and open_store(tmp_path / "new").ids() == ["e0", "e1"]
    assert imported.notes == ("left out x1: x1 is damaged", "left out x2: x2 is damaged")
    (out / "ids").write_text("x1 x2")
    with pytest.raises(UserError, match="no episode that can be imported: x1 is damaged"):
        import_episodes(out, tmp_path / "other", "ids", None, skip_bad=True)
    assert not (tmp_path / "other").exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from pipelines.exchange.unfinished import unfinished
with unfinished(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("a")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_by_the_next_and_nothing_else(data: Path, tmp_path: Path) -> None:
    for name in ("data", "gone"):
        assert subprocess.run([sys.executable, "-c", _KILLED, tmp_path / name]).returncode == -signal.SIGKILL
    others = tmp_path / ".git"
    others.mkdir()
    for name in ("unfinished.lock", "config"):
        (others / name).write_text("")
    with unfinished(tmp_path / "held") as held:
        export_episodes(data, tmp_path / "out", "ids", None)
        assert held.exists()
        assert {path.name for path in tmp_path.iterdir()} == {"data", "out", ".git", held.parent.name}
    assert {path.name for path in tmp_path.iterdir()} == {"data", "out", ".git"}
    assert {path.name for path in others.iterdir()} == {"unfinished.lock", "config"}


def test_an_import_makes_a_dataset_or_adds_to_one_with_the_settings_of_play(
    data: Path, out: Path, tmp_path: Path
) -> None:
    fingerprints = open_store(data).fingerprints()
    open_store(data).drop(["e0"])
    (tmp_path / "new").mkdir()
    for into in (tmp_path / "new", data):
        import_episodes(out, into, "ids", PLAYED_WITH)
        store = open_store(into)
        assert store.fingerprints() == fingerprints and store.verify() == []
        assert store.description.play_settings == (PLAYED_WITH,)


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (["go", "go", "lift", "lift"], ["go", "lift", "", ""]),
        (["", "lift", "lift", "go"], ["lift", "", "go", ""]),  # said at the first step, heard from the second on
        (["a", "b", "c", "c"], ["a b", "c", "", ""]),
        (["go"], ["go"]),
    ],
)
def test_every_request_that_is_heard_was_said(heard: list[str], said: list[str]) -> None:
    assert _utterances(heard) == said


def test_sources_and_targets_that_do_not_fit_are_refused(out: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no .*nowhere"):
        import_episodes(tmp_path / "nowhere", tmp_path / "new", "ids", None)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    with pytest.raises(UserError, match="letters"):
        import_episodes(out, tmp_path / "letters", "ids", None)
    store = open_store(tmp_path / "other", create=True)
    store.write(synthetic_episode(9, steps=5, height=6, width=8, episode_id="e2"))
    with pytest.raises(UserError, match="other has another episode e2 than .*out; "):
        import_episodes(out, tmp_path / "other", "ids", None)
    assert store.ids() == ["e2"]


def test_unknown_formats_are_wrong_usage(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["episodes", "export", str(data), str(tmp_path / "out"), "--to", "paper"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "lerobot" in line
