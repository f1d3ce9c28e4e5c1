"""LeRobot datasets of other programs: what is understood, and what is refused in one line."""

from __future__ import annotations

import io
import json
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
from rlhf.store import open_store
from tests.unit.pipelines.exchange.lerobot.foreign_lerobot import (
    ARM,
    DATA,
    EPISODES,
    FPS,
    arm_episode,
    import_arm,
    put,
    rewritten,
    write_lerobot,
)
from worlds.errors import UserError
from worlds.spaces.observation import Vector


def test_an_arm_with_a_camera_is_understood(tmp_path: Path) -> None:
    first, second = arm_episode(6), arm_episode(4, "put it down", seed=1)
    first["task"] = ["lift the cube"] * 3 + ["stack it"] * 3
    imported = import_arm(write_lerobot(tmp_path / "arm", [first, second]))
    assert (imported.episodes, imported.steps, imported.notes) == (2, 10, ())
    store = open_store(tmp_path / "data")
    assert store.ids() == ["arm-000000", "arm-000001"] and store.description.world == "so101"
    assert store.description.steps_per_second == pytest.approx(FPS) and store.verify() == []
    episode = store.read("arm-000000")
    assert episode.spaces is not None and episode.continuous is not None
    solver = episode.spaces.solver
    assert solver.observation.vector == Vector(2, ("shoulder", "elbow"))
    assert [part.name for part in solver.action.continuous] == ["shoulder", "elbow"]
    assert np.array_equal(episode.pictures(), first["observation.images.front"])
    assert np.array_equal(episode.continuous[:, 0], first["action"])
    assert np.array_equal(episode.seen["vector"], first["observation.state"])
    assert episode.setter_text == tuple(first["task"])
    assert episode.setter_utterance == ("lift the cube", "", "", "stack it", "", "")
    assert episode.demonstrated().all() and episode.requests == ()
    both = np.concatenate([first["action"], second["action"]])
    for part, values in zip(solver.action.continuous, both.T, strict=True):
        assert (part.low, part.high) == (values.min(), values.max())


def test_bounds_are_those_of_the_statistics_as_far_as_actions_keep_them(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(6)])
    stats = {"action": {"min": [-5.0, 0.0], "max": [5.0, 0.0]}}
    (folder / "meta/stats.json").write_text(json.dumps(stats))
    import_arm(folder)
    episode = open_store(tmp_path / "data").read("arm-000000")
    assert episode.continuous is not None
    first, second = episode.declared.solver.action.continuous
    assert (first.low, first.high) == (-5, 5)
    assert (second.low, second.high) == (min(0, episode.continuous[..., 1].min()), episode.continuous[..., 1].max())


def test_words_rewards_and_interventions_are_read_and_the_rest_is_named(tmp_path: Path) -> None:
    say = {"type": "function", "function": {"name": "say", "arguments": {"text": "on it"}}}
    events = [
        [{"role": "user", "content": "be careful", "style": "interjection", "camera": None, "tool_calls": None}],
        [{"role": "assistant", "content": None, "style": None, "camera": None, "tool_calls": [json.dumps(say)]}],
        [
            {
                "role": "user",
                "content": "which?",
                "style": "vqa",
                "camera": "observation.images.front",
                "tool_calls": None,
            }
        ],
        [],
    ]
    more = {
        "language_events": {"dtype": "language", "shape": [1]},
        "intervention": {"dtype": "bool", "shape": [1]},
        "next.reward": {"dtype": "float32", "shape": [1]},
        "observation.effort": {"dtype": "float32", "shape": [2]},
    }
    columns = {"language_events": events, "intervention": [False, True, True, False], "next.reward": [0.0, 0.5, 0, 1]}
    columns |= {"observation.effort": np.ones((4, 2), np.float32)}
    folder = write_lerobot(tmp_path / "arm", [arm_episode(4) | columns], ARM | more)
    imported = import_arm(folder, solver="agent:policy")
    assert imported.notes == (
        "left out: observation.effort",
        "left out: 1 language events that are neither interjections nor spoken words",
    )
    episode = open_store(tmp_path / "data").read("arm-000000")
    assert episode.setter_utterance == ("lift the cube be careful", "", "", "")
    assert episode.utterance == ("", "on it", "", "") and episode.solver_text == ("", "", "on it", "on it")
    assert episode.notes["rewards"] == [0.0, 0.5, 0.0, 1.0]
    assert episode.demonstrated().tolist() == [False, True, True, False]


