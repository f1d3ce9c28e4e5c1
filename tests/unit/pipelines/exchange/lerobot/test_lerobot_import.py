"""LeRobot datasets of other programs: what is understood, and what is refused in one line or left out."""

from __future__ import annotations

import io
import json
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from pipelines.exchange.arrow_columns import to_numpy
from pipelines.exchange.formats import import_episodes
from pipelines.exchange.lerobot.video import Film
from pipelines.exchange.settings import LeRobotImport
from rlhf.records.episode import Episode
from rlhf.store import open_store
from tests.unit.pipelines.exchange.lerobot.foreign_lerobot import (
    ARM,
    DATA,
    EPISODES,
    FPS,
    arm_episode,
    cell,
    column,
    import_arm,
    info,
    rewritten,
    write_lerobot,
)
from worlds.errors import UserError
from worlds.spaces.observation import Vector

CAMERA = "observation.images.front"
EVENTS = {"language_events": {"dtype": "language", "shape": [1]}}


def _first(tmp_path: Path, data: str = "data") -> Episode:
    """The first imported episode."""
    return open_store(tmp_path / data).read("arm-000000")


def _event(text: str | None, style: str | None = "interjection", **others: Any) -> list[dict[str, Any]]:
    event = {"role": "user", "content": text, "style": style, "camera": None, "tool_calls": None}
    return [event | others]


def test_an_arm_with_a_camera_is_understood(tmp_path: Path) -> None:
    first, second = arm_episode(6), arm_episode(4, "put it down", seed=1)
    first["task"] = ["lift the cube"] * 3 + ["stack it"] * 3
    imported = import_arm(write_lerobot(tmp_path / "arm", [first, second]))
    assert (imported.episodes, imported.steps, imported.notes) == (2, 10, ())
    store = open_store(tmp_path / "data")
    assert store.ids() == ["arm-000000", "arm-000001"] and store.description.world == "so101"
    assert store.description.steps_per_second == pytest.approx(FPS) and store.verify() == []
    episode = store.read("arm-000000")
    assert episode.continuous is not None
    solver = episode.spaces.solver
    assert solver.observation.vector == Vector(2, ("shoulder", "elbow"))
    assert np.array_equal(episode.pictures(), first[CAMERA])
    assert np.array_equal(episode.continuous[:, 0], first["action"])
    assert np.array_equal(episode.seen["vector"], first["observation.state"])
    assert episode.setter_text == tuple(first["task"])
    assert episode.setter_utterance == ("lift the cube", "", "", "stack it", "", "")
    assert episode.demonstrated().all() and episode.requests == ()
    both = np.concatenate([first["action"], second["action"]])
    for part, name, values in zip(solver.action.continuous, ("shoulder", "elbow"), both.T, strict=True):
        assert (part.name, part.low, part.high) == (name, values.min(), values.max())


def test_bounds_are_those_of_the_statistics_as_far_as_actions_keep_them(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(6)])
    stats = {"action": {"min": [-5.0, 0.0], "max": [5.0, 0.0]}}
    (folder / "meta/stats.json").write_text(json.dumps(stats))
    import_arm(folder)
    episode = _first(tmp_path)
    assert episode.continuous is not None
    first, second = episode.spaces.solver.action.continuous
    assert (first.low, first.high) == (-5, 5)
    assert (second.low, second.high) == (min(0, episode.continuous[..., 1].min()), episode.continuous[..., 1].max())


