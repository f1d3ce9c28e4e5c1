"""The experiment of people's games of Overcooked-AI, on made-up ones: what is learned, what is kept, and the tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.overcooked.experiment import plan_overcooked
from experiments.overcooked.learning import CLONING, REWARD, area, clone_and_measure, divide
from experiments.overcooked.recordings import FILES
from rlhf.run.config import lock_run
from rlhf.store import open_store
from tests.unit.experiments.overcooked.made_games import kitchen_games, write_pickle
from worlds.errors import UserError

FEW = replace(CLONING, updates=60, batch=4, learning_rate=3e-3, warmup=1, evaluate_every=20)
REWARDS = replace(REWARD, updates=30, batch=4, learning_rate=6e-3, warmup=1, bc_weight=0.0)


def files(folder: Path, train: tuple[int, ...] = (2, 3, 4)) -> Path:
    folder.mkdir()
    write_pickle(folder / FILES["train"], kitchen_games(train, 80, cycle=40))
    write_pickle(folder / FILES["held_out"], kitchen_games((1,), 120, cycle=40))
    return folder


def rows(tables: str, kitchen: str) -> list[list[str]]:
    """Return the cells of the kitchen's row in every table that has one."""
    lines = [line for line in tables.splitlines() if line.startswith(f"| {kitchen} |")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_study_predicts_people_separates_deliveries_and_keeps_results(tmp_path: Path) -> None:
    source, run = files(tmp_path / "files"), tmp_path / "run"
    tables = plan_overcooked(source, run, (0,), FEW, REWARDS).carry_out().read_text()
    (_, _, _, stay, ours, _, acting), (_, _, frequencies, loss, _) = rows(tables, "cramped room")[:2]
    assert float(stay) == pytest.approx(7 / 12, abs=1e-3)  # one player always, the other at one step of six
    assert float(ours) > 0.95 and float(acting) > 0.9 and float(loss) < float(frequencies)
    ((_, deliveries, _, found, _),) = rows(tables, "all")
    assert deliveries == "4" and float(found) > 0.9  # a soup at steps 39 and 79, seen by either player
    made = (run / "seed-0" / "clone-cramped_room.json").stat().st_mtime_ns
    assert plan_overcooked(source, run, (0,), FEW, REWARDS).carry_out().read_text() == tables
    assert (run / "seed-0" / "clone-cramped_room.json").stat().st_mtime_ns == made
    with pytest.raises(UserError, match=r"cloning.updates is .* a folder of its own with --runs"):
        plan_overcooked(source, run, (0,), replace(FEW, updates=FEW.updates + 1), REWARDS).carry_out()
    with lock_run(run), pytest.raises(UserError, match="is being written by"):
        plan_overcooked(source, run, (0,), FEW, REWARDS).carry_out()


def test_validation_is_one_pair_of_people_and_the_test_file_is_not_learned_from(tmp_path: Path) -> None:
    source, run = files(tmp_path / "files"), tmp_path / "run"
    nothing = replace(FEW, updates=1)
    plan_overcooked(source, run, (), nothing, REWARDS).carry_out()
    store = open_store(run / "play")
    episodes = [store.read(name) for name in store.ids()]
    play = divide(episodes, 1)
    pairs = [{each.episode_id.split("-")[2] for each in part} for part in (play.train, play.validation, play.test)]
    assert [len(part) for part in (play.train, play.validation, play.test)] == [4, 2, 2]
    assert len(pairs[1]) == 1 and not pairs[0] & pairs[1] and pairs[2] == {"01"}
    assert {frozenset(each.episode_id for each in divide(episodes, seed).validation) for seed in range(20)} == {
        frozenset({f"cramped_room-train-{pair:02d}-{player}" for player in (0, 1)}) for pair in (2, 3, 4)
    }
    one, other = (clone_and_measure("cramped_room", play, seed, nothing) for seed in (3, 3))
    assert one == other and one.decisions == 240 and one.updates == 1


def test_area_counts_ties_as_half() -> None:
    assert area(np.array([2.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx((1 + 0.75) / 2)
