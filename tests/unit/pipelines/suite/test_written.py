"""Suites of written scenarios: recorded once, continued and judged as any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.stages.settings.world_config import WorldConfig
from pipelines.suite.judge import JudgeSuiteConfig, judge_suite
from pipelines.suite.make import MakeSuiteConfig, make_suite
from pipelines.suite.play import PlaySuiteConfig, play_suite
from pipelines.suite.request_kinds import INSTRUCTION, QUESTION
from pipelines.suite.scenarios import Suite, load_suite
from pipelines.suite.written import NOTE
from rlhf.store import open_store
from worlds.errors import UserError
from worlds.playhouse.players.scenario_setter import AppendixB
from worlds.playhouse.scenarios.appendix_b import scenarios

LINES = (6, 31, 51, 71)  # an instruction, a question, one to stand somewhere, one for judges
STEPS = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Suite]:
    """A suite of four lines, and the folder in which it is."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AppendixB, "numbers", LINES)
        return folder, make_suite(_config(folder, folder / "suite.json"))


def _config(folder: Path, out: Path, **changes: object) -> MakeSuiteConfig:
    world = WorldConfig(height=12, width=16)
    return MakeSuiteConfig(folder / "play", out, steps=STEPS, collection="appendix-b", world=world, **changes)  # type: ignore[arg-type]


def test_every_line_is_a_scenario_with_its_words_and_kind(made: tuple[Path, Suite]) -> None:
    folder, suite = made
    assert [one.name for one in suite.scenarios] == ["006", "031", "051", "071"]
    assert [one.words for one in suite.scenarios] == [scenarios()[number].words for number in LINES]
    assert [one.kind for one in suite.scenarios] == [INSTRUCTION, QUESTION, INSTRUCTION, INSTRUCTION]
    assert load_suite(folder / "suite.json") == suite
    for one, episode in zip(
        suite.scenarios, open_store(folder / "play").stream([s.episode for s in suite.scenarios]), strict=True
    ):
        checked = [request.task.instruction for request in episode.requests if request.step == one.request_step]
        assert checked == ([] if one.name == "071" else [one.words])
        assert episode.setter_utterance[one.request_step] == one.words
        assert episode.split == "held_out" and episode.notes[NOTE]["number"] == int(one.name)
        assert one.limit >= STEPS and one.step > 1


def test_what_is_recorded_is_kept_and_gives_the_same_suite(
    made: tuple[Path, Suite], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, suite = made
    monkeypatch.setattr(AppendixB, "numbers", LINES)
    monkeypatch.setattr(AppendixB, "pose", None)  # nothing is posed again
    assert make_suite(_config(folder, folder / "again.json")).id == suite.id
    drawn = make_suite(_config(folder, folder / "equal.json", scenarios=2, balance="equal"))
    assert sorted(one.kind for one in drawn.scenarios) == [INSTRUCTION, QUESTION]


def test_continuations_start_at_the_request_and_are_judged_by_its_check(made: tuple[Path, Suite]) -> None:
    folder, suite = made
    agents = {"shown": "perfect", "recorded": "recorded"}
    ids = play_suite(PlaySuiteConfig(folder / "suite.json", None, folder / "sts", agents, continuations=1, slots=4))
    judgements = judge_suite(JudgeSuiteConfig(folder / "sts", wrong=0.0))
    assert len(ids) == 2 * len(LINES) and len(judgements) == 2 * (len(LINES) - 1)  # 71 is for people
    succeeded = {one.episode_id for one in judgements if one.success}
    assert any("-006-shown-" in episode_id for episode_id in succeeded)
    for episode in open_store(folder / "sts").stream(ids):
        about = episode.notes["scenario"]
        chosen = next(one for one in suite.scenarios if one.name == about["name"])
        assert len(episode) == chosen.step + chosen.limit


def test_a_collection_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    config = MakeSuiteConfig(tmp_path / "play", tmp_path / "suite.json", collection="appendix-c")
    with pytest.raises(UserError, match="known: appendix-b"):
        make_suite(config)
