"""Curricula narrow the tree until the agent succeeds."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from worlds.errors import UserError
from worlds.school.parameters.curriculum import Curriculum, CurriculumConfig
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.tree import combinations

TREE = tree_of("AELangFeedbackTrainScaffoldingCS")
INTRODUCTIONS = {"No", "Eye_contact", "Ask", "Ask_Eye_contact"}


def formats(curriculum: Curriculum) -> set[tuple[str, str]]:
    """Introductions and help that the curriculum may choose."""
    found = [chosen for chosen, _ in combinations(curriculum.tree)]
    assert {each["Problem"] for each in found} == {"Boxes", "Switches", "Generators", "Levers", "Doors", "Marble"}
    return {(each["Pragmatic_frame_complexity"], each["Scaffolding"]) for each in found}


@pytest.mark.parametrize(("kind", "help_"), [("intro_seq", "N"), ("intro_seq_scaf", "NY")])
def test_the_second_phase_asks_during_eye_contact_without_help(kind: str, help_: str) -> None:
    curriculum = Curriculum(TREE, CurriculumConfig(kind, (0.9,), window=10, minimum_episodes=20))
    assert formats(curriculum) == {(each, help_one) for each in INTRODUCTIONS for help_one in help_}
    for success in outcomes():
        assert curriculum.phase == 1
        curriculum.record(success)
    assert curriculum.phase == 2
    assert formats(curriculum) == {("Ask_Eye_contact", "N")}
    for _ in range(100):
        curriculum.record(True)
    assert curriculum.phase == 2


def outcomes() -> Iterator[bool]:
    """21 episodes, one more than the minimum, of whose latest ten nine succeed."""
    yield from [False] * 11
    yield False
    yield from [True] * 9


def test_a_phase_does_not_end_before_its_minimum_or_below_its_threshold() -> None:
    curriculum = Curriculum(TREE, CurriculumConfig("intro_seq", (0.9,), window=10, minimum_episodes=20))
    for _ in range(20):
        curriculum.record(True)
    assert curriculum.phase == 1 and curriculum.mean_success == 1
    curriculum.record(True)
    assert curriculum.phase == 2 and curriculum.mean_success == curriculum.best_success == 0
    weak = Curriculum(TREE, CurriculumConfig("intro_seq", (0.9,), window=10, minimum_episodes=20))
    for number in range(200):
        weak.record(number % 10 > 1)
    assert weak.phase == 1 and weak.mean_success == weak.best_success == 0.8
    weak.record(False)
    assert weak.mean_success == 0.8 and weak.best_success == 0.8
    for _ in range(3):
        weak.record(False)
    assert weak.mean_success < 0.8 and weak.best_success == 0.8


def test_a_restored_curriculum_continues() -> None:
    config = CurriculumConfig("intro_seq", (0.9,), window=10, minimum_episodes=20)
    first, second = Curriculum(TREE, config), Curriculum(TREE, config)
    for number in range(18):
        first.record(number > 3)
    second.restore(json.loads(json.dumps(first.state())))
    for _ in range(3):
        assert (first.phase, first.mean_success) == (second.phase, second.mean_success)
        first.record(True)
        second.record(True)
    assert first.phase == second.phase == 2 and first.state() == second.state()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "intro_seq", "thresholds": ()}, "needs thresholds"),
        ({"kind": "intro", "thresholds": (0.9,)}, "no curriculum named 'intro'; known: intro_seq, intro_seq_scaf"),
        ({"kind": "intro_seq", "thresholds": (90.0,)}, "a share from 0 to 1, not 90.0"),
        ({"kind": "intro_seq", "thresholds": (0.9,), "window": 0}, "at least 1 episode"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        CurriculumConfig(**settings)  # type: ignore[arg-type]