def test_a_task_that_returns_to_an_old_interjection_is_said_again(tmp_path: Path) -> None:
    interject = [{"role": "user", "content": "stack it", "style": "interjection", "camera": None, "tool_calls": None}]
    columns = {"task": ["lift", "lift", "stack it", "lift", "stack it", "stack it"]}
    columns |= {"language_events": [[], interject, [], [], [], []]}
    features = ARM | {"language_events": {"dtype": "language", "shape": [1]}}
    import_arm(write_lerobot(tmp_path / "arm", [arm_episode(6) | columns], features))
    episode = open_store(tmp_path / "data").read("arm-000000")
    assert episode.setter_utterance == ("lift", "stack it", "", "lift", "stack it", "")


def test_states_and_sizes_of_pictures_can_be_chosen(tmp_path: Path) -> None:
    more = {"observation.effort": {"dtype": "float32", "shape": [3]}}
    episode = arm_episode(4) | {"observation.effort": np.ones((4, 3), np.float32)}
    folder = write_lerobot(tmp_path / "arm", [episode], ARM | more)
    import_arm(folder, state=("observation.effort", "observation.state"), height=4, width=5, world="lab")
    read = open_store(tmp_path / "data").read("arm-000000")
    assert read.seen["vector"].shape == (4, 5) and read.pictures().shape == (4, 4, 5, 3) and read.world == "lab"
    mean = episode["observation.images.front"].reshape(4, 4, 2, 5, 2, 3).mean(axis=(2, 4))
    assert np.abs(read.pictures() - mean).max() <= 1


def test_one_camera_of_several_is_chosen(tmp_path: Path) -> None:
    more = {
        "observation.images.wrist": {"dtype": "image", "shape": [6, 7, 3], "names": ["height", "width", "channels"]}
    }
    wrist = np.full((4, 6, 7, 3), 9, np.uint8)
    folder = write_lerobot(tmp_path / "arm", [arm_episode(4) | {"observation.images.wrist": wrist}], ARM | more)
    with pytest.raises(UserError, match="several cameras, observation.images.front, observation.images.wrist;"):
        import_arm(folder)
    with pytest.raises(UserError, match="no camera top; it has observation.images.front"):
        import_arm(folder, camera="top")
    import_arm(folder, camera="observation.images.wrist")
    assert np.array_equal(open_store(tmp_path / "data").read("arm-000000").pictures(), wrist)
    import_episodes(folder, tmp_path / "blind", "lerobot", LeRobotImport(camera="none"))
    assert open_store(tmp_path / "blind").read("arm-000000").image is None


def _file(picture: Image.Image, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    picture.save(file, form)
    return file.getvalue()


def test_pictures_with_a_palette_or_in_black_and_white_are_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    grey = Image.fromarray(rng.integers(0, 256, (8, 10)).astype(np.uint8))
    few = Image.fromarray(rng.integers(0, 3, (8, 10, 3)).astype(np.uint8) * 100)
    pictures = [grey, grey.convert("1"), few, few.convert("P", palette=Image.Palette.ADAPTIVE)]
    folder = write_lerobot(tmp_path / "arm", [arm_episode(4)])
    values = [{"bytes": _file(picture), "path": None} for picture in pictures]
    rewritten(DATA, lambda table: put(table, "observation.images.front", values))(folder)
    import_arm(folder)
    read = open_store(tmp_path / "data").read("arm-000000").pictures()
    assert np.array_equal(read, np.stack([np.asarray(picture.convert("RGB")) for picture in pictures]))


def test_frames_of_a_film_are_counted(tmp_path: Path) -> None:
    features = ARM | {"observation.images.front": {"dtype": "video", "shape": [8, 10, 3]}}
    folder = write_lerobot(tmp_path / "arm", [arm_episode(5), arm_episode(3, seed=1)], features)
    film = Film(folder / "videos/observation.images.front/chunk-000/file-000.mp4", FPS, 8, 10)
    film.add(np.repeat(np.arange(8, dtype=np.uint8) * 30, 8 * 10 * 3).reshape(8, 8, 10, 3))
    film.close()
    path = folder / EPISODES
    table = pq.read_table(path)
    name = "videos/observation.images.front/from_timestamp"
    pq.write_table(put(table, name, [0.0, 0.624]), path)  # more than a frame late
    notes = import_arm(folder).notes
    assert "frames were counted" in notes[0] and notes[1:] == ("pictures come from video, which has lost details",)
    store = open_store(tmp_path / "data")
    shades = [store.read(name).pictures().mean(axis=(1, 2, 3)) for name in store.ids()]
    assert np.allclose(np.concatenate(shades), np.arange(8) * 30, atol=3)
    film.path.unlink()
    with pytest.raises(UserError, match="there is no file .*file-000.mp4"):
        import_episodes(folder, tmp_path / "other", "lerobot", LeRobotImport())


def test_frames_of_an_episode_may_lie_apart(tmp_path: Path) -> None:
    folder = write_lerobot(tmp_path / "arm", [arm_episode(3), arm_episode(4, seed=1)])
    path = folder / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take([0, 3, 1, 4, 5, 2, 6]), path)
    import_arm(folder)
    episode = open_store(tmp_path / "data").read("arm-000001")
    assert episode.continuous is not None
    assert np.array_equal(episode.continuous[:, 0], arm_episode(4, seed=1)["action"])


