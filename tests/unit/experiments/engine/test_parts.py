"""Results of several experiments: which parts are run, and the tables of all that were ever run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from experiments.babyai import experiment as babyai
from experiments.engine.config import ExperimentConfig, results_of
from experiments.engine.declaration import ReproduceConfig, experiments
from experiments.engine.parts import choose_parts, placed, with_all_seeds, write_overview
from experiments.engine.reproduce import reproduce
from experiments.engine.results_docs import read_tables
from pipelines.stages.evaluate import ProbeResult
from rlhf.records.json_records import from_json, to_json
from rlhf.run.setting_forms import Result
from worlds.errors import UserError


def played(config: ExperimentConfig, arm: str, seed: int, successes: int) -> None:
    """Outcomes as an evaluation writes them, made up: the first of 40 missions succeed."""
    path = results_of(config, arm, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    wins = (True,) * successes + (False,) * (40 - successes)
    path.write_text(json.dumps([asdict(ProbeResult(arm, "mission", tuple(range(40)), wins, (None,) * 40))]))


def test_every_part_of_babyai_can_be_written_and_read_back() -> None:
    parts = babyai.parts()
    assert "babyai" in experiments() and len(parts) == 4 * 2 * 4
    for name, config in parts.items():
        assert from_json(ExperimentConfig, to_json(config)) == config
        assert name.endswith(f"/{config.demonstrations.episodes}")
        assert ("BC+RL (IBT)" in config.arms) == name.endswith("/1000")


def test_parts_are_chosen_by_whole_words() -> None:
    parts = babyai.parts()
    assert choose_parts(parts, ()) == parts
    assert set(choose_parts(parts, ["GoToObj/grid"])) == {f"GoToObj/grid/{n}" for n in babyai.UPDATES}
    assert set(choose_parts(parts, ["GoToObj/grid/1000", "PickupLoc/pictures/5000"])) == {
        "GoToObj/grid/1000", "PickupLoc/pictures/5000",
    }  # fmt: skip
    for wrong in ("GoToO", "GoToObj/grid/1000/0", "pictures"):
        with pytest.raises(UserError, match="no part .*; known: GoToObj/grid/1000, "):
            choose_parts(parts, [wrong])


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("probes", {"parts": ("GoToObj",)}, "probes has no parts: leave out --parts"),
        ("probes", {"source": Path("files")}, "probes needs no files of others: leave out --source"),
        ("babyai", {"source": Path("files")}, "babyai needs no files of others: leave out --source"),
        ("demo", {"arms": ("BC",)}, "demo does not compare several agents: leave out --arms"),
        ("door", {"docs": True}, "door writes no tables into the pages: leave out --docs"),
        ("door", {}, "door is learned from published files: name their folder with --source"),
        ("judged", {}, "judged begins with the agents of `rlhf reproduce plateau`: name their folder with --source"),
        ("judged", {"episodes": 50}, "judged has its own numbers of episodes: leave out --episodes"),
        ("rounds", {"device": "cuda"}, "rounds chooses its own devices: leave out --device"),
        ("rounds", {"parts": ("one",)}, "rounds has no parts: leave out --parts"),
        ("school", {"arms": ("BC",)}, "school does not compare several agents: leave out --arms"),
    ],
)
def test_a_result_refuses_what_it_would_ignore(tmp_path: Path, name: Result, settings: dict, told: str) -> None:
    with pytest.raises(UserError, match=f"^{told}$"):
        reproduce(ReproduceConfig(name, runs=tmp_path, **settings))
    assert not list(tmp_path.iterdir())


def test_the_tables_hold_every_part_and_every_seed_that_was_run(tmp_path: Path) -> None:
    chosen = {name: part for name, part in babyai.parts().items() if name.startswith(("GoToObj", "GoToLocal/grid"))}
    parts = placed(chosen, tmp_path, [5], 40, None)
    few, many = parts["GoToObj/grid/1000"], parts["GoToObj/grid/5000"]
    for seed, successes in ((0, 20), (1, 30)):
        played(few, "BC", seed, successes)
        played(few, "BC+RL (IBT)", seed, successes + 10)
    played(many, "BC", 5, 38)
    assert with_all_seeds(few).seeds == (0, 1) and with_all_seeds(parts["GoToObj/grid/20000"]).seeds == (5,)
    page = write_overview({name: with_all_seeds(part) for name, part in parts.items()}, tmp_path, "babyai")
    by_count, compared = read_tables(page.read_text())
    assert by_count.head == ("", *(f"{count:,} demonstrations" for count in babyai.UPDATES))
    rows = {row[0]: row[1:] for row in by_count.rows}
    assert list(rows) == ["GoToObj, grid", "GoToLocal, grid", "GoToObj, pictures"]
    assert rows["GoToObj, grid"][0].startswith("62 (") and rows["GoToObj, grid"][0].endswith("), 2 seeds")
    assert rows["GoToObj, grid"][1].startswith("95 (") and rows["GoToObj, grid"][1].endswith("), 1 seed")
    assert set(rows["GoToObj, pictures"]) == set(rows["GoToLocal, grid"]) == {"not run"}
    (line,) = compared.rows
    cells = dict(zip(compared.head, line, strict=True))
    assert cells[""] == "GoToObj, grid, 1000" and cells["BC"] == "62"
    assert cells["BC+RL (IBT)"].startswith("88: **+25 (") and cells["demonstrator"] == "not run"
