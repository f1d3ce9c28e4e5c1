"""A language model is made into an agent, evaluated and recorded as any other, and its calls are kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.folder import load_agent
from agents.language_models.calls import read_calls
from agents.language_models.folder import load_language_model
from pipelines.cli.main import main
from pipelines.stages.evaluate import EvaluateConfig, evaluate, load_results
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.store import open_store
from tests import small_worlds
from tests.unit.agents.language_models.tiny_model import completion, make_model, service
from worlds.errors import UserError
from worlds.foreign_code.trust import permit

WORLD = WorldConfig(str(Path(__file__).with_name("corridor.py")))
permit([str(WORLD.name)])
_ASKED = re.compile(r'you hear: "go to the (\w+)"')


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("play") / "data"
    players = PlayersConfig(solver={"wrong": 0.0, "error": 0.0})
    record(RecordConfig(data=folder, episodes=6, steps=20, tail=0, workers=1, world=WORLD, players=players))
    return folder


def obedient(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """Go where the last step of the prompt says that the thing is, if one has been asked for."""
    present = body["prompt"].rpartition("Obs:")[2]
    asked = _ASKED.findall(present)
    if not asked:
        return completion("stay")
    (side,) = re.findall(rf"{asked[0]} (to the left|to the right|here)", present)
    return completion({"to the left": " turn left", "to the right": " right", "here": "stay"}[side])


def make(out: Path, *words: str) -> int:
    return main(["language-model", "make", "--out", str(out), *words])


def test_a_model_behind_an_address_is_evaluated_as_an_agent(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with service(obedient) as address:
        made = make(
            tmp_path / "lm", "--model.address", address, "--model.name", "m", "--data", str(data), "--examples", "2"
        )
        assert made == 0
        config = EvaluateConfig(
            agents={"lm": str(tmp_path / "lm"), "all": "perfect"}, episodes=5, slots=2, out=tmp_path / "r.json"
        )
        results = {result.agent: result for result in evaluate(config)}
    assert results["lm"].success == results["all"].success == (True,) * 5
    assert results["lm"].steps == results["all"].steps
    rows = read_calls(tmp_path / "r.lm.calls.jsonl")
    steps = [step + 1 for step in results["lm"].steps if step is not None]
    assert len(rows) == sum(steps)  # an idle slot costs nothing
    assert f"the language model: {len(rows)} calls" in capsys.readouterr().err
    by_episode: dict[str, list[int]] = {}
    for row in rows:
        by_episode.setdefault(row["episode"], []).append(row["step"])
        assert row["prompt"].count("New episode.") == 3 and row["prompt"].count("Success!") == 2
        assert row["prompt"].endswith("Act:") and row["prompt_tokens"] == 7 and row["seconds"] > 0
    assert sorted(by_episode.values()) == sorted(list(range(count)) for count in steps)
    longest = max(rows, key=lambda row: row["step"])
    present = longest["prompt"].rpartition("New episode.")[2]
    assert present.count("Act: ") == min(longest["step"], 3) and "around: " in present
    evaluate(config)  # everything is in the file already
    assert len(read_calls(tmp_path / "r.lm.calls.jsonl")) == len(rows)


def test_rubbish_is_counted_and_stops_nothing(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with service(lambda *_: completion("\ud800 as a language model I cannot")) as address:
        make(tmp_path / "lm", "--model.address", address, "--model.name", "m", "--data", str(data))
        (result,) = evaluate(EvaluateConfig(agents={"lm": str(tmp_path / "lm")}, episodes=3, out=tmp_path / "r.json"))
    assert result.success == (False,) * 3 and not result.failed
    rows = read_calls(tmp_path / "r.lm.calls.jsonl")
    assert len(rows) == 3 * 8 and {row["problem"] for row in rows} == {"no action"}
    assert "24 answers counted as doing nothing (no action: 24)" in capsys.readouterr().err


def test_the_budget_stops_an_evaluation_in_one_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with service(obedient) as address:
        words = ("--model.address", address, "--model.name", "m", "--data", str(data))
        make(tmp_path / "lm", *words, "--budget.calls", "5")
        evaluation = ["evaluate", "--agents", "lm", str(tmp_path / "lm"), "--episodes", "9", "--slots", "2"]
        evaluation += ["--out", str(tmp_path / "r.json")]
        assert main(evaluation) == 1
        error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert len(error) == 1 and "budget of 5 calls is spent" in error[0]
        assert len(read_calls(tmp_path / "r.lm.calls.jsonl")) <= 5
        make(tmp_path / "lm", *words)
        assert main(evaluation) == 0
    (result,) = load_results(tmp_path / "r.json")
    assert all(result.success)


def test_an_unreachable_service_is_one_line(tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with service(obedient) as address:
        pass
    words = ("--model.address", address, "--model.name", "m", "--model.retries", "0", "--data", str(data))
    make(tmp_path / "lm", *words)
    assert main(["evaluate", "--agents", "lm", str(tmp_path / "lm"), "--out", str(tmp_path / "r.json")]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert sum("cannot be used" in line for line in lines) == 1 and not any("Traceback" in line for line in lines)


def test_a_local_model_records_play(data: Path, tmp_path: Path) -> None:
    model = make_model(tmp_path / "model", [('Obs:\nyou hear: "go to the ball"\nAct:', " right")], places=2048)
    make(tmp_path / "lm", "--model.folder", str(model), "--data", str(data), "--examples", "1")
    agent = load_language_model(tmp_path / "lm")
    assert agent.model.folder == model and len(agent.examples) == 1
    play = tmp_path / "own"
    ids = record(RecordConfig(data=play, episodes=2, steps=4, slots=2, solver=str(tmp_path / "lm"), split="train"))
    store = open_store(play)
    rows = read_calls(tmp_path / "own.agent-lm.calls.jsonl")
    for episode in store.stream(ids):
        assert episode.solver == "agent:lm" and episode.world == "corridor" and len(episode) == 4
        answers = [row["answer"] for row in rows if row["episode"] == episode.episode_id]
        bins = ("left", "right", "stay")
        for answer, action in zip(answers, episode.movement[:, 0, 0].tolist(), strict=True):
            assert bins[action] in answer or bins[action] == "stay"
    assert not np.any([episode.demonstrated() for episode in store.stream(ids)])  # an agent's play is not imitated
    again = record(RecordConfig(data=play, episodes=2, steps=4, slots=2, solver=str(tmp_path / "lm"), split="train"))
    assert again == ids and len(read_calls(tmp_path / "own.agent-lm.calls.jsonl")) == len(rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no language model is given"),
        (["--model.folder", "nowhere"], "config.json is missing"),
        (["--model.address", "http://localhost:9/v1"], "give the name of one with --model.name"),
        (["--model.address", "http://localhost:9/v1", "--model.name", "m", "--data", "DATA", "--most-steps", "1"],
         "no episode for training in which all that was asked for was done of at most 1 steps"),
    ],
)  # fmt: skip
def test_wrong_settings_are_one_line(
    words: list[str], message: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(tmp_path / "lm", *(str(data) if word == "DATA" else word for word in words)) == 1
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line]
    assert line.startswith("error: ") and message in line
    assert not (tmp_path / "lm").exists()


def test_worlds_without_words_and_other_commands_refuse_it(tmp_path: Path, data: Path) -> None:
    words = ("--model.address", "http://localhost:9/v1", "--model.name", "m")
    make(tmp_path / "lm", *words, "--data", str(data))
    with pytest.raises(UserError, match="only `rlhf evaluate` and `rlhf record` play"):
        load_agent(tmp_path / "lm")
    elsewhere = EvaluateConfig(
        agents={"lm": str(tmp_path / "lm")}, world=WorldConfig("playhouse"), out=tmp_path / "r.json"
    )
    with pytest.raises(UserError, match="world playhouse have no texts"):
        evaluate(elsewhere)
    small_worlds.register()
    things = WorldConfig("small-things")
    with pytest.raises(UserError, match="shows the example action '(stay|left|right)', which this world does not have"):
        evaluate(EvaluateConfig(agents={"lm": str(tmp_path / "lm")}, world=things, out=tmp_path / "r.json"))
    examples = json.loads((tmp_path / "lm" / "examples.json").read_text())
    steps = [step for example in examples for step in example["steps"]]
    assert all(step["seen"].rpartition("\n")[2].startswith("around: ball ") for step in steps)
    assert {step["done"] for step in steps if step["seen"].startswith("you hear: ")} == {"left", "right"}
