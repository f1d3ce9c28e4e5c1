"""A language model acts as any other agent and marks as any other rater; its calls are kept and never made twice."""

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
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.store import open_store
from tests import small_worlds
from tests.unit.agents.language_models.tiny_model import completion, make_model, service
from tests.unit.pipelines.stages.small_training import Complaint
from worlds.errors import UserError
from worlds.foreign_code.trust import permit

WORLD = WorldConfig(str(Path(__file__).with_name("corridor.py")))
permit([str(WORLD.name)])
NOWHERE = "--model.address http://localhost:9/v1 --model.name m".split()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("play") / "data"
    players = PlayersConfig(solver={"wrong": 0.0, "error": 0.0})
    record(RecordConfig(data=folder, episodes=6, steps=20, tail=0, workers=1, world=WORLD, players=players))
    return folder


def obedient(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """Go where the last step of the prompt says that the thing is, if one has been asked for."""
    present = body["prompt"].rpartition("Obs:")[2]
    asked = re.findall(r'you hear: "go to the (\w+)"', present)
    if not asked:
        return completion("stay")
    (side,) = re.findall(rf"{asked[0]} (to the left|to the right|here)", present)
    return completion({"to the left": " turn left", "to the right": " right", "here": "stay"}[side])


def make(out: Path, *words: object) -> int:
    return main(["language-model", "make", "--out", str(out), *map(str, words)])


def behind(address: str, data: Path) -> list[object]:
    return ["--model.address", address, "--model.name", "m", "--data", data]


def test_a_model_behind_an_address_is_evaluated_as_an_agent(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = {"lm": str(tmp_path / "lm"), "all": "perfect"}
    config = EvaluateConfig(agents=agents, episodes=5, slots=2, out=tmp_path / "r.json")
    with service(obedient) as address:
        assert make(tmp_path / "lm", *behind(address, data), "--examples", 2) == 0
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
        make(tmp_path / "lm", *behind(address, data))
        (result,) = evaluate(EvaluateConfig(agents={"lm": str(tmp_path / "lm")}, episodes=3, out=tmp_path / "r.json"))
    assert result.success == (False,) * 3 and not result.failed
    rows = read_calls(tmp_path / "r.lm.calls.jsonl")
    assert len(rows) == 3 * 8 and {row["problem"] for row in rows} == {"no action"}
    assert "24 answers counted as doing nothing (no action: 24)" in capsys.readouterr().err


def test_a_spent_budget_and_a_service_that_is_gone_are_one_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(out: Path, message: str) -> bool:
        assert main([*evaluation, f"--out={out}"]) == 1
        lines = capsys.readouterr().err.splitlines()
        assert not any("Traceback" in line for line in lines)
        return sum(message in line for line in lines) == 1

    evaluation = ["evaluate", "--agents", "lm", str(tmp_path / "lm"), "--episodes=9", "--slots=2"]
    with service(obedient) as address:
        make(tmp_path / "lm", *behind(address, data), "--budget.calls", 5)
        assert refused(tmp_path / "r.json", "budget of 5 calls is spent")
        assert len(read_calls(tmp_path / "r.lm.calls.jsonl")) <= 5
        make(tmp_path / "lm", *behind(address, data))
        assert main([*evaluation, f"--out={tmp_path / 'r.json'}"]) == 0
    assert all(load_results(tmp_path / "r.json")[0].success)
    make(tmp_path / "lm", *behind(address, data), "--model.retries", 0)
    assert refused(tmp_path / "other.json", "cannot be used")


def test_a_local_model_records_play(data: Path, tmp_path: Path) -> None:
    model = make_model(tmp_path / "model", [('Obs:\nyou hear: "go to the ball"\nAct:', " right")], places=2048)
    make(tmp_path / "lm", "--model.folder", model, "--data", data, "--examples", 1)
    agent = load_language_model(tmp_path / "lm")
    assert agent.model.folder == model and len(agent.examples) == 1
    play, calls = tmp_path / "own", tmp_path / "own.agent-lm.calls.jsonl"
    config = RecordConfig(data=play, episodes=2, steps=4, slots=2, solver=str(tmp_path / "lm"), split="train")
    ids, rows = record(config), read_calls(calls)
    episodes = list(open_store(play).stream(ids))
    for episode in episodes:
        assert episode.solver == "agent:lm" and episode.world == "corridor" and len(episode) == 4
        answers = [row["answer"] for row in rows if row["episode"] == episode.episode_id]
        bins = ("left", "right", "stay")
        for answer, action in zip(answers, episode.movement[:, 0, 0].tolist(), strict=True):
            assert bins[action] in answer or bins[action] == "stay"
    assert not np.any([episode.demonstrated() for episode in episodes])  # an agent's play is not imitated
    assert record(config) == ids and len(read_calls(calls)) == len(rows)


def test_worlds_without_words_and_other_commands_refuse_it(tmp_path: Path, data: Path) -> None:
    make(tmp_path / "lm", *NOWHERE, "--data", data)
    with pytest.raises(UserError, match="only `rlhf evaluate` and `rlhf record` play"):
        load_agent(tmp_path / "lm")
    small_worlds.register()
    for world, message in (
        ("playhouse", "world playhouse have no texts"),
        ("small-things", "shows the example action '(stay|left|right)', which this world does not have"),
    ):
        agents = {"lm": str(tmp_path / "lm")}
        with pytest.raises(UserError, match=message):
            evaluate(EvaluateConfig(agents=agents, world=WorldConfig(world), out=tmp_path / "r.json"))
    examples = json.loads((tmp_path / "lm" / "examples.json").read_text())
    steps = [step for example in examples for step in example["steps"]]
    assert all(step["seen"].rpartition("\n")[2].startswith("around: ball ") for step in steps)
    assert {step["done"] for step in steps if step["seen"].startswith("you hear: ")} == {"left", "right"}


def reader(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """Walk to the box or the apple that the text places, open it and eat."""
    now = body["prompt"].rpartition("Obs:")[2]
    found = re.search(r"^(?:surroundings: )?an? (?:closed \w+ box|apple) (.+)$", now, re.MULTILINE)
    blocked = "a wall right in front of you" in now
    if found is None:  # look elsewhere
        return completion("turn right" if blocked else "move forward")
    where = found[1]
    if where == "right in front of you":
        return completion("toggle")
    if "ahead" in where and not blocked:
        return completion("move forward")
    return completion("turn left" if "left" in where else "turn right")


def test_the_texts_of_the_school_are_enough_to_find_an_apple(tmp_path: Path) -> None:
    place = {"environment": "SocialAI-AsocialBoxInformationSeekingParamEnv-v1", "size": 7}
    world = WorldConfig("school", options={"text": True, "max_steps": 60}, settings=place)
    agents, out = {"lm": str(tmp_path / "lm"), "chance": "random"}, tmp_path / "r.json"
    with service(reader) as address:
        assert make(tmp_path / "lm", "--model.address", address, "--model.name", "m") == 0
        config = EvaluateConfig(agents=agents, probes=("boxes",), episodes=12, slots=4, out=out, world=world)
        results = {result.agent: result for result in evaluate(config)}
    assert results["lm"].rate == 1.0 > results["chance"].rate + 0.3
    rows = read_calls(tmp_path / "r.lm.calls.jsonl")
    assert all(not row["problem"] for row in rows) and len(rows) < 12 * 60
    assert "Actions: left, right, forward, toggle, finish, stay" in rows[0]["prompt"]


# As a rater


def sharp(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """Give + where what was asked for has just been reached."""
    *_, before, now = ["", *body["prompt"].rpartition("Now:\n")[::2]]
    asked = re.search(r"go to the (\w+)", now)
    reached = asked is not None and f"{asked[1]} here" in now
    was = asked is not None and f"{asked[1]} here" in before.rpartition("Obs:\n")[2]
    return completion("+" if reached and not was else "0")


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("marked") / "data"
    record(RecordConfig(data=folder, episodes=12, steps=20, workers=1, world=WORLD, held_out=0.0))
    mark(MarkConfig(data=folder, delay=0.0, delay_sd=0.0, miss=0.0, mistake=0.0))
    return folder


def test_a_model_rates_and_agrees_with_who_sees_the_same(
    marked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, calls = tmp_path / "rater", tmp_path / "rater" / "calls.jsonl"
    words = ["language-model", "mark", "--data", str(marked), "--out", str(out), "--model.name", "m"]
    words += ["--examples-of", "scripted-rater-0", "--examples", "3", "--tolerance", "1"]
    with service(sharp) as address:
        words += ["--model.address", address]
        assert main([*words, "--budget.calls", "40"]) == 1
        assert "the budget of 40 calls is spent" in capsys.readouterr().err
        assert 0 < (asked := len(read_calls(calls))) <= 40
        assert main(words) == 0
        assert "agreement with scripted-rater-0 in" in capsys.readouterr().err
        rows = read_calls(calls)
        assert main(words) == 0 and len(read_calls(calls)) == len(rows)  # nothing is asked for twice
        assert main([*words, "--prompt.history", "1"]) == 1
        assert "holds the answers of another rater, or to other prompts" in capsys.readouterr().err
    assert len({(row["episode"], row["step"]) for row in rows}) == len(rows) > asked
    given = [one for one in open_store(marked).marks() if one.rater == "language-model"]
    assert given and all(one.scripted and one.sign == 1 for one in given)
    (pair,) = json.loads((out / "agreement.json").read_text())
    assert pair["raters"] == ["language-model", "scripted-rater-0"] and 9 <= pair["episodes"] < 12
    assert pair["episodes"] == len({row["episode"] for row in rows})  # none of them is an example's
    assert pair["sign"]["value"] == 1.0 and pair["whether"]["value"] > 0.8 > pair["whether"]["chance"]
    assert {row["prompt"].count("Sign: ") for row in rows} == {3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("make", "no language model is given"),
        ("make --model.folder nowhere", "config.json is missing"),
        ("make --model.address http://localhost:9/v1", "give the name of one with --model.name"),
        ("make NOWHERE --data DATA --most-steps 1", "no episode for training in which all that was asked for was done"),
        ("mark NOWHERE --data DATA --examples-of ann", "has no marks of ann; raters: "),
        ("mark NOWHERE --data DATA --name scripted-rater-0", "has marks of a rater scripted-rater-0 already"),
        ("mark NOWHERE --data DATA --solver human", "has no episode to mark"),
        ("mark NOWHERE --data DATA --every 0", "--every is at least 1"),
    ],
)
def test_wrong_settings_are_one_line(
    words: str, message: str, marked: Path, tmp_path: Path, complaint: Complaint
) -> None:
    typed = words.replace("NOWHERE", " ".join(NOWHERE)).replace("DATA", str(marked)).split()
    assert message in complaint("language-model", *typed, "--out", tmp_path / "made")
    assert not (tmp_path / "made").exists()
