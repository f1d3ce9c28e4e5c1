"""Agents and reward models of one's own: found by name, from the command line and from their folders."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from agents import registry
from agents.agent import InteractiveAgent
from agents.config import AgentConfig
from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from pipelines.cli.main import main
from pipelines.stages.clone import new_agent
from pipelines.stages.reward import RewardConfig
from reward_models import registry as reward_models
from reward_models.inter_temporal import InterTemporalRewardModel
from tests.distributions import installed
from tests.unit.agents import made_up_play, own_agent
from worlds.errors import UserError

SIZE = "patch_agent/small"


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["yes"], made_up_play.VOCABULARY)


@pytest.fixture
def saved(tokenizer: Tokenizer, tmp_path: Path) -> Path:
    return save_agent(new_agent(SIZE, tokenizer, image_size=(12, 12)), tokenizer, tmp_path / "agent")


def test_a_size_names_the_kind(tokenizer: Tokenizer) -> None:
    assert type(new_agent("nano", tokenizer, image_size=(12, 12))) is InteractiveAgent
    assert type(registry.make("interactive_agent/nano")) is InteractiveAgent


@pytest.mark.parametrize(
    ("size", "complaint"),
    [
        ("huge", "no agent size 'huge'; known: nano, micro"),
        ("patch_agent/huge", "no agent size 'patch_agent/huge'; known: small"),
        ("nobody/small", "no agent named 'nobody'; known: film_agent, interactive_agent, .*patch_agent"),
    ],
)
def test_an_unknown_size_or_kind_is_one_line(size: str, complaint: str, tokenizer: Tokenizer) -> None:
    with pytest.raises(UserError, match=f"^{complaint}"):
        new_agent(size, tokenizer, image_size=(12, 12))


def test_an_agent_of_an_unknown_kind_is_refused_with_the_remedy(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(load_agent(saved, own_agent.PatchAgent)[0]) is own_agent.PatchAgent
    monkeypatch.setattr(registry._registry, "_entries", {})
    with pytest.raises(UserError, match="holds a model 'patch_agent', .* entry point group interactive_rlhf.agents$"):
        load_agent(saved)


def test_a_kind_of_another_package_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry._registry, "_entries", dict(registry._registry._entries))
    source = (
        "from agents.agent import InteractiveAgent\n"
        "from agents.config import AgentConfig\n"
        "from agents.registry import register\n"
        "class Config(AgentConfig):\n"
        "    model_type = 'elsewhere'\n"
        "    presets = {'tiny': {'width': 8, 'heads': 2, 'memory_width': 8}}\n"
        "@register\n"
        "class Agent(InteractiveAgent):\n"
        "    config_class = Config\n"
    )
    with installed(tmp_path, registry.ENTRY_POINT_GROUP, "elsewhere", source):
        assert "elsewhere" in registry.names()
        assert registry.make("elsewhere/tiny").config.width == 8


def test_registrations_that_do_not_fit_are_refused() -> None:
    class Other(InteractiveAgent):
        config_class = AgentConfig

    class JudgeConfig(own_agent.InterTemporalConfig):
        model_type = "judge"

    class Judge(InterTemporalRewardModel):
        config_class = JudgeConfig

    with pytest.raises(ValueError, match="another agent is registered as 'interactive_agent'"):
        registry.register(Other)
    with pytest.raises(UserError, match="the model_type of JudgeConfig is 'judge'; let it end in '_reward_model'"):
        reward_models.register(Judge)


def test_own_reward_models_are_found_by_name_for_their_kind_of_agent(tokenizer: Tokenizer) -> None:
    with pytest.raises(UserError, match="^kind is one of .*inter_temporal, patch, not 'none'$"):
        RewardConfig(kind="none")
    agent = new_agent(SIZE, tokenizer, image_size=(12, 12))
    assert type(reward_models.get("patch").from_agent(agent)) is own_agent.PatchRewardModel
    with pytest.raises(
        UserError, match="^the reward model IBT is not made for agents of the kind 'patch_agent': trunk"
    ):
        InterTemporalRewardModel.from_agent(agent)


def test_the_commands_train_own_kinds(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    world = ["--world.name", str(Path(__file__).parents[3] / "examples" / "own_world" / "discs.py")]
    world += ["--world.height=24", "--world.width=24"]
    data, runs = f"--data={tmp_path / 'data'}", f"--runs={tmp_path / 'runs'}"
    trained = [data, runs, "--training.updates=2", "--training.steps=4", "--training.batch=2", "--wandb=disabled"]
    agent, judge = tmp_path / "runs" / "clone" / "agent", tmp_path / "runs" / "reward" / "reward_model"
    improving = [
        "--anyway",
        "--slots=2",
        "--steps=4",
        "--updates=1",
        "--threads=1",
        "--wandb=disabled",
        f"--reward-model={judge}",
    ]
    for words in (
        ["record", data, "--episodes=6", "--steps=40", "--workers=1", "--held-out=0", *world],
        ["mark", data],
        ["clone", *trained, f"--size={SIZE}"],
        ["reward", *trained, f"--agent={agent}", "--kind=patch"],
        ["improve", data, runs, f"--agent={agent}", *improving, *world],
    ):
        assert main(words) == 0, words
    assert type(load_agent(tmp_path / "runs" / "improve" / "agent")[0]) is own_agent.PatchAgent