@pytest.mark.parametrize("row", [[[1, 2, 3], [4, 5, 6]], [1, 2, 3, 4, 5, 6]])
def test_rows_of_several_dimensions_may_lie_in_one_list(row: list[Any]) -> None:
    column = pa.chunked_array([[row, row]])
    assert np.array_equal(to_numpy(column, (2, 3)), np.arange(1, 7).reshape(1, 2, 3).repeat(2, axis=0))
    with pytest.raises(ValueError, match=r"not \[3, 1\] in each"):
        to_numpy(column, (3, 1))


def _changed_info(**changed: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "meta/info.json"
        info = json.loads(path.read_text())
        path.write_text(json.dumps({name: value for name, value in (info | changed).items() if value != "gone"}))

    return change


def _changed_feature(name: str, **changed: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "meta/info.json"
        info = json.loads(path.read_text())
        info["features"][name] |= changed
        path.write_text(json.dumps(info))

    return change


def _without(feature: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "meta/info.json"
        info = json.loads(path.read_text())
        del info["features"][feature]
        path.write_text(json.dumps(info))

    return change


def _cut(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:-40])

    return change


_MAP = pa.map_(pa.string(), pa.float32())


def _picture(height: int, width: int, bits: int = 8) -> dict[str, Any]:
    """A picture whose file claims a size, and bits of each of three channels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, 0)
    file = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    file += struct.pack(">I4s", 99, b"IDAT")
    return {"bytes": file, "path": None}


def _pictures(picture: dict[str, Any]) -> Callable[[Path], None]:
    return rewritten(DATA, lambda table: put(table, "observation.images.front", [picture] * 4))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda folder: (folder / "meta/info.json").unlink(), "is no LeRobot dataset: it has no meta/info.json"),
        (_cut("meta/info.json"), "info.json is damaged"),
        (lambda folder: (folder / "meta/info.json").write_text("[" * 9999), "info.json is damaged"),
        (_changed_info(codebase_version="v2.1"), "of version v2.1, this program reads v3.0; convert it with"),
        (_changed_info(codebase_version="v4.0"), "of version v4.0, this program reads v3.0; update this program"),
        (_changed_info(codebase_version="gone"), "no codebase_version"),
        (_changed_info(fps=0), "fps is 0"),
        (_changed_info(fps=10**400), "info.json: fps is 1000"),
        (_changed_feature("action", dtype="\ud800"), "info.json is damaged or cannot be read"),
        (_changed_feature("action", shape=[1 << 62, 1 << 62]), "dtype or shape of the feature 'action'"),
        (_changed_info(fps="fast"), "no fps that can be understood"),
        (_changed_info(features={"action": {"dtype": "float32", "shape": [-1]}}), "dtype or shape of the feature 'act"),
        (_changed_info(features={"action": 3}), "dtype or shape of the feature 'action' cannot be understood"),
        (_changed_info(total_episodes=7), "has 7 episodes"),
        (_changed_info(data_path="../../secret-{file_index}.parquet"), "leads to ../../secret-0.parquet, out of"),
        (_changed_info(data_path="/etc/passwd"), "leads to /etc/passwd, out of the dataset's folder"),
        (_changed_info(data_path="data/{chunk_index.__class__}"), "data_path is 'data/{chunk_index.__class__}', which"),
        (_changed_info(data_path="data/{chunk_index:9999999d}"), "which cannot be understood"),
        (_changed_info(data_path="data/{0}"), "which cannot be understood"),
        (_changed_info(data_path="data/{"), "which cannot be understood"),
        (_changed_info(data_path="data/gone.parquet"), "there is no file .*data/gone.parquet"),
        (_without("action"), "declares no action; it has observation.state"),
        (_without("task_index"), "declares no task_index"),
        (_cut(DATA), "file-000.parquet is no Parquet file that can be read"),
        (_cut(EPISODES), "file-000.parquet is no Parquet file that can be read"),
        (_cut("meta/tasks.parquet"), "tasks.parquet is no Parquet file that can be read"),
        (lambda folder: (folder / EPISODES).unlink(), "meta/episodes has no file"),
        (rewritten(DATA, lambda table: table.drop_columns(["action"])), "has no column action; it has timestamp"),
        (rewritten(DATA, lambda table: table.slice(1)), "the frames of episode 0 are not 0 to 3"),
        (
            rewritten(DATA, lambda table: put(table, "action", [[[1.0]]] * 4)),
            "action of episode 0: it has list",
        ),
        (
            rewritten(DATA, lambda table: put(table, "action", [[1.0]] * 4)),
            r"it has 4 numbers in 4 rows, not \[2\]",
        ),
        (
            rewritten(DATA, lambda table: put(table, "action", [[1.0], [1.0, 2.0, 3.0]] * 2)),
            r"action of episode 0: it has lists of 1 and of 3 values, not \[2\] in each row",
        ),
        (
            rewritten(DATA, lambda table: put(table, "action", pa.array([[("a", 2)]] * 4, _MAP))),
            "are no lists of numb",
        ),
        (
            rewritten(DATA, lambda table: put(table, "action", [["x", "y"]] * 4)),
            "action of episode 0: it has string",
        ),
        (
            rewritten(DATA, lambda table: put(table, "action", [[None, 1.0]] * 4)),
            "action of episode 0: it has nulls",
        ),
        (
            rewritten(DATA, lambda table: put(table, "action", [[np.nan, 1.0]] * 4)),
            "a number is not finite",
        ),
        (rewritten(DATA, lambda table: put(table, "task_index", [8] * 4)), "tasks.parquet has no task 8"),
        (_pictures({"bytes": None, "path": "/x.png"}), "pictures that are not in the file itself"),
        (_pictures({"bytes": b"GIF89a", "path": None}), "the picture of frame 0 is damaged, or too large"),
        (_pictures({"bytes": _file(Image.new("I;16", (10, 8), 300)), "path": None}), "frame 0 has pixels of 16 bits"),
        (_pictures({"bytes": _file(Image.new("CMYK", (10, 8)), "JPEG"), "path": None}), "or in CMYK; only grey and"),
        (_pictures(_picture(8, 10, bits=16)), "frame 0 has pixels of 16 bits"),
        (_pictures(_picture(90, 80)), "the picture of frame 0 has 90x80 pixels, not 8x10"),
        (_pictures(_picture(30_000, 30_000)), "the picture of frame 0 is damaged, or too large"),
        (rewritten(EPISODES, lambda table: table.drop_columns(["length"])), "has no column length"),
        (
            rewritten(EPISODES, lambda table: put(table, "length", [0])),
            "episode 0 has no place among the files",
        ),
        (
            rewritten(EPISODES, lambda table: put(table, "length", [1 << 62])),
            "frames of episode 0 are not 0 to 46116860",
        ),
        (rewritten(EPISODES, lambda table: table.append_column("length", table["length"])), "has a column twice"),
        (
            rewritten(EPISODES, lambda table: put(table, "episode_index", [5])),
            "episodes are not numbered 0 to 0",
        ),
        (
            rewritten("meta/tasks.parquet", lambda table: table.drop_columns(["task_index"])),
            "has no columns task_index",
        ),
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
