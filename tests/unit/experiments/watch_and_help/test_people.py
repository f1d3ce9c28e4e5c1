"""`rlhf household people`: results by helper from the episodes and ratings of a dataset."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.watch_and_help.commands.people import (
    HelpedEpisode,
    HouseholdPeopleConfig,
    helped_episodes,
    report_people,
    results_by_helper,
)
from rlhf.records.preferences import HelperRating
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError


def episode(helper: str, person: str, steps: int, reached: bool, rating: int | None = None) -> HelpedEpisode:
    given = None if rating is None else HelperRating("e", 0, steps, rating, rating, rating, person, False)
    return HelpedEpisode(helper, person, steps, reached, given)


def test_every_person_counts_the_same() -> None:
    played = [
        episode("a", "ann", 40, True, 7), episode("a", "ann", 60, True, 5), episode("a", "bob", 100, True, 2),
        episode("a", "bob", 250, False, None), episode("b", "ann", 80, True, 4),
    ]  # fmt: skip
    found = results_by_helper(played, seed=0)
    assert list(found) == ["a", "b"]
    assert found["a"]["success"].mean == pytest.approx((1.0 + 0.5) / 2) and found["a"]["success"].episodes == 4
    assert found["a"]["steps"].mean == pytest.approx((50 + 100) / 2), "only where the goal was reached"
    assert found["a"]["helpful"].mean == pytest.approx((6 + 2) / 2) and found["a"]["helpful"].episodes == 3
    assert found["a"]["steps"].high == pytest.approx(75 + 12.706204736 * 25), "Student's t of the two people's means"
    assert found["a"]["steps"].low == 0 and (found["a"]["helpful"].low, found["a"]["helpful"].high) == (1, 7)
    assert found["b"]["helpful"].low is None, "nothing can be said of one episode"


def test_what_nobody_did_is_left_out() -> None:
    (row,) = results_by_helper([episode("a", "ann", 250, False)], seed=0).values()
    assert list(row) == ["success"] and row["success"].mean == 0.0


def test_success_of_everybody_is_no_certainty() -> None:
    played = [episode("a", person, 40, True) for person in ("ann", "bob", "cid")]
    success = results_by_helper(played, seed=0)["a"]["success"]
    assert success.mean == 1.0 == success.high and success.low == pytest.approx(0.438, abs=0.001), "Wilson's"
    again = results_by_helper([*played, *played, *played], seed=0)["a"]["success"]
    assert (again.low, again.episodes) == (success.low, 9), "more episodes of the same people are no more people"


def test_ratings_that_are_all_alike_say_nothing_of_other_people() -> None:
    row = results_by_helper([episode("a", person, 40, True, 6) for person in ("ann", "bob")], seed=0)["a"]
    assert row["helpful"].mean == 6.0 and row["helpful"].low is None and row["helpful"].high is None


def dataset(folder: Path) -> Path:
    """Two helped episodes, of which one is rated, a third of another kind, and a rating by somebody else."""
    store = open_store(folder, create=True)
    about = {"kind": "helped", "helper": "nobody", "goal_reached": True}
    for number, notes in enumerate((about, about, {"kind": "human-human"})):
        made = synthetic_episode(number, steps=6)
        store.write(replace(made, setter="human:ann", notes={**made.notes, **notes}))
    first = store.ids()[0]
    rating = HelperRating(first, 0, 6, 7, 6, 5, "ann", False)
    store.write_preferences([rating, replace(rating, rater="bob", helpful=1)])
    return folder


def test_the_table_and_the_file_have_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = dataset(tmp_path / "home")
    found = helped_episodes(open_store(data))
    assert [(one.person, one.rating and one.rating.helpful) for one in found] == [("ann", 6), ("ann", None)]
    report_people(HouseholdPeopleConfig(data, out=tmp_path / "people.json"))
    printed = capsys.readouterr().out
    assert "nobody" in printed and "100%" in printed and "6.0" in printed
    saved = json.loads((tmp_path / "people.json").read_text())
    assert saved["nobody"]["helpful"] == {"mean": 6.0, "low": None, "high": None, "episodes": 1}
    assert saved["nobody"]["steps"]["mean"] == 6.0 and saved["nobody"]["success"]["episodes"] == 2


def test_a_dataset_without_sessions_is_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path / "play", create=True)
    store.write(synthetic_episode(0, steps=6))
    with pytest.raises(UserError, match="has no helped sessions"):
        report_people(HouseholdPeopleConfig(tmp_path / "play"))