def test_words_rewards_and_interventions_are_read_and_the_rest_is_named(tmp_path: Path) -> None:
    say = {"type": "function", "function": {"name": "say", "arguments": {"text": "on it"}}}
    columns = {
        "language_events": [
            _event("be careful"),
            _event(None, None, role="assistant", tool_calls=[json.dumps(say)]),
            _event("which?", "vqa", camera=CAMERA),
            [],
        ],
        "intervention": [False, True, True, False],
        "next.reward": [0.0, 0.5, 0, 1],
        "observation.effort": np.ones((4, 2), np.float32),
    }
    more = EVENTS | {
        "intervention": {"dtype": "bool", "shape": [1]},
        "next.reward": {"dtype": "float32", "shape": [1]},
        "observation.effort": {"dtype": "float32", "shape": [2]},
    }
    imported = import_arm(write_lerobot(tmp_path / "arm", [arm_episode(4) | columns], ARM | more), solver="agent:bc")
    assert imported.notes == (
        "left out: observation.effort",
        "left out: 1 language events that are neither interjections nor spoken words",
    )
    episode = _first(tmp_path)
    assert episode.setter_utterance == ("lift the cube be careful", "", "", "")
    assert episode.utterance == ("", "on it", "", "") and episode.solver_text == ("", "", "on it", "on it")
    assert episode.notes["rewards"] == [0.0, 0.5, 0.0, 1.0]
    assert episode.demonstrated().tolist() == [False, True, True, False]


def test_states_cameras_and_sizes_of_pictures_can_be_chosen(tmp_path: Path) -> None:
    more = {
        "observation.effort": {"dtype": "float32", "shape": [3]},
        "observation.images.wrist": {"dtype": "image", "shape": [6, 8, 3], "names": None},
    }
    wrist = np.random.default_rng(0).integers(0, 256, (4, 6, 8, 3)).astype(np.uint8)
    columns = {"observation.effort": np.ones((4, 3), np.float32), "observation.images.wrist": wrist}
    folder = write_lerobot(tmp_path / "arm", [arm_episode(4) | columns], ARM | more)
    with pytest.raises(UserError, match=f"several cameras, {CAMERA}, observation.images.wrist;"):
        import_arm(folder)
    with pytest.raises(UserError, match="no camera top; it has"):
        import_arm(folder, camera="top")
    state = ("observation.effort", "observation.state")
    import_arm(folder, camera="observation.images.wrist", state=state, height=3, width=4, world="lab")
    read = _first(tmp_path)
    assert read.seen["vector"].shape == (4, 5) and read.world == "lab"
    mean = wrist.reshape(4, 3, 2, 4, 2, 3).mean(axis=(2, 4))
    assert np.abs(read.pictures() - mean).max() <= 1
    import_episodes(folder, tmp_path / "blind", "lerobot", LeRobotImport(camera="none"))
    assert _first(tmp_path, "blind").image is None


def _file(picture: Image.Image, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    picture.save(file, form)
    return file.getvalue()


def _filmed(folder: Path, *lengths: int) -> Path:
    """Write episodes whose camera is a film; frame number n of the file has shade 25n."""
    features = ARM | {CAMERA: {"dtype": "video", "shape": [8, 10, 3]}}
    write_lerobot(folder, [arm_episode(length) for length in lengths], features)
    film = Film(folder / f"videos/{CAMERA}/chunk-000/file-000.mp4", FPS, 8, 10)
    film.add(np.repeat(np.arange(9, dtype=np.uint8) * 25, 8 * 10 * 3).reshape(9, 8, 10, 3))
    film.close()
    return film.path


def _shades(dataset: Path) -> list[list[int]]:
    store = open_store(dataset)
    found = [store.read(name).pictures().mean(axis=(1, 2, 3)) / 25 for name in store.ids()]
    return [np.round(shades).astype(int).tolist() for shades in found]


def test_frames_of_a_film_are_counted(tmp_path: Path) -> None:
    film = _filmed(tmp_path / "arm", 5, 4)
    column(f"videos/{CAMERA}/from_timestamp", [0.0, 0.624], EPISODES)(tmp_path / "arm")  # more than a frame late
    notes = import_arm(tmp_path / "arm").notes
    assert "frames were counted" in notes[0] and "video, which has lost details" in notes[1]
    assert _shades(tmp_path / "data") == [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    film.unlink()
    with pytest.raises(UserError, match="there is no file .*file-000.mp4"):
        import_episodes(tmp_path / "arm", tmp_path / "other", "lerobot", LeRobotImport())


def test_a_film_that_is_missing_costs_its_own_episodes(tmp_path: Path) -> None:
    _filmed(tmp_path / "arm", 5, 3, 4)
    for name, values in (("file_index", [0, 1, 0]), ("from_timestamp", [0.4, 0.0, 0.0])):
        column(f"videos/{CAMERA}/{name}", values, EPISODES)(tmp_path / "arm")
    imported = import_episodes(tmp_path / "arm", tmp_path / "data", "lerobot", LeRobotImport(), skip_bad=True)
    assert imported.episodes == 2 and "left out episode 1: there is no file" in imported.notes[0]
    assert _shades(tmp_path / "data") == [[4, 5, 6, 7, 8], [0, 1, 2, 3]]


def test_frames_of_an_episode_may_lie_apart(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3), arm_episode(4, seed=1)])
    rewritten(DATA, lambda table: table.take([3, 0, 1, 4, 5, 2, 6]))(folder)
    import_arm(folder)
    continuous = _first(tmp_path).continuous
    assert continuous is not None and np.array_equal(continuous[:, 0], arm_episode(3)["action"])


