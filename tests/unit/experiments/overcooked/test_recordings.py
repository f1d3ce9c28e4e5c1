"""Import of Overcooked-AI's games: what both people saw and did, exactly; files that are no such files, not at all."""

from __future__ import annotations

import io
import os
import pickle
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.overcooked import pickle_reading as overcooked_pickle
from experiments.overcooked.recordings import ACTIONS, INSTRUCTION, RATER, import_overcooked
from experiments.overcooked.view import OBSERVATION
from rlhf.store import open_store
from tests.unit.experiments.overcooked.made_games import HELD, kitchen_games, write_pickle
from worlds.errors import UserError

Change = Callable[[dict[str, list[Any]]], object]
TRAIN, TEST = "clean_train_trials.pickle", "clean_test_trials.pickle"
STEPS = 30


def files(folder: Path, change: Change = lambda _: None) -> Path:
    """Write both files; ``change`` is made to the columns of the second."""
    folder.mkdir()
    train, test = kitchen_games((2, 3), STEPS), kitchen_games((1,), STEPS)
    change(test)
    write_pickle(folder / TRAIN, train)
    write_pickle(folder / TEST, test)
    return folder


def test_both_people_see_the_game_from_their_own_side(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    imported = import_overcooked(files(tmp_path / "files"), store)
    assert (imported.games, imported.joint_steps, len(store), store.verify()) == (3, 3 * STEPS, 6, [])
    one, other = store.read("cramped_room-test-01-0"), store.read("cramped_room-test-01-1")
    assert (one.solver, other.solver) == ("human:01-0", "human:01-1")
    assert (one.split, store.read("cramped_room-train-02-0").split) == ("held_out", "train")
    assert (one.setter, one.setter_text[0], one.setter_movement.shape) == ("instruction", INSTRUCTION, (STEPS, 1, 0))
    assert [ACTIONS[i] for i in one.movement[:5, 0, 0]] == ["north", "east", "south", "west", "interact"]
    assert [ACTIONS[i] for i in other.movement[:2, 0, 0]] == ["stay", "stay"]
    # The first player is at column 1, row 2, turned north; the second at column 3, row 1, turned south.
    assert [one.seen["grid"][0, y, x, 2] for x, y in ((1, 2), (3, 1))] == [1, 6]
    assert [other.seen["grid"][0, y, x, 2] for x, y in ((1, 2), (3, 1))] == [5, 2]
    assert one.notes["score"] == sum(one.notes["rewards"]) == 10.0
    assert one.notes["layout"][3] == "XDXSX"


def test_the_view_has_what_is_held_what_cooks_and_the_way(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    import_overcooked(files(tmp_path / "files"), store)
    episode = store.read("cramped_room-test-01-0")
    assert OBSERVATION.vector is not None
    seen = dict(zip(OBSERVATION.vector.names, episode.seen["vector"][HELD].tolist(), strict=True))
    assert (seen["holds soup"], seen["holds nothing"], seen["partner's column"], seen["partner's row"]) == (1, 0, 1, -1)
    assert (seen["faces floor"], seen["blocked south"], seen["blocked north"]) == (1, 1, 0)
    serving = [seen[f"nearest serving: {each}"] for each in ("column", "row", "moves", "reachable")]
    assert serving == [1, 1, 1, 1]
    assert (seen["to the nearest serving: east"], seen["to the nearest serving: north"]) == (1, 0)
    assert seen["nearest onion: reachable"] == 0
    pot = episode.seen["grid"][:, 0, 2, 4]
    assert pot[0] == 1 and pot[HELD - 1] == 8 and {3, 4, 7} <= set(pot.tolist())  # empty, ready, and between


def test_deliveries_are_marks_at_the_step_that_shows_them(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    import_overcooked(files(tmp_path / "files"), store)
    episode = store.read("cramped_room-test-01-1")
    delivered = np.flatnonzero(episode.notes["rewards"])
    marks = [mark for mark in store.marks() if mark.episode_id == episode.episode_id]
    assert [mark.step for mark in marks] == [step + 1 for step in delivered.tolist()] and len(marks) == 2
    assert all((mark.rater, mark.sign, mark.scripted) == (RATER, 1, True) for mark in marks)


def test_the_package_is_read_as_it_was_downloaded(tmp_path: Path) -> None:
    folder = files(tmp_path / "files")
    with tarfile.open(folder / "overcooked_ai-1.1.0.tar.gz", "w:gz") as package:
        for name in (TRAIN, TEST):
            package.add(folder / name, f"overcooked_ai-1.1.0/src/overcooked_ai_py/data/human_data/{name}")
            (folder / name).unlink()
    store = open_store(tmp_path / "data", create=True)
    assert import_overcooked(folder, store).games == 3
    (folder / "overcooked_ai-1.1.0.tar.gz").write_bytes(b"no package")
    with pytest.raises(UserError, match=r"overcooked_ai-1.1.0.tar.gz is no package that can be read"):
        import_overcooked(folder, store)


def state(columns: dict[str, list[Any]], was: str, now: str) -> None:
    columns["state"][3] = columns["state"][3].replace(was, now)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda c: c.pop("joint_action"), "has no column 'joint_action'; it has layout_name"),
        (lambda c: c.update(layout_name=["attic"] * STEPS), "pair 1 in attic cannot be read: the kitchen is none of"),
        (lambda c: c["cur_gameloop"].__setitem__(3, 9), "steps are not numbered from 0"),
        (lambda c: c["joint_action"].__setitem__(3, "[[2, 0], [0, 0]]"), r"an action is \[2, 0\]"),
        (lambda c: c["joint_action"].__setitem__(3, "__import__('os')"), "cannot be read"),
        (lambda c: state(c, "'position': [1, 2]", "'position': [0, 0]"), r"a player is at \(0, 0\)"),
        (lambda c: state(c, "players", "people"), "there is no 'players'"),
        (lambda c: c.update(layout=["['XQX']"] * STEPS), "a cell of the layout is 'Q'"),
        (lambda c: c.update(layout=["['X', 'X', 'X', 'X', 'X', 'X']"] * STEPS), "a layout of 6 rows"),
        (lambda c: c.update(state=[7.5] * STEPS), "cannot be read"),
        (lambda c: c.update(reward=[float("nan")] * STEPS), "a reward or a score is not finite"),
        (lambda c: state(c, "'position': [1, 2]", "'position': [1e999, 2]"), "cannot be read"),
    ],
)
def test_other_files_are_refused_and_nothing_is_imported(tmp_path: Path, change: Change, wrong: str) -> None:
    store = open_store(tmp_path / "data", create=True)
    with pytest.raises(UserError, match=wrong) as refused:
        import_overcooked(files(tmp_path / "files", change), store)
    assert TEST in str(refused.value) and "\n" not in str(refused.value)
    assert not len(store) and not store.marks()


