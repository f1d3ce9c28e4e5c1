"""A few trials of every group hold, and the command reports trials that broke."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.robustness.bad_settings import BASES, settings, wrong_words
from benchmarks.robustness.commands import fault
from benchmarks.robustness.groups import GROUPS
from benchmarks.robustness.material import Material, make_material
from benchmarks.robustness.outside import digest, make_outside, touched
from benchmarks.robustness.page import BEGIN, END, PAGE, format_table, write_page
from benchmarks.robustness.process import Ended, Forked
from benchmarks.robustness.trial import Group, Outcome, Trial, drawn, run_all, run_trial

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="trials are forks, and look into /proc")

FEW = {"kills": 1, "crash-points": 3, "damaged-folders": 4, "settings": 5}
SEED = 3


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("robustness") / "material")


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_few_trials_of_every_group_hold(group: Group, material: Material, tmp_path: Path) -> None:
    trials = drawn(group, material, SEED, FEW.get(group.name, 7))
    outcomes = [run_trial(group.name, trial, tmp_path / str(number)) for number, trial in enumerate(trials)]
    assert [outcome for outcome in outcomes if outcome.broke is not None] == []


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_draws_are_the_same_for_the_same_seed_and_names_are_unique(group: Group, material: Material) -> None:
    names = [trial.name for trial in drawn(group, material, 0, 10**6)]
    assert len(names) == len(set(names)) >= (group.count or 1)
    few = [trial.name for trial in drawn(group, material, 0, 5)]
    assert few == [trial.name for trial in drawn(group, material, 0, 5)] and len(few) == 5


def test_wrong_words_name_commands_and_settings_that_exist() -> None:
    unknown = {"--no-such-setting", "--preset"}
    named = [(verb, words) for verb, rows in wrong_words().items() if verb for words in rows.values()]
    for verb, words in [*BASES.items(), *named]:
        flags = {word.partition("=")[0] for word in words if word.startswith("--")} - unknown
        assert flags <= {setting.flag for setting in settings(verb)} | {"--data"}, verb


@pytest.mark.parametrize(
    ("ended", "fault_described"),
    [
        (Ended(0, "", ""), None),
        (Ended(1, "", "cloning\nerror: no such thing; name another\n"), None),
        (Ended(1, "", "error: one\nerror: two\n"), "2 lines of error"),
        (Ended(1, "", "Traceback (most recent call last):\n  ...\nKeyError: 'x'\n"), "traceback: KeyError: 'x'"),
        (Ended(-11, "", ""), "killed by signal 11"),
        (Ended(-9, "", "", timed_out=True), "does not end"),
    ],
)
def test_the_end_of_a_command_is_checked(ended: Ended, fault_described: str | None) -> None:
    found = fault(ended)
    assert (found is None) == (fault_described is None)
    assert (fault_described or "") in (found or "")
    assert fault(Ended(0, "", ""), must_fail=True) == "succeeds"


def test_a_change_outside_is_found(tmp_path: Path) -> None:
    outside = make_outside(tmp_path / "outside")
    before = digest(outside)
    assert touched(before, outside) is None
    (outside / "secret").write_bytes(b"")
    assert touched(before, outside) == "outside the dataset secret was changed"
    (outside / "secret").unlink()
    assert touched(before, outside) == "outside the dataset secret was removed"


def test_processes_that_outlive_their_parent_are_found_and_killed(tmp_path: Path) -> None:
    def work() -> int:
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "600"])
        return 0

    process = Forked(work, tmp_path)
    assert process.wait(60.0).status == 0
    assert len(process.left()) == 1
    process.kill_session()
    assert process.left_after(60.0) == []


def test_trials_that_break_or_raise_differ_from_those_that_hold(tmp_path: Path) -> None:
    def raises(folder: Path) -> str | None:
        raise ValueError("of ours")

    trials = [Trial("holds", lambda folder: None), Trial("breaks", lambda folder: "lost"), Trial("raises", raises)]
    outcomes = run_all([("group", trial) for trial in trials], tmp_path, jobs=2)
    assert [outcome.trial for outcome in outcomes] == ["holds", "breaks", "raises"]
    assert [outcome.broke for outcome in outcomes[:2]] == [None, "lost"]
    assert (outcomes[2].broke or "").startswith("ValueError: of ours (test_robustness.py:")
    group = Group("group", "tried", "expected", ("promised",), lambda material, rng: trials)
    assert format_table([group], outcomes).splitlines()[1].split()[:3] == ["group", "3", "1"]


def test_the_page_keeps_the_text_around_its_figures(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    group = Group("kills", "something is killed", "nothing is lost", ("Nothing is lost.",), lambda material, rng: [])
    outcomes = [Outcome("kills", "one", None, 1.0), Outcome("kills", "two", "an episode is lost", 2.0)]
    write_page([group], outcomes, "python -m benchmarks.robustness --seed 0", page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"above\n{BEGIN}\n") and text.endswith(f"\n{END}\nbelow\n") and "old" not in text
    assert "| `kills` | 2 | 1 | 3 |" in text and "two: an episode is lost" in text and "- Nothing is lost." in text
    text = PAGE.read_text(encoding="utf-8")
    assert text.index(BEGIN) < text.index(END)
