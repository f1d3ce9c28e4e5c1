"""Every fault of an agent's folder is one line that names it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors.torch
import torch

from agents.agent import InteractiveAgent
from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.registry import load_reward_model
from rlhf.run.checkpoint import Checkpoints
from tests.unit.agents import made_up_play
from worlds.errors import UserError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_agent(made_up_play.tiny(), Tokenizer.train(["yes"], made_up_play.VOCABULARY), tmp_path / "agent")


def reweigh(folder: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    change(weights)
    safetensors.torch.save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def reconfigure(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def put_nan(weights: dict[str, torch.Tensor]) -> None:
    weights["value.2.weight"][0, 0] = torch.nan


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "is not an agent's folder"),
    "no config": (lambda f: (f / "config.json").unlink(), "config.json is missing"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "model.safetensors is missing"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json is missing"),
    "cut config": (lambda f: cut(f / "config.json"), "is damaged"),
    "binary config": (lambda f: (f / "config.json").write_bytes(b"\xff\xfe\x00"), "is damaged"),
    "impossible config": (lambda f: reconfigure(f, heads=3), "is damaged"),
    "cut weights": (lambda f: cut(f / "model.safetensors"), "is damaged"),
    "empty weights": (lambda f: (f / "model.safetensors").write_bytes(b""), "is damaged"),
    "other size": (lambda f: reconfigure(f, memory_width=16), "another size .* there and .* here"),
    "weight missing": (lambda f: reweigh(f, lambda w: w.pop("trunk.found")), "trunk.found is missing"),
    "weight unknown": (lambda f: reweigh(f, lambda w: w.update(more=torch.ones(1))), "more is unknown"),
    "not finite": (lambda f: reweigh(f, put_nan), "not finite in value.2.weight"),
    "cut tokenizer": (lambda f: cut(f / "tokenizer.json"), "damaged"),
    "config of another kind": (lambda f: (f / "config.json").write_text("[]"), "damaged"),
    "config of wrong types": (lambda f: reconfigure(f, memory_width="wide"), "damaged"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_reported_in_one_line(folder: Path, damage: str) -> None:
    spoil, message = DAMAGE[damage]
    spoil(folder)
    with pytest.raises(UserError, match=message) as caught:
        load_agent(folder)
    assert "\n" not in str(caught.value) and str(folder) in str(caught.value)


def test_an_agent_and_its_tokenizer_belong_together(folder: Path, tmp_path: Path) -> None:
    agent, tokenizer = load_agent(folder)
    other = Tokenizer.train(["nay"], made_up_play.VOCABULARY)  # of as many tokens
    with pytest.raises(ValueError, match="made with another tokenizer"):
        save_agent(agent, other, tmp_path / "mixed")
    assert not (tmp_path / "mixed").exists()
    InteractiveAgent.from_pretrained(folder).save_pretrained(tmp_path / "copy")
    assert json.loads((tmp_path / "copy" / "config.json").read_text())["tokenizer_digest"] == tokenizer.digest
    again, words = Checkpoints(tmp_path / "run").save(1, agent, tokenizer, {}).load_agent()
    assert again.config.tokenizer_digest == words.digest == tokenizer.digest
    other.save(folder)
    with pytest.raises(UserError, match=f"{folder}.*tokenizer.json is not the tokenizer that the agent was"):
        load_agent(folder)


def test_a_reward_model_is_no_agent_and_an_agent_no_reward_model(folder: Path, tmp_path: Path) -> None:
    agent, tokenizer = load_agent(folder)
    model = save_agent(InterTemporalRewardModel.from_agent(agent), tokenizer, tmp_path / "reward")
    with pytest.raises(UserError, match=f"^{model} holds a reward model, not an agent: name the folder of an agent$"):
        load_agent(model)
    with pytest.raises(UserError, match=f"^{folder} holds an agent, not a reward model: name the folder of a reward"):
        load_reward_model(folder)
    with pytest.raises(UserError, match="is not a reward model's folder"):
        load_reward_model(tmp_path)
    (folder / "config.json").write_text("[1")
    with pytest.raises(UserError, match="is damaged"):
        load_reward_model(folder)
