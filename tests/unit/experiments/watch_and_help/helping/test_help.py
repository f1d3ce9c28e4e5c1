"""The help stage: episodes that are played once, and their tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.watch_and_help.helping.episodes import HelpEpisode, episodes_file, save_episodes, times_undone
from experiments.watch_and_help.helping.methods import ALONE, METHODS
from experiments.watch_and_help.helping.part import HelpSettings, section, stages
from experiments.watch_and_help.helping.results import Results, write_results
from experiments.watch_and_help.inferred_goals import save_goals, save_posteriors
from tests.unit.experiments.carrying_out import carry_out
from worlds.household.players.demonstrations import Demonstration
from worlds.household.rules.joint import WAITING
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.benchmark import task


def episode(number: int, steps: int, success: bool = True, undone: int = 0) -> HelpEpisode:
    return HelpEpisode(f"test_1/put_fridge-{number}", ("put_fridge",), 0, success, steps, (0, 0), undone)


def test_helpers_play_every_task_once_and_hp_waits_for_inferred_goals(tmp_path: Path) -> None:
    few = HelpSettings(1, (40,), ("test_1",), {name: METHODS[name] for name in (ALONE, "HP", "HP, true goal")})
    carry_out(stages, tmp_path, few)
    played = Results.load(tmp_path).episodes["test_1"]
    assert list(played) == [ALONE, "HP, true goal"]
    assert played[ALONE][0].success and played["HP, true goal"][0].steps < played[ALONE][0].steps
    assert "| HP, true goal | 100.0% ± 0.0 | 97.3% |" in section(tmp_path)

    path = episodes_file(tmp_path, 0, "test_1", ALONE, 0)
    before = path.stat().st_mtime_ns
    one = task("test_1", 40)
    save_goals(tmp_path, 0, "test_1", {one.name: one.goal})
    carry_out(stages, tmp_path, few)
    assert path.stat().st_mtime_ns == before
    assert list(Results.load(tmp_path).episodes["test_1"]) == [ALONE, "HP", "HP, true goal"]


def test_speedup_reward_and_undone_things_are_as_published(tmp_path: Path) -> None:
    save_episodes(
        episodes_file(tmp_path, 0, "test_1", ALONE, 0),
        [episode(0, 100), episode(1, 250, success=False), episode(2, 100)],
    )
    save_episodes(episodes_file(tmp_path, 0, "test_1", ALONE, 1), [episode(0, 150), episode(1, 200)])
    helped = [episode(0, 50, undone=2), episode(1, 250, success=False), episode(2, 200)]
    save_episodes(episodes_file(tmp_path, 0, "test_1", "Random", 0), helped)
    results = Results.load(tmp_path)

    def mean(measure: str) -> float:
        found = results.measured("test_1", "Random", measure)
        assert found is not None
        return found.mean

    # The paper's, not clipped: a failure takes all steps, and a helper may be in the way.
    assert mean("speedup") == pytest.approx(((125 / 50 - 1) + (225 / 250 - 1) + (100 / 200 - 1)) / 3)
    assert mean("reward") == pytest.approx((1 - 50 / 250 - 1 + 1 - 200 / 250) / 3)
    assert (mean("success"), mean("undone")) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert "published, clipped" in results.overview("test_1").head
    write_results(tmp_path)
    names = {path.name for path in (tmp_path / "help").glob("*.*")}
    assert names == {"table.md", "table.json", "test_1-activities.png", "test_1-speedup.png"}


def test_a_thing_counts_as_undone_if_the_helper_took_it() -> None:
    grabs = (Verb.GRAB, 5, Held.RIGHT_HAND)
    acts = [(WAITING, grabs), (grabs, WAITING), (WAITING, grabs)]
    played = Demonstration(False, 3, acts, [("", "")] * 3, [], [], satisfied=[1, 0, 0])
    assert times_undone(played) == 0  # Alice took it herself
    assert times_undone(Demonstration(False, 3, acts, [("", "")] * 3, [], [], satisfied=[1, 1, 0])) == 1


def test_a_helper_that_watched_half_and_asks_needs_the_posterior(tmp_path: Path) -> None:
    names = ("HP", "HP, half watched", "HP, half watched, asking")
    few = HelpSettings(1, (40,), ("test_1",), {name: METHODS[name] for name in (ALONE, *names)})
    one = task("test_1", 40)
    save_goals(tmp_path, 0, "test_1", {one.name: one.goal})
    carry_out(stages, tmp_path, few)
    assert list(Results.load(tmp_path).episodes["test_1"]) == [ALONE, "HP"]

    unsure = {text: [0.6, 0.3, 0.1] for text in one.goal}
    save_posteriors(tmp_path, 0, "test_1", {"0.5": {one.name: unsure}})
    carry_out(stages, tmp_path, few)
    played = Results.load(tmp_path).episodes["test_1"]
    asked = [text for text in one.goal if text.startswith(("on_", "inside_"))]
    assert [played[name][0].questions for name in names] == [0, 0, len(asked)]
    assert played["HP, half watched, asking"][0].steps < played["HP, half watched"][0].steps
    assert "| 50% | yes | 100.0% ± 0.0 |" in section(tmp_path)
