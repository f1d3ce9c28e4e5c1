"""`rlhf household tasks`: the same files from the same seed, each line a task or a place."""

from __future__ import annotations

import json
from pathlib import Path

from experiments.watch_and_help.commands.tasks import HouseholdTasksConfig, write_tasks
from worlds.household.homes.placing import place
from worlds.household.tasks.progress import progress
from worlds.household.tasks.splits import goals_of


def _config(folder: Path, seed: int = 0) -> HouseholdTasksConfig:
    return HouseholdTasksConfig(folder, seed, 2, 3, 2, 1)


def test_tasks_and_demonstrations_of_all_splits_are_written(tmp_path: Path) -> None:
    folder = write_tasks(_config(tmp_path / "tasks"))
    lines = {path.name: path.read_text().splitlines() for path in sorted(folder.iterdir())}
    assert {name: len(each) for name, each in lines.items()} == {
        "train.jsonl": 2, "test_1.jsonl": 2, "test_2.jsonl": 2,
        "train_demonstrations.jsonl": 3, "test_1_demonstrations.jsonl": 2, "test_2_demonstrations.jsonl": 1,
    }  # fmt: skip
    task = json.loads(lines["test_2.jsonl"][1])
    assert task["name"] == f"test_2/{goals_of('test_2')[1].name}"
    for config in (task["watch"], task["help"], json.loads(lines["train_demonstrations.jsonl"][2])["config"]):
        home, state = place(config)
        assert not any(progress(home, state, config["task"]["goal"], home.persons[0]).values())


def test_a_seed_gives_the_same_files_and_another_gives_others(tmp_path: Path) -> None:
    first, again, other = (
        write_tasks(_config(tmp_path / name, seed)) for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )  # fmt: skip
    for path in first.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes()
        assert path.read_bytes() != (other / path.name).read_bytes()
