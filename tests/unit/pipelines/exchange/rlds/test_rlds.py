"""RLDS datasets: what is in their files, and what is understood of other programs' or refused in one line."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipelines.exchange.formats import export_episodes
from pipelines.exchange.pictures import picture
from pipelines.exchange.rlds.features import Feature
from pipelines.exchange.rlds.folder import FEATURES_FILE, INFO_FILE, FolderWriter, RldsFolder
from pipelines.exchange.rlds.tfrecord import from_example, read_records, record_bytes, to_example
from pipelines.exchange.settings import RldsExport, RldsImport
from pipelines.exchange.sidecar import SIDECAR_FILE
from rlhf.records.episode import Episode
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.pipelines.exchange.importing import imported, refused
from worlds.errors import UserError
from worlds.spaces.action import Continuous, Discrete

RECORDED = bytes.fromhex("040000000000000042455204616263646810e6b6")  # "abcd", as TensorFlow writes it
ONE_CAMERA = RldsImport(leave_out=("wrist",))
SPOKEN, SEEN, WRIST = "steps/language_instruction", "steps/observation/image", "steps/observation/wrist"
INSTRUCTION = "pick up the can"

# Files of exports


def test_there_is_a_step_more_than_actions(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    episode = synthetic_episode(0, steps=6, height=5, width=6, episode_id="e0")
    store.write(replace(episode, notes={"rewards": [0.5] * 6, "terminated": True}))
    export_episodes(tmp_path / "data", tmp_path / "out", "rlds", RldsExport("lab_play"))
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {INFO_FILE, FEATURES_FILE, SIDECAR_FILE, "lab_play-train.tfrecord-00000-of-00001"}
    folder = RldsFolder.open(tmp_path / "out")
    ((_, _, read),) = folder.examples("train", tuple(folder.features))
    found = read()
    assert found["episode_metadata/episode_id"] == ["e0"]
    assert np.array_equal(found[SEEN], [*episode.pictures(), episode.pictures()[5]])
    assert np.array_equal(found["steps/action/movement"], [*episode.movement, 0 * episode.movement[0]])
    assert found["steps/action/utterance"][6] == "" and found[SPOKEN][:6] == list(episode.setter_text)
    assert found["steps/reward"].tolist() == [0.5] * 6 + [0]
    assert found["steps/discount"].tolist() == [1] * 6 + [0]
    assert found["steps/is_first"].tolist() == [True] + [False] * 6
    assert found["steps/is_last"].tolist() == found["steps/is_terminal"].tolist() == [False] * 6 + [True]


def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path / "data", create=True).write(synthetic_episode(0, steps=4, height=5, width=6))
    with pytest.raises(UserError, match="rlds.name"):
        export_episodes(tmp_path / "data", tmp_path / "out", "rlds", RldsExport("../x"))


def test_a_record_is_as_tensorflow_writes_it(tmp_path: Path) -> None:
    assert record_bytes(b"abcd") == RECORDED
    (tmp_path / "records").write_bytes(RECORDED * 2)
    assert list(read_records(tmp_path / "records")) == [b"abcd"] * 2


def _flipped(at: int) -> bytes:
    return bytes(byte ^ (number == at) for number, byte in enumerate(RECORDED * 2))


@pytest.mark.parametrize("at", [0, 9, 14, 21, 30])
def test_a_damaged_file_of_records_is_refused(at: int, tmp_path: Path) -> None:
    for content in (_flipped(at), (RECORDED * 2)[: at + 1], struct.pack("<QI", 1 << 60, 0)):
        (tmp_path / "records").write_bytes(content)
        with pytest.raises(UserError, match="records is damaged"):
            for record in read_records(tmp_path / "records"):  # a wrong checksum leaves the records after it
                if isinstance(record, UserError):
                    raise record


# Datasets of other programs


def _robot(steps: int = 5, **changed: Any) -> dict[str, Any]:
    """Columns of an episode of a robot; those that are None are left out."""
    rng = np.random.default_rng(steps)
    columns = {
        SEEN: rng.integers(0, 255, (steps, 8, 9, 3)).astype(np.uint8),
        WRIST: rng.integers(0, 255, (steps, 4, 4, 3)).astype(np.uint8),
        "steps/observation/state": rng.normal(size=(steps, 3)).astype(np.float32),
        "steps/action/arm": rng.uniform(-2, 2, (steps, 2)).astype(np.float32),
        "steps/action/grip": np.arange(steps) % 3 - 1,
        "steps/reward": np.eye(steps)[-1].astype(np.float32),
        "steps/is_terminal": np.eye(steps, dtype=np.bool_)[-1],
        SPOKEN: [INSTRUCTION] * steps,
    } | changed
    return {name: column for name, column in columns.items() if column is not None}


def _write(folder: Path, *episodes: Mapping[str, Any], splits: tuple[str, ...] = (), file_mb: float = 1.0) -> Path:
    folder.mkdir()
    writer = FolderWriter(folder, "robot", file_mb)
    features = {name: Feature.of(column) for name, column in episodes[0].items()}
    for columns, split in zip(episodes, splits or ("train",) * len(episodes), strict=True):
        writer.write(split, to_example({name: Feature.of(one).encode(one) for name, one in columns.items()}))
    writer.finish(features)
    return folder


def _imported(tmp_path: Path, *episodes: Mapping[str, Any], settings: RldsImport = ONE_CAMERA) -> list[Episode]:
    return imported(_write(tmp_path / "in", *episodes), settings)[1]


def test_a_dataset_of_a_robot_is_imported(tmp_path: Path) -> None:
    written = [_robot(5), _robot(7), _robot(4)]
    folder = _write(tmp_path / "in", *written, splits=("train", "train", "val"))
    _, episodes = imported(folder, replace(ONE_CAMERA, solver="human:ann"))
    arm = np.concatenate([one["steps/action/arm"][:-1] for one in written])
    assert episodes[0].spaces.solver.action.components == (
        Continuous("arm.0", float(arm[:, 0].min()), float(arm[:, 0].max())),
        Continuous("arm.1", float(arm[:, 1].min()), float(arm[:, 1].max())),
        Discrete("grip", ("0", "1", "2")),
    )
    for episode, columns, split in zip(episodes, written, ("train", "train", "held_out"), strict=True):
        steps = len(columns["steps/reward"]) - 1  # the last has an observation only
        assert len(episode) == steps and episode.split == split and episode.world == "rlds:robot"
        assert np.array_equal(episode.pictures(), columns[SEEN][:steps])
        assert np.array_equal(episode.seen["vector"], columns["steps/observation/state"][:steps])
        assert episode.continuous is not None
        assert np.array_equal(episode.continuous[:, 0], columns["steps/action/arm"][:steps])
        assert episode.movement[:, 0, 0].tolist() == (columns["steps/action/grip"][:steps] + 1).tolist()
        assert set(episode.setter_text) == {INSTRUCTION} and episode.solver == "human:ann"
        assert episode.notes["terminated"] is True and episode.notes["return"] == 0


LOOK, MISSION = "steps/observation/natural_language_instruction", "steps/observation/mission"
ASIDE = "steps/observation/instruction"


@pytest.mark.parametrize(
    ("texts", "settings", "asked", "note"),
    [
        ({MISSION: "go"}, {}, INSTRUCTION, "in 1 episode, not mission"),
        ({MISSION: "go", SPOKEN: None}, {}, "go", ""),
        ({ASIDE: "go", SPOKEN: None}, {"leave_out": ("wrist", "instruction")}, "play robot", ""),
        ({SPOKEN: None, "episode_metadata/language_instruction": ["once"]}, {}, "once", ""),
        ({SPOKEN: ("", "put it away", "tidy"), LOOK: "look"}, {}, "put it away", f"'{SPOKEN}_2' in 1 episode, not"),
        ({SPOKEN: ("", "", ""), LOOK: "look"}, {}, "look", f"'{LOOK}' in 1 episode, not"),
        ({SPOKEN: ("go", "put it away", "tidy")}, {}, "go", f"'{SPOKEN}' in 1 episode, not"),
        ({SPOKEN: ("go", "away", "tidy")}, {"instruction_column": "language_instruction_3"}, "tidy", ""),
    ],
)
def test_the_first_instruction_that_says_anything_is_asked_for(
    texts: dict[str, Any], settings: dict[str, Any], asked: str, note: str, tmp_path: Path
) -> None:
    columns: dict[str, Any] = {}
    for name, text in texts.items():
        if isinstance(text, tuple):
            columns |= {f"{name}{end}": [each] * 4 for end, each in zip(("", "_2", "_3"), text, strict=True)}
        else:
            columns[name] = [text] * 4 if isinstance(text, str) else text
    folder = _write(tmp_path / "in", _robot(4, **columns))
    reported, (episode,) = imported(folder, replace(ONE_CAMERA, **settings))
    assert set(episode.setter_text) == {asked}
    assert len(reported.notes) == bool(note) and all(note in line for line in reported.notes)


def test_each_episode_asks_for_what_it_has_and_one_without_words_to_play(tmp_path: Path) -> None:
    texts = [("first", "other"), ("", "second"), ("", " ")]
    episodes = [_robot(4, **{SPOKEN: [one] * 4, f"{SPOKEN}_2": [two] * 4}) for one, two in texts]
    reported, read = imported(_write(tmp_path / "in", *episodes), ONE_CAMERA)
    assert [episode.setter_text[0] for episode in read] == ["first", "second", "play robot"]
    assert "'play robot' in 1 episode" in reported.notes[0]


def test_the_last_step_may_have_an_action(tmp_path: Path) -> None:
    settings = RldsImport(leave_out=("image",), last_step="action", instruction="tidy up")
    (episode,) = _imported(tmp_path, _robot(5), settings=settings)
    assert len(episode) == 5 and episode.notes["return"] == 1 and set(episode.setter_text) == {"tidy up"}


@pytest.mark.parametrize("meaningless", [-1000.0, np.nan])
def test_the_action_of_a_last_step_without_one_counts_for_nothing(meaningless: float, tmp_path: Path) -> None:
    columns = _robot(5)
    arm = columns["steps/action/arm"]
    arm[-1] = meaningless
    (episode,) = _imported(tmp_path, columns)
    first, second, _ = episode.spaces.solver.action.components
    for part, values in zip((first, second), arm[:-1].T, strict=True):
        assert isinstance(part, Continuous) and (part.low, part.high) == (values.min(), values.max())


def test_observations_and_actions_may_be_single_columns(tmp_path: Path) -> None:
    columns = {"steps/observation": np.zeros((4, 3), np.float32), "steps/action": np.array([3, 5, 4, 3])}
    (episode,) = _imported(tmp_path, columns, settings=RldsImport())
    assert episode.spaces.solver.action.components == (Discrete("action", ("0", "1", "2")),)
    assert episode.movement[:, 0, 0].tolist() == [0, 2, 1] and set(episode.setter_text) == {"play robot"}


def _image(**said: Any) -> dict[str, Any]:
    image = {"dtype": "uint8", "encodingFormat": "png", "shape": {"dimensions": ["4", "4", "3"]}}
    return {"pythonClassName": "x.Image", "image": image | said}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("steps/reward", {"pythonClassName": "x.Unheard"}),
        (WRIST, _image(dtype="uint16")),
        (WRIST, _image(shape={"dimensions": ["-1", "-1", "3"]})),
    ],
)
def test_columns_of_types_that_are_not_read_are_left_out_and_named(
    path: str, said: dict[str, Any], tmp_path: Path
) -> None:
    folder = _write(tmp_path / "in", _robot(5, **({WRIST: None} if path != WRIST else {})))
    whole = json.loads((folder / FEATURES_FILE).read_text())
    place = whole["featuresDict"]["features"]["steps"]["sequence"]["feature"]
    *folders, name = path.split("/")[1:]
    for each in folders:
        place = place["featuresDict"]["features"][each]
    place["featuresDict"]["features"][name] = said
    (folder / FEATURES_FILE).write_text(json.dumps(whole))
    reported, (episode,) = imported(folder, RldsImport())
    assert reported.notes == (f"left out: {path}, whose types are not read",) and len(episode) == 4


def test_a_palette_and_black_and_white_are_colours_and_grey() -> None:
    shades = Image.fromarray(np.arange(72, dtype=np.uint8).reshape(8, 9) * 3)
    for made, mode in ((shades.convert("1"), "L"), (shades.convert("RGB").quantize(8), "RGB")):
        file = io.BytesIO()
        made.save(file, "PNG")
        expected = np.asarray(made.convert(mode))
        assert np.array_equal(picture(file.getvalue(), expected.shape, "here"), expected)


# Bad input


def test_a_second_picture_and_parts_that_are_not_there_are_refused(tmp_path: Path) -> None:
    folder = _write(tmp_path / "in", _robot())
    refused(folder, RldsImport(), "second image")
    refused(folder, RldsImport(leave_out=("camera",)), "'camera'", "wrist")


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        (INFO_FILE, lambda said: said.update(fileFormat="array_record"), ("array_record", "tfrecord")),
        (INFO_FILE, lambda said: said.update(name="../../secret"), ("name of a file",)),
        (INFO_FILE, lambda said: said["splits"][0].update(filepathTemplate="/etc/passwd"), ("name of a file",)),
        (INFO_FILE, lambda said: said["splits"][0].update(shardLengths=["3"]), ("1 examples", "3")),
        (INFO_FILE, lambda said: said["splits"][0].update(shardLengths=["1", "1"]), ("cannot be read",)),
        (INFO_FILE, lambda said: said["splits"][0].update(shardLengths="x"), ("damaged",)),
        (INFO_FILE, lambda said: said.pop("splits"), ("damaged", "splits")),
        (INFO_FILE, lambda said: said.update(splits=[]), ("no splits",)),
        (FEATURES_FILE, lambda said: said.pop("featuresDict"), ("4.5",)),
        (FEATURES_FILE, lambda said: said["featuresDict"]["features"].pop("steps"), ("no steps",)),
        (FEATURES_FILE, lambda said: said["featuresDict"].update(features=3), ("damaged",)),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(
    file: str, change: Callable[[Any], None], words: tuple[str, ...], tmp_path: Path
) -> None:
    path = _write(tmp_path / "in", _robot()) / file
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))
    refused(tmp_path / "in", ONE_CAMERA, *words)
    path.write_text("{")
    refused(tmp_path / "in", ONE_CAMERA, file, "cannot be read")
    path.unlink()
    refused(tmp_path / "in", ONE_CAMERA, file, "missing")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"steps/action/arm": np.zeros((4, 2), np.float32)}, "4 and 5 steps"),
        ({"steps/action/arm": np.zeros((5, 2), np.int64)}, "action/arm"),
        ({"steps/action/arm": np.full((5, 2), np.nan, np.float32)}, "actions.arm is nan"),
        ({"steps/observation/state": np.full((5, 3), np.nan, np.float32)}, "nan"),
        ({"steps/observation/state": ["a"] * 5}, "observation/state"),
        ({SEEN: np.zeros((5, 9, 9, 3), np.uint8)}, "9x9 pixels"),
        ({SPOKEN: np.zeros(5)}, "language_instruction"),
    ],
)
def test_columns_of_other_types_are_refused_or_skipped(changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    folder = _write(tmp_path / "in", _robot(), _robot(**changed), _robot(7))
    refused(folder, ONE_CAMERA, words, "--skip-bad")
    reported, episodes = imported(folder, ONE_CAMERA, skip_bad=True)
    assert "example 2" in reported.notes[0] and words in reported.notes[0]
    assert [episode.episode_id for episode in episodes] == ["robot-000000", "robot-000002"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.unlink(), "cannot be read: No such file"),
        (lambda file: file.write_bytes(file.read_bytes()[:-30]), "a record has a wrong length"),
        (lambda file: file.write_bytes(file.read_bytes()[:-20] + bytes(20)), "a record has a wrong checksum"),
        (lambda file: file.write_bytes(b""), "has 0 examples, dataset_info.json says 1"),
    ],
)
def test_a_file_that_is_missing_or_damaged_costs_its_own_episodes(
    change: Callable[[Path], Any], words: str, tmp_path: Path
) -> None:
    folder = _write(tmp_path / "in", _robot(2), _robot(4), _robot(5), file_mb=1e-9)
    change(sorted(folder.glob("*tfrecord*"))[1])
    refused(folder, ONE_CAMERA, words, "--skip-bad")
    reported, episodes = imported(folder, ONE_CAMERA, skip_bad=True)
    assert len(reported.notes) == 1 and words in reported.notes[0]
    assert [episode.episode_id for episode in episodes] == ["robot-000000", "robot-000002"]


def test_a_picture_that_is_none_and_a_missing_column_are_refused(tmp_path: Path) -> None:
    folder = _write(tmp_path / "in", _robot())
    file = folder / "robot-train.tfrecord-00000-of-00001"
    example = from_example(next(read_records(file)), "here")
    deep = io.BytesIO()
    Image.fromarray(np.full((8, 9), 300, np.uint16)).save(deep, "PNG")
    for column, words in (([b"GIF89a"] * 5, "no picture"), ([deep.getvalue()] * 5, "16 bits"), (None, "no column")):
        others = {name: one for name, one in example.items() if name != SEEN}
        file.write_bytes(record_bytes(to_example(others | ({SEEN: column} if column else {}))))
        refused(folder, ONE_CAMERA, words)
    file.write_bytes(record_bytes(b"cos\nsystem\n"))
    refused(folder, ONE_CAMERA, "tf.train.Example")