@pytest.mark.parametrize("row", [[[1, 2, 3], [4, 5, 6]], [1, 2, 3, 4, 5, 6]])
def test_rows_of_several_dimensions_may_lie_in_one_list(row: list[Any]) -> None:
    rows = pa.chunked_array([[row, row]])
    assert np.array_equal(to_numpy(rows, (2, 3)), np.arange(1, 7).reshape(1, 2, 3).repeat(2, axis=0))
    with pytest.raises(ValueError, match=r"not \[3, 1\] in each"):
        to_numpy(rows, (3, 1))


# Requests


def _tasks(**columns: Any) -> Callable[[Path], None]:
    columns = {"task_index": _NUMBERS} | columns
    return lambda folder: pq.write_table(pa.table(columns), folder / "meta/tasks.parquet")


_NUMBERS, _TEXTS = pa.array([1, 0]), pa.array(["stack it", "lift the cube"])


@pytest.mark.parametrize(
    ("change", "settings", "note"),
    [
        (_tasks(task=_TEXTS.dictionary_encode(), task_index=_NUMBERS.dictionary_encode()), {}, ""),
        (_tasks(task=_TEXTS.cast(pa.large_string()), task_index=_NUMBERS.cast(pa.uint8())), {}, ""),
        (_tasks(__index_level_0__=_TEXTS), {}, ""),
        (_tasks(description=_TEXTS), {}, ""),
        (_tasks(language=pa.array(["en", "en"]), task=_TEXTS), {}, "the column task, not language"),
        (_tasks(task=pa.array(["", None]), __index_level_0__=_TEXTS), {}, "__index_level_0__, not task"),
        (_tasks(task=pa.array(["x", "y"]), task_en=_TEXTS), {"instruction_column": "task_en"}, "task_en, not task"),
        (_tasks(task_de=_TEXTS, task_en=_TEXTS), {}, "refused: .* task_de, task_en; name one with"),
        (_tasks(task=_TEXTS), {"instruction_column": "words"}, "refused: .*no column of texts words; it has task"),
        (_tasks(task=_TEXTS, task_index=pa.array([0, 0])), {}, "refused: .*several texts task for task 0"),
        (_tasks(task=pa.array([None, "stack it"])), {}, "refused: .*has no task 1, which episode 1 has"),
    ],
)
def test_the_column_of_requests_is_chosen_and_said_or_refused(
    change: Callable[[Path], None], settings: dict[str, Any], note: str, tmp_path: Path
) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3, "lift the cube"), arm_episode(2, "stack it")])
    change(folder)
    if note.startswith("refused: "):
        with pytest.raises(UserError, match=note.removeprefix("refused: ")):
            import_arm(folder, **settings)
        return
    notes = import_arm(folder, **settings).notes
    assert len(notes) == bool(note) and all(note in line and "--lerobot.instruction-column" in line for line in notes)
    store = open_store(tmp_path / "data")
    asked = [set(episode.setter_text) for episode in store.stream(store.ids())]
    assert asked == [{"lift the cube"}, {"stack it"}]


