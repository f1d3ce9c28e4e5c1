"""`rlhf language-model mark`: marks beside those of others, resumed without asking twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agents.language_models.calls import read_calls
from pipelines.cli.main import main
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.store import open_store
from tests.unit.agents.language_models.tiny_model import completion, service
from worlds.foreign_code.trust import permit

WORLD = WorldConfig(str(Path(__file__).with_name("corridor.py")))
permit([str(WORLD.name)])


def sharp(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """Give + where what was asked for has just been reached."""
    *_, before, now = ["", *body["prompt"].rpartition("Now:\n")[::2]]
    asked = re.search(r"go to the (\w+)", now)
    reached = asked is not None and f"{asked[1]} here" in now
    was = asked is not None and f"{asked[1]} here" in before.rpartition("Obs:\n")[2]
    return completion("+" if reached and not was else "0")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    record(RecordConfig(data=tmp_path / "data", episodes=12, steps=20, workers=1, world=WORLD, held_out=0.0))
    mark(MarkConfig(data=tmp_path / "data", delay=0.0, delay_sd=0.0, miss=0.0, mistake=0.0))
    return tmp_path / "data"


def test_a_model_rates_and_agrees_with_who_sees_the_same(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rater"
    words = ["language-model", "mark", "--data", str(data), "--out", str(out), "--model.name", "m"]
    words += ["--examples-of", "scripted-rater-0", "--examples", "3", "--tolerance", "1"]
    with service(sharp) as address:
        capped = [*words, "--model.address", address, "--budget.calls", "40"]
        assert main(capped) == 1
        assert "the budget of 40 calls is spent" in capsys.readouterr().err
        asked = len(read_calls(out / "calls.jsonl"))
        assert 0 < asked <= 40
        assert main([*words, "--model.address", address]) == 0
        printed = capsys.readouterr().err
        rows = read_calls(out / "calls.jsonl")
        assert main([*words, "--model.address", address]) == 0
        assert len(read_calls(out / "calls.jsonl")) == len(rows)  # nothing is asked for twice
    assert len({(row["episode"], row["step"]) for row in rows}) == len(rows) > asked
    store = open_store(data)
    given = [one for one in store.marks() if one.rater == "language-model"]
    assert given and all(one.scripted and one.sign == 1 for one in given)
    (pair,) = json.loads((out / "agreement.json").read_text())
    assert pair["raters"] == ["language-model", "scripted-rater-0"] and 9 <= pair["episodes"] < 12
    assert pair["episodes"] == len({row["episode"] for row in rows})  # none of them is an example's
    assert pair["sign"]["value"] == 1.0 and pair["whether"]["value"] > 0.8 > pair["whether"]["chance"]
    assert "agreement with scripted-rater-0 in" in printed
    shown = {row["prompt"].count("Sign: ") for row in rows}
    assert shown == {3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--examples-of", "ann"], "has no marks of ann; raters: scripted-rater-0"),
        (["--name", "scripted-rater-0"], "has marks of a rater scripted-rater-0 already"),
        (["--solver", "human"], "has no episode to mark"),
        (["--every", "0"], "--every is at least 1"),
    ],
)
def test_wrong_settings_are_one_line(
    words: list[str], message: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    model = ["--model.address", "http://localhost:9/v1", "--model.name", "m"]
    command = ["language-model", "mark", "--data", str(data), "--out", str(tmp_path / "rater"), *model, *words]
    assert main(command) in (1, 2)
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line]
    assert line.startswith("error: ") and message in line


def test_other_prompts_need_another_folder(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with service(sharp) as address:
        words = ["language-model", "mark", "--data", str(data), "--out", str(tmp_path / "rater"), "--model.name", "m"]
        words += ["--model.address", address, "--episodes", "2"]
        assert main(words) == 0
        assert main([*words, "--prompt.history", "1"]) == 1
    assert "holds the answers of another rater, or to other prompts" in capsys.readouterr().err
