"""`rlhf household check`: a graph's size, its activities, and what was assumed; refusals in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from experiments.watch_and_help.commands.check import HouseholdCheckConfig, check_home
from worlds.errors import UserError
from worlds.household.homes import home
from worlds.household.observing import graph_of


def test_a_graph_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.json"
    graph = graph_of(*home("apartment-4"))
    graph["nodes"][-1]["states"] = ["SHINING"]
    path.write_text(json.dumps(graph))
    check_home(HouseholdCheckConfig(path))
    printed = capsys.readouterr().out
    assert f"home mine: {len(graph['nodes'])} things" in printed
    assert "rooms       livingroom, kitchen, bedroom, bathroom\n" in printed
    assert "activities  setup_table, put_dishwasher, put_fridge, prepare_food\n" in printed  # without a coffee table
    assert "not understood, or assumed:\n  unknown state 'SHINING' is left out" in printed


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read the graph .*No such file"):
        check_home(HouseholdCheckConfig(tmp_path / "none.json"))
    (tmp_path / "text.json").write_text("{nodes}")
    with pytest.raises(UserError, match="is no JSON file"):
        check_home(HouseholdCheckConfig(tmp_path / "text.json"))
    os.mkfifo(tmp_path / "pipe.json")  # which nobody writes
    with pytest.raises(UserError, match="pipe.json is no file"):
        check_home(HouseholdCheckConfig(tmp_path / "pipe.json"))
