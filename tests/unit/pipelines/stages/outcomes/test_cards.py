"""What a card says of the data is what was read of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.stages.clone import read_episodes
from pipelines.stages.outcomes.cards import play_imitated, play_used, played_by
from rlhf.records.marks import Mark
from rlhf.store import open_store
from tests.unit.rlhf import tiny_world


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Eight episodes of scripted stand-ins, an agent and two people, some held out, some marked."""
    solvers = ["scripted", "scripted", "agent:clone", "human:ann", "human:ann", "human:bob", "scripted", "scripted"]
    store = open_store(tmp_path / "data", create=True)
    for number, solver in enumerate(solvers):
        episode = replace(tiny_world.record(number, 6 + number), solver=solver)
        store.write(replace(episode, split="held_out" if number == 7 else "train"))
    ids = store.ids()
    store.write_marks([Mark(ids[0], "scripted-rater-0", 2, 1, scripted=True)])
    of_people = (0, "cay", 2, 1), (3, "cay", 3, -1), (7, "dee", 1, -1)
    store.write_marks(Mark(ids[place], rater, step, sign, False) for place, rater, step, sign in of_people)
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("split", "solver", "marked"), [(None, None, False), ("train", "scripted", False), ("train", None, True)]
)
def test_episodes_and_steps_are_those_that_are_read(
    data: Path, split: str | None, solver: str | None, marked: bool
) -> None:
    (source,) = play_used([data], "used", split, solver, marked)
    read = read_episodes([data], split, solver, marked)
    assert (source.episodes, source.steps) == (len(read), sum(map(len, read)))


def test_players_and_raters_are_counted_separately_and_people_not_named(data: Path) -> None:
    (source,) = play_used([data], "used", "train", marked=True)
    assert str(source.solvers) == "scripted (1), 1 person (1)" and str(source.marks) == "scripted (1), 1 person (2)"
    (everything,) = play_used([data], "used")
    assert str(everything.solvers) == "scripted (4), `agent:clone` (1), 2 people (3)"
    assert everything.of_people and everything.marks is None
    assert not any(name in str(everything) + str(source) for name in ("ann", "bob", "cay", "dee"))
    assert str(played_by(["replay:a", "replay:b"])) == "`replay` (2)"
    assert play_used([data], "used", solver="nobody") == ()


def test_several_play_kinds_are_listed_one_by_one(data: Path) -> None:
    sources = play_imitated([data], "imitated", "scripted", {"human": 1, "agent": 0.5})
    assert [(source.use, source.episodes) for source in sources] == [
        ("imitated, as human with weight 1", 3),
        ("imitated, as agent with weight 0.5", 1),
    ]
    assert play_imitated([data], "imitated", "scripted", {}) == play_used([data], "imitated", "train", "scripted")
