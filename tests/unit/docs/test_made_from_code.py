"""What the site and the pages show of the code is what the code has now: tables, numbers and pictures."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from docs import apartments, appendix_b, differences, playhouse_catalogue, school_rooms, school_tree
from docs.language_tables import modifiers_table, questions_table
from docs.playhouse_catalogue import furniture_table, portrait, rooms_table, things_table
from experiments.engine.config import PLAYER, Arm, ExperimentConfig
from experiments.engine.differences import differing_settings
from pipelines.loops.rounds import LoopConfig
from pipelines.presets import paper
from tests.unit.docs.pages import NEW_KIND, ROOT, site
from worlds.data_files import read_entries
from worlds.household.homes import home
from worlds.household.homes.apartments import APARTMENTS
from worlds.playhouse.games.modifiers import MODIFIERS
from worlds.playhouse.games.prompts import QUESTIONS
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.kinds import ObjectKind
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.settings import PRESETS
from worlds.school.grid.codes import OBJECTS
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import ids
from worlds.school.parameters.names import JOINT_PROBLEMS, PROBLEMS
from worlds.school.parameters.tree import format_tree

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")

# The site


def test_every_page_of_an_experiment_is_in_the_menu() -> None:
    folders = [path.parent for path in (ROOT / "experiments").glob("*/README.md")]
    assert len(folders) >= 6 and all(f"experiments/{folder.name}/README.md" in site().OUTSIDE for folder in folders)
    assert [page for page in site().OUTSIDE.values() if f": {page}\n" not in CONFIG] == []


@pytest.mark.parametrize("page", site().MADE)
def test_tables_that_are_made_from_code_have_their_place_once(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [place for place in site().MADE[page] if text.count(f"<!-- {place} -->\n") != 1] == []
    made = site().made_from_code(page, text)
    assert all("<!-- " + place not in made and table() in made for place, table in site().MADE[page].items())


def test_the_page_of_commands_explains_every_setting() -> None:
    rows = re.findall(r"^\| `--([^`]+)` \| ([^|]+) \| (.*) \|$", site().commands_page(), re.MULTILINE)
    assert len(rows) > 500
    assert [name for name, _, words in rows if not words.strip()] == []


# Tables


@pytest.mark.parametrize("module", [appendix_b, differences], ids=lambda module: module.__name__)
def test_tables_in_pages_are_those_of_the_code(module) -> None:
    page = module.PAGE.read_text(encoding="utf-8")
    assert page == module.written(page), f"run python -m {module.__name__}"


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (rooms_table, ROOM_TYPES),
        (things_table, OBJECT_KINDS),
        (furniture_table, FURNITURE_KINDS),
        (modifiers_table, MODIFIERS),
    ],
)
def test_tables_have_a_row_for_every_name(table, names) -> None:
    rows = table().splitlines()[2:]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == list(names)
    assert table is not modifiers_table or not any(row.endswith("| - |") for row in rows), "each has an example"


def test_every_preset_and_every_question_of_the_paper_is_described() -> None:
    page = playhouse_catalogue.PAGE.read_text(encoding="utf-8")
    assert all(f"| `{name}` | " in page for name in PRESETS)
    assert all(prompt in questions_table() for prompt in QUESTIONS)


def test_the_table_of_the_school_names_every_id_once() -> None:
    named = [each for pattern, _, _ in school_tree.ROWS for each in school_tree.expand(pattern)]
    assert sorted(named) == sorted(ids())


def test_numbers_of_the_schools_objects_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "school.md").read_text(encoding="utf-8")
    section = page.partition("## Observations and actions")[2].partition("Gaze and")[0]
    words: dict[str, str] = {
        "partner": "npc", "remote door": "remotedoor", "box": "lockablebox", "generator": "applegenerator",
        "platform": "generatorplatform", "tee": "marbletee",
    }  # fmt: skip
    found = {words.get(name, name): int(number) for name, number in re.findall(r"([a-z][a-z ]*?) \((\d+)\)", section)}
    assert len(found) == 14 and all(OBJECTS[name] == number for name, number in found.items())


def study_of(stages: LoopConfig) -> ExperimentConfig:
    return ExperimentConfig(
        demonstrations=stages.demonstrations,
        clones={PLAYER: stages.clone},
        play=stages.play,
        mark=stages.mark,
        rewards={"ibt": stages.reward},
        arms={"BC": Arm(), "RL": Arm(reward="ibt", improve=stages.improve), "truth": Arm(improve=stages.improve)},
        evaluate=stages.evaluate,
    )


def test_a_study_with_the_papers_settings_differs_in_nothing_and_each_change_is_one_row() -> None:
    theirs = paper.iterate()
    study = study_of(theirs)
    assert differing_settings("it", study, theirs).rows == ()

    learner = replace(theirs.improve.learner, discount=0.9)
    arms = {**study.arms, "RL": replace(study.arms["RL"], improve=replace(theirs.improve, learner=learner, seed=7))}
    changed = replace(
        study,
        arms=arms,
        demonstrations=replace(theirs.demonstrations, seed=3, slots=1, world=replace(paper.WORLD, height=36)),
        play=replace(theirs.play, players=replace(theirs.play.players, tasks={"go": 2.0})),
        clones={PLAYER: replace(theirs.clone, device="cuda", training=replace(theirs.clone.training, beta1=0.5))},
    )
    assert differing_settings("it", changed, theirs).rows == (
        ("demonstrations", "world.height", "72", "36"),
        ("cloning `bc`", "training.beta1", "0.0", "0.5"),
        ("play", "players.tasks", "32 kinds", "go 2.0"),
        ("`RL`", "learner.discount", "0.96", "0.9"),
    )


# Pictures


@pytest.mark.parametrize("name", APARTMENTS)
def test_pictures_show_the_apartments(name: str) -> None:
    with Image.open(apartments.figure(name)) as picture:
        assert picture.info[apartments.NOTE] == apartments.fingerprint(*home(name)), "run python -m docs.apartments"


def test_the_picture_of_the_schools_tree_shows_that_of_the_code() -> None:
    picture = Image.open(school_tree.FIGURE)
    assert picture.text["Description"] == format_tree(FULL, paper=True)  # type: ignore[attr-defined]
    assert picture.width > 1000


@pytest.mark.parametrize(
    ("path", "pictures"),
    [
        (school_rooms.SEEKING, {kind: school_rooms.seeking for kind in PROBLEMS}),
        (school_rooms.JOINT, {kind: school_rooms.joint for kind in JOINT_PROBLEMS}),
        (school_rooms.GUARDED, {amount: school_rooms.guarded for amount in school_rooms.OBSTACLES}),
    ],
    ids=["seeking", "joint", "guarded"],
)
def test_figures_of_the_school_are_up_to_date(path, pictures) -> None:
    """Rooms are compared, not their names, whose letters depend on the machine's fonts."""
    shown = np.asarray(Image.open(path).convert("RGB"))
    for number, (kind, draw) in enumerate(pictures.items()):
        room = draw(kind)
        side, columns = room.shape[0], school_rooms.COLUMNS
        left = number % columns * (side + school_rooms.GAP)
        top = number // columns * (side + school_rooms.LABEL + school_rooms.GAP) + school_rooms.LABEL
        assert np.array_equal(shown[top : top + side, left : left + side], room), kind


def test_a_kind_of_the_playhouse_is_seen_large_and_small(monkeypatch, tmp_path) -> None:
    (tmp_path / "family.json").write_text(f"{{{NEW_KIND}}}", encoding="utf-8")
    picture = np.asarray(portrait(read_entries(tmp_path / "family.json", ObjectKind)["kite"]))
    drawn = (picture != np.asarray(portrait(ObjectKind("nothing", (0.4, 0.3, 0.3), 0.1, ())))).any(axis=2)
    for i in range(4):
        large, small = drawn[:288, 384 * i : 384 * (i + 1)], drawn[288:, 384 * i : 384 * i + 96]
        assert large.mean() > 0.05 and small.mean() > 0.02, "it is seen from every side"
        assert not large[:, [0, -1]].any(), "and wholly"
    monkeypatch.setattr("sys.argv", ["", "--look", "bed", str(tmp_path / "bed.png")])
    playhouse_catalogue.main()
    assert Image.open(tmp_path / "bed.png").size == (4 * 384, 288 + 72)