class Hostile:
    """An object whose pickle would make a folder."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("made-by-a-pickle",)


def refusal(folder: Path, content: bytes) -> str:
    """Return the message with which a second file of this content is refused."""
    files(folder)
    (folder / TEST).write_bytes(content)
    store = open_store(folder / "data", create=True)
    with pytest.raises(UserError) as refused:
        import_overcooked(folder, store)
    assert not len(store)
    return str(refused.value)


def test_a_hostile_pickle_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = refusal(tmp_path / "files", pickle.dumps(Hostile()))
    assert f"{os.mkdir.__module__}.mkdir" in said and "not opened" in said
    assert not Path("made-by-a-pickle").exists()
    nested = pickle.dumps({"numpy.ndarray": [Hostile()]}, protocol=2)
    assert "mkdir" in refusal(tmp_path / "nested", nested) and not Path("made-by-a-pickle").exists()


class Claims:
    """An object whose pickle claims that eight bytes of the file are the address of an object."""

    def __reduce__(self) -> tuple[Any, ...]:
        return np.ndarray, ((1,), ClaimedType(), b"AAAAAAAA")


class ClaimedType:
    def __reduce__(self) -> tuple[Any, ...]:
        return np.dtype, ("V8", False, True), (3, "|", None, ("a",), {"a": (np.dtype("O"), 0)}, 8, 1, 0)


def test_a_pickle_has_no_say_in_what_memory_is(tmp_path: Path) -> None:
    assert "no table of games that can be read" in refusal(tmp_path / "files", pickle.dumps(Claims(), protocol=4))
    for code, wrong in (("V8", "of the type 'V8'"), ("O8", "no list")):
        kind, values = overcooked_pickle._Type(code), overcooked_pickle._Values()
        kind.state, values.state = (3, "|", None, None, None, -1, -1, 63), (1, (1,), kind, False, b"AAAAAAAA")
        with pytest.raises(ValueError, match=wrong):
            overcooked_pickle._array(values)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    whole = io.BytesIO()
    write_pickle(whole, kitchen_games((1,), STEPS))
    assert "is no table of games" in refusal(tmp_path / "cut", whole.getvalue()[:-900])
    assert "is no table of games" in refusal(tmp_path / "empty", b"")
    assert "it is no pickled table" in refusal(tmp_path / "other", pickle.dumps([1, 2]))
    with pytest.raises(UserError, match="has neither clean_train_trials.pickle nor a package"):
        import_overcooked(tmp_path, open_store(tmp_path / "data", create=True))
