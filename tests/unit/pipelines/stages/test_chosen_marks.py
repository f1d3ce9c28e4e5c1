"""A reward model learns from the raters who were chosen, and mixes people and scripts only when asked to."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.stages.chosen_marks import choose_marks, describe_raters
from pipelines.stages.reward import RewardConfig, reward
from rlhf.records.marks import Mark
from rlhf.store import open_store
from tests.unit.pipelines.stages.test_reward_resume import settings  # noqa: F401  # a fixture
from worlds.errors import UserError


def marks(rater: str, count: int, scripted: bool) -> list[Mark]:
    return [Mark("e", rater, step, 1, scripted) for step in range(1, count + 1)]


GIVEN = [*marks("ann", 3, False), *marks("bob", 1, False), *marks("scripted-rater-0", 2, True)]


@pytest.mark.parametrize(
    ("raters", "kept"),
    [
        ((), {"ann", "bob", "scripted-rater-0"}),
        (("people",), {"ann", "bob"}),
        (("scripted",), {"scripted-rater-0"}),
        (("bob",), {"bob"}),
        (("bob", "scripted"), {"bob", "scripted-rater-0"}),
    ],
)
def test_raters_are_chosen_by_group_or_by_name(raters: tuple[str, ...], kept: set[str]) -> None:
    assert {mark.rater for mark in choose_marks(GIVEN, raters)} == kept


def test_they_are_counted_by_group() -> None:
    assert describe_raters(GIVEN) == "4 marks by 2 people and 2 marks by 1 scripted rater"
    assert describe_raters(marks("ann", 1, False)) == "1 mark by 1 person"


@pytest.fixture
def mixed(settings: RewardConfig, tmp_path: Path) -> RewardConfig:  # noqa: F811
    """The same training on play that a person has marked, too."""
    store = open_store(tmp_path / "data", create=True)
    theirs = open_store(settings.data[0])
    for episode in theirs.stream(theirs.ids()):
        store.write(episode)
    store.write_marks(theirs.marks())
    store.write_marks(Mark(name, "eve", 4, 1 if place % 2 else -1, False) for place, name in enumerate(store.ids()))
    return replace(settings, data=(store.folder,), runs=tmp_path)


def test_people_and_scripts_are_mixed_only_when_asked_to(
    mixed: RewardConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError, match="8 marks by 1 person and 20 marks by 2 scripted raters.*--mix-raters"):
        reward(replace(mixed, name="unasked"))
    assert not (mixed.runs / "unasked").exists()
    reward(replace(mixed, name="both", mix_raters=True))
    assert re.search("learning from 6 marks by 1 person and 1[0-9] marks by 2 scripted raters", capsys.readouterr().err)


def test_only_marks_of_the_chosen_raters_are_learned(mixed: RewardConfig, capsys: pytest.CaptureFixture[str]) -> None:
    made = reward(replace(mixed, name="people", raters=("people",)))
    assert "learning from 6 marks by 1 person\n" in capsys.readouterr().err
    assert "1 person (8)" in (made / "README.md").read_text()
    with pytest.raises(UserError, match="raters: no marks by zoe; there are 8 marks by 1 person"):
        reward(replace(mixed, name="zoe", raters=("zoe",)))


def test_a_training_of_chosen_raters_is_resumed_with_them(mixed: RewardConfig) -> None:
    reward(replace(mixed, name="people", raters=("people",)))
    run = mixed.runs / "people"
    with pytest.raises(UserError, match="raters is"):
        reward(replace(mixed, name="people", resume=run))
    assert reward(replace(mixed, name="people", resume=run, raters=("people",))) == run / "reward_model"