def test_requests_may_be_lines_of_json_or_a_feature_of_the_frames(tmp_path: Path) -> None:
    texts = {"language_instruction": ["pick"] * 3}
    features = ARM | {"language_instruction": {"dtype": "string", "shape": [1]}}
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3) | texts], features)
    (folder / "meta/tasks.parquet").unlink()
    (folder / "meta/tasks.jsonl").write_text('{"task_index": 0, "task": "lift the cube"}\n')
    import_arm(folder)
    import_episodes(folder, tmp_path / "b", "lerobot", LeRobotImport(instruction_column="language_instruction"))
    assert [set(_first(tmp_path, name).setter_text) for name in ("data", "b")] == [{"lift the cube"}, {"pick"}]


# Bad input


@pytest.mark.parametrize(
    ("change", "left", "reason"),
    [
        (cell("observation.state", 4, [np.nan, 0.0]), [0, 2], "not finite"),
        (cell("action", 4, [np.inf, 0.0]), [0, 2], "not finite"),
        (cell("frame_index", 5, 7), [0, 2], "are not 0 to 2"),
        (rewritten(DATA, lambda table: table.take([0, 1, 2, 3, 5, 6])), [0, 2], "are not 0 to 2"),
        (cell("task_index", 6, 9), [0, 1], "has no task 9"),
        (cell("length", 0, 0, EPISODES), [1, 2], "episode 0 has no place"),
        (cell("data/file_index", 2, 1, EPISODES), [0, 1], "there is no file .*file-001.parquet"),
        (rewritten(EPISODES, lambda table: table.slice(0, 2)), [0, 1], "has 3 episodes, .* 2"),
        (rewritten(EPISODES, lambda table: table.take([0, 2])), [0, 2], "are not numbered 0 to 1"),
    ],
)
def test_one_bad_episode_of_three_may_be_skipped(
    change: Callable[[Path], None], left: list[int], reason: str, tmp_path: Path
) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(steps, seed=steps) for steps in (3, 3, 1)])
    change(folder)
    with pytest.raises(UserError, match=f"{reason}.*; --skip-bad"):
        import_arm(folder)
    notes = import_episodes(folder, tmp_path / "data", "lerobot", LeRobotImport(), skip_bad=True).notes
    store = open_store(tmp_path / "data")
    assert store.ids() == [f"arm-{number:06d}" for number in left] and store.verify() == []
    assert any(re.search(f"left out .*episode.*{reason}", line) for line in notes)


def _said(**changed: Any) -> Callable[[Path], None]:
    return info(lambda said: said.update(changed))


def _action(**changed: Any) -> Callable[[Path], None]:
    """Declare the action otherwise."""
    return info(lambda said: said["features"]["action"].update(changed))


def _cut(name: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-40])


