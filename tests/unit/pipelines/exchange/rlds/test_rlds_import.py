"""RLDS datasets of other programs: they are understood, or refused in one line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pipelines.exchange.formats import import_episodes
from pipelines.exchange.pictures import picture
from pipelines.exchange.rlds.features import Feature
from pipelines.exchange.rlds.folder import FEATURES_FILE, INFO_FILE, FolderWriter
from pipelines.exchange.rlds.tfrecord import from_example, read_records, record_bytes, to_example
from pipelines.exchange.settings import RldsImport
from rlhf.records.episode import Episode
from rlhf.store import open_store
from worlds.errors import UserError
from worlds.spaces.action import Continuous, Discrete


def _robot(steps: int = 5, **changed: Any) -> dict[str, Any]:
    """Columns of an episode of a robot."""
    rng = np.random.default_rng(steps)
    return {
        "steps/observation/image": rng.integers(0, 255, (steps, 8, 9, 3)).astype(np.uint8),
        "steps/observation/wrist": rng.integers(0, 255, (steps, 4, 4, 3)).astype(np.uint8),
        "steps/observation/state": rng.normal(size=(steps, 3)).astype(np.float32),
        "steps/action/arm": rng.uniform(-2, 2, (steps, 2)).astype(np.float32),
        "steps/action/grip": np.arange(steps) % 3 - 1,
        "steps/reward": np.eye(steps)[-1].astype(np.float32),
        "steps/is_terminal": np.eye(steps, dtype=np.bool_)[-1],
        "steps/language_instruction": ["pick up the can"] * steps,
    } | changed


def _write(folder: Path, *episodes: Mapping[str, Any], splits: tuple[str, ...] = ()) -> Path:
    folder.mkdir()
    writer = FolderWriter(folder, "robot", 1.0)
    features = {name: Feature.of(column) for name, column in episodes[0].items()}
    for columns, split in zip(episodes, splits or ("train",) * len(episodes), strict=True):
        writer.write(split, to_example({name: _encoded(one) for name, one in columns.items()}))
    writer.finish(features)
    return folder


def _encoded(column: Any) -> Any:
    is_encoded = isinstance(column, list) and isinstance(column[0], bytes)
    return column if is_encoded else Feature.of(column).encode(column)


def _imported(folder: Path, settings: RldsImport) -> list[Episode]:
    import_episodes(folder, folder.parent / "into", "rlds", settings)
    store = open_store(folder.parent / "into")
    assert store.verify() == []
    return [store.read(episode_id) for episode_id in store.ids()]


def test_a_dataset_of_a_robot_is_imported(tmp_path: Path) -> None:
    written = [_robot(5), _robot(7), _robot(4)]
    _write(tmp_path / "in", *written, splits=("train", "train", "val"))
    episodes = _imported(tmp_path / "in", RldsImport(leave_out=("wrist",), solver="human:ann"))
    arm = np.concatenate([one["steps/action/arm"][:-1] for one in written])
    assert episodes[0].declared.solver.action.components == (
        Continuous("arm.0", *(float(side(arm[:, 0])) for side in (np.min, np.max))),
        Continuous("arm.1", *(float(side(arm[:, 1])) for side in (np.min, np.max))),
        Discrete("grip", ("0", "1", "2")),
    )
    for episode, columns, split in zip(episodes, written, ("train", "train", "held_out"), strict=True):
        steps = len(columns["steps/reward"]) - 1  # the last has an observation only
        assert len(episode) == steps and episode.split == split and episode.world == "rlds:robot"
        assert np.array_equal(episode.pictures(), columns["steps/observation/image"][:steps])
        assert np.array_equal(episode.seen["vector"], columns["steps/observation/state"][:steps])
        assert episode.continuous is not None
        assert np.array_equal(episode.continuous[:, 0], columns["steps/action/arm"][:steps])
        assert episode.movement[:, 0, 0].tolist() == (columns["steps/action/grip"][:steps] + 1).tolist()
        assert set(episode.setter_text) == {"pick up the can"} and episode.solver == "human:ann"
        assert episode.notes["terminated"] is True and episode.notes["return"] == 0


@pytest.mark.parametrize("spoken", [True, False])
def test_the_instruction_of_the_steps_comes_before_a_mission(spoken: bool, tmp_path: Path) -> None:
    columns = _robot(4, **{"steps/observation/mission": ["go"] * 4})
    if not spoken:
        del columns["steps/language_instruction"]
    _write(tmp_path / "in", columns)
    (episode,) = _imported(tmp_path / "in", RldsImport(leave_out=("wrist",)))
    assert set(episode.setter_text) == {"pick up the can" if spoken else "go"}


@pytest.mark.parametrize(
    ("texts", "settings", "asked", "note"),
    [
        (("", "put it away", "tidy"), {}, "put it away", "'steps/language_instruction_2' in 1 episode, not"),
        (("", "", ""), {}, "look", "'steps/observation/natural_language_instruction' in 1 episode, not"),
        (("go", "put it away", "tidy"), {}, "go", "'steps/language_instruction' in 1 episode, not"),
        (("go", "put it away", "tidy"), {"instruction_column": "language_instruction_3"}, "tidy", ""),
    ],
)
def test_the_first_instruction_that_says_anything_is_asked_for(
    texts: tuple[str, ...], settings: dict[str, Any], asked: str, note: str, tmp_path: Path
) -> None:
    names = ("language_instruction", "language_instruction_2", "language_instruction_3")
    columns: dict[str, Any] = {f"steps/{name}": [text] * 4 for name, text in zip(names, texts, strict=True)}
    columns["steps/observation/natural_language_instruction"] = ["look"] * 4
    _write(tmp_path / "in", _robot(4, **columns))
    imported = import_episodes(tmp_path / "in", tmp_path / "into", "rlds", RldsImport(leave_out=("wrist",), **settings))
    assert len(imported.notes) == bool(note) and all(note in line for line in imported.notes)
    episode = open_store(tmp_path / "into").read("robot-000000")
    assert set(episode.setter_text) == {asked} and not episode.texts


def test_each_episode_asks_for_what_it_has_and_one_without_words_to_play(tmp_path: Path) -> None:
    second = {"steps/language_instruction": [""] * 4, "steps/language_instruction_2": ["second"] * 4}
    silent = {"steps/language_instruction": [""] * 4, "steps/language_instruction_2": [" "] * 4}
    full = {"steps/language_instruction": ["first"] * 4, "steps/language_instruction_2": ["other"] * 4}
    _write(tmp_path / "in", *(_robot(4, **texts) for texts in (full, second, silent)))
    imported = import_episodes(tmp_path / "in", tmp_path / "into", "rlds", RldsImport(leave_out=("wrist",)))
    store = open_store(tmp_path / "into")
    assert [store.read(name).setter_text[0] for name in store.ids()] == ["first", "second", "play robot"]
    assert "'play robot' in 1 episode" in imported.notes[0]


def test_an_instruction_may_be_said_once_for_an_episode(tmp_path: Path) -> None:
    columns = _robot(4, **{"episode_metadata/language_instruction": ["once"]})
    del columns["steps/language_instruction"]
    _write(tmp_path / "in", columns)
    (episode,) = _imported(tmp_path / "in", RldsImport(leave_out=("wrist",)))
    assert episode.setter_text == ("once",) * 3


def test_the_last_step_may_have_an_action(tmp_path: Path) -> None:
    _write(tmp_path / "in", _robot(5))
    settings = RldsImport(leave_out=("image",), last_step="action", instruction="tidy up")
    (episode,) = _imported(tmp_path / "in", settings)
    assert len(episode) == 5 and episode.notes["return"] == 1 and set(episode.setter_text) == {"tidy up"}


@pytest.mark.parametrize("meaningless", [-1000.0, np.nan])
def test_the_action_of_a_last_step_without_one_counts_for_nothing(meaningless: float, tmp_path: Path) -> None:
    columns = _robot(5)
    arm = columns["steps/action/arm"]
    arm[-1] = meaningless
    _write(tmp_path / "in", columns)
    (episode,) = _imported(tmp_path / "in", RldsImport(leave_out=("wrist",)))
    first, second, _ = episode.declared.solver.action.components
    for part, values in zip((first, second), arm[:-1].T, strict=True):
        assert isinstance(part, Continuous) and (part.low, part.high) == (values.min(), values.max())


def test_observations_and_actions_may_be_single_columns(tmp_path: Path) -> None:
    columns = {"steps/observation": np.zeros((4, 3), np.float32), "steps/action": np.array([3, 5, 4, 3])}
    _write(tmp_path / "in", columns)
    (episode,) = _imported(tmp_path / "in", RldsImport())
    assert episode.declared.solver.action.components == (Discrete("action", ("0", "1", "2")),)
    assert episode.movement[:, 0, 0].tolist() == [0, 2, 1] and set(episode.setter_text) == {"play robot"}


def test_rewards_of_a_type_that_is_not_read_are_left_out_and_named(tmp_path: Path) -> None:
    folder = _write(tmp_path / "in", _robot(5))
    _described(folder, "steps/reward", {"pythonClassName": "x.Unheard"})
    imported = import_episodes(folder, tmp_path / "into", "rlds", RldsImport(leave_out=("wrist",)))
    assert imported.notes == ("left out: steps/reward, whose types are not read",)


@pytest.mark.parametrize("said", [{"dtype": "uint16"}, {"shape": {"dimensions": ["-1", "-1", "3"]}}])
def test_pictures_of_other_types_and_of_no_fixed_size_are_left_out_and_named(
    said: dict[str, Any], tmp_path: Path
) -> None:
    folder = _write(tmp_path / "in", _robot(5))
    image = {"dtype": "uint8", "encodingFormat": "png", "shape": {"dimensions": ["4", "4", "3"]}} | said
    _described(folder, "steps/observation/wrist", {"pythonClassName": "x.Image", "image": image})
    imported = import_episodes(folder, tmp_path / "into", "rlds", RldsImport())
    assert imported.notes == ("left out: steps/observation/wrist, whose types are not read",)
    imported = import_episodes(folder, tmp_path / "other", "rlds", RldsImport(leave_out=("wrist",)))
    assert imported.notes == () and len(open_store(tmp_path / "other").read("robot-000000")) == 4


def test_a_palette_and_black_and_white_are_colours_and_grey() -> None:
    shades = Image.fromarray(np.arange(72, dtype=np.uint8).reshape(8, 9) * 3)
    for made, mode in ((shades.convert("1"), "L"), (shades.convert("RGB").quantize(8), "RGB")):
        file = io.BytesIO()
        made.save(file, "PNG")
        expected = np.asarray(made.convert(mode))
        assert np.array_equal(picture(file.getvalue(), expected.shape, "here"), expected)


def test_an_instruction_among_the_observations_may_be_left_out(tmp_path: Path) -> None:
    columns = _robot(4, **{"steps/observation/instruction": ["tidy up"] * 4})
    del columns["steps/language_instruction"]
    _write(tmp_path / "in", columns)
    (episode,) = _imported(tmp_path / "in", RldsImport(leave_out=("wrist", "instruction")))
    assert set(episode.setter_text) == {"play robot"}


def _described(folder: Path, path: str, said: dict[str, Any]) -> None:
    """Describe a column otherwise in ``features.json``."""
    whole = json.loads((folder / FEATURES_FILE).read_text())
    place = whole["featuresDict"]["features"]["steps"]["sequence"]["feature"]
    *folders, name = path.split("/")[1:]
    for each in folders:
        place = place["featuresDict"]["features"][each]
    place["featuresDict"]["features"][name] = said
    (folder / FEATURES_FILE).write_text(json.dumps(whole))


# Bad input


def _refused(folder: Path, *words: str, settings: RldsImport | None = None) -> None:
    with pytest.raises(UserError) as error:
        import_episodes(folder, folder.parent / "into", "rlds", settings or RldsImport(leave_out=("wrist",)))
    message = str(error.value)
    assert "\n" not in message and len(message) < 500 and all(word in message for word in words), message
    assert not (folder.parent / "into").exists()


def test_a_second_picture_and_parts_that_are_not_there_are_refused(tmp_path: Path) -> None:
    _write(tmp_path / "in", _robot())
    _refused(tmp_path / "in", "second image", settings=RldsImport())
    _refused(tmp_path / "in", "'camera'", "wrist", settings=RldsImport(leave_out=("camera",)))


@pytest.mark.parametrize(
    "file, change, words",
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
    _refused(tmp_path / "in", *words)
    path.write_text("{")
    _refused(tmp_path / "in", file, "cannot be read")
    path.unlink()
    _refused(tmp_path / "in", file, "missing")


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"steps/action/arm": np.zeros((4, 2), np.float32)}, ("4 and 5 steps",)),
        ({"steps/action/arm": np.zeros((5, 2), np.int64)}, ("action/arm",)),
        ({"steps/action/arm": np.full((5, 2), np.nan, np.float32)}, ("actions.arm is nan",)),
        ({"steps/observation/state": np.full((5, 3), np.nan, np.float32)}, ("nan",)),
        ({"steps/observation/state": ["a"] * 5}, ("observation/state", "bytes")),
        ({"steps/observation/image": np.zeros((5, 9, 9, 3), np.uint8)}, ("9x9 pixels",)),
        ({"steps/language_instruction": np.zeros(5)}, ("language_instruction",)),
    ],
)
def test_columns_of_other_types_are_refused_or_skipped(
    changed: dict[str, Any], words: tuple[str, ...], tmp_path: Path
) -> None:
    _write(tmp_path / "in", _robot(), _robot(**changed), _robot(7))
    _refused(tmp_path / "in", *words, "--skip-bad")
    settings = RldsImport(leave_out=("wrist",))
    imported = import_episodes(tmp_path / "in", tmp_path / "into", "rlds", settings, skip_bad=True)
    assert imported.steps == 4 + 6 and "example 2" in imported.notes[0] and words[0] in imported.notes[0]
    assert open_store(tmp_path / "into").ids() == ["robot-000000", "robot-000002"]


def _three_files(folder: Path) -> list[Path]:
    """Write a dataset of three files with an episode each."""
    folder.mkdir()
    writer = FolderWriter(folder, "robot", 1e-9)
    for steps in (2, 4, 5):
        columns = _robot(steps)
        writer.write("train", to_example({name: _encoded(one) for name, one in columns.items()}))
    writer.finish({name: Feature.of(column) for name, column in _robot().items()})
    return sorted(folder.glob("*tfrecord*"))


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
    change(_three_files(tmp_path / "in")[1])
    _refused(tmp_path / "in", words, "--skip-bad")
    settings = RldsImport(leave_out=("wrist",))
    imported = import_episodes(tmp_path / "in", tmp_path / "into", "rlds", settings, skip_bad=True)
    assert imported.steps == 1 + 4 and len(imported.notes) == 1 and words in imported.notes[0]
    assert open_store(tmp_path / "into").ids() == ["robot-000000", "robot-000002"]


def test_a_picture_that_is_none_and_a_missing_column_are_refused(tmp_path: Path) -> None:
    folder = _write(tmp_path / "in", _robot())
    file = folder / "robot-train.tfrecord-00000-of-00001"
    example = from_example(next(read_records(file)), "here")
    deep = io.BytesIO()
    Image.fromarray(np.full((8, 9), 300, np.uint16)).save(deep, "PNG")
    bad = (([b"GIF89a"] * 5, "no picture"), ([deep.getvalue()] * 5, "16 bits"))
    for column, words in (*bad, (None, "no column steps/observation/image")):
        changed = {name: one for name, one in example.items() if name != "steps/observation/image"}
        changed |= {} if column is None else {"steps/observation/image": column}
        file.write_bytes(record_bytes(to_example(changed)))
        _refused(folder, words)
    file.write_bytes(record_bytes(b"cos\nsystem\n"))
    _refused(folder, "tf.train.Example")
