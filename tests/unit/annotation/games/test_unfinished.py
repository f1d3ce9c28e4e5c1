"""Unfinished games until their episodes are stored: durable, of one server, and finished after any crash."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.games import unfinished as module
from annotation.games.unfinished import ABOUT_FILE, NOTES_FILE, Unfinished, UnfinishedGame
from rlhf.records.episode import Episode
from rlhf.store import same_episode
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError


@pytest.fixture
def unfinished(tmp_path: Path) -> Unfinished:
    return Unfinished(tmp_path / "games")


def played(game: UnfinishedGame, **changes: Any) -> Episode:
    return replace(synthetic_episode(1, steps=6, height=12, width=16, episode_id=game.id), **changes)


def test_an_unfinished_game_is_read_back_bit_for_bit_with_its_latest_notes(unfinished: Unfinished) -> None:
    game = unfinished.begin("people", "p1")
    episode = played(game, notes={"ended": "complete", "verdicts": []})
    assert game.episode() is None
    game.keep(episode)
    for said in ([{"step": 1}], [{"step": 1}, {"step": 2, "request": "größer"}]):
        game.note({"verdicts": said})
    game.let_go()
    (left,) = unfinished.left()
    found = left.episode()
    assert found is not None and (left.id, left.dataset, left.project_id) == (game.id, "people", "p1")
    assert same_episode(found, replace(episode, notes={"ended": "complete", "verdicts": said}))
    left.release()
    assert list(unfinished.left()) == [] and not [path for path in unfinished.folder.iterdir() if path.is_dir()]


def test_a_game_has_one_server_at_a_time(unfinished: Unfinished) -> None:
    assert list(unfinished.left()) == []
    mine, other = unfinished.begin("people", "p1"), unfinished.begin("people", "p1")
    assert mine.id != other.id and list(unfinished.left()) == []
    other.let_go()
    (left,) = unfinished.left()
    assert left.id == other.id and list(unfinished.left()) == []
    left.let_go()
    assert [game.id for game in unfinished.left()] == [other.id]


def test_half_written_files_of_a_crash_are_removed(unfinished: Unfinished) -> None:
    game = unfinished.begin("people", "p1")
    (unfinished.folder / "play-x").mkdir()  # died while it began
    (game.folder / "kept.part").mkdir()  # died while it was kept
    (game.folder / "kept.part" / "half").write_text("half")
    (unfinished.folder / "play-y.gone").mkdir()  # died while it was removed
    game.let_go()
    (left,) = unfinished.left()
    assert left.id == game.id and left.episode() is None
    left.keep(played(left))
    assert left.episode() is not None
    left.release()
    assert [path.name for path in unfinished.folder.iterdir()] == [".lock"]


def test_kept_games_of_a_deleted_person_are_removed(unfinished: Unfinished) -> None:
    hers, his = unfinished.begin("people", "p1"), unfinished.begin("people", "p1")
    for game, name in ((hers, "ann"), (his, "bob")):
        game.keep(played(game, setter=f"human:{name}", solver="agent:x"))
    assert [path.parent.name for path in unfinished.played_by("ann")] == [hers.id]
    unfinished.forget("ann")
    assert unfinished.played_by("ann") == [] and hers.episode() is None and his.episode() is not None
    hers.note({"verdicts": [{"request": "what she said"}]})  # the game that still runs
    assert not list(hers.folder.rglob(NOTES_FILE))


@pytest.mark.parametrize("damaged", ["", "{", "[]", "{}", '"\udcff"'])
def test_a_damaged_game_is_named_when_it_is_its_turn(damaged: str, unfinished: Unfinished) -> None:
    first, second = sorted((unfinished.begin("people", "p1") for _ in range(2)), key=lambda game: game.id)
    (first.folder / ABOUT_FILE).write_bytes(damaged.encode(errors="surrogateescape"))
    second.keep(played(second))
    (second.folder / "kept" / NOTES_FILE).write_text("{")
    first.let_go()
    second.let_go()
    left = list(unfinished.left())
    assert [game.id for game in left] == [first.id, second.id] and left[1].dataset == "people"
    with pytest.raises(UserError, match=r"game.json is damaged .* remove"):
        _ = left[0].dataset
    with pytest.raises(UserError, match="notes.json is damaged .* remove it"):
        left[1].episode()


def test_an_episode_whose_name_did_not_reach_the_disk_is_kept_at_the_next_try(
    unfinished: Unfinished, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: Path) -> None:
        raise OSError(errno.EIO, "no such luck")

    game = unfinished.begin("people", "p1")
    with monkeypatch.context() as broken, pytest.raises(UserError, match="no such luck"):
        broken.setattr(module, "sync", fails)
        game.keep(played(game, notes={"verdicts": []}))
    game.keep(played(game, notes={"verdicts": [{"step": 1}]}))
    found = game.episode()
    assert found is not None and found.notes["verdicts"] == [{"step": 1}]