def _removed(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _claimed(height: int, width: int, bits: int = 8) -> bytes:
    """A picture whose file claims a size, and bits of each of three channels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, 0)
    file = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return file + struct.pack(">I4s", 99, b"IDAT")


def _pictures(file: bytes | None) -> Callable[[Path], None]:
    return column(CAMERA, [{"bytes": file, "path": "/x.png"}] * 4)


_MAP = pa.array([[("a", 2)]] * 4, pa.map_(pa.string(), pa.float32()))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (_removed("meta/info.json"), "is no LeRobot dataset: it has no meta/info.json"),
        (_cut("meta/info.json"), "info.json is damaged"),
        (lambda folder: (folder / "meta/info.json").write_text("[" * 9999), "info.json is damaged"),
        (_said(codebase_version="v2.1"), "of version v2.1, this program reads v3.0; convert it with"),
        (_said(codebase_version="v4.0"), "of version v4.0, this program reads v3.0; update this program"),
        (info(lambda said: said.pop("codebase_version")), "no codebase_version"),
        (_said(fps=0), "fps is 0"),
        (_said(fps=10**400), "info.json: fps is 1000"),
        (_action(dtype="\ud800"), "info.json is damaged or cannot be read"),
        (_action(shape=[1 << 62, 1 << 62]), "dtype or shape of the feature 'action'"),
        (_action(shape=[-1]), "dtype or shape of the feature 'action'"),
        (_said(features={"action": 3}), "dtype or shape of the feature 'action'"),
        (_said(data_path="../../secret-{file_index}.parquet"), "leads to ../../secret-0.parquet, out of"),
        (_said(data_path="/etc/passwd"), "leads to /etc/passwd, out of the dataset's folder"),
        (_said(data_path="data/{chunk_index.__class__}"), "data_path is 'data/{chunk_index.__class__}', which"),
        (_said(data_path="data/{chunk_index:9999999d}"), "which cannot be understood"),
        (_said(data_path="data/{"), "which cannot be understood"),
        (info(lambda said: said["features"].pop("action")), "declares no action; it has observation.state"),
        (info(lambda said: said["features"].pop("task_index")), "declares no task_index"),
        (_cut(DATA), "file-000.parquet is no Parquet file that can be read"),
        (_cut("meta/tasks.parquet"), "tasks.parquet is no Parquet file that can be read"),
        (_removed(EPISODES), "meta/episodes has no file"),
        (rewritten(DATA, lambda table: table.drop_columns(["action"])), "has no column action; it has timestamp"),
        (rewritten(EPISODES, lambda table: table.drop_columns(["length"])), "has no column length"),
        (rewritten(EPISODES, lambda table: table.append_column("length", table["length"])), "has a column twice"),
        (column("action", [[[1.0]]] * 4), "action of episode 0: it has list"),
        (column("action", [[1.0]] * 4), r"it has 4 numbers in 4 rows, not \[2\]"),
        (column("action", [[1.0], [1.0, 2.0, 3.0]] * 2), r"it has lists of 1 and of 3 values, not \[2\] in each row"),
        (column("action", _MAP), "are no lists of numb"),
        (column("action", [["x", "y"]] * 4), "action of episode 0: it has string"),
        (column("action", [[None, 1.0]] * 4), "action of episode 0: it has nulls"),
        (column("length", [1 << 62], EPISODES), "frames of episode 0 are not 0 to 46116860"),
        (_pictures(None), "pictures that are not in the file itself"),
        (_pictures(b"GIF89a"), "the picture of frame 0 is damaged, or too large"),
        (_pictures(_file(Image.new("I;16", (10, 8), 300))), "frame 0 has pixels of 16 bits"),
        (_pictures(_file(Image.new("CMYK", (10, 8)), "JPEG")), "or in CMYK; only grey and"),
        (_pictures(_claimed(8, 10, bits=16)), "frame 0 has pixels of 16 bits"),
        (_pictures(_claimed(90, 80)), "the picture of frame 0 has 90x80 pixels, not 8x10"),
        (_pictures(_claimed(30_000, 30_000)), "the picture of frame 0 is damaged, or too large"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_nothing_is_imported(
    change: Callable[[Path], Any], line: str, tmp_path: Path
) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(4)])
    change(folder)
    with pytest.raises(UserError, match=line) as refused:
        import_arm(folder)
    assert "\n" not in str(refused.value) and str(tmp_path) in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["arm"]


def test_a_link_out_of_the_folder_is_refused_but_not_one_of_a_download(tmp_path: Path) -> None:
    snapshot = write_lerobot(tmp_path / "hub/snapshots/abc", [arm_episode(4)])
    blob = tmp_path / "hub/blobs/1"
    blob.parent.mkdir()
    (snapshot / DATA).rename(blob)
    (snapshot / DATA).symlink_to(blob)
    import_episodes(snapshot, tmp_path / "data", "lerobot", LeRobotImport())
    blob.rename(tmp_path / "secret")
    (snapshot / DATA).unlink()
    (snapshot / DATA).symlink_to(tmp_path / "secret")
    with pytest.raises(UserError, match="out of the dataset's folder"):
        import_episodes(snapshot, tmp_path / "other", "lerobot", LeRobotImport())
