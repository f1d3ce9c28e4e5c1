"""Minari datasets of other programs: their spaces and missions are understood, or they are refused in one line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from gymnasium import spaces
from minigrid.core.actions import Actions
from PIL import Image

from pipelines.exchange.settings import MinariImport
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from tests.unit.pipelines.exchange.importing import imported, refused
from tests.unit.pipelines.exchange.minari.foreign_minari import (
    BABYAI,
    CARTPOLE,
    babyai_episode,
    cartpole_episode,
    write_minari,
    write_rows,
)
from worlds.foreign.minigrid import ACTIONS
from worlds.registry import get
from worlds.spaces.action import Continuous


def _imported(folder: Path, **settings: Any) -> list[Episode]:
    return imported(folder, MinariImport(**settings))[1]


def _written(tmp_path: Path, *episodes: Mapping[str, Any], env_id: str = "", **changed: Any) -> Path:
    """Write episodes of CartPole; return the HDF5 file."""
    return write_minari(tmp_path / "in", CARTPOLE, spaces.Discrete(2), episodes, env_id, changed)


def test_cartpole_has_the_spaces_of_its_world(tmp_path: Path) -> None:
    written = [cartpole_episode(5), cartpole_episode(8)]
    _written(tmp_path, *written, env_id="CartPole-v1")
    first, second = _imported(tmp_path / "in")
    assert first.spaces == EpisodeSpaces.of(get("gym:CartPole-v1").make())
    assert (first.episode_id, second.episode_id) == ("lab-test-v0-000000", "lab-test-v0-000001")
    assert np.array_equal(second.seen["vector"], written[1]["observations"][:8])
    assert np.array_equal(second.movement[:, 0, 0], written[1]["actions"])
    assert first.world == "minari:lab/test-v0" and first.config == {"seed": 7} and first.solver == "demonstrator"
    assert set(first.setter_text) == {"play CartPole-v1"} and first.setter_utterance[0] == "play CartPole-v1"
    assert first.notes["rewards"] == [1.0] * 5 and first.notes["return"] == 5.0
    assert first.notes["terminated"] is True and first.notes["truncated"] is False and "success" not in first.notes


def test_babyai_has_the_spaces_of_its_world_and_its_mission_is_asked(tmp_path: Path) -> None:
    assert tuple(action.name for action in Actions) == ACTIONS
    written = babyai_episode(6, "go to the blue key")
    written["infos"] = {"success": np.eye(7, dtype=np.bool_)[-1]}
    write_minari(tmp_path / "in", BABYAI, spaces.Discrete(7), [written], "BabyAI-GoToLocal-v0")
    (episode,) = _imported(tmp_path / "in", world="gym:BabyAI-GoToLocal-v0", solver="human:ann")
    assert episode.spaces == EpisodeSpaces.of(get("gym:BabyAI-GoToLocal-v0").make())
    assert episode.setter_text == ("go to the blue key",) * 6
    assert episode.setter_utterance == ("go to the blue key", *[""] * 5)
    assert np.array_equal(episode.seen["grid"], written["observations"]["image"][:6])
    assert (episode.world, episode.solver) == ("gym:BabyAI-GoToLocal-v0", "human:ann")
    assert episode.notes["success"] is True


def test_actions_without_bounds_get_those_of_all_recorded_ones(tmp_path: Path) -> None:
    episodes = [cartpole_episode(3), cartpole_episode(4)]
    episodes[0]["actions"] = np.array([[-3.0, 0.5], [0.0, 0.5], [1.0, 0.5]], np.float32)
    episodes[1]["actions"] = np.full((4, 2), 0.5, np.float32)
    space = spaces.Box(np.array([-1.0, -np.inf], np.float32), np.array([2.0, np.inf], np.float32))
    write_minari(tmp_path / "in", CARTPOLE, space, episodes)
    first, _ = _imported(tmp_path / "in")
    assert first.spaces.solver.action.components == (
        Continuous("action.0", -3.0, 2.0),
        Continuous("action.1", -0.5, 1.5, 0.0),
    )
    assert first.continuous is not None and np.array_equal(first.continuous[:, 0], episodes[0]["actions"])


def test_pictures_are_read_as_arrays_and_as_jpeg_files(tmp_path: Path) -> None:
    space = spaces.Dict({"view": spaces.Box(0, 255, (32, 40, 3), np.uint8), "arm": spaces.Tuple([CARTPOLE])})
    picture = np.full((32, 40, 3), (200, 60, 20), np.uint8)
    file = io.BytesIO()
    Image.fromarray(picture).save(file, format="JPEG")
    columns = cartpole_episode(4)
    arm = {"_index_0": columns["observations"]}
    plain = columns | {"observations": {"view": np.stack([picture] * 5), "arm": arm}}
    encoded = columns | {"observations": {"view": np.stack([np.frombuffer(file.getvalue(), np.uint8)] * 5), "arm": arm}}
    path = write_minari(tmp_path / "in", space, spaces.Discrete(2), [plain, encoded, encoded])
    with h5py.File(path, "a") as changed:  # files of several lengths
        del changed["episode_2/observations/view"]
        kind = h5py.vlen_dtype(np.uint8)
        view = changed.create_dataset("episode_2/observations/view", (5,), dtype=kind)
        for row in range(5):
            view[row] = np.frombuffer(file.getvalue() + bytes(row), np.uint8)
    for episode in _imported(tmp_path / "in"):
        assert np.abs(episode.pictures().astype(int) - picture).max() <= 3
        assert np.array_equal(episode.seen["vector"], columns["observations"][:4])


_OBSERVED = spaces.Dict(
    {
        "one": spaces.Box(0, 1, (), np.float64),
        "pair": spaces.Tuple([spaces.Discrete(3), spaces.Box(0, 1, (1,)), spaces.MultiDiscrete([2, 3])]),
        "flags": spaces.MultiBinary(4),
        "rows": spaces.Box(-1, 1, (2, 3)),
        "mission": spaces.Text(5, charset="abc"),
    }
)
_DONE = spaces.Dict({"grip": spaces.Tuple([spaces.Discrete(2), spaces.MultiBinary(2)]), "push": spaces.Box(-1, 1, ())})


@pytest.mark.parametrize("data_format", ["hdf5", "arrow", "parquet"])
def test_every_space_is_read_from_every_format(data_format: str, tmp_path: Path) -> None:
    for space in (_OBSERVED, _DONE):
        space.seed(0)
    seen, done = [_OBSERVED.sample() for _ in range(5)], [_DONE.sample() for _ in range(4)]
    write_rows(tmp_path / "in", _OBSERVED, _DONE, seen, done, data_format)
    (episode,) = _imported(tmp_path / "in")
    one_of = [np.eye(3)[row["pair"][0]] for row in seen]
    flat = [
        np.concatenate([row["flags"], [row["one"]], one, row["pair"][1], row["pair"][2], row["rows"].ravel()])
        for row, one in zip(seen, one_of, strict=True)
    ]
    assert np.array_equal(episode.seen["vector"], np.array(flat[:4], np.float32))
    assert episode.movement[:, 0].tolist() == [[row["grip"][0], *row["grip"][1]] for row in done]
    assert episode.continuous is not None
    assert episode.continuous[:, 0, 0].tolist() == [float(row["push"]) for row in done]
    assert episode.setter_text == tuple(row["mission"] for row in seen[:4])


@pytest.mark.parametrize(
    ("mission", "goal", "settings", "asked", "note"),
    [
        ("go", "win", {}, "go", "'mission' in 1 episode, not goal; --minari.instruction-column"),
        (" ", "", {}, "play minari:lab/test-v0", "'play minari:lab/test-v0' in 1 episode, not mission, goal"),
        ("go", "win", {"instruction": "tidy up"}, "tidy up", ""),
        ("go", "win", {"leave_out": ("mission",)}, "win", ""),
        ("go", "win", {"instruction_column": "arm.at"}, "now", ""),
    ],
)
def test_the_text_that_is_asked_for_is_chosen_and_said(
    mission: str, goal: str, settings: dict[str, Any], asked: str, note: str, tmp_path: Path
) -> None:
    text = spaces.Text(9)
    space = spaces.Dict({"mission": text, "goal": text, "arm": spaces.Dict({"at": text}), "state": CARTPOLE})
    state = cartpole_episode(2)["observations"]
    seen = {"mission": [mission] * 3, "goal": [goal] * 3, "arm": {"at": ["now"] * 3}, "state": state}
    write_minari(tmp_path / "in", space, spaces.Discrete(2), [cartpole_episode(2) | {"observations": seen}])
    reported, (episode,) = imported(tmp_path / "in", MinariImport(**settings))
    assert len(reported.notes) == bool(note) and all(note in line for line in reported.notes)
    assert set(episode.setter_text) == {asked}


# Bad input


def test_a_part_of_a_tuple_may_be_left_out(tmp_path: Path) -> None:
    words = cartpole_episode(2) | {"actions": {"_index_0": np.array([0, 1]), "_index_1": ["a", "b"]}}
    write_minari(tmp_path / "in", CARTPOLE, spaces.Tuple([spaces.Discrete(2), spaces.Text(1)]), [words])
    refused(tmp_path / "in", MinariImport(), "1 is a Text", "--minari.leave-out")
    (episode,) = _imported(tmp_path / "in", leave_out=("1",))
    assert episode.movement[:, 0, 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"minari_version": "0.9.1"}, ("0.9.1", "0.4 and 0.5")),
        ({"minari_version": None}, ("None",)),
        ({"data_format": "pickle"}, ("pickle", "hdf5")),
        ({"observation_space": None}, ("observation_space",)),
        ({"action_space": {"type": "__import__"}}, ("action_space", "__import__")),
        ({"action_space": "{"}, ("action_space", "JSON")),
        ({"action_space": {"type": "Box", "dtype": "O", "shape": [], "low": 0, "high": 1}}, ("action_space",)),
        ({"action_space": {"type": "Discrete", "n": 10**12, "start": 0}}, ("1,000,000,000,000",)),
        ({"action_space": {"type": "Text", "max_length": 3, "min_length": 0, "charset": "a"}}, ("action",)),
        ({"total_episodes": 2}, ("episode_1", "missing")),
        ({"total_episodes": "many"}, ("total_episodes",)),
    ],
)
def test_metadata_that_do_not_fit_are_refused(changed: dict[str, Any], words: tuple[str, ...], tmp_path: Path) -> None:
    said = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in changed.items()}
    _written(tmp_path, cartpole_episode(), **said)
    refused(tmp_path / "in", MinariImport(), *words)


def _put(value: Any) -> Callable[[Any], Any]:
    """Return what writes rewards into the group of an episode."""
    return lambda group: group.__setitem__("rewards", value)


def _made(*shape: Any, **how: Any) -> Callable[[Any], Any]:
    return lambda group: group.create_dataset("rewards", *shape, **how)


def _virtual(group: Any) -> None:
    layout = h5py.VirtualLayout((5,), np.float64)
    layout[:] = h5py.VirtualSource("/etc/other.hdf5", "rewards", (5,))
    group.create_virtual_dataset("rewards", layout)


@pytest.mark.parametrize(
    ("write", "word"),
    [
        (_put(h5py.ExternalLink("/etc/other.hdf5", "/rewards")), "link to another"),
        (_put(h5py.SoftLink("/episode_0/actions")), "link to another"),
        (_made((5,), np.float64, external=[("/etc/passwd", 0, 40)]), "other files"),
        (_virtual, "other files"),
        (lambda group: _made(data=[group.ref] * 5, dtype=h5py.ref_dtype)(group), "objects"),
        (_made(data=np.array([b"cos\nsystem"] * 5, "V10")), "objects"),
        (_made(data=np.zeros(5, [("a", "f8"), ("b", "i4")])), "objects"),
        (_made((10**13,), np.float64, chunks=(1 << 20,)), "claims"),
        (_put(1.0), "shape"),
        (lambda group: group.create_group("rewards"), "Group"),
        (_put(["one", "two"]), "rewards"),
        (lambda group: None, "missing"),
    ],
)
def test_hostile_and_foreign_contents_are_refused(write: Callable[[Any], Any], word: str, tmp_path: Path) -> None:
    with h5py.File(_written(tmp_path, cartpole_episode()), "a") as file:
        group: Any = file["episode_0"]
        del group["rewards"]
        write(group)
    refused(tmp_path / "in", MinariImport(), word, "rewards")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("actions", np.array([0, 1, 2, 0, 0]), ("actions", "2 at step 2")),
        ("actions", np.array([0.5] * 5), ("actions", "float64")),
        ("actions", np.zeros((5, 2), np.int64), ("actions", "[5, 2]")),
        ("actions", np.zeros(4, np.int64), ("actions", "5 rows")),
        ("observations", np.zeros((6, 3), np.float32), ("observations", "[6, 3]")),
        ("observations", np.full((6, 4), np.nan, np.float32), ("observations", "nan")),
        ("observations", np.zeros((5, 4), np.float32), ("observations",)),  # as some public datasets have them
        ("rewards", np.full(5, np.inf), ("rewards", "finite")),
        ("rewards", np.zeros(0), ("no steps",)),
        ("terminations", np.zeros(4, np.bool_), ("terminations", "5 rows")),
        ("", None, ("episode_1",)),
    ],
)
def test_an_episode_outside_its_space_is_refused_or_skipped(
    column: str, value: np.ndarray | None, words: tuple[str, ...], tmp_path: Path
) -> None:
    bad = cartpole_episode() | ({column: value} if column else {})
    path = _written(tmp_path, cartpole_episode(), bad, cartpole_episode())
    if not column:
        with h5py.File(path, "a") as file:
            del file["episode_1"]
    refused(tmp_path / "in", MinariImport(), "episode", "--skip-bad", *words)
    reported, episodes = imported(tmp_path / "in", MinariImport(), skip_bad=True)
    assert reported.notes[0].startswith("left out episode 1: ")
    assert [episode.episode_id for episode in episodes] == ["lab-test-v0-000000", "lab-test-v0-000002"]


@pytest.mark.parametrize("at", [0, 600, -2000])
def test_a_damaged_file_is_refused(at: int, tmp_path: Path) -> None:
    path = _written(tmp_path, cartpole_episode(400))
    data = bytearray(path.read_bytes())
    data[at : at + 64 if at >= 0 else None] = b""
    path.write_bytes(data)
    refused(tmp_path / "in", MinariImport(), "main_data.hdf5", "damaged")
