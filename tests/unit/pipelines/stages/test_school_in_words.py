"""In the school a reader of texts, who knows nothing else, solves what needs no peer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from agents.language_models.calls import read_calls
from pipelines.cli.main import main
from pipelines.stages.evaluate import EvaluateConfig, evaluate
from pipelines.stages.settings.world_config import WorldConfig
from tests.unit.agents.language_models.tiny_model import completion, service

WORLD = WorldConfig(
    "school",
    options={"text": True, "max_steps": 60},
    settings={"environment": "SocialAI-AsocialBoxInformationSeekingParamEnv-v1", "size": 7},
)


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


def test_the_texts_of_the_school_say_enough_to_find_an_apple(tmp_path: Path) -> None:
    with service(reader) as address:
        assert main(["language-model", "make", "--out", str(tmp_path / "lm"), "--model.address", address,
                     "--model.name", "m"]) == 0  # fmt: skip
        agents = {"lm": str(tmp_path / "lm"), "chance": "random"}
        config = EvaluateConfig(
            agents=agents, probes=("boxes",), episodes=12, slots=4, out=tmp_path / "r.json", world=WORLD
        )
        results = {result.agent: result for result in evaluate(config)}
    assert results["lm"].rate == 1.0 > results["chance"].rate + 0.3
    rows = read_calls(tmp_path / "r.lm.calls.jsonl")
    assert all(not row["problem"] for row in rows) and len(rows) < 12 * 60
    assert "Actions: left, right, forward, toggle, finish, stay" in rows[0]["prompt"]
