"""Nothing is written by way of a link that someone else has put into a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.folder import load_agent, save_agent
from agents.language_models.calls import Call, Calls
from agents.language_models.config import Budget
from agents.tokenizer import Tokenizer
from annotation.server.config import CACHE_FOLDER, ServeConfig
from annotation.server.db.database import Database
from annotation.server.services.datasets import Datasets
from annotation.server.services.viewer import ViewerServices
from annotation.viewer.index import Index
from rlhf.learning.alarms import AlarmLog
from rlhf.run.config import LOCK_FILE, lock_file, lock_run
from rlhf.run.tracking import Tracker
from rlhf.store.files.durable import only_writer, write_file
from tests.unit.agents import made_up_play
from worlds.errors import UserError


def call(folder: Path) -> None:
    Calls(Budget(), folder / "calls.jsonl").add(Call("e", 0, "prompt", "answer", "", 1, 1, 0.1))


WRITERS: dict[str, Callable[[Path], object]] = {
    LOCK_FILE: lambda folder: lock_run(folder).__enter__(),
    ".results.json.lock": lambda folder: lock_file(folder / ".results.json.lock", folder).__enter__(),
    ".lock": lambda folder: only_writer(folder).__enter__(),
    "config.json.part": lambda folder: write_file(folder / "config.json", b"{}"),
    "metrics.jsonl": lambda folder: Tracker(folder, wandb_mode="disabled").log({"loss": 1.0}, step=1),
    "alarms.jsonl": AlarmLog,
    "calls.jsonl": call,
    "a.sqlite": lambda folder: Database(f"sqlite:///{folder / 'a.sqlite'}"),
    "a.sqlite-wal": lambda folder: Database(f"sqlite:///{folder / 'a.sqlite'}"),
    "look.sqlite": lambda folder: Index(folder / "look.sqlite").forget(),
}
LOCKED_OR_REPLACED = (LOCK_FILE, ".results.json.lock", ".lock", "config.json.part")
CASES = [
    *((name, kind) for name in WRITERS for kind in ("link", "link to nothing")),
    *((name, kind) for name in LOCKED_OR_REPLACED for kind in ("pipe", "folder")),
    *((name, "hard link") for name in LOCKED_OR_REPLACED if name != ".lock"),  # which is never written to
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_what_a_name_leads_to_is_not_written(name: str, kind: str, tmp_path: Path) -> None:
    mine, path = tmp_path / "mine", tmp_path / "theirs" / name
    path.parent.mkdir()
    mine.write_text(kept := "" if name.endswith((".jsonl", ".sqlite")) else "years of work")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "hard link":
        path.hardlink_to(mine)
    else:
        path.symlink_to(mine if kind == "link" else tmp_path / "missing")
    with pytest.raises((OSError, UserError)) as caught:
        WRITERS[name](path.parent)
    assert name.removesuffix("-wal") in str(caught.value)
    assert mine.read_text() == kept and not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    "name", ["annotation.games", CACHE_FOLDER, f"{CACHE_FOLDER}/pictures", f"{CACHE_FOLDER}/traces"]
)
def test_a_study_neither_empties_nor_fills_a_folder_elsewhere(name: str, tmp_path: Path) -> None:
    """What is no game is removed from the folder of games, and old pictures from that of pictures."""
    mine, path = tmp_path / "mine", tmp_path / "study" / name
    (mine / "thesis").mkdir(parents=True)
    path.parent.mkdir(parents=True)
    path.symlink_to(mine)
    with pytest.raises(UserError, match=f"{name} is a link"):
        list(Datasets(tmp_path / "study").unfinished.left())
        ViewerServices.of(ServeConfig(tmp_path / "study"))
    assert [each.name for each in mine.rglob("*")] == ["thesis"]


def test_an_agent_is_saved_beside_what_its_folder_links_to(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("years of work")
    (tmp_path / "agent").mkdir()
    for name in ("README.md", "config.json", "model.safetensors", "tokenizer.json"):
        (tmp_path / "agent" / name).symlink_to(tmp_path / "mine")
    tokenizer = Tokenizer.train(["go"], made_up_play.VOCABULARY)
    load_agent(save_agent(made_up_play.agent(), tokenizer, tmp_path / "agent"))
    assert (tmp_path / "mine").read_text() == "years of work"
